import contextlib
import json
import os
import pty
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from sqlite_utils import Database

from inspector import store
from inspector.cli import command_line
from inspector.commands.clock import Clock
from inspector.reading.messages import Push
from inspector.reading.reader import Reader
from tests.commands.databases import (
    BUFFERED,
    NOW,
    ROOT,
    by_hand,
    closing_db,
    foreign,
    killed_service,
    one_of_each,
    run,
    service,
    state_of,
    task_in,
    tell,
    with_event_data,
    without_shm,
)


def events(path: Path, task_id: str, *options: str, wait: Callable[[float], object] | None = None) -> Result:
    clock = Clock(lambda: NOW, wait or (lambda _seconds: pytest.fail("nothing to wait for")))
    return CliRunner().invoke(command_line, ["events", str(path), task_id, *options], obj=clock)


def document(path: Path, task_id: str, *options: str) -> dict[str, Any]:
    result = events(path, task_id, "--json", *options)
    assert (result.exit_code, result.stderr) == (0, "")
    found: dict[str, Any] = json.loads(result.stdout)
    found.pop("opened", None)  # of all commands: test_proving
    return found


def test_the_document_has_the_form_of_the_design(tmp_path: Path) -> None:
    assert document(one_of_each(tmp_path / "lmsp.db"), "completed") == {
        "task_id": "completed",
        "events": [
            {"seq": 1, "type": "response.created", "status": "queued", "created_at": NOW, "data": {}},
            {"seq": 2, "type": "response.in_progress", "status": "running", "created_at": NOW + 1, "data": {}},
            {
                "seq": 3,
                "type": "response.output_text.delta",
                "status": "running",
                "created_at": NOW + 2,
                "data": {"text": "é"},
            },
            {
                "seq": 4,
                "type": "response.completed",
                "status": "completed",
                "created_at": NOW + 3,
                "data": {"response_id": "resp_completed"},
            },
        ],
    }


STORED = [
    '{"n": 1254071346418286654}',
    '{"n": [0.2345678901234568, 3544790567247868102, 18446744073709551615]}',
    "1e400",
    '{"b": 1, "a": 2, "b": 3}',
    '{\n  "pretty": "é 日 😀"\n}',
    '{"big": "' + "x" * 5_000 + '"}',
    "[" + ", ".join(str((1 << 53) + 1) for _ in range(100_000)) + "]",
]


def test_stored_json_is_put_in_as_it_stands_however_large(tmp_path: Path) -> None:
    path = with_event_data(tmp_path / "lmsp.db", *STORED)
    written = events(path, "t", "--json").stdout
    at = 0
    for text in STORED:
        at = written.index(f'"data": {text}}}', at)
    assert [event["seq"] for event in json.loads(written)["events"]] == [1, 2, *range(3, 3 + len(STORED))]


UNREADABLE = ["NaN", '{"a": Infinity}', "no json", '{"cut', "", "[" * 20_000 + "]" * 20_000, "1" * 5_000]


def test_what_is_no_json_is_null_with_its_text_beside(tmp_path: Path) -> None:
    found = document(with_event_data(tmp_path / "lmsp.db", *UNREADABLE), "t")["events"][2:]
    assert [event["data"] for event in found] == [None] * len(UNREADABLE)
    assert [event["data_text"] for event in found] == UNREADABLE


@pytest.mark.parametrize("size", [(1 << 24) - 20, 1 << 24])
def test_a_text_above_what_is_read_is_cut_and_says_how_long_it_is(tmp_path: Path, size: int) -> None:
    path = with_event_data(tmp_path / "lmsp.db", json.dumps("x" * size))
    [event] = document(path, "t")["events"][2:]
    if size < 1 << 24:
        assert event["data"] == "x" * size
    else:
        assert event["data"] is None
        assert event["data_text"][:10] == '"xxxxxxxxx'
        assert event["data_length"] == size + 2


def test_bytes_that_are_no_text_are_escaped_in_the_text_beside(tmp_path: Path) -> None:
    path = foreign(tmp_path / "other.db", ("t", "running", None), data=b'"\xff"')
    assert document(path, "t")["events"][0]["data_text"] == '"\\xff"'


