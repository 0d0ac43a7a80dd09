"""Around damage everything else is read, and what is missing is marked in its place."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from inspector.demo.simulating import simulate
from inspector.layout.pages import EventPage, TaskFilter, TaskKey, TaskPage
from inspector.lmsp.statuses import Status
from inspector.reading import salvage
from inspector.reading.errors import Unanswered
from inspector.reading.reader import open_reader
from inspector.reading.requests import EventPageRequest, TaskPageRequest
from inspector.reading.salvage import UNREADABLE
from tests.support.damage import cut_off, many_pages
from tests.support.pages import children, root_of, zeroed
from tests.support.reading_databases import read_at

ALL = [f"task-{number:03}" for number in reversed(range(60))]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return many_pages(tmp_path_factory.mktemp("whole") / "service.db")


@pytest.fixture(scope="module")
def pages(whole: bytes, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], list[int]]:
    """Tell the page numbers of a table or index, its root first."""
    path = tmp_path_factory.mktemp("pages") / "service.db"
    path.write_bytes(whole)

    def tell(name: str) -> list[int]:
        root = root_of(path, name)
        return [root, *children(whole, root)]

    return tell


def tasks(path: Path, request: TaskPageRequest | None = None) -> TaskPage:
    with open_reader(path, now_ms=read_at) as reader:
        page = reader.answer(request or TaskPageRequest())
    assert isinstance(page, TaskPage)
    return page


def events(path: Path, request: EventPageRequest) -> EventPage:
    with open_reader(path, now_ms=read_at) as reader:
        page = reader.answer(request)
    assert isinstance(page, EventPage)
    return page


def _unread(many: int) -> str:
    return f"{many} events cannot be read: only an index knows of them."


def test_a_whole_file_says_nothing_of_damage(tmp_path: Path, whole: bytes) -> None:
    path = zeroed(tmp_path / "service.db", whole)

    assert tasks(path).damage == events(path, EventPageRequest("task-030")).damage == ""


def test_the_tasks_of_a_damaged_page_stand_in_their_places(
    tmp_path: Path, whole: bytes, pages: Callable[[str], list[int]]
) -> None:
    path = zeroed(tmp_path / "service.db", whole, pages("tasks")[3])
    page = tasks(path)
    lost = [task for task in page.tasks if task.status == UNREADABLE]

    assert sorted(task.id for task in page.tasks) == sorted(ALL)
    assert 0 < len(lost) < 15
    assert page.damage == f"{len(lost)} tasks cannot be read: only an index knows of them."
    assert all(task.created_at == read_at() for task in page.tasks)
    assert all(task.last_seq == 22 for task in page.tasks if task not in lost)


def test_rows_that_are_not_looked_at_are_told_of(
    tmp_path: Path, whole: bytes, pages: Callable[[str], list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = zeroed(tmp_path / "service.db", whole, pages("tasks")[3])
    monkeypatch.setattr(salvage, "MOST_ROWS", 10)

    assert tasks(path).damage.endswith(" Only the newest 10 rows of that table are looked at.")


def test_pages_go_on_around_damage(tmp_path: Path, whole: bytes, pages: Callable[[str], list[int]]) -> None:
    path = zeroed(tmp_path / "service.db", whole, pages("tasks")[3])
    found: list[str] = []
    after, more = None, True
    while more:
        page = tasks(path, TaskPageRequest(after=after, limit=7))
        found += [task.id for task in page.tasks]
        after, more = TaskKey(page.tasks[-1].created_at, page.tasks[-1].id), page.more

    assert found == ALL
    assert [task.id for task in tasks(path, TaskPageRequest(start=after, limit=7)).tasks] == [found[-1]]


def test_what_cannot_be_read_passes_a_filter_by_its_id_alone(
    tmp_path: Path, whole: bytes, pages: Callable[[str], list[int]]
) -> None:
    path = zeroed(tmp_path / "service.db", whole, pages("tasks")[3])
    lost = [task.id for task in tasks(path).tasks if task.status == UNREADABLE]

    found = tasks(path, TaskPageRequest(TaskFilter(text=lost[0])))
    assert [(task.id, task.status) for task in found.tasks] == [(lost[0], UNREADABLE)]
    running = tasks(path, TaskPageRequest(TaskFilter(frozenset({"running"}))))
    assert {task.status for task in running.tasks} == {"running"}
    assert len(running.tasks) == 60 - len(lost)


def test_without_its_index_the_list_is_whole_and_in_its_order(
    tmp_path: Path, whole: bytes, pages: Callable[[str], list[int]]
) -> None:
    path = zeroed(tmp_path / "service.db", whole, *pages("tasks_by_created"))
    page = tasks(path)

    assert [task.id for task in page.tasks] == ALL
    assert page.damage == "An index of the tasks is damaged; all that their table holds is shown."


def test_the_events_of_a_damaged_page_stand_in_their_places(
    tmp_path: Path, whole: bytes, pages: Callable[[str], list[int]]
) -> None:
    leaves = pages("task_events")[1:]
    path = zeroed(tmp_path / "service.db", whole, leaves[len(leaves) // 2])
    damaged = [page for page in (events(path, EventPageRequest(task_id)) for task_id in ALL) if page.damage]

    assert damaged
    for page in damaged:
        lost = [event for event in page.events if event.type == UNREADABLE]
        assert [event.seq for event in page.events] == list(range(1, 23))
        assert page.damage == _unread(len(lost))
        assert all(event.data_text for event in page.events if event not in lost)


def test_without_their_index_the_events_are_found_in_their_table(
    tmp_path: Path, whole: bytes, pages: Callable[[str], list[int]]
) -> None:
    path = zeroed(tmp_path / "service.db", whole, *pages("sqlite_autoindex_task_events_1"))
    last = events(path, EventPageRequest("task-030", limit=5))
    first = events(path, EventPageRequest("task-030", after_seq=0, limit=5))

    assert [event.seq for event in last.events] == [18, 19, 20, 21, 22]
    assert (last.more_before, last.more_after) == (True, False)
    assert [event.seq for event in first.events] == [1, 2, 3, 4, 5]
    assert first.more_after
    assert last.damage == "An index of the events is damaged; all that their table holds is shown."


def test_where_nothing_is_left_the_sentence_is_the_answer(
    tmp_path: Path, whole: bytes, pages: Callable[[str], list[int]]
) -> None:
    lost = [*pages("tasks"), *pages("tasks_by_created"), *pages("sqlite_autoindex_tasks_1")]
    path = zeroed(tmp_path / "service.db", whole, *lost)

    with pytest.raises(Unanswered, match=r"service\.db is incomplete or damaged"):
        tasks(path)


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.7, 0.9])
def test_a_file_cut_anywhere_behind_its_first_tasks_shows_tasks(tmp_path: Path, share: float) -> None:
    path = tmp_path / "service.db"
    simulate(path, tasks=500, events=5_000, seed=1)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * share)])

    page = tasks(path)

    assert page.tasks
    assert page.damage
    assert all(task.status in {*Status, UNREADABLE} for task in page.tasks)


def test_a_tree_that_leads_in_a_circle_is_left(tmp_path: Path, whole: bytes) -> None:
    path = tmp_path / "service.db"
    data = bytearray(whole)
    cut_off(data, random.Random(76))
    path.write_bytes(data)

    with open_reader(path, now_ms=read_at) as reader:
        page = reader.answer(EventPageRequest("task-030"))
    assert isinstance(page, EventPage)
    assert page.damage.startswith("Some events cannot be read")
