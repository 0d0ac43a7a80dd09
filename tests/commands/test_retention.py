import json
import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from inspector import store
from inspector.cli import command_line
from inspector.commands.clock import Clock
from tests.commands.databases import (
    by_hand,
    closing_db,
    foreign,
    killed_service,
    run,
    service,
    state_of,
    tell,
    without_shm,
)
from tests.support.store_old_tasks import CUTOFF, KEEP, NOW, ended, leave_old

PREVIEW = {
    "tasks": 6,
    "events": 35,
    "responses": 2,
    "keys": 6,
    "expired_keys": 1,
    "expired_responses": 1,
    "kept_unfinished": 2,
    "kept_recent": 3,
    "keep_ms": KEEP,
    "cutoff_ms": CUTOFF,
}
NOTHING = {name: 0 for name in PREVIEW if name != "kept_unfinished"} | {"kept_unfinished": 2}


def retention(path: Path, *options: str | Path, waits: list[float] | None = None) -> Result:
    clock = Clock(lambda: NOW, ([] if waits is None else waits).append)
    return CliRunner().invoke(command_line, ["retention", str(path), *map(str, options)], obj=clock)


def document(path: Path, *options: str | Path) -> dict[str, Any]:
    result = retention(path, "--json", *options)
    assert (result.exit_code, result.stderr) == (0, "")
    found: dict[str, Any] = json.loads(result.stdout)
    found.pop("opened", None)  # of all commands: test_proving
    return found


def refused(path: Path, *options: str | Path) -> tuple[int, str]:
    """Return how the command ended and its one line on standard error."""
    result = retention(path, *options)
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    return result.exit_code, result.stderr


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "db" / "lmsp.db"
    path.parent.mkdir()
    with closing_db(path) as db:
        leave_old(db)
    return path


def ids(path: Path) -> set[str]:
    with closing_db(path) as db:
        return {task_id for (task_id,) in db.conn.execute("SELECT id FROM tasks").fetchall()}


def test_the_preview_counts_what_would_go_and_writes_nothing(old: Path) -> None:
    before = state_of(old.parent)
    found = document(old, "--keep", "1s")
    assert found == PREVIEW
    assert list(found) == list(PREVIEW)
    assert state_of(old.parent) == before


def test_what_is_applied_is_the_preview_and_is_told_in_its_form(old: Path) -> None:
    found = document(old, "--keep", "1s", "--apply")
    assert found == {**PREVIEW, "applied": True, "large": []}
    assert list(found) == [*PREVIEW, "applied", "large"]
    assert ids(old) == {"recent", "expired", "expired later", "queued", "running"}
    assert sorted(entry.name for entry in old.parent.iterdir()) == ["lmsp.db"]
    again = document(old, "--keep", "1s", "--apply")
    assert again == {**NOTHING, "keep_ms": KEEP, "cutoff_ms": CUTOFF, "kept_recent": 3, "applied": True, "large": []}


@pytest.mark.parametrize("options", [(), ("--apply",)])
def test_a_path_may_begin_with_two_slashes(old: Path, options: tuple[str, ...]) -> None:
    result = CliRunner().invoke(command_line, ["retention", f"/{old}", "--keep", "1s", "--json", *options])
    assert (result.exit_code, result.stderr) == (0, "")
    assert json.loads(result.stdout)["tasks"] > 0


def test_each_unit_of_a_period_is_told(old: Path) -> None:
    told = CliRunner().invoke(command_line, ["retention", "--help"]).stdout
    for period in ("2w", "30d", "12h", "45m", "90s", "500ms"):
        assert f" {period}" in told
        assert retention(old, "--keep", period).exit_code == 0


def test_the_stored_period_is_taken_unless_another_is_said(old: Path) -> None:
    with closing_db(old) as db:
        store.set_config(db, "retention.keep_ms", KEEP, now_ms=1)
    assert document(old) == PREVIEW
    assert document(old, "--keep", "30d")["tasks"] == 0
    assert document(old, "--apply") == {**PREVIEW, "applied": True, "large": []}


