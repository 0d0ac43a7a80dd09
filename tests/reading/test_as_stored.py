"""Times, digits and text come out exactly as they are stored, through the reader and on the command line."""

import json
import sqlite3
from pathlib import Path

import pytest
from click.testing import CliRunner

from inspector.cli import command_line
from inspector.commands.clock import Clock
from inspector.layout.pages import EventPage, ModelPage
from inspector.layout.rows import StoredText, TaskDetail
from inspector.reading.reader import open_reader
from inspector.reading.requests import EventDataRequest, EventPageRequest, ModelsRequest, TaskDetailRequest
from tests.support.reading_databases import START_MS, add_task, create, move_task, read_at

TEXTS = {
    "64 bits": '{"n": 1254071346418286654, "m": 18446744073709551615, "k": -9223372036854775808}',
    "beyond 2^53": '{"size": 9007199254740993}',
    "long decimal": '{"d": 0.2345678901234568, "e": 3544790567247868102, "z": 1.10, "x": 1E400}',
    "5,000 digits": '{"n": ' + "7" * 5_000 + "}",
    "odd spacing": '{ "a" :1,\t"b":\n[ ] }',
    "twice a key": '{"a": 1, "a": 2}',
    "escapes": '{"a": "\\u00e9\\/\\ud83d\\ude00"}',
    "not JSON": "{broken",
    "control character": "with\x1funit separator",
    "NUL": "before\0after",
    "deep": '{"a":' * 20_000 + "0" + "}" * 20_000,
    "line ends": "a\r\nb\u2028c\x85d",
    "bidi": "\u202eabc",
    "leading zeros": "0000000000000001",
    "empty": "",
}


def database(path: Path, data: object) -> Path:
    """Make a file whose one task has this as its request and its last event's data, past every check."""
    db = create(path, journal="delete")
    add_task(db, "t")
    for (trigger,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
        db.execute(f"DROP TRIGGER {trigger}")
    db.execute("UPDATE tasks SET request = ?", [data])
    db.execute("UPDATE task_events SET data = ?", [data])
    db.close()
    return path


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_comes_out_as_it_is_stored(tmp_path: Path, name: str) -> None:
    stored = TEXTS[name]
    with open_reader(database(tmp_path / "a.db", stored), now_ms=read_at) as reader:
        detail = reader.answer(TaskDetailRequest("t"))
        data = reader.answer(EventDataRequest("t", 1))
        page = reader.answer(EventPageRequest("t"))

    assert isinstance(detail, TaskDetail)
    assert detail.request is not None
    assert isinstance(data, StoredText)
    assert isinstance(page, EventPage)
    assert data.text == stored
    assert detail.request.text == stored[: len(detail.request.text)]
    assert detail.request.length == len(stored)
    assert page.events[0].data_text == stored[: len(page.events[0].data_text)]


@pytest.mark.parametrize("name", [name for name in TEXTS if name not in ("deep", "5,000 digits")])
def test_a_text_in_a_document_of_the_command_line_has_every_digit(tmp_path: Path, name: str) -> None:
    stored = TEXTS[name]
    path = database(tmp_path / "a.db", stored)
    ended = CliRunner().invoke(command_line, ["events", str(path), "t", "--json"], obj=Clock(read_at, lambda _: None))

    assert ended.exit_code == 0
    event = json.loads(ended.stdout)["events"][0]
    as_text = event.get("data_text")
    assert (stored in ended.stdout and as_text is None) or as_text == stored


def test_bytes_that_are_no_text_are_shown_escaped(tmp_path: Path) -> None:
    path = database(tmp_path / "a.db", "x")
    db = sqlite3.connect(path)
    db.execute("UPDATE tasks SET error_code = CAST(x'30E3' AS TEXT), error_message = CAST(x'61FF62' AS TEXT)")
    db.commit()
    db.close()
    with open_reader(path, now_ms=read_at) as reader:
        detail = reader.answer(TaskDetailRequest("t"))

    assert isinstance(detail, TaskDetail)
    assert detail.task.error_code == "0\\xe3"
    assert detail.error_message is not None
    assert detail.error_message.text == "a\\xffb"


@pytest.mark.parametrize("size", [2**31, 2**53 + 1, 2**63 - 1, -1])
def test_an_integer_of_a_model_has_every_digit(tmp_path: Path, size: int) -> None:
    path = tmp_path / "a.db"
    db = create(path, journal="delete")
    db.execute("PRAGMA ignore_check_constraints=ON")
    db.execute(
        "INSERT INTO models (id, name, digest, size_bytes, path, metadata, added_at) "
        "VALUES ('m', 'M', ?, ?, '/x', ?, 1)",
        [f"sha256:{'0' * 64}", size, '{"n": 9007199254740993}'],
    )
    db.close()
    with open_reader(path, now_ms=read_at) as reader:
        page = reader.answer(ModelsRequest())

    assert isinstance(page, ModelPage)
    assert page.models[0].size_bytes == size
    assert page.models[0].metadata == '{"n": 9007199254740993}'


def test_times_that_run_backwards_are_told_each_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    db = create(path, journal="delete")
    add_task(db, "t")
    move_task(db, "t", "running", at=START_MS - 5_000)
    db.close()
    with open_reader(path, now_ms=read_at) as reader:
        page = reader.answer(EventPageRequest("t"))

    assert isinstance(page, EventPage)
    assert [(event.seq, event.created_at) for event in page.events] == [(1, START_MS), (2, START_MS - 5_000)]
