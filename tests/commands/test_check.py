import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from inspector.checks.rulebook import ALL_NAMES
from inspector.cli import command_line
from inspector.commands import check as subject
from tests.commands.databases import (
    by_hand,
    closing_db,
    foreign,
    killed_service,
    one_of_each,
    run,
    service,
    state_of,
    tell,
)
from tests.commands.terminal import on_a_terminal

LOG_AHEAD = "INSERT INTO task_events (task_id, seq, type, status, attempt, created_at, data)" + (
    " VALUES ('running', 4, 'response.output_text.delta', 'running', 1, 9999999999999, '{}')"
)
"""What the layout takes from anybody: an event without the move of its task."""


def check(path: Path, *options: str) -> Result:
    return CliRunner().invoke(command_line, ["check", str(path), *options])


def document(path: Path, *options: str, exit_code: int = 0) -> dict[str, Any]:
    result = check(path, "--json", *options)
    assert (result.exit_code, result.stderr) == (exit_code, "")
    found: dict[str, Any] = json.loads(result.stdout)
    found.pop("opened", None)  # of all commands: test_proving
    return found


@pytest.fixture
def seven(tmp_path: Path) -> Path:
    return one_of_each(tmp_path / "lmsp.db")


def test_a_sound_database_has_no_findings_and_is_read_without_a_trace(seven: Path) -> None:
    before = state_of(seven.parent)
    found = document(seven)
    assert found == {
        "findings": [],
        "checked": {
            "tasks": 7,
            "events": 20,
            "responses": 1,
            "keys": 0,
            "models": 0,
            "rules": list(ALL_NAMES),
            "skipped": {},
        },
    }
    lines = check(seven).stdout.splitlines()
    assert lines[-1] == (
        f"No findings: {len(ALL_NAMES)} rules asked about 7 tasks, 20 events, 1 response, 0 idempotency keys, 0 models."
    )
    assert lines[0].startswith("Opened resting: ")
    assert state_of(seven.parent) == before


def test_a_path_may_begin_with_two_slashes(seven: Path) -> None:
    result = CliRunner().invoke(command_line, ["check", f"/{seven}", "--json"])
    assert (result.exit_code, result.stderr) == (0, "")
    assert json.loads(result.stdout)["checked"]["tasks"] == 7


def test_what_the_store_would_not_write_to_is_a_finding(seven: Path) -> None:
    by_hand(
        seven,
        "DROP TRIGGER tasks_leave_no_final_status",
        'CREATE TRIGGER "a\x1b[2J" AFTER DELETE ON tasks BEGIN SELECT 1; END',
    )
    assert [finding["rule"] for finding in document(seven, exit_code=1)["findings"]] == ["own-layout", "own-layout"]
    told = check(seven).stdout
    assert "It lacks triggers of its layout: tasks_leave_no_final_status" in told
    assert "\x1b" not in told


def test_a_broken_rule_is_a_finding_and_the_exit_status(seven: Path) -> None:
    by_hand(seven, LOG_AHEAD)
    assert document(seven, exit_code=1)["findings"] == [
        {
            "rule": "last-seq",
            "section": "11.2",
            "severity": "error",
            "task_id": "running",
            "message": "Its log goes on to event 4, but its row stands at 3: it was not moved with its event.",
        }
    ]
    result = check(seven)
    assert (result.exit_code, result.stderr) == (1, "")
    assert result.stdout.splitlines()[:2] == [
        "ERROR last-seq (section 11.2): 1 finding",
        "  running: Its log goes on to event 4, but its row stands at 3: it was not moved with its event.",
    ]
    assert result.stdout.splitlines()[-1].startswith("1 error: ")


def test_a_warning_is_told_and_leaves_the_exit_status(seven: Path) -> None:
    by_hand(seven, """INSERT INTO service_config VALUES ('service.starts', '[{"at": 9999999999999}]', 1)""")
    found = document(seven)["findings"]
    assert {(finding["rule"], finding["severity"]) for finding in found} == {("left-of-restart", "warning")}
    assert [finding["task_id"] for finding in found] == ["queued", "loading", "running", "cancelling"]
    lines = check(seven).stdout.splitlines()
    assert lines[0] == "WARNING left-of-restart (section 11.2): 4 findings"
    assert lines[-1].startswith("4 warnings: ")


def test_many_findings_of_one_rule_are_counted_and_the_document_has_all(tmp_path: Path) -> None:
    path = foreign(tmp_path / "lmsp.db", *((f"t{number:02}", "odd", None) for number in range(13)))
    found = document(path, exit_code=1)["findings"]
    assert sum(finding["rule"] == "task-status" for finding in found) == 13
    lines = check(path).stdout.splitlines()
    start = lines.index("ERROR task-status (section 11.3): 13 findings")
    assert [line[:5] for line in lines[start + 1 : start + 11]] == [f"  t{number:02}" for number in range(10)]
    assert lines[start + 11] == "  and 3 more"


def test_errors_stand_before_warnings(seven: Path) -> None:
    by_hand(seven, LOG_AHEAD, """INSERT INTO service_config VALUES ('service.starts', '[{"at": 9999999999999}]', 1)""")
    lines = check(seven).stdout.splitlines()
    assert [line.split()[0] for line in lines if line[0] != " "][:2] == ["ERROR", "WARNING"]
    assert lines[-1].startswith("1 error and 4 warnings: ")


