"""A line of JSON holds what was stored, with every digit, on one line."""

import json

import pytest

from inspector.handover.cells import TAKEN_OUT, Cell, LargeText
from inspector.handover.ndjson import document_line, line_of
from inspector.layout.rows import StoredText


def line(cell: Cell, column: str = "data") -> str:
    return line_of("event", (column,), [cell])


def large(text: str, length: int | None = None, *, is_json: bool = True) -> LargeText:
    return LargeText(StoredText(text, len(text) if length is None else length), is_json)


@pytest.mark.parametrize(
    "text",
    [
        '{"n": 9007199254740993}',
        "[1e400, 0.1000000000000000055511151231257827, -0.0, 123456789012345678901234567890]",
        '{"a": 1, "a": 2}',
        '"é漢"',
        "null",
        "  7 ",
    ],
)
def test_stored_json_stands_in_it_as_it_was_stored(text: str) -> None:
    assert line(large(text)) == f'{{"type": "event", "data": {text}}}\n'


@pytest.mark.parametrize("text", ["", "{", "NaN", "'x'", "\\xff", '{"a":1}\0', "[" * 300 + "]" * 300, "01"])
def test_what_is_no_json_is_null_with_its_text_beside_it(text: str) -> None:
    assert json.loads(line(large(text))) == {"type": "event", "data": None, "data_text": text}


def test_a_row_is_one_line_however_its_json_is_spaced() -> None:
    written = line(large('{\n  "a":\r\n [1,\n2]\n}'))
    assert written.count("\n") == 1
    assert "\r" not in written
    assert json.loads(written)["data"] == {"a": [1, 2]}


def test_what_was_cut_is_a_text_with_its_length() -> None:
    found = json.loads(line(large('{"a": "x', 99)))
    assert found == {"type": "event", "data": None, "data_text": '{"a": "x', "data_length": 99}
    found = json.loads(line(large("no", 99, is_json=False), "error_message"))
    assert found == {"type": "event", "error_message": "no", "error_message_length": 99}


def test_what_was_taken_out_is_told_from_what_is_not_there() -> None:
    assert json.loads(line(TAKEN_OUT)) == {"type": "event", "data": None, "data_redacted": True}
    assert json.loads(line(None)) == {"type": "event", "data": None}


@pytest.mark.parametrize("text", ["\0", "a\0b", "\u2028", "\x1b[2J", "é", "\\xff", "=1", "00001", "\ud800"])
def test_a_text_is_a_string_as_it_was_stored(text: str) -> None:
    written = line(text, "task_id")
    assert written.isascii()
    assert json.loads(written) == {"type": "event", "task_id": text}


@pytest.mark.parametrize("number", [0, 2**63 - 1, -(2**63), 9007199254740993])
def test_a_number_keeps_every_digit(number: int) -> None:
    assert f'"seq": {number}}}' in line(number, "seq")


def test_the_type_of_an_event_does_not_hide_that_of_the_line() -> None:
    assert json.loads(line("response.created", "type")) == {"type": "event", "event_type": "response.created"}


def test_a_document_begins_with_its_type() -> None:
    assert document_line("about", {"a": 1}) == '{"type": "about", "a": 1}\n'
