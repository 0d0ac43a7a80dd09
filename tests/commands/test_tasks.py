import json
import os
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from inspector import store
from inspector.cli import command_line
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

AT = "2025-12-01T14:02:17"


def tasks(path: Path, *options: str) -> Result:
    return CliRunner().invoke(command_line, ["tasks", str(path), *options])


def document(path: Path, *options: str) -> dict[str, Any]:
    result = tasks(path, "--json", *options)
    assert (result.exit_code, result.stderr) == (0, "")
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def ids(path: Path, *options: str) -> list[object]:
    return [row["id"] for row in document(path, *options)["tasks"]]


def test_what_is_no_number_is_told_as_it_is_stored(tmp_path: Path) -> None:
    path = foreign(tmp_path / "other.db", ("t", "running", None))
    by_hand(
        path,
        "ALTER TABLE tasks ADD COLUMN attempt",
        "ALTER TABLE tasks ADD COLUMN updated_at",
        "UPDATE tasks SET created_at = 'soon \x1b[2J', attempt = 1.5, updated_at = x'00ff'",
    )
    (task,) = document(path)["tasks"]
    assert (task["created_at"], task["attempt"], task["updated_at"]) == ("soon \x1b[2J", "1.5", "x'00ff'")
    assert task["started_at"] is None
    listing = tasks(path).stdout
    assert "soon \\u001b[2J" in listing
    assert "x'00ff'" in listing


def test_an_empty_text_for_a_time_is_said_to_be_that(tmp_path: Path) -> None:
    path = foreign(tmp_path / "other.db", ("t", "running", None))
    by_hand(path, "UPDATE tasks SET created_at = ''")
    assert document(path)["tasks"][0]["created_at"] == ""
    assert "(empty text)" in tasks(path).stdout


@pytest.fixture
def seven(tmp_path: Path) -> Path:
    return one_of_each(tmp_path / "lmsp.db")


def test_the_document_has_the_form_of_the_design(seven: Path) -> None:
    found = document(seven)
    assert list(found) == ["tasks", "counts", "opened"]
    assert list(found["tasks"][0])[:7] == [
        "id",
        "status",
        "model_id",
        "client_id",
        "on_restart",
        "last_seq",
        "created_at",
    ]
    running = next(row for row in found["tasks"] if row["id"] == "running")
    assert running == {
        "id": "running",
        "status": "running",
        "model_id": "model-1",
        "client_id": "client-1",
        "on_restart": "fail",
        "last_seq": 3,
        "created_at": NOW,
        "kind": "response",
        "snapshot_seq": None,
        "attempt": 1,
        "error_code": None,
        "started_at": NOW + 1,
        "finished_at": None,
        "updated_at": NOW + 2,
    }
    assert found["counts"] == dict.fromkeys(Status, 1)


def test_the_counts_are_the_whole_databases_whatever_is_listed(seven: Path) -> None:
    assert document(seven, "--status", "failed", "--limit", "1")["counts"] == dict.fromkeys(Status, 1)


def test_a_status_is_wanted_once_or_more(seven: Path) -> None:
    assert ids(seven, "--status", "failed") == ["failed"]
    assert set(ids(seven, "--status", "failed", "--status", "queued")) == {"failed", "queued"}


def test_a_model_is_wanted_by_its_id(seven: Path) -> None:
    assert ids(seven, "--model", "model-1") == ["running"]
    assert ids(seven, "--model", "model") == []