@pytest.mark.parametrize("options", [(), ("--apply",), ("--json",), ("--apply", "--json")])
@pytest.mark.parametrize("stored", [None, -1, "30d", 1.5])
def test_without_any_period_keep_is_asked_for(old: Path, stored: object, options: tuple[str, ...]) -> None:
    if stored is not None:
        with closing_db(old) as db:
            store.set_config(db, "retention.keep_ms", stored, now_ms=1)
    before = state_of(old.parent)
    status, line = refused(old, *options)
    assert (status, "--keep 30d" in line) == (2, True)
    if options == ():
        assert state_of(old.parent) == before


@pytest.mark.parametrize("period", ["", "30", "-1d", "1.5h", "nan", "30 d", "99999999999999999999d", "\x1b[31m", "ä"])
def test_a_period_that_is_none_is_one_line(old: Path, period: str) -> None:
    before = state_of(old.parent)
    status, line = refused(old, "--keep", period)
    assert status == 2
    assert "\x1b" not in line
    assert state_of(old.parent) == before


def test_a_person_gets_sentences(old: Path) -> None:
    lines = retention(old, "--keep", "1s").stdout.splitlines()
    assert lines[:3] == [
        "Preview, nothing is written: 6 tasks that finished before 1970-01-01T00:00:09.000Z, longer than 1s ago, "
        "with 35 events, 2 responses and 6 idempotency keys.",
        "Expired, of other tasks: 1 response and 1 idempotency key.",
        "Kept: 2 unfinished and 3 finished tasks.",
    ]
    assert lines[3].startswith("Opened resting: ")
    assert retention(old, "--keep", "1s", "--apply").stdout.splitlines() == [
        lines[0].replace("Preview, nothing is written", f"Applied to {old}"),
        *lines[1:3],
    ]
    assert retention(old, "--keep", "1s", "--apply").stdout.splitlines() == [
        f"Applied to {old}: no task finished before 1970-01-01T00:00:09.000Z, longer than 1s ago.",
        lines[2],
    ]


def test_numbers_have_separators_and_large_tasks_are_named(tmp_path: Path) -> None:
    path = tmp_path / "lmsp.db"
    with closing_db(path) as db:
        ended(db, "odd\x1b[31m", events=6_000)
        ended(db, "small")
    waits: list[float] = []
    result = retention(path, "--keep", "1s", "--apply", waits=waits)
    assert "with 6,009 events, 2 responses and 2 idempotency keys." in result.stdout
    assert result.stdout.splitlines()[-1] == "Larger than a whole batch, and deleted alone: odd\\u001b[31m."
    assert len(waits) == 2


def test_the_preview_of_a_dead_service_leaves_no_trace_and_neither_does_a_cleanup_of_nothing(tmp_path: Path) -> None:
    path = killed_service(tmp_path / "lmsp.db", ("a", "running", "retry"), ("b", "completed", "retry"))
    before = state_of(tmp_path)
    assert document(path, "--keep", "1s")["tasks"] == 0
    assert document(path, "--keep", "1s", "--apply")["applied"] is True
    assert state_of(tmp_path).keys() == before.keys()
    assert state_of(tmp_path)["lmsp.db-wal"][2:] == before["lmsp.db-wal"][2:]
    assert state_of(tmp_path)["lmsp.db"] == before["lmsp.db"]


def test_cleanup_runs_beside_a_service_at_work(old: Path) -> None:
    with service(old, ("a", "running", "retry")) as process:
        found = document(old, "--keep", "1s", "--apply")
        assert (found["tasks"], found["kept_unfinished"]) == (6, 3)
        tell(process, "assert store.append_events(db, 'a', [], attempt=1, now_ms=1).status == 'running'")
        tell(process, "assert store.config_value(db, 'retention.last_run')['tasks'] == 6")


def test_a_database_in_rollback_mode_is_cleaned_and_stays_in_it(old: Path) -> None:
    by_hand(old, "PRAGMA journal_mode = DELETE")
    assert document(old, "--keep", "1s", "--apply")["tasks"] == 6
    db = sqlite3.connect(old)
    assert db.execute("PRAGMA journal_mode").fetchall() == [("delete",)]
    assert db.execute("SELECT count(*) FROM tasks").fetchall() == [(5,)]


def test_nothing_is_deleted_from_what_is_read_from_a_copy(tmp_path: Path) -> None:
    path = without_shm(tmp_path / "lmsp.db", ("a", "completed", "fail"))
    before = state_of(tmp_path)
    assert refused(path, "--keep", "0s", "--apply")[0] == 1
    assert state_of(tmp_path) == before
    assert document(path, "--keep", "0s")["kept_recent"] == 1


