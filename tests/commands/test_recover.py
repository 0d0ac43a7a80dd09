import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from inspector import store
from inspector.cli import command_line
from inspector.commands.clock import Clock
from inspector.commands.holding import holders_by_descriptor, holders_by_lock_and_descriptor
from inspector.lmsp.recovery import Policy, RecoveryPlan
from inspector.lmsp.statuses import Status
from tests.commands.databases import (
    NOW,
    by_hand,
    closing_db,
    every_cell,
    foreign,
    killed_service,
    run,
    service,
    state_of,
    task_in,
    tell,
    without_shm,
)

LATER = NOW + 60_000


def recover(path: Path, *options: str | Path) -> Result:
    clock = Clock(lambda: LATER, lambda _seconds: None)
    return CliRunner().invoke(command_line, ["recover", str(path), *map(str, options)], obj=clock)


def document(path: Path, *options: str | Path) -> dict[str, Any]:
    result = recover(path, "--json", *options)
    assert (result.exit_code, result.stderr) == (0, "")
    found: dict[str, Any] = json.loads(result.stdout)
    found.pop("opened", None)  # of all commands: test_proving
    return found


TABLE = {
    ("queued", "fail"): ("failed", "response.failed", "server_restarted"),
    ("queued", "retry"): ("queued", None, None),
    ("queued", "resume"): ("queued", None, None),
    ("loading", "fail"): ("failed", "response.failed", "server_restarted"),
    ("loading", "retry"): ("queued", "response.queued", None),
    ("loading", "resume"): ("queued", "response.queued", None),
    ("running", "fail"): ("failed", "response.failed", "server_restarted"),
    ("running", "retry"): ("queued", "response.queued", None),
    ("running", "resume"): ("running", "response.resumed", None),
    ("cancelling", "fail"): ("cancelled", "response.cancelled", None),
    ("cancelling", "retry"): ("cancelled", "response.cancelled", None),
    ("cancelling", "resume"): ("cancelled", "response.cancelled", None),
}
ODD = {
    "running-resume-without-snapshot": ("running", "resume", "running", "response.resumed", None, ["no_snapshot"]),
    "loading-no-policy": ("loading", None, "failed", "response.failed", "server_restarted", ["no_policy"]),
    "queued-odd-policy": ("queued", "perhaps", "failed", "response.failed", "server_restarted", ["unknown_policy"]),
}


def expected() -> dict[str, dict[str, object]]:
    rows: dict[str, tuple[object, ...]] = {
        f"{found}-{policy}": (found, policy, *after, []) for (found, policy), after in TABLE.items()
    }
    keys = ("found", "policy", "target", "event", "error_code", "warnings")
    return {
        task_id: {"task_id": task_id, **dict(zip(keys, row, strict=True))} for task_id, row in {**rows, **ODD}.items()
    }


@pytest.fixture
def cells(tmp_path: Path) -> Path:
    (tmp_path / "db").mkdir()
    return every_cell(tmp_path / "db" / "lmsp.db")


def contents(path: Path) -> dict[str, list[tuple[object, ...]]]:
    with closing_db(path) as db:
        return {
            table: db.conn.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall() for table in ("tasks", "task_events")
        }


def test_the_preview_lists_every_unfinished_task_with_what_becomes_of_it(cells: Path) -> None:
    found = document(cells)
    assert {task["task_id"]: task for task in found["tasks"]} == expected()
    assert found["counts"] == {"failed": 5, "queued": 5, "running": 2, "cancelled": 3}
    assert list(found) == ["tasks", "counts"]


def test_the_preview_writes_nothing(cells: Path) -> None:
    before = state_of(cells.parent)
    document(cells)
    assert state_of(cells.parent) == before