@pytest.mark.parametrize(("limit", "listed"), [(1, 1), (199, 199), (200, 200), (201, 201), (450, 450), (10_000, 450)])
def test_tasks_come_newest_first_over_page_borders_as_many_as_asked(tmp_path: Path, limit: int, listed: int) -> None:
    path = tmp_path / "lmsp.db"
    with closing_db(path) as db:
        for at in range(450):
            store.accept_task(db, request={}, on_restart="fail", now_ms=NOW + at // 3, task_id=f"t{at:03}")
    assert ids(path, "--limit", str(limit)) == [f"t{at:03}" for at in range(449, 449 - listed, -1)]


def test_a_hundred_are_listed_unless_said(tmp_path: Path) -> None:
    rows = [(f"t{at:03}", "queued", "fail") for at in range(101)]
    assert len(ids(foreign(tmp_path / "other.db", *rows))) == 100


@pytest.mark.parametrize("limit", ["0", "-1", "many", "1.5", ""])
def test_a_limit_below_one_is_an_unusable_argument(seven: Path, limit: str) -> None:
    result = tasks(seven, "--limit", limit)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1


def test_a_word_that_is_no_status_is_answered_with_the_seven(seven: Path) -> None:
    result = tasks(seven, "--status", "done")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    assert all(status in result.stderr for status in Status)


def test_an_empty_database_has_no_tasks_and_no_counts(tmp_path: Path) -> None:
    with closing_db(tmp_path / "lmsp.db"):
        pass
    found = document(tmp_path / "lmsp.db")
    assert (found["tasks"], found["counts"]) == ([], {})
    assert tasks(tmp_path / "lmsp.db").stdout.startswith("No tasks yet.\n")


def test_no_match_is_said_and_no_failure(seven: Path) -> None:
    result = tasks(seven, "--model", "none")
    assert result.exit_code == 0
    assert result.stdout.startswith("No task matches. All tasks: queued 1, loading 1, ")


def test_a_listing_is_aligned_and_names_counts_and_mode(seven: Path) -> None:
    lines = tasks(seven, "--status", "queued", "--status", "failed").stdout.splitlines()
    assert lines[:4] == [
        "TASK    STATUS  CREATED                   SEQ  MODEL  ERROR          CLIENT    POLICY  UPDATED",
        f"queued  queued  {AT}.412Z    1  -      -              client-1  fail    {AT}.412Z",
        f"failed  failed  {AT}.412Z    4  -      out_of_memory  client-1  fail    {AT}.415Z",
        "2 of 7 tasks: queued 1, loading 1, running 1, cancelling 1, completed 1, failed 1, cancelled 1.",
    ]
    assert lines[4].startswith("Opened resting: ")


def test_a_database_at_rest_is_read_without_a_trace(seven: Path) -> None:
    before = state_of(seven.parent)
    found = document(seven)
    assert found["opened"]["mode"] == "resting"
    assert len(found["tasks"]) == 7
    assert state_of(seven.parent) == before


def test_what_a_killed_service_left_is_read_whole_and_without_a_trace(tmp_path: Path) -> None:
    path = killed_service(tmp_path / "lmsp.db", ("a", "running", "retry"), ("b", "queued", "fail"))
    before = state_of(tmp_path)
    done = run("tasks", path, "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (0, b"")
    assert found["opened"]["mode"] == "crashed"
    assert found["counts"] == {"queued": 1, "running": 1}
    assert state_of(tmp_path) == before


def test_a_copy_without_its_shm_is_read_whole_and_without_a_trace(tmp_path: Path) -> None:
    path = without_shm(tmp_path / "lmsp.db", ("a", "running", "retry"))
    before = state_of(tmp_path)
    found = document(path)
    assert found["opened"]["mode"] == "copy"
    assert found["counts"] == {"running": 1}
    assert state_of(tmp_path) == before


def test_a_database_in_use_is_read_live_and_its_service_is_named(tmp_path: Path) -> None:
    path = tmp_path / "lmsp.db"
    with service(path, ("a", "queued", "fail")) as process:
        tell(process, "task_in(db, 'b', 'running')")
        found = document(path)
        assert found["counts"] == {"queued": 1, "running": 1}
        assert found["opened"]["mode"] == "live"
        assert f"(pid {process.pid}) has it open" in found["opened"]["why"]


@pytest.mark.parametrize(("mode", "code"), [("resting", 0), ("copy", 0), ("live", 2), ("crashed", 2)])
def test_a_wished_mode_is_followed_or_refused_with_the_reason(seven: Path, mode: str, code: int) -> None:
    result = tasks(seven, "--json", "--mode", mode)
    assert result.exit_code == code
    if code:
        assert result.stdout == ""
        assert f"not opened as {mode}" in result.stderr
    else:
        assert json.loads(result.stdout)["opened"]["mode"] == mode


def test_a_foreign_layout_is_listed_with_its_odd_statuses(tmp_path: Path) -> None:
    path = foreign(tmp_path / "other.db", ("a", "paused", None), ("b\x1b[2J", "running", "retry"))
    found = document(path)
    assert found["counts"] == {"running": 1, "paused": 1}
    assert [row["status"] for row in found["tasks"]] == ["running", "paused"]
    assert any("not the native layout" in note for note in found["opened"]["notes"])
    listing = tasks(path).stdout
    assert "b\\u001b[2J" in listing
    assert listing.isprintable() or set(listing) & set(map(chr, range(32))) == {"\n"}


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_any_encoding_of_standard_output_will_do(tmp_path: Path, encoding: str) -> None:
    path = foreign(tmp_path / "other.db", ("é日😀", "running", None))
    for options in ([], ["--json"]):
        done = run("tasks", path, *options, env={"PYTHONIOENCODING": encoding})
        assert (done.returncode, done.stderr) == (0, b"")
        if options:
            assert json.loads(done.stdout.decode(encoding))["tasks"][0]["id"] == "é日😀"


def test_the_c_locale_will_do(tmp_path: Path) -> None:
    path = foreign(tmp_path / "é.db", ("é日😀", "running", None))
    env = {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = run("tasks", os.fsencode(path), env=env)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"running" in done.stdout
    done = run("events", os.fsencode(path), "é日😀", "--json", env=env)
    assert (done.returncode, json.loads(done.stdout)["task_id"]) == (0, "é日😀")


def test_a_model_that_is_no_text_is_an_unusable_argument(seven: Path) -> None:
    done = run("tasks", seven, "--model", b"\xff")
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (2, b"", 1)
    assert b"is not UTF-8" in done.stderr
