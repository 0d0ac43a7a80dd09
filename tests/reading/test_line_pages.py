"""Events that are lines of one column: pages of them are what the view over them says, at the cost of the page."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.layout.pages import EventPage, LogStretch, TaskPage
from inspector.layout.rows import EventRow
from inspector.reading import line_pages
from inspector.reading.layouts import Layouts, read_description
from inspector.reading.reader import Reader, open_reader
from inspector.reading.requests import BEFORE_ALL, EventPageRequest, TaskPageRequest, TimelineRequest
from tests.support.any_tables import made
from tests.support.reading_databases import read_at

LAYOUT = """
[tasks]
table = "work"
[tasks.columns]
id = "Name"
status = "state"
[events]
times = "unix_s"
lines = { table = "work", task_id = "name", column = "Log" }
[events.columns]
type = "e"
created_at = "at"
[events.statuses]
"""

LOGS: dict[str, str] = {
    "plain": '{"e":1}\n{"e":2}\n{"e":3}',
    "ends": '{"e":"a","at":1796000000}\n\n\n{"e":"b","at":2.5}\n\n',
    "begins empty": '\n\n{"e":"a"}\n\nno\n{"e":"z"}',
    "NUL": '{"e":1}\n{"e":2}\n\0',
    "NUL within": '{"e":1}\n{"e":"x"}\0{"e":2}\n{"e":3}\0\n\0\0{"e":4}\n{"e":5}',
    "controls": '{"e":1}\x01\x1f\x7f\n{"e":"a\tb"}\n{"e":3}\r\n\b\f\v\x1b[0m\n{"e":4}',
    "backslashes": '{"e":"\\\\n"}\n\\\n\\\\\n\\n\n{"e":"\\"\\u0041\\u0000b"}\n"',
    "letters": '{"e":"ü"}\n😀\n\u2028\n{"e":"\ufeff"}',
    "one": "x",
    "empty": "",
    "only ends": "\n\n\n",
    "many": "\n".join(f'{{"e":{number}}}' if number % 7 else "" for number in range(1, 1000)),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    texts = {name: f"CAST(x'{log.encode().hex()}' AS TEXT)" for name, log in LOGS.items()}
    return made(
        tmp_path / "lines.db",
        "CREATE TABLE work (name, state, log)",
        "CREATE INDEX of_name ON work (name)",
        "INSERT INTO work VALUES ('twice', 'running', 'a'), ('twice', 'running', 'b')",
        *(f"INSERT INTO work VALUES ('{name}', 'running', {log})" for name, log in texts.items()),
        "INSERT INTO work VALUES ('none', 'running', NULL), ('number', 'running', 12.5), (7, 'running', '{\"e\":1}')",
        """INSERT INTO work VALUES ('blob', 'running', x'7b2265223a317d0a7b2265223a327d'), (x'00', 'running', 'a')""",
    )


@pytest.fixture
def reader(path: Path, tmp_path: Path) -> Iterator[Reader]:
    own = tmp_path / "own.toml"
    own.write_text(LAYOUT)
    with open_reader(path, now_ms=read_at, layouts=Layouts(asked_for=read_description(own))) as reader:
        yield reader


def page(
    reader: Reader, task_id: str, after: int | None = None, before: int | None = None, limit: int = 200
) -> EventPage:
    found = reader.answer(EventPageRequest(task_id, after, before, limit))
    assert isinstance(found, EventPage)
    return found


def every_event(reader: Reader, task_id: str) -> list[EventRow]:
    found: list[EventRow] = []
    more, after = True, BEFORE_ALL
    while more:
        part = page(reader, task_id, after)
        found += part.events
        more = part.more_after
        after = part.events[-1].seq if part.events else after
    return found


def test_each_page_holds_the_lines_that_are_asked_for(reader: Reader) -> None:
    """An empty line is no event: numbers that it took would look like events that are missing."""
    logs = LOGS | {"twice": "a\nb", "none": "", "number": "12.5", "nobody": "", "7": '{"e":1}', "x'00'": "a"}
    logs["blob"] = '{"e":1}\n{"e":2}'
    bounds = [*range(-1, 9), 300, 998, 999, 1 << 60, -(1 << 60)]
    for name, log in logs.items():
        lines = dict(enumerate((line.replace("\0", "\\x00") for line in log.split("\n") if line), 1))
        for limit in (1, 3, 200):
            for bound in bounds:
                later = [place for place in lines if place > bound]
                found = page(reader, name, after=bound, limit=limit)
                assert {event.seq: event.data_text for event in found.events} == {
                    place: lines[place] for place in later[:limit]
                }
                assert (found.more_before, found.more_after) == (len(later) < len(lines), len(later) > limit)
                earlier = [place for place in lines if place < bound]
                found = page(reader, name, before=bound, limit=limit)
                assert [event.seq for event in found.events] == earlier[-limit:]
                assert (found.more_before, found.more_after) == (len(earlier) > limit, len(earlier) < len(lines))
            last = page(reader, name, limit=limit)
            assert [event.seq for event in last.events] == list(lines)[-limit:]
            assert (last.more_before, last.more_after) == (len(lines) > limit, False)


@pytest.mark.parametrize(
    ("name", "types"),
    [("NUL", ["1", "2", ""]), ("NUL within", ["1", "", "", "", "5"]), ("controls", ["", "", "3", "", "4"])],
)
def test_a_character_that_json_escapes_is_part_of_its_own_line_alone(
    reader: Reader, name: str, types: list[str]
) -> None:
    """A NUL or another one anywhere in the column made one event of it, of no type."""
    lines = LOGS[name].split("\n")
    events = every_event(reader, name)
    assert [event.data_text for event in events] == [line.replace("\0", "\\x00") for line in lines]
    assert [event.type for event in events] == types
    log, listed = reader.answer(TimelineRequest(name)), reader.answer(TaskPageRequest())
    assert isinstance(log, LogStretch)
    assert log.events == len(lines)
    assert isinstance(listed, TaskPage)
    assert [task.last_seq for task in listed.tasks if task.id == name] == [len(lines)]


def test_a_log_is_cut_once_and_taken_apart_for_no_page(path: Path, tmp_path: Path, statements: list[str]) -> None:
    """The pages of a log cost their lines, not each time all of it."""
    own = tmp_path / "own.toml"
    own.write_text(LAYOUT)
    line_pages.lines_in.cache_clear()
    with open_reader(path, now_ms=read_at, layouts=Layouts(asked_for=read_description(own))) as reader:
        statements.clear()
        found = every_event(reader, "many")
    assert len(found) == sum(1 for line in LOGS["many"].split("\n") if line)
    assert line_pages.lines_in.cache_info().misses == 1
    apart = [each for each in statements if "json_each" in each]
    assert len(apart) == 5
    assert max(map(len, apart)) < len(LOGS["many"])
    assert not [each for each in statements if "task_events" in each]


def test_a_number_that_is_described_for_lines_is_told_as_it_stands_in_each(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text(LAYOUT.replace('type = "e"', 'type = "e"\nseq = "n"'))
    stored = ["7", '"eight"', "null", "9007199254740993", "2.5"]
    log = "\n".join(f'{{"e":"x","n":{each}}}' for each in stored)
    path = made(
        tmp_path / "a.db", "CREATE TABLE work (name, state, log)", f"INSERT INTO work VALUES ('a', 'x', '{log}')"
    )
    with open_reader(path, now_ms=read_at, layouts=Layouts(asked_for=read_description(own))) as reader:
        found = every_event(reader, "a")
    assert [event.told("seq") for event in found] == [7, "eight", None, 9007199254740993, "2.5"]
    assert [event.seq for event in found] == [1, 2, 3, 4, 5]


def test_bytes_that_are_no_utf_8_take_a_line_nothing_of_what_it_tells(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text(LAYOUT)
    log = b'{"e":"a","at":2,"x":"\xff"}\n{"e":"b\xfe"}\n{"e":"c"}'
    path = made(
        tmp_path / "a.db",
        "CREATE TABLE work (name, state, log)",
        f"INSERT INTO work VALUES ('a', 'x', CAST(x'{log.hex()}' AS TEXT))",
    )
    with open_reader(path, now_ms=read_at, layouts=Layouts(asked_for=read_description(own))) as reader:
        found = every_event(reader, "a")
        drawn = reader.answer(TimelineRequest("a"))
    assert [(event.type, event.created_at) for event in found] == [("a", 2_000), ("b\\xfe", None), ("c", None)]
    assert found[0].data_text == '{"e":"a","at":2,"x":"\\xff"}'
    assert isinstance(drawn, LogStretch)
    assert [tick.type for tick in drawn.ticks] == ["a", "b\\xfe", "c"]
