"""All events are searched, newest first, in steps of any length."""

import contextlib
import json
import sqlite3
from typing import cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inspector.layout import native
from inspector.layout.pages import EventHit, EventHits, ascii_lower
from inspector.reading import steps
from inspector.reading.errors import Unanswered
from inspector.reading.jobs import job_of
from inspector.reading.recognising import recognise
from inspector.reading.requests import EventSearchRequest
from tests.support.reading_databases import add_deltas, add_task, in_memory, move_task

TEXTS = st.text(st.sampled_from('aAbBéÉ"\\\n𝄞 '), max_size=6)


@pytest.fixture(autouse=True)
def short_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each step look at two or three events."""
    monkeypatch.setattr(steps, "_FIRST", 2)
    monkeypatch.setattr(steps, "_FEWEST", 2)
    monkeypatch.setattr(steps, "_MOST", 3)


def database(*data: str) -> sqlite3.Connection:
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.executescript(native.DDL)
    add_task(db, "a")
    move_task(db, "a", "running")
    for each in data:
        add_deltas(db, "a", 1, data=each)
    return db


def search(db: sqlite3.Connection, request: EventSearchRequest) -> tuple[list[EventHit], EventHits, list[int]]:
    """Return what was told on the way, the answer, and how far it said to be."""
    connection = in_memory(db)
    shape = recognise(connection, "a.db")
    job = job_of(request, lambda question: question(connection, shape), lambda: 7)
    assert job is not None
    told: list[EventHit] = []
    done: list[int] = []
    while True:
        try:
            progress = next(job)
        except StopIteration as ended:
            return told, cast("EventHits", ended.value), done
        told += progress.hits
        done.append(progress.done)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(TEXTS, st.booleans()), max_size=9), TEXTS.filter(bool))
def test_a_text_is_found_wherever_it_stands_however_its_json_is_written(
    deltas: list[tuple[str, bool]], text: str
) -> None:
    db = database(*(json.dumps(delta, ensure_ascii=ascii_only) for delta, ascii_only in deltas))

    _, answer, _ = search(db, EventSearchRequest(text))

    db.close()
    stored = [json.dumps(delta, ensure_ascii=ascii_only)[1:-1] for delta, ascii_only in deltas]
    written = {ascii_lower(json.dumps(text, ensure_ascii=ascii_only)[1:-1]) for ascii_only in (True, False)}
    found = [hit.id for hit in answer.hits]
    # Escaped it is found; as it is typed too, so that a piece of the JSON itself can be looked for.
    assert [
        3 + at for at, each in reversed([*enumerate(stored)]) if any(one in ascii_lower(each) for one in written)
    ] == [number for number in found if number >= 3 and any(one in ascii_lower(stored[number - 3]) for one in written)]
    assert found == sorted(found, reverse=True)


def test_hits_are_told_as_they_are_found_newest_first_with_what_stands_around() -> None:
    db = database(*(f'{{"delta":"{"." * 60}needle {number}{"." * 200}"}}' for number in range(8)))

    told, answer, done = search(db, EventSearchRequest("NEEDLE"))

    db.close()
    assert list(answer.hits) == told
    assert [(hit.id, hit.task_id, hit.seq, hit.type) for hit in told] == [
        (number, "a", number, "response.output_text.delta") for number in range(10, 2, -1)
    ]
    assert all(hit.excerpt[hit.match_at : hit.match_at + hit.match_length] == "needle" for hit in told)
    assert all(len(hit.excerpt) <= 160 and hit.created_at is not None for hit in told)
    assert done == sorted(set(done))
    assert answer.searched_to is None
    assert answer.read_at_ms == 7


@pytest.mark.parametrize(
    ("data", "text", "marked"),
    [
        ('{"delta":"Grüße"}', "GRüßE", "Grüße"),
        ('{"delta":"Gr\\u00fc\\u00dfe"}', "grüße", "Gr\\u00fc\\u00dfe"),
        ('{"delta":"say \\"x\\""}', 'y "x"', 'y \\"x\\"'),
        (f'{{"delta":"{"-" * 90}{"x" * 300}"}}', "x" * 300, "x" * 120),
    ],
)
def test_a_hit_says_which_part_of_its_excerpt_is_the_text_as_it_is_stored(data: str, text: str, marked: str) -> None:
    db = database(data)

    ((hit,), _, _) = search(db, EventSearchRequest(text))

    db.close()
    assert hit.excerpt[hit.match_at : hit.match_at + hit.match_length] == marked


def test_how_far_a_search_is_counts_from_the_oldest_event_that_a_cleanup_left() -> None:
    db = database(*"xxxxx")
    db.execute("DROP TRIGGER task_events_outlive_no_task")
    db.execute("DELETE FROM task_events WHERE id <= 4")
    connection = in_memory(db)
    shape = recognise(connection, "a.db")

    job = job_of(EventSearchRequest("x"), lambda question: question(connection, shape), lambda: 7)
    told: list[tuple[int, int | None]] = []
    with contextlib.suppress(StopIteration):
        while job is not None:
            progress = next(job)
            told.append((progress.done, progress.of))

    db.close()
    assert told == [(2, 3), (3, 3)]


def test_a_search_ends_where_there_are_hits_enough_and_goes_on_from_there() -> None:
    db = database(*['{"delta":"x"}'] * 7)

    _, first, _ = search(db, EventSearchRequest("delta", limit=4))
    _, second, _ = search(db, EventSearchRequest("delta", before_id=first.searched_to, limit=4))

    db.close()
    assert [hit.seq for hit in first.hits] == [9, 8, 7, 6]
    assert [hit.seq for hit in second.hits] == [5, 4, 3]
    assert second.searched_to is None


def test_gaps_between_events_are_passed_over_at_once() -> None:
    db = database("needle")
    db.execute("UPDATE sqlite_sequence SET seq = 9007199254740000")
    add_deltas(db, "a", 1, data="needle")

    _, answer, done = search(db, EventSearchRequest("needle"))

    db.close()
    assert [hit.seq for hit in answer.hits] == [4, 3]
    assert len(done) < 6


def test_an_event_too_large_to_be_read_is_passed_over_and_takes_no_other_with_it() -> None:
    db = database("needle 1", f"needle {'x' * 5_000}", "needle 2")
    db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 4_000)

    _, answer, _ = search(db, EventSearchRequest("needle"))

    db.close()
    assert [hit.seq for hit in answer.hits] == [5, 3]


def test_no_text_finds_nothing() -> None:
    db = database("needle")

    _, answer, done = search(db, EventSearchRequest(""))

    db.close()
    assert (answer.hits, done) == ((), [])


def test_events_without_an_order_are_not_searched() -> None:
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.executescript("""
        CREATE TABLE tasks (id, status);
        CREATE TABLE task_events (task_id, seq, data, PRIMARY KEY (task_id, seq)) WITHOUT ROWID;
    """)

    with pytest.raises(Unanswered, match="cannot be searched"):
        search(db, EventSearchRequest("needle"))
    db.close()