def newer(path: Path) -> Path:
    with closing_db(path) as db:
        leave_old(db)
    by_hand(path, "PRAGMA user_version = 2147483647")
    return path


def with_a_foreign_trigger(path: Path) -> Path:
    with closing_db(path) as db:
        leave_old(db)
    by_hand(path, "CREATE TRIGGER evil AFTER DELETE ON tasks BEGIN DELETE FROM models; END")
    return path


def without_responses(path: Path) -> Path:
    with closing_db(path) as db:
        leave_old(db)
    by_hand(path, "DROP TABLE responses", "DROP TABLE service_config", "DROP TABLE idempotency_keys")
    return path


NOT_OURS: dict[str, Callable[[Path], Path]] = {
    "a foreign layout": lambda path: foreign(path, ("a", "completed", "retry")),
    "a newer version": newer,
    "a foreign trigger": with_a_foreign_trigger,
    "tables missing": without_responses,
}


@pytest.mark.parametrize("kind", NOT_OURS)
def test_a_layout_that_is_not_ours_is_previewed_and_never_written(tmp_path: Path, kind: str) -> None:
    path = NOT_OURS[kind](tmp_path / "lmsp.db")
    before = state_of(tmp_path)
    found = document(path, "--keep", "1s")
    assert found["tasks"] == (0 if kind == "a foreign layout" else 6)
    assert refused(path, "--keep", "1s", "--apply")[0] == 1
    assert state_of(tmp_path) == before


@pytest.mark.parametrize("make", [Path.mkdir, Path.touch, os.mkfifo, lambda path: path.write_text("text"), None])
@pytest.mark.parametrize("options", [(), ("--apply",)])
def test_what_is_no_database_ends_with_one_line(
    tmp_path: Path, make: Callable[[Path], object] | None, options: tuple[str, ...]
) -> None:
    path = tmp_path / "x.db"
    if make is not None:
        make(path)
    before = state_of(tmp_path)
    assert refused(path, "--keep", "1s", *options)[0] in (1, 2)
    assert state_of(tmp_path) == before


def test_mode_is_for_the_preview(old: Path) -> None:
    assert document(old, "--keep", "1s", "--mode", "copy") == PREVIEW
    assert refused(old, "--keep", "1s", "--mode", "live", "--apply")[0] == 2


@pytest.mark.parametrize(
    ("error", "status"), [(store.Busy("Another process held it."), 1), (store.Unusable("The disk is full."), 2)]
)
def test_what_stops_a_cleanup_is_one_line(
    old: Path, monkeypatch: pytest.MonkeyPatch, error: store.Unusable, status: int
) -> None:
    def stop(*_arguments: object, **_settings: object) -> store.RetentionResult:
        raise error

    monkeypatch.setattr("inspector.commands.retention.apply_retention", stop)
    named = "lmsp.db: " if status == 2 else ""
    assert refused(old, "--keep", "1s", "--apply") == (status, f"lmsp-inspector: {named}{error.sentence}\n")


@pytest.mark.parametrize("at", [4096 * page + 100 for page in (1, 5, 9, 17)])
def test_a_damaged_file_ends_with_one_line_or_is_counted(old: Path, tmp_path: Path, at: int) -> None:
    path = tmp_path / "damaged.db"
    shutil.copy(old, path)
    with path.open("r+b") as file:
        file.seek(at)
        file.write(random.Random(at).randbytes(2000))
    for options in ((), ("--apply",)):
        result = retention(path, "--keep", "1s", *options)
        assert result.exit_code in (0, 1, 2)
        assert isinstance(result.exception, SystemExit | None)
        assert result.stderr.count("\n") <= 1


@pytest.mark.process
def test_the_program_deletes_as_a_process(old: Path) -> None:
    done = run("retention", old, "--keep", "30d", "--apply", "--json")
    assert (done.returncode, done.stderr) == (0, b"")
    found = json.loads(done.stdout)
    # By the clock of today all that has finished is old.
    assert (found["tasks"], found["kept_unfinished"], found["kept_recent"]) == (9, 2, 0)
    assert ids(old) == {"queued", "running"}
