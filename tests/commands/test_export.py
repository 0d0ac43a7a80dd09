"""``export`` on the command line: what is written, what is said, and what is left where it ends early."""

import csv
import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from inspector.cli import command_line
from inspector.commands.clock import Clock
from inspector.layout.native import TABLES
from tests.commands.databases import (
    BUFFERED,
    NOW,
    ROOT,
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
from tests.commands.terminal import on_a_terminal
from tests.support import hostile_files
from tests.support.broken_pages import many_pages, without_a_page_of_events
from tests.support.proof import differences, touch_state
from tests.support.reading_databases import listing

FORMS = pytest.mark.parametrize("form", ["ndjson", "csv"])


def export(path: Path, target: Path, form: str, *options: str) -> Result:
    words = ["export", str(path), "--format", form, "--out", str(target), *options]
    return CliRunner().invoke(command_line, words, obj=Clock(lambda: NOW, lambda _: None))


def document(path: Path, target: Path, form: str, *options: str) -> dict[str, Any]:
    result = export(path, target, form, "--json", *options)
    assert (result.exit_code, result.stderr) == (0, "")
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def lines_of(target: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def seven(tmp_path: Path) -> Path:
    (tmp_path / "service").mkdir()
    return one_of_each(tmp_path / "service" / "lmsp.db")


@pytest.fixture
def target(tmp_path: Path) -> Path:
    (tmp_path / "handed").mkdir()
    return tmp_path / "handed" / "out"


@FORMS
def test_the_document_says_what_was_written_and_how_the_file_was_opened(seven: Path, target: Path, form: str) -> None:
    found = document(seven, target, form)
    assert list(found) == [
        *("path", "files", "format", "counts", "redacted", "as_of_event", "notes", "opened"),
    ]
    assert (found["path"], found["format"]) == (str(target), form)
    assert found["counts"] == {"models": 0, "tasks": 7, "responses": 1, "events": 20}
    assert found["as_of_event"] == 20
    assert found["redacted"]["tasks"] == ["error_message", "request", "snapshot"]
    assert found["opened"]["mode"] == "resting"
    files = ["about.json", "models.csv", "tasks.csv", "responses.csv", "events.csv"]
    assert found["files"] == (files if form == "csv" else [])
    assert listing(target) == set(files) if form == "csv" else target.is_file()


@FORMS
def test_with_secrets_nothing_is_redacted(seven: Path, target: Path, form: str) -> None:
    assert document(seven, target, form, "--with-secrets")["redacted"] == {}


def test_in_words_it_is_said_as_well(seven: Path, target: Path) -> None:
    lines = export(seven, target, "ndjson").stdout.splitlines()
    assert lines[:4] == [
        f"Exported 0 models, 7 tasks, 1 response and 20 events to {target}.",
        "Taken out: models.path, models.metadata, tasks.error_message, tasks.request, tasks.snapshot, responses.body, "
        "events.data.",
        "Taken out where it is no single word: tasks.kind, tasks.error_code, events.type.",
        "No event is newer than the one of id 20.",
    ]
    assert lines[4].startswith("Opened resting: ")


def test_the_time_of_the_export_is_that_of_the_clock(seven: Path, target: Path) -> None:
    export(seven, target, "ndjson")
    assert lines_of(target)[0]["exported_at"] == NOW


@FORMS
@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_is_there_is_refused_in_one_sentence(seven: Path, target: Path, form: str, kind: str) -> None:
    if kind == "file":
        target.write_text("mine")
    else:
        target.mkdir()
    before = state_of(target.parent)
    result = export(seven, target, form)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"lmsp-inspector: {target} is there already and is left as it is: name a new one.\n"
    assert state_of(target.parent) == before


@FORMS
@pytest.mark.parametrize("suffix", ["", "-wal", "-shm", "-journal"])
def test_the_database_and_its_companions_are_refused(seven: Path, form: str, suffix: str) -> None:
    before = state_of(seven.parent)
    result = export(seven, Path(f"{seven}{suffix}"), form)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert state_of(seven.parent) == before


@FORMS
def test_beside_the_database_it_may_be_where_the_user_says_so(seven: Path, form: str) -> None:
    before = state_of(seven.parent)
    assert export(seven, seven.with_name("out"), form).exit_code == 0
    after = state_of(seven.parent)
    assert {name: after[name] for name in before} == before
    assert set(after) == {*before, "out"}


@pytest.mark.parametrize("words", ["/", "."])
def test_a_folder_is_no_database(target: Path, words: str) -> None:
    result = export(Path(words), target, "ndjson")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert listing(target.parent) == set()


@pytest.mark.parametrize(
    "options", [[], ["--format", "ndjson"], ["--out", "x"], ["--format", "xml", "--out", "x"], ["--out", ""]]
)
def test_arguments_that_are_missing_or_wrong_end_in_a_sentence(seven: Path, options: list[str]) -> None:
    result = CliRunner().invoke(command_line, ["export", str(seven), *options])
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\0"])
@FORMS
def test_what_is_no_database_is_no_export(tmp_path: Path, target: Path, form: str, content: bytes) -> None:
    path = tmp_path / "lmsp.db"
    path.write_bytes(content)
    result = export(path, target, form)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert listing(target.parent) == set()


@FORMS
def test_a_database_at_rest_is_not_touched(seven: Path, target: Path, form: str) -> None:
    before = state_of(seven.parent)
    document(seven, target, form, "--with-secrets")
    assert state_of(seven.parent) == before


def test_what_a_killed_service_left_is_exported_whole_and_not_touched(tmp_path: Path, target: Path) -> None:
    folder = tmp_path / "service"
    folder.mkdir()
    path = killed_service(folder / "lmsp.db", ("a", "running", "retry"), ("b", "queued", "fail"))
    before = state_of(folder)
    done = run("export", path, "--format", "ndjson", "--out", target, "--json")
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["opened"]["mode"] == "crashed"
    assert [line["id"] for line in lines_of(target) if line["type"] == "task"] == ["a", "b"]
    assert state_of(folder) == before


def test_a_copy_without_its_shm_is_exported_whole(tmp_path: Path, target: Path) -> None:
    path = without_shm(tmp_path / "lmsp.db", ("a", "running", "retry"))
    found = document(path, target, "csv")
    assert (found["opened"]["mode"], found["counts"]["tasks"]) == ("copy", 1)
    assert json.loads((target / "about.json").read_text())["file"] == "lmsp.db"


def test_beside_a_service_it_says_as_of_which_event_it_is(tmp_path: Path, target: Path) -> None:
    path = tmp_path / "lmsp.db"
    with service(path, ("a", "running", "retry")) as process:
        first = document(path, target, "ndjson")
        tell(process, "task_in(db, 'b', 'queued', 'fail')")
        second = document(path, target.with_name("later"), "ndjson")
    assert (first["opened"]["mode"], second["opened"]["mode"]) == ("live", "live")
    assert (first["as_of_event"], second["as_of_event"]) == (3, 4)
    assert first["counts"]["events"] == 3
    assert lines_of(target)[0]["as_of_event"] == 3


def test_a_damaged_file_is_exported_as_far_as_it_goes_and_the_rest_is_said(tmp_path: Path, target: Path) -> None:
    path = without_a_page_of_events(many_pages(tmp_path / "lmsp.db"))
    found = document(path, target, "ndjson")
    (sentence,) = found["damage"]
    assert "cannot be read: the file is damaged there." in sentence
    assert f"Damaged: {sentence}\n" in export(path, target.with_name("again"), "ndjson").stdout


def test_another_layout_is_exported_and_the_notes_say_so(tmp_path: Path, target: Path) -> None:
    path = foreign(tmp_path / "other.db", ("a", "queued", "fail"), ("b", "paused", None), data=b"\xff\0")
    found = document(path, target, "ndjson", "--with-secrets")
    assert found["counts"] == {"tasks": 2, "events": 2}
    assert any("not the native layout" in note for note in found["opened"]["notes"])
    event = lines_of(target)[-2]
    assert (event["data"], event["data_text"]) == (None, "x'ff00'")


def test_a_layout_that_is_asked_for_is_used(tmp_path: Path, target: Path) -> None:
    path, own = foreign(tmp_path / "other.db", ("a", "queued", "fail")), tmp_path / "own.toml"
    own.write_text(
        'name = "own"\n[tasks]\ntable = "tasks"\n[tasks.columns]\nid = "id"\nstatus = "status"\n'
        '[tasks.statuses]\nqueued = "running"\n'
    )
    document(path, target, "ndjson", "--layout", str(own))
    (task,) = [line for line in lines_of(target) if line["type"] == "task"]
    assert task["status"] == "running"
    assert lines_of(target)[0]["opened"]["layout_name"] == "own"


@FORMS
def test_no_name_of_a_secret_table_is_in_it(seven: Path, target: Path, form: str) -> None:
    found = document(seven, target, form, "--with-secrets")
    assert set(found["counts"]) & set(TABLES) == {"models", "tasks", "responses"}


@FORMS
def test_a_folder_that_may_not_be_written_ends_in_one_sentence(common_folder: Path, form: str) -> None:
    path = one_of_each(common_folder / "lmsp.db")
    # Its own user, who runs the tests where that is not root, may write to it else.
    common_folder.chmod(0o555)
    done = run("export", path, "--format", form, "--out", common_folder / "out", as_nobody=True)
    common_folder.chmod(0o755)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode() == f"lmsp-inspector: {common_folder}/out cannot be written: Permission denied.\n"
    assert listing(common_folder) == {"lmsp.db"}


@FORMS
def test_a_folder_that_is_not_there_ends_in_one_sentence(seven: Path, target: Path, form: str) -> None:
    result = export(seven, target / "none", form)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"lmsp-inspector: {target}/none cannot be written: No such file or directory.\n"


@pytest.mark.process
def test_on_a_terminal_it_says_how_far_it_is_and_wipes_that(seven: Path, target: Path) -> None:
    status, shown = on_a_terminal("export", seven, "--format", "csv", "--out", target)
    assert status == 0
    assert b"Exported 0 models, 0 tasks" in shown
    assert shown.endswith(b" \r")


AT_A_CALL = """
import os, sys
def at(event, arguments):
    if event == "os.EVENT" and os.fsdecode(arguments[0]).endswith(".part"):
        os.kill(os.getpid(), NUMBER)
sys.addaudithook(at)
"""


def ended_at(
    event: str, number: int, folder: Path, path: Path, target: Path, form: str
) -> "subprocess.CompletedProcess[bytes]":
    """Run an export, and send it a signal when it is about to do this with its hidden file or folder."""
    early = folder / "early"
    early.mkdir(exist_ok=True)
    (early / "sitecustomize.py").write_text(AT_A_CALL.replace("os.EVENT", event).replace("NUMBER", str(int(number))))
    return subprocess.run(
        [sys.executable, "-m", "inspector", "export", path, "--format", form, "--out", target],
        cwd=ROOT,
        env={**BUFFERED, "PYTHONPATH": str(early)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=50,
        check=False,
    )


@pytest.mark.process
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
@pytest.mark.parametrize(
    ("form", "event"), [("ndjson", "open"), ("ndjson", "os.link"), ("csv", "os.mkdir"), ("csv", "os.rename")]
)
def test_a_signal_ends_it_quietly_and_leaves_nothing(
    seven: Path, tmp_path: Path, target: Path, form: str, event: str, number: int, status: int
) -> None:
    done = ended_at(event, number, tmp_path, seven, target, form)
    assert (done.returncode, done.stdout, done.stderr) == (status, b"", b"")
    # Where the signal comes with the last step, the export is whole; nothing but that may be there.
    assert listing(target.parent) <= ({"out"} if event in ("os.link", "os.rename") else set())


@pytest.mark.process
@pytest.mark.parametrize(("form", "event"), [("ndjson", "os.link"), ("csv", "os.rename")])
def test_a_killed_one_leaves_nothing_under_the_name_and_the_next_cleans_up(
    seven: Path, tmp_path: Path, target: Path, form: str, event: str
) -> None:
    done = ended_at(event, signal.SIGKILL, tmp_path, seven, target, form)
    assert done.returncode == -signal.SIGKILL
    (left,) = listing(target.parent)
    assert left.startswith(".out.")
    assert export(seven, target, form).exit_code == 0
    assert listing(target.parent) == {"out"}


WITHOUT_ROOM = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))
from inspector.__main__ import main
main()
"""


@pytest.mark.process
@FORMS
def test_a_disk_that_takes_no_more_ends_it_in_one_sentence_and_leaves_nothing(
    seven: Path, target: Path, form: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_ROOM, "export", seven, "--format", form, "--out", target],
        cwd=ROOT,
        capture_output=True,
        timeout=50,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (2, b"", 1)
    assert done.stderr.endswith(b" cannot be written: File too large.\n")
    assert listing(target.parent) == set()


def test_a_reader_of_the_output_that_went_ends_it_quietly(seven: Path, target: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "inspector", "export", seven, "--format", "ndjson", "--out", target, "--json"],
        cwd=ROOT,
        stdout=write,
        stderr=subprocess.PIPE,
        timeout=50,
        check=False,
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")
    assert lines_of(target)[-1]["type"] == "end"


def test_a_file_without_tasks_is_exported_empty(tmp_path: Path, target: Path) -> None:
    with closing_db(tmp_path / "lmsp.db"):
        pass
    assert document(tmp_path / "lmsp.db", target, "csv")["counts"] == dict.fromkeys(
        ("models", "tasks", "responses", "events"), 0
    )


HOSTILE: tuple[Callable[[Path], None], ...] = (
    *(hostile_files.markup_everywhere, hostile_files.odd_characters_everywhere, hostile_files.blobs_everywhere),
    *(hostile_files.deep_json, hostile_files.long_numbers, hostile_files.combining_marks_everywhere),
    *(hostile_files.endless_views, hostile_files.bombs, hostile_files.odd_triggers),
)


@FORMS
@pytest.mark.parametrize("made", HOSTILE, ids=lambda made: made.__name__)
def test_whatever_a_file_holds_it_is_exported_whole_or_refused(
    tmp_path: Path, target: Path, form: str, made: Callable[[Path], None]
) -> None:
    path = tmp_path / "hostile.db"
    made(path)
    before = touch_state(path)
    result = export(path, target, form, "--with-secrets", "--json")
    assert differences(before, touch_state(path)) == ()
    if result.exit_code:
        assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
        assert listing(target.parent) == set()
        return
    counts = json.loads(result.stdout)["counts"]
    if form == "ndjson":
        assert len(lines_of(target)) == sum(counts.values()) + 2
        return
    for name, many in counts.items():
        with (target / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            csv.field_size_limit(1 << 28)
            head, *rows = csv.reader(file)
        assert [len(row) for row in rows] == [len(head)] * many


def test_ids_and_digits_are_exported_as_they_are_stored(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE tasks (id, status, created_at REAL, request)")
        db.execute("CREATE TABLE task_events (id INTEGER PRIMARY KEY, task_id, seq, data)")
        db.execute("INSERT INTO tasks VALUES (NULL, 'queued', 5, 0.1 + 0.2), ('NULL', 'queued', 1, 1)")
        db.execute("INSERT INTO task_events VALUES (1, NULL, 1, 12345678901234567890.5), (2, x'00', 1, 1e300)")
    run("export", path, "--format", "ndjson", "--out", tmp_path / "a.ndjson", "--with-secrets")
    lines = (tmp_path / "a.ndjson").read_text().splitlines()
    tasks, events = ([line for line in lines if json.loads(line)["type"] == kind] for kind in ("task", "event"))

    assert [json.loads(line)["id"] for line in tasks] == [None, "'NULL'"]
    assert '"request": 0.30000000000000004' in tasks[0]
    assert [json.loads(line)["task_id"] for line in events] == [None, "x'00'"]
    assert '"data": 1.2345678901234567e+19' in events[0]
    assert '"data": 1e+300' in events[1]