def test_jq_reads_the_document(tmp_path: Path) -> None:
    path = with_event_data(
        tmp_path / "lmsp.db", *STORED, *UNREADABLE, "[" * 250 + "]" * 250, '{"a\\u0000": "\x9b\u202e"}'
    )
    written = events(path, "t", "--json").stdout
    try:
        done = subprocess.run(["jq", ".events | length"], input=written.encode(), capture_output=True, check=True)
    except FileNotFoundError:
        pytest.skip("no jq here")
    assert int(done.stdout) == 2 + len(STORED) + len(UNREADABLE) + 2


@pytest.mark.parametrize("count", [198, 199, 450])
def test_a_long_log_comes_whole_and_in_order(tmp_path: Path, count: int) -> None:
    path = with_event_data(tmp_path / "lmsp.db", *map(str, range(count)))
    assert [event["data"] for event in document(path, "t")["events"][2:]] == list(range(count))


def test_a_log_that_counts_in_words_ends(tmp_path: Path) -> None:
    path = foreign(tmp_path / "other.db", *((f"t{at}", "running", None) for at in range(300)))
    by_hand(path, "UPDATE task_events SET task_id = 't0', seq = 'one'")
    assert {event["seq"] for event in document(path, "t0")["events"]} == {"one"}


def test_what_is_no_number_is_told_as_it_is_stored(tmp_path: Path) -> None:
    path = foreign(tmp_path / "other.db", ("t", "running", None))
    by_hand(
        path,
        "ALTER TABLE task_events ADD COLUMN created_at",
        "UPDATE task_events SET seq = 'one', created_at = 'now \x1b[2J'",
    )
    (event,) = document(path, "t")["events"]
    assert (event["seq"], event["created_at"]) == ("one", "now \x1b[2J")
    listing = events(path, "t").stdout
    assert "one" in listing
    assert "now \\u001b[2J" in listing


def test_a_task_without_events_is_said_to_have_none(tmp_path: Path) -> None:
    path = foreign(tmp_path / "other.db", ("t", "running", None))
    by_hand(path, "DELETE FROM task_events")
    assert document(path, "t")["events"] == []
    assert events(path, "t").stdout.startswith("Task t has no events in this file.\nOpened resting: ")


@pytest.mark.parametrize("options", [[], ["--json"], ["--follow"], ["--json", "--follow"]])
@pytest.mark.parametrize("task_id", ["nope", "", "completed\n", "Completed", "x\x1b[2J"])
def test_a_task_that_is_not_there_is_a_refusal_with_its_sentence(
    tmp_path: Path, task_id: str, options: list[str]
) -> None:
    result = events(one_of_each(tmp_path / "lmsp.db"), task_id, *options)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("lmsp-inspector: There is no task ")
    assert result.stderr.count("\n") == 1
    assert "\x1b" not in result.stderr


def test_a_listing_shows_nothing_that_acts(tmp_path: Path) -> None:
    hostile = "\x1b]0;owned\x07\x9b2J\u202e\r"
    path = foreign(tmp_path / "other.db", ("t", f"run{hostile}", None), data=hostile)
    listing = run("events", path, "t").stdout
    assert not set(listing) & ({*range(0x20), 0x7F} - {ord("\n")})
    assert not set(listing.decode()) & {"\x9b", "\u202e"}
    assert b"\\u001b]0;owned\\u0007\\u009b2J\\u202e\\u000d" in listing


