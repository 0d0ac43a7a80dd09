import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from inspector.cli import command_line
from inspector.commands.clock import Clock
from inspector.layout import native
from inspector.lmsp.cancelling import CancelOutcome
from inspector.lmsp.statuses import Status
from tests.commands.databases import (
    NOW,
    by_hand,
    closing_db,
    foreign,
    killed_service,
    one_of_each,
    run,
    service,
    state_of,
    tell,
    without_shm,
)
from tests.support.proof import differences, touch_state

LATER = NOW + 1_000


def cancel(path: Path, task_id: str, *options: str) -> Result:
    clock = Clock(lambda: LATER, lambda _seconds: None)
    return CliRunner().invoke(command_line, ["cancel", str(path), task_id, *options], obj=clock)


def document(path: Path, task_id: str) -> tuple[int, dict[str, Any]]:
    result = cancel(path, task_id, "--json")
    assert result.stderr == ""
    return result.exit_code, json.loads(result.stdout)


def log_of(path: Path, task_id: str) -> list[tuple[object, ...]]:
    with closing_db(path) as db:
        return db.conn.execute(
            "SELECT seq, type, status, created_at FROM task_events WHERE task_id = ? ORDER BY seq", (task_id,)
        ).fetchall()


OUTCOMES = {
    "queued": (0, "cancelled", "cancelled", 2),
    "loading": (0, "cancelling", "cancelling", 3),
    "running": (0, "cancelling", "cancelling", 4),
    "cancelling": (1, "already_cancelling", "cancelling", 4),
    "completed": (1, "already_finished", "completed", 4),
    "failed": (1, "already_finished", "failed", 4),
    "cancelled": (1, "already_finished", "cancelled", 2),
    "nope": (1, "not_found", None, None),
}


@pytest.mark.parametrize("found", OUTCOMES)
def test_every_status_has_its_outcome_and_only_two_write(tmp_path: Path, found: str) -> None:
    path = one_of_each(tmp_path / "lmsp.db")
    code, outcome, status, seq = OUTCOMES[found]
    before = {task_id: log_of(path, task_id) for task_id in Status}
    assert document(path, found) == (code, {"task_id": found, "outcome": outcome, "status": status, "seq": seq})
    written = [(seq, f"response.{outcome}", status, LATER)] if code == 0 else []
    for task_id in Status:
        assert log_of(path, task_id) == before[task_id] + (written if task_id == found else [])
    assert [entry.name for entry in tmp_path.iterdir()] == ["lmsp.db"]


SENTENCES = {
    "queued": "Cancelled. It was queued and no worker held it, so this is final.",
    "loading": "Cancelling. Its worker will see it at its next write.",
    "running": "Cancelling. Its worker will see it at its next write.",
    "cancelling": "Already being cancelled since event 4. No second event was written.",
    "completed": "Not cancelled: it finished first. It is completed since event 4. Nothing was written.",
    "failed": "Not cancelled: it finished first. It is failed since event 4. Nothing was written.",
    "cancelled": "Not cancelled: it finished first. It is cancelled since event 2. Nothing was written.",
    "nope": "There is no such task in this database. Nothing was written.",
}


@pytest.mark.parametrize("found", SENTENCES)
def test_a_person_is_told_in_one_line(tmp_path: Path, found: str) -> None:
    result = cancel(one_of_each(tmp_path / "lmsp.db"), found)
    sentence = f"{found}: {SENTENCES[found]}\n"
    assert (result.stdout, result.stderr) == ((sentence, "") if result.exit_code == 0 else ("", sentence))


def test_the_second_cancel_is_no_second_event(tmp_path: Path) -> None:
    path = one_of_each(tmp_path / "lmsp.db")
    assert document(path, "running")[1]["outcome"] == "cancelling"
    log = log_of(path, "running")
    assert document(path, "running") == (
        1,
        {"task_id": "running", "outcome": "already_cancelling", "status": "cancelling", "seq": 4},
    )
    assert log_of(path, "running") == log


def test_a_cancel_on_a_database_in_use_is_seen_by_its_service(tmp_path: Path) -> None:
    path = tmp_path / "lmsp.db"
    with service(path, ("t", "running", "fail")) as process:
        assert document(path, "t")[1]["outcome"] == "cancelling"
        tell(process, "assert store.append_events(db, 't', [], attempt=1, now_ms=1).status == 'cancelling'")


def test_a_cancel_on_what_a_killed_service_left_is_written(tmp_path: Path) -> None:
    path = killed_service(tmp_path / "lmsp.db", ("t", "queued", "fail"))
    assert document(path, "t") == (0, {"task_id": "t", "outcome": "cancelled", "status": "cancelled", "seq": 2})
    assert [row[1] for row in log_of(path, "t")] == ["response.created", "response.cancelled"]