def test_what_is_applied_is_the_preview_and_is_told_in_its_form(cells: Path) -> None:
    preview = document(cells)
    assert document(cells, "--apply") == {**preview, "applied": True}
    with closing_db(cells) as db:
        for task in preview["tasks"]:
            [(status, code, last_seq)] = db.conn.execute(
                "SELECT status, error_code, last_seq FROM tasks WHERE id = ?", (task["task_id"],)
            ).fetchall()
            [(kind, at)] = db.conn.execute(
                "SELECT type, created_at FROM task_events WHERE task_id = ? AND seq = ?", (task["task_id"], last_seq)
            ).fetchall()
            assert (status, code) == (task["target"], task["error_code"])
            assert (at == LATER, kind if at == LATER else None) == (task["event"] is not None, task["event"])


def test_a_copy_is_recovered_as_the_original_would_be_and_the_original_stays(cells: Path, tmp_path: Path) -> None:
    preview = document(cells)
    before = state_of(cells.parent)
    (tmp_path / "copies").mkdir()
    copy = tmp_path / "copies" / "copy.db"
    assert document(cells, "--to", copy) == {**preview, "applied": True}
    assert state_of(cells.parent) == before
    assert [entry.name for entry in copy.parent.iterdir()] == ["copy.db"]
    assert document(cells, "--apply") == {**preview, "applied": True}
    assert contents(copy) == contents(cells)


def test_a_second_run_changes_the_resumed_ones_only(cells: Path) -> None:
    document(cells, "--apply")
    again = document(cells, "--apply")
    assert {task["task_id"] for task in again["tasks"] if task["event"]} == {
        "running-resume",
        "running-resume-without-snapshot",
    }
    assert {task["task_id"] for task in again["tasks"] if not task["event"]} == {
        "queued-retry",
        "queued-resume",
        "loading-retry",
        "loading-resume",
        "running-retry",
    }


def test_a_database_without_leftovers_has_nothing_to_do(tmp_path: Path) -> None:
    path = tmp_path / "lmsp.db"
    with closing_db(path) as db:
        task_in(db, "t", "completed")
    assert document(path) == {"tasks": [], "counts": {}}
    assert document(path, "--apply") == {"tasks": [], "counts": {}, "applied": True}
    assert recover(path).stdout.startswith("Preview, nothing is written: no task is left over.\n")


def test_a_person_gets_rows_and_a_closing_line(cells: Path) -> None:
    lines = recover(cells).stdout.splitlines()
    assert lines[0].split() == ["TASK", "FOUND", "POLICY", "AFTER", "EVENT", "ATTEMPT", "WARNING"]
    assert len(lines) == 1 + 15 + 1 + 3
    row = next(line for line in lines if line.startswith("running-resume-without-snapshot"))
    assert row.endswith("running    response.resumed     1 -> 2  No snapshot: resumed without one")
    assert lines[16] == (
        "Preview, nothing is written: 15 left over; afterwards cancelled 3, failed 5, queued 5, running 2."
    )
    applied = recover(cells, "--apply").stdout.splitlines()
    assert applied[:16] == lines[:16]
    assert applied[16].startswith(f"Applied to {cells}: 15 left over; ")


@pytest.mark.parametrize("status", ["paused", "", "Running", "running "])
def test_a_task_of_unknown_status_is_listed_with_a_warning_and_stays(tmp_path: Path, status: str) -> None:
    path = foreign(tmp_path / "x.db", ("odd", status, "retry"), ("r", "running", "retry"), ("c", "completed", "fail"))
    before = state_of(tmp_path)
    found = document(path)
    assert [task["task_id"] for task in found["tasks"]] == ["odd", "r"]
    assert found["tasks"][0] == {
        "task_id": "odd",
        "found": status,
        "policy": "retry",
        "target": status,
        "event": None,
        "error_code": None,
        "warnings": ["unknown_status"],
    }
    assert found["counts"] == {status: 1, "queued": 1}
    assert state_of(tmp_path) == before


def test_what_a_killed_service_left_is_previewed_without_a_trace_then_applied(tmp_path: Path) -> None:
    path = killed_service(tmp_path / "lmsp.db", ("a", "running", "retry"), ("b", "cancelling", "retry"))
    before = state_of(tmp_path)
    preview = document(path)
    assert preview["counts"] == {"queued": 1, "cancelled": 1}
    assert state_of(tmp_path) == before
    assert document(path, "--apply") == {**preview, "applied": True}