def test_what_another_layout_lacks_is_named(tmp_path: Path) -> None:
    path = foreign(tmp_path / "other.db", ("t", "queued", "retry"))
    found = document(path)
    assert found["findings"] == []
    assert {"one-key", "model-bytes", "attempt-falls"} <= set(found["checked"]["skipped"])
    assert set(found["checked"]["rules"]).isdisjoint(found["checked"]["skipped"])
    told = "Not checked: model-digest, model-path, model-bytes. There is no table models with rowids in this file."
    assert told in check(path).stdout.splitlines()


def test_an_empty_database_is_sound(tmp_path: Path) -> None:
    with closing_db(tmp_path / "lmsp.db"):
        pass
    assert document(tmp_path / "lmsp.db")["findings"] == []


def test_what_data_holds_moves_no_terminal(tmp_path: Path) -> None:
    path = foreign(tmp_path / "other.db", ("\x1b[2J\u202e\n", "\x1b]0;x\x07", "\x9b"), ("café", "", None))
    result = check(path)
    assert result.exit_code == 1
    assert all(line.isprintable() for line in result.stdout.split("\n"))
    assert document(path, exit_code=1)["findings"][0]["task_id"] == "\x1b[2J\u202e\n"


@pytest.mark.process
def test_a_database_at_work_is_checked_beside_its_service(tmp_path: Path) -> None:
    path = tmp_path / "lmsp.db"
    with service(path, ("t", "running", "retry"), ("u", "queued", "fail")) as process:
        tell(process, "n = store.append_events(db, 't', [('x', {})] * 5000, attempt=1, now_ms=1764597737500).seqs[-1]")
        found = document(path)
        assert (found["findings"], found["checked"]["events"]) == ([], 5004)
        tell(process, "store.complete_task(db, 't', {}, attempt=1, now_ms=1764597737500)")
        assert document(path)["checked"]["events"] == 5005
        assert "Opened live: " in check(path).stdout


@pytest.mark.process
def test_what_a_killed_service_left_is_checked_whole_and_without_a_trace(tmp_path: Path) -> None:
    path = killed_service(tmp_path / "lmsp.db", ("t", "running", "retry"))
    before = state_of(tmp_path)
    assert document(path)["checked"]["tasks"] == 1
    assert document(path, "--mode", "copy")["checked"]["tasks"] == 1
    assert state_of(tmp_path) == before


def test_a_wrong_wish_for_a_mode_is_refused_with_the_reason(seven: Path) -> None:
    result = check(seven, "--mode", "crashed")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_each_damaged_page_is_told_without_a_traceback(tmp_path: Path, options: tuple[str, ...]) -> None:
    path = one_of_each(tmp_path / "lmsp.db")
    by_hand(path, "VACUUM")
    whole = path.read_bytes()
    codes = []
    for at in range(4096, len(whole), 4096):
        path.write_bytes(whole[:at] + b"\xa5" * 4096 + whole[at + 4096 :])
        result = check(path, *options)
        codes.append(result.exit_code)
        assert (result.exit_code, result.stdout == "", result.stderr.count("\n")) in ((1, False, 0), (2, True, 1))
        if result.exit_code == 1:
            assert "file-damaged" in result.stdout
    assert codes.count(1) > len(codes) / 2


def test_damage_that_only_sqlite_sees_is_a_finding(seven: Path) -> None:
    with closing(sqlite3.connect(seven)) as db:
        ((page,),) = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'tasks_by_status'").fetchall()
    whole = bytearray(seven.read_bytes())
    whole[(page - 1) * 4096 + 3 : (page - 1) * 4096 + 5] = b"\0\0"  # an index without entries
    seven.write_bytes(whole)
    found = document(seven, exit_code=1)["findings"]
    assert {finding["rule"] for finding in found} == {"file-damaged"}
    assert {finding["task_id"] for finding in found} == {None}
    assert all(finding["message"].startswith("SQLite's own check says: ") for finding in found)


def test_a_file_that_is_too_large_for_its_own_check_says_so(seven: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(sqlite3.connect(seven)) as db, db:
        db.executemany(
            "INSERT INTO task_events (task_id, seq, type, status, attempt, created_at, data)"
            " VALUES ('running', ?, 'x', 'running', 1, 9999999999999, '{}')",
            [(seq,) for seq in range(4, 5_000)],
        )
        db.execute("UPDATE tasks SET last_seq = 4999, updated_at = 9999999999999 WHERE id = 'running'")
    monkeypatch.setattr(subject, "_FILE_MS", 0)
    found = document(seven)
    assert found["findings"] == []
    assert found["checked"]["skipped"] == {
        "file-damaged": "The file is too large to be checked as a whole within 0 seconds."
    }
    assert "file-damaged" not in found["checked"]["rules"]


@pytest.mark.process
def test_progress_goes_to_a_terminal_alone_and_is_wiped(seven: Path) -> None:
    assert run("check", seven).stderr == b""
    status, shown = on_a_terminal("check", seven)
    assert status == 0
    assert shown.startswith(b"\rChecking the file")
    assert shown.endswith(b" \r")
    assert b"\n" not in shown