@pytest.mark.parametrize("json_option", [[], ["--json"]])
def test_a_held_lock_is_busy_and_nothing_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, json_option: list[str]
) -> None:
    monkeypatch.setattr("inspector.commands.cancel._WAIT_MS", 50)
    path = tmp_path / "lmsp.db"
    with service(path, ("t", "running", "fail")) as process:
        tell(process, "db.conn.execute('BEGIN IMMEDIATE')")
        result = cancel(path, "t", *json_option)
        assert result.exit_code == 1
        if json_option:
            found = json.loads(result.stdout)
            reason = found.pop("reason")
            assert found == {"task_id": "t", "outcome": "busy", "status": None, "seq": None}
            assert reason.endswith("nothing was changed.")
        else:
            assert (result.stdout, result.stderr[:26]) == ("", "t: Busy, nothing changed. ")
        tell(process, "db.conn.execute('ROLLBACK')")
        tell(process, "assert store.append_events(db, 't', [], attempt=1, now_ms=1).status == 'running'")


def newer(path: Path) -> Path:
    one_of_each(path)
    by_hand(path, "PRAGMA user_version = 999")
    return path


def with_a_foreign_trigger(path: Path) -> Path:
    one_of_each(path)
    by_hand(path, "CREATE TRIGGER evil AFTER UPDATE ON tasks BEGIN DELETE FROM task_events; END")
    return path


def without_a_trigger(path: Path) -> Path:
    one_of_each(path)
    by_hand(path, f"DROP TRIGGER {next(iter(native.TRIGGERS))}")
    return path


REFUSING: dict[str, Callable[[Path], Path]] = {
    "a copy without its -shm": lambda path: without_shm(path, ("running", "running", "fail")),
    "a foreign layout": lambda path: foreign(path, ("running", "running", None)),
    "a newer version": newer,
    "a foreign trigger": with_a_foreign_trigger,
    "a missing trigger": without_a_trigger,
}


@pytest.mark.threat(id="T4")
@pytest.mark.parametrize("kind", REFUSING)
def test_nothing_is_written_where_nothing_may_be(tmp_path: Path, kind: str) -> None:
    path = REFUSING[kind](tmp_path / "lmsp.db")
    before = state_of(tmp_path)
    code, found = document(path, "running")
    reason = found.pop("reason")
    assert (code, found) == (1, {"task_id": "running", "outcome": "refused", "status": None, "seq": None})
    assert reason.endswith(".")
    assert state_of(tmp_path).keys() == before.keys()
    assert state_of(tmp_path)["lmsp.db"] == before["lmsp.db"]


def test_every_outcome_was_seen_here() -> None:
    seen = {outcome for _, outcome, _, _ in OUTCOMES.values()} | {"busy", "refused"}
    assert seen == set(CancelOutcome)


def test_a_refusal_in_words_is_one_line(tmp_path: Path) -> None:
    result = cancel(foreign(tmp_path / "x.db", ("t\x1b", "running", None)), "t\x1b")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("t\\u001b: Not cancelled. This is not the native layout.")
    assert result.stderr.count("\n") == 1


def test_a_file_of_others_whose_service_died_is_not_opened_for_writing(tmp_path: Path) -> None:
    (tmp_path / "live").mkdir()
    (tmp_path / "copied").mkdir()
    path = foreign(tmp_path / "live" / "x.db", ("t", "running", None))
    copy = tmp_path / "copied" / "x.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode=WAL").fetchall()
        db.execute("UPDATE tasks SET status = 'queued'")
        db.commit()
        for suffix in ("", "-wal", "-shm"):
            shutil.copyfile(f"{path}{suffix}", f"{copy}{suffix}")
    before = touch_state(copy)

    result = cancel(copy, "t")

    assert (result.exit_code, result.stderr) == (1, "t: Not cancelled. This is not the native layout.\n")
    assert differences(before, touch_state(copy)) == ()


def test_an_id_that_is_no_text_is_an_unusable_argument(tmp_path: Path) -> None:
    done = run("cancel", one_of_each(tmp_path / "lmsp.db"), b"\xff\x1b", "--json")
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (2, b"", 1)
    assert b"Traceback" not in done.stderr
    assert b"\x1b" not in done.stderr


@pytest.mark.process
@pytest.mark.parametrize("found", ["completed", "cancelling", "nobody"])
def test_a_cancel_that_writes_nothing_leaves_what_a_killed_service_left(tmp_path: Path, found: str) -> None:
    path = tmp_path / "service.db"
    killed_service(path, ("done", "completed", "retry"), ("stopping", "cancelling", "retry"))
    parts = [path, path.with_name("service.db-wal")]
    before = [part.read_bytes() for part in parts]
    status, _ = document(path, {"completed": "done", "cancelling": "stopping"}.get(found, found))
    assert status == 1
    assert [part.read_bytes() for part in parts] == before
