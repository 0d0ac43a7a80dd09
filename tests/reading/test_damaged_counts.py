"""Counts, places, models and a search of all events go around damage, and say what is missing."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from inspector.layout.pages import Counts, EventHits, ModelPage, TaskFilter, TaskPlaces
from inspector.reading import misfits
from inspector.reading.errors import Unanswered
from inspector.reading.jobs import answer_at_once, job_of
from inspector.reading.reader import Reader, open_reader
from inspector.reading.requests import (
    CountsRequest,
    EventSearchRequest,
    ModelsRequest,
    Request,
    TaskPageRequest,
    TaskPlacesRequest,
)
from inspector.reading.salvage import UNREADABLE
from tests.support.damage import many_pages
from tests.support.pages import PAGE, root_of
from tests.support.pages import without as without_pages
from tests.support.reading_databases import read_at

MODELS = 150
NOT_SEARCHED = "Some events cannot be read and were not searched: their table is damaged."

Without = Callable[..., Reader]
"""Opens the file with pages of tables or indexes zeroed, each by its name and its place; 0 is the root."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "service.db"
    path.write_bytes(many_pages(path))
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("DELETE FROM models")
        db.executemany(
            "INSERT INTO models VALUES (?, ?, ?, 1, '/m', 'gguf', ?, 1796000000000)",
            [(f"m{at}", f"model {at:03}", f"sha256:{at:064x}", f'"{"x" * 300}"') for at in range(MODELS)],
        )
        db.execute("UPDATE tasks SET model_id = 'm0'")
    return path


@pytest.fixture
def without(whole: Path, tmp_path: Path) -> Without:
    def opened(*broken: tuple[str, int]) -> Reader:
        return open_reader(without_pages(tmp_path / "service.db", whole.read_bytes(), *broken), now_ms=read_at)

    return opened


def by_steps(reader: Reader, request: Request) -> object:
    """Answer as the window's reader process does, step by step."""
    return answer_at_once(job_of(request, reader.read, read_at), lambda _seconds: None)


def at_once(reader: Reader, request: Request) -> object:
    return reader.answer(request)


EITHER_WAY = pytest.mark.parametrize("answered", [at_once, by_steps])
Answered = Callable[[Reader, Request], object]


@EITHER_WAY
def test_tasks_that_only_an_index_knows_are_counted_as_unreadable(without: Without, answered: Answered) -> None:
    wanted = TaskFilter(text="TASK")
    with without(("tasks", 2), ("tasks_by_client", 0), ("tasks_by_model", 0), ("tasks_by_status", 0)) as reader:
        found = answered(reader, CountsRequest(wanted))
        listed = answered(reader, TaskPageRequest(wanted))
        places = answered(reader, TaskPlacesRequest(wanted, 7))
    assert isinstance(found, Counts)
    assert found.tasks == 60
    assert 0 < found.by_status[UNREADABLE] < found.by_status["running"]
    assert found.damage == f"{found.by_status[UNREADABLE]} tasks cannot be read: only an index knows of them."
    assert isinstance(places, TaskPlaces)
    assert (places.total, len(places.starts)) == (60, 9)
    assert getattr(listed, "damage", "") == found.damage
    assert [(key.created_at, key.id) for key in places.starts] == [
        (task.created_at, task.id) for task in getattr(listed, "tasks", ())[::7]
    ]


@EITHER_WAY
def test_tasks_are_counted_without_the_index_on_their_status(without: Without, answered: Answered) -> None:
    with without(("tasks_by_status", 0)) as reader:
        found = answered(reader, CountsRequest())
    assert isinstance(found, Counts)
    assert found.by_status == {"running": 60}
    assert (found.models, found.damage) == (
        MODELS,
        "An index of the tasks is damaged; all that their table holds is shown.",
    )


@EITHER_WAY
def test_models_are_listed_around_a_damaged_page(without: Without, answered: Answered) -> None:
    with without(("models", 2)) as reader:
        found = answered(reader, ModelsRequest())
        counts = answered(reader, CountsRequest(TaskFilter(text="task")))
    assert isinstance(found, ModelPage)
    assert MODELS * 0.8 < len(found.models) < MODELS
    assert [model.name for model in found.models] == sorted(model.name for model in found.models)
    assert found.damage.startswith("Some models cannot be read: their table is damaged in 1 place.")
    assert [(model.tasks, model.unfinished) for model in found.models][:2] == [(60, 60), (0, 0)]
    assert isinstance(counts, Counts)