def test_a_database_in_use_is_previewed_and_copied_but_not_recovered(tmp_path: Path) -> None:
    path = tmp_path / "lmsp.db"
    with service(path, ("a", "running", "retry")) as process:
        preview = document(path)
        assert preview["counts"] == {"queued": 1}
        result = recover(path, "--apply", "--json")
        assert (result.exit_code, result.stdout) == (1, "")
        assert f"(pid {process.pid}) has lmsp.db open" in result.stderr
        assert result.stderr.count("\n") == 1
        assert document(path, "--to", tmp_path / "copy.db") == {**preview, "applied": True}
        tell(process, "assert store.append_events(db, 'a', [], attempt=1, now_ms=1).status == 'running'")


OPENS = "import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); db.execute('SELECT 1 FROM tasks').fetchall(); print()"
HOLDS = "import sys; file = open(sys.argv[1], 'rb'); print()"


@contextmanager
def holder(path: Path, program: str) -> Iterator[int]:
    command = [sys.executable, "-c", f"{program}; sys.stdout.flush(); sys.stdin.read()", str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process.pid


@pytest.mark.parametrize("program", [OPENS, HOLDS])
def test_a_process_that_holds_no_lock_is_named_by_its_descriptor(cells: Path, program: str) -> None:
    by_hand(cells, "PRAGMA journal_mode = DELETE")
    before = contents_in_place(cells)
    with holder(cells, program) as pid:
        result = recover(cells, "--apply")
        assert (result.exit_code, result.stdout) == (1, "")
        assert f"(pid {pid}) has lmsp.db open: recovery belongs to the one service that starts." in result.stderr
    assert contents_in_place(cells) == before


def contents_in_place(path: Path) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as db:
        return db.execute("SELECT id, status, last_seq FROM tasks ORDER BY id").fetchall()


def test_a_service_that_starts_after_the_first_look_is_still_seen(cells: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.commands.recover.holders_by_lock_and_descriptor", lambda _path: ())
    before = contents_in_place(cells)
    with holder(cells, OPENS) as pid:
        result = recover(cells, "--apply")
        assert (result.exit_code, f"(pid {pid})" in result.stderr) == (1, True)
    assert contents_in_place(cells) == before


def test_a_service_of_which_only_the_locks_can_be_seen_is_seen_before_the_file_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "lmsp.db"
    for room in ("holding", "recover"):
        monkeypatch.setattr(f"inspector.commands.{room}.holders_by_descriptor", lambda _path: ())
    monkeypatch.setattr("inspector.commands.recover.open_for_action", lambda *_: pytest.fail("opened"))
    with service(path, ("a", "running", "retry")) as process:
        result = recover(path, "--apply")
        assert (result.exit_code, f"(pid {process.pid}) has lmsp.db open" in result.stderr) == (1, True)


def test_a_file_that_others_have_open_through_a_link_is_held(tmp_path: Path) -> None:
    path = every_cell(tmp_path / "lmsp.db")
    by_hand(path, "PRAGMA journal_mode = DELETE")
    link = tmp_path / "link.db"
    link.symlink_to(path)
    assert holders_by_descriptor(link) == ()
    with holder(path, OPENS) as pid:
        assert [found.pid for found in holders_by_lock_and_descriptor(link)] == [pid]


def test_nothing_is_applied_to_what_is_read_from_a_copy_but_to_a_copy_of_it(tmp_path: Path) -> None:
    (tmp_path / "db").mkdir()
    path = without_shm(tmp_path / "db" / "lmsp.db", ("a", "running", "fail"))
    before = state_of(path.parent)
    result = recover(path, "--apply")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (1, "", 1)
    assert state_of(path.parent) == before
    assert document(path, "--to", tmp_path / "copy.db")["counts"] == {"failed": 1}
    assert state_of(path.parent) == before


def newer(path: Path) -> Path:
    every_cell(path)
    by_hand(path, "PRAGMA user_version = 2")
    return path


def with_a_foreign_trigger(path: Path) -> Path:
    every_cell(path)
    by_hand(path, "CREATE TRIGGER evil AFTER UPDATE ON tasks BEGIN DELETE FROM models; END")
    return path


NOT_OURS: dict[str, Callable[[Path], Path]] = {
    "a foreign layout": lambda path: foreign(path, ("a", "running", "retry")),
    "a newer version": newer,
    "a foreign trigger": with_a_foreign_trigger,
}


@pytest.mark.parametrize("kind", NOT_OURS)
def test_a_layout_that_is_not_ours_is_previewed_and_never_written(tmp_path: Path, kind: str) -> None:
    (tmp_path / "db").mkdir()
    path = NOT_OURS[kind](tmp_path / "db" / "lmsp.db")
    before = state_of(path.parent)
    assert document(path)["tasks"]
    for options in (["--apply"], ["--to", tmp_path / "copy.db"]):
        result = recover(path, "--json", *options)
        assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (1, "", 1)
    assert state_of(path.parent) == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["db"]


@pytest.mark.parametrize("make", [Path.touch, Path.mkdir, lambda path: path.symlink_to("nowhere"), os.mkfifo])
def test_a_copy_is_made_only_where_nothing_is(cells: Path, tmp_path: Path, make: Callable[[Path], object]) -> None:
    copy = tmp_path / "copy.db"
    make(copy)
    before = state_of(tmp_path)
    result = recover(cells, "--to", copy, "--json")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert state_of(tmp_path) == before


@pytest.mark.parametrize("target", ["missing/copy.db", "", "x" * 300])
def test_a_place_where_no_copy_can_be_made_is_said(cells: Path, tmp_path: Path, target: str) -> None:
    before = state_of(tmp_path)
    result = recover(cells, "--to", tmp_path / target if target else "")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert state_of(tmp_path) == before


def test_a_copy_that_cannot_be_recovered_is_removed(
    cells: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_arguments: object, **_settings: object) -> store.RecoveryResult:
        raise store.Unusable("The disk is full.")

    monkeypatch.setattr("inspector.commands.recover.apply_recovery", fail)
    before = state_of(tmp_path)
    result = recover(cells, "--to", tmp_path / "copy.db")
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", "lmsp-inspector: lmsp.db: The disk is full.\n")
    assert state_of(tmp_path).keys() == before.keys()


@pytest.mark.parametrize(
    "options", [("--apply", "--to", "x"), ("--apply", "--mode", "live"), ("--to", "x", "--mode", "copy")]
)
def test_options_that_exclude_each_other_are_unusable(cells: Path, options: tuple[str, ...]) -> None:
    result = recover(cells, *options)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert not Path("x").exists()


def test_busy_is_a_refusal_that_changed_nothing(cells: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def busy(*_arguments: object, **_settings: object) -> RecoveryPlan:
        raise store.Busy("Another process is writing to the database: nothing was changed.")

    monkeypatch.setattr("inspector.commands.recover.plan_in", busy)
    result = recover(cells, "--apply")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (1, "", 1)


@pytest.mark.process
def test_the_program_applies_as_a_process_and_says_when(cells: Path) -> None:
    done = run("recover", cells, "--apply", "--json")
    assert (done.returncode, done.stderr) == (0, b"")
    assert len(json.loads(done.stdout)["tasks"]) == 15
    with closing_db(cells) as db:
        [(at,)] = db.conn.execute("SELECT max(created_at) FROM task_events").fetchall()
    assert at > NOW


def test_every_cell_of_the_table_is_here() -> None:
    unfinished = (Status.QUEUED, Status.LOADING, Status.RUNNING, Status.CANCELLING)
    assert set(TABLE) == {(status, policy) for status in unfinished for policy in Policy}