@pytest.mark.parametrize("make", [one_of_each, lambda path: killed_service(path, ("running", "running", "fail"))])
def test_nothing_is_touched_where_nobody_has_it_open(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    path = make(tmp_path / "lmsp.db")
    before = state_of(tmp_path)
    done = run("events", path, "running", "--json")
    assert (done.returncode, len(json.loads(done.stdout)["events"])) == (0, 3)
    assert state_of(tmp_path) == before


def steps(path: Path, *moves: Callable[[Database], object]) -> Callable[[float], object]:
    """Return a way to wait in which a service makes one move at a time, on a connection of its own each time."""
    left: Iterator[Callable[[Database], object]] = iter(moves)

    def wait(_seconds: float) -> None:
        with closing_db(path) as db:
            next(left)(db)

    return wait


def finishing(path: Path) -> Callable[[float], object]:
    return steps(
        path,
        lambda db: task_in(db, "other", "completed"),
        lambda db: store.start_task(db, "t", status="running", attempt=1, now_ms=NOW + 1, warm=True),
        lambda db: store.append_events(db, "t", [("a.b", {"n": n}) for n in range(450)], attempt=1, now_ms=NOW + 2),
        lambda db: store.complete_task(db, "t", {}, attempt=1, now_ms=NOW + 3),
    )


@pytest.fixture
def queued(tmp_path: Path) -> Path:
    path = tmp_path / "lmsp.db"
    with closing_db(path) as db:
        task_in(db, "t", "queued")
    return path


def test_following_prints_every_event_once_as_a_line_of_json_until_the_task_has_ended(queued: Path) -> None:
    result = events(queued, "t", "--follow", "--json", wait=finishing(queued))
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert result.exit_code == 0
    assert [line["seq"] for line in lines] == list(range(1, 454))
    assert lines[-1]["status"] == "completed"
    assert list(lines[0]) == ["seq", "type", "status", "created_at", "data"]


def test_following_prints_rows_for_a_person(queued: Path) -> None:
    result = events(queued, "t", "--follow", wait=finishing(queued))
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert len(lines) == 1 + 453
    assert lines[0].split() == ["SEQ", "TIME", "TYPE", "STATUS", "DATA"]
    assert lines[1].split() == ["1", "2025-12-01T14:02:17.412Z", "response.created", "queued", "{}"]


def test_following_a_task_that_has_ended_prints_its_events_and_ends(tmp_path: Path) -> None:
    result = events(one_of_each(tmp_path / "lmsp.db"), "failed", "--follow", "--json")
    assert (result.exit_code, result.stdout.count("\n")) == (0, 4)


def test_stored_line_ends_break_no_line_of_json(tmp_path: Path) -> None:
    path = with_event_data(tmp_path / "lmsp.db", '{\r\n "a":\n 1}')
    with closing_db(path) as db:
        store.complete_task(db, "t", {}, attempt=1, now_ms=NOW)
    lines = events(path, "t", "--follow", "--json").stdout.splitlines()
    assert json.loads(lines[2])["data"] == {"a": 1}
    assert len(lines) == 4


def test_following_a_task_that_cleanup_takes_ends_with_its_sentence(tmp_path: Path) -> None:
    path = foreign(tmp_path / "other.db", ("t", "running", None))

    def take(_seconds: float) -> None:
        by_hand(path, "DELETE FROM tasks", "DELETE FROM task_events")

    result = events(path, "t", "--follow", "--json", wait=take)
    assert (result.exit_code, result.stdout.count("\n"), result.stderr.count("\n")) == (1, 1, 1)
    assert "not in the database any more" in result.stderr


def test_following_a_file_that_is_removed_ends_with_one_sentence(queued: Path) -> None:
    result = events(queued, "t", "--follow", "--json", wait=lambda _seconds: queued.unlink())
    assert (result.exit_code, result.stderr) == (2, "lmsp-inspector: The file is gone. It was removed.\n")


def test_following_a_wished_copy_is_an_unusable_argument(queued: Path) -> None:
    result = events(queued, "t", "--follow", "--mode", "copy")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)


def test_following_a_copy_without_its_shm_becomes_live_with_its_service(tmp_path: Path) -> None:
    path = without_shm(tmp_path / "lmsp.db", ("t", "running", "retry"))
    complete = steps(path, lambda db: store.complete_task(db, "t", {}, attempt=1, now_ms=NOW))
    result = events(path, "t", "--follow", "--json", wait=complete)
    assert [json.loads(line)["seq"] for line in result.stdout.splitlines()] == [1, 2, 3, 4]