@EITHER_WAY
def test_models_are_listed_where_the_tasks_that_name_them_are_damaged(without: Without, answered: Answered) -> None:
    with without(("tasks_by_model", 0)) as reader:
        found = answered(reader, ModelsRequest())
    assert isinstance(found, ModelPage)
    assert len(found.models) == MODELS
    assert (found.models[0].tasks, found.models[0].unfinished) == (60, 60)
    assert found.damage == "An index of the tasks is damaged; all that their table holds is shown."


@EITHER_WAY
def test_where_nothing_is_left_of_the_models_the_sentence_is_the_answer(without: Without, answered: Answered) -> None:
    with (
        without(*(("models", place) for place in range(3))) as reader,
        pytest.raises(Unanswered, match="is incomplete or damaged"),
    ):
        answered(reader, ModelsRequest())


@EITHER_WAY
@pytest.mark.parametrize("limit", [5, 5_000])
def test_all_events_but_the_damaged_ones_are_searched(without: Without, answered: Answered, limit: int) -> None:
    with without() as reader:
        every = _hits(reader, answered, limit)
    with without(("task_events", 3), ("task_events", 9), ("task_events", 10)) as reader:
        found = _hits(reader, answered, limit)
    ids = [hit for page in found for hit in _ids(page)]
    all_ids = [hit for page in every for hit in _ids(page)]
    assert len(all_ids) == 60 * 20
    assert ids == [each for each in all_ids if each in set(ids)], "the newest first, none twice"
    assert len(all_ids) - 3 * 60 < len(ids) < len(all_ids)
    assert {page.damage for page in every} == {""}
    assert {page.damage for page in found} == ({"", NOT_SEARCHED} if limit == 5 else {NOT_SEARCHED})


@EITHER_WAY
@pytest.mark.parametrize("place", [1, -1])
def test_the_first_and_the_last_events_may_be_the_damaged_ones(
    without: Without, answered: Answered, place: int
) -> None:
    with without(("task_events", place)) as reader:
        (found,) = _hits(reader, answered, 5_000)
    assert 60 * 20 - 60 < len(found.hits) < 60 * 20
    assert found.damage == NOT_SEARCHED


@EITHER_WAY
def test_a_search_ends_where_no_event_can_be_read(without: Without, answered: Answered) -> None:
    with without(("task_events", 0)) as reader:
        (found,) = _hits(reader, answered, 5_000)
    assert (found.hits, found.damage) == ((), NOT_SEARCHED)


def _hits(reader: Reader, answered: Answered, limit: int) -> list[EventHits]:
    """Return all parts of the search."""
    found: list[EventHits] = []
    before: int | None = None
    while not found or before is not None:
        part = answered(reader, EventSearchRequest("delta", before, limit))
        assert isinstance(part, EventHits)
        found.append(part)
        before = part.searched_to
    return found


def _ids(part: EventHits) -> list[int]:
    return [hit.id for hit in part.hits]


@pytest.mark.parametrize(
    ("table", "place", "is_lost"), [("tasks", 1, False), ("task_events", 1, False), ("tasks", 0, True)]
)
def test_a_table_that_lost_its_first_rows_alone_is_not_said_to_be_lost(
    without: Without, table: str, place: int, is_lost: bool
) -> None:
    with without((table, place)) as reader:
        told = f"Nothing of the table {table} can be read: the file is damaged." in reader.opened.notes
        assert told is is_lost


@EITHER_WAY
def test_an_index_that_lacks_tasks_without_any_damage_that_sqlite_notices_makes_no_count_negative(
    whole: Path, tmp_path: Path, answered: Answered, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As in a file too large to be compared on opening (see test_misfits).
    monkeypatch.setattr(misfits, "LARGEST_FILE_BYTES", 0)
    path = tmp_path / "service.db"
    data = bytearray(whole.read_bytes())
    start = (root_of(whole, "sqlite_autoindex_tasks_1") - 1) * PAGE
    cells = int.from_bytes(data[start + 3 : start + 5], "big")
    data[start + 3 : start + 5] = (cells // 2).to_bytes(2, "big")
    path.write_bytes(data)
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT count(*) FROM tasks").fetchone() < (60,), "SQLite itself notices nothing"
    with open_reader(path, now_ms=read_at) as reader:
        found = answered(reader, CountsRequest())
    assert isinstance(found, Counts)
    assert found.by_status == {"running": 60}
    assert found.damage == "An index of the tasks is damaged; all that their table holds is shown."