@contextlib.contextmanager
def following(path: Path, *options: str) -> Iterator["subprocess.Popen[bytes]"]:
    command: list[str | Path] = [sys.executable, "-m", "inspector", "events", path, "t", "--follow", *options]
    process = subprocess.Popen(command, cwd=ROOT, env=BUFFERED, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.process
def test_a_live_service_is_followed_from_another_process(tmp_path: Path) -> None:
    path = tmp_path / "lmsp.db"
    with service(path, ("t", "running", "fail")) as process, following(path, "--json") as follower:
        assert follower.stdout is not None
        assert [json.loads(follower.stdout.readline())["seq"] for _ in range(3)] == [1, 2, 3]
        tell(process, "store.append_events(db, 't', [('a.b', {'n': 1})], attempt=1, now_ms=1)")
        assert json.loads(follower.stdout.readline())["data"] == {"n": 1}
        tell(process, "store.fail_task(db, 't', code='c', message='m', attempt=1, now_ms=1)")
        rest, errors = follower.communicate(timeout=50)
        assert (json.loads(rest)["status"], follower.returncode, errors) == ("failed", 0, b"")


@pytest.mark.process
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_ends_following_quietly(queued: Path, number: signal.Signals, code: int) -> None:
    with following(queued, "--json") as follower:
        assert follower.stdout is not None
        follower.stdout.readline()
        follower.send_signal(number)
        rest, errors = follower.communicate(timeout=50)
        assert (rest, errors, follower.returncode) == (b"", b"", code)


@pytest.mark.process
def test_a_reader_of_the_output_that_goes_ends_following_quietly(tmp_path: Path) -> None:
    path = tmp_path / "lmsp.db"
    with service(path, ("t", "running", "fail")) as process, following(path) as follower:
        assert follower.stdout is not None
        assert follower.stderr is not None
        follower.stdout.readline()
        follower.stdout.close()
        tell(process, "store.append_events(db, 't', [('a.b', {'n': 1})] * 1000, attempt=1, now_ms=1)")
        assert follower.wait(timeout=50) == 141
        assert follower.stderr.read() == b""


@pytest.mark.process
def test_a_signal_leaves_no_private_copy_behind(tmp_path: Path) -> None:
    (tmp_path / "db").mkdir()
    path = without_shm(tmp_path / "db" / "lmsp.db", ("t", "running", "retry"))
    copies = tmp_path / "copies"
    copies.mkdir()
    command: list[str | Path] = [sys.executable, "-m", "inspector", "events", path, "t", "--follow"]
    env = {**BUFFERED, "TMPDIR": str(copies)}
    with subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE) as follower:
        assert follower.stdout is not None
        follower.stdout.readline()
        assert list(copies.iterdir())
        follower.terminate()
        assert follower.wait(timeout=50) == 143
    assert list(copies.iterdir()) == []


def test_a_signal_that_sqlite_drops_ends_following_all_the_same(queued: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def look(_reader: Reader) -> tuple[Push, ...]:
        with contextlib.suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        return ()

    monkeypatch.setattr(Reader, "look", look)
    real = Clock(lambda: NOW, command_line.unless_ended(lambda _seconds: None))
    result = CliRunner().invoke(command_line, ["events", str(queued), "t", "--follow", "--json"], obj=real)
    assert (result.exit_code, result.stdout.count("\n"), result.stderr) == (130, 1, "")


def test_a_terminal_gets_no_line_wider_than_it_is(tmp_path: Path) -> None:
    path = with_event_data(tmp_path / "lmsp.db", json.dumps("x" * 300))
    ours, theirs = pty.openpty()
    try:
        command = ["sh", "-c", f"stty cols 72; exec '{sys.executable}' -m inspector events '{path}' t"]
        with subprocess.Popen(command, cwd=ROOT, stdin=theirs, stdout=theirs) as shown:
            os.close(theirs)
            written = b""
            with contextlib.suppress(OSError):  # the end of a terminal that nobody has open
                while select.select([ours], [], [], 50)[0] and (piece := os.read(ours, 65536)):
                    written += piece
            assert shown.wait(timeout=50) == 0
    finally:
        os.close(ours)
    lines = written.decode().split("\r\n")
    assert all(len(line) <= 72 for line in lines[:4])
    assert lines[3].endswith("..")
