"""A task, and what recovery would find, around a damaged index or table."""

from collections.abc import Callable
from pathlib import Path

import pytest

from inspector.layout.pages import Leftovers, LogStretch
from inspector.layout.rows import TaskDetail, TaskRow
from inspector.reading.reader import Reader, open_reader
from inspector.reading.requests import (
    LeftoversRequest,
    TaskDetailRequest,
    TasksByIdRequest,
    TasksByPrefixRequest,
    TimelineRequest,
)
from tests.commands.databases import by_hand, one_of_each
from tests.support.broken_pages import without_a_root
from tests.support.reading_databases import read_at

LEFT_OVER = ["cancelling", "loading", "queued", "running"]
"""Of one task of each status those that are in no final one."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = one_of_each(tmp_path_factory.mktemp("whole") / "lmsp.db")
    by_hand(path, "VACUUM")
    return path


@pytest.fixture
def without(whole: Path, tmp_path: Path) -> Callable[[str], Reader]:
    """Open the file with the first page of a table or index zeroed."""

    def opened(name: str) -> Reader:
        path = tmp_path / "lmsp.db"
        path.write_bytes(whole.read_bytes())
        return open_reader(without_a_root(path, name), now_ms=read_at)

    return opened


def detail(reader: Reader, task_id: str) -> TaskDetail | None:
    found = reader.answer(TaskDetailRequest(task_id))
    assert found is None or isinstance(found, TaskDetail)
    return found


def found_by(reader: Reader, request: TasksByIdRequest | TasksByPrefixRequest) -> list[tuple[str, str]]:
    found = reader.answer(request)
    assert isinstance(found, tuple)
    assert all(isinstance(task, TaskRow) for task in found)
    return sorted((task.id, task.status) for task in found)


def left_over(reader: Reader) -> tuple[list[str], str]:
    found = reader.answer(LeftoversRequest())
    assert isinstance(found, Leftovers)
    return sorted(task.task_id for task in found.tasks), found.damage


def test_a_task_is_found_without_the_index_on_its_id(without: Callable[[str], Reader]) -> None:
    with without("sqlite_autoindex_tasks_1") as reader:
        found = detail(reader, "running")
        assert found is not None
        assert (found.task.status, found.request and found.request.text) == ("running", '{"prompt":"?"}')
        assert detail(reader, "nobody") is None
        assert found_by(reader, TasksByIdRequest(("running", "nobody"))) == [("running", "running")]
        assert found_by(reader, TasksByPrefixRequest("c")) == [
            (each, each) for each in ("cancelled", "cancelling", "completed")
        ]


def test_a_task_whose_row_is_lost_is_marked(without: Callable[[str], Reader]) -> None:
    with without("tasks") as reader:
        assert "Nothing of the table tasks can be read: the file is damaged." in reader.opened.notes
        found = detail(reader, "running")
        assert found is not None
        assert (found.task.status, found.request) == ("(unreadable)", None)
        assert detail(reader, "nobody") is None
        assert found_by(reader, TasksByIdRequest(("running", "nobody"))) == [("running", "(unreadable)")]


def test_a_response_that_cannot_be_read_takes_nothing_from_its_task(without: Callable[[str], Reader]) -> None:
    with without("sqlite_autoindex_responses_2") as reader:
        found = detail(reader, "completed")
    assert found is not None
    assert (found.task.status, found.response and found.response.text) == ("completed", "(unreadable)")


@pytest.mark.parametrize(
    ("lost", "damage"),
    [
        ("tasks_by_status", "An index of the tasks is damaged; all that their table holds is shown."),
        ("task_events", "The logs of 4 tasks cannot be read: what the rows of the tasks say stands for their ends."),
        (
            "sqlite_autoindex_task_events_1",
            "The logs of 4 tasks cannot be read: what the rows of the tasks say stands for their ends.",
        ),
    ],
)
def test_what_recovery_would_find_is_found_around_damage(
    without: Callable[[str], Reader], lost: str, damage: str
) -> None:
    with without(lost) as reader:
        assert left_over(reader) == (LEFT_OVER, damage)


def test_recovery_is_told_of_tasks_that_are_lost(without: Callable[[str], Reader]) -> None:
    with without("tasks") as reader:
        assert left_over(reader) == ([], "7 tasks cannot be read: only an index knows of them.")


def test_a_timeline_is_read_without_its_index(without: Callable[[str], Reader]) -> None:
    with without("sqlite_autoindex_task_events_1") as reader:
        log = reader.answer(TimelineRequest("running", after_seq=1))
    assert isinstance(log, LogStretch)
    assert [(tick.seq, tick.type) for tick in log.ticks] == [
        (2, "response.in_progress"),
        (3, "response.output_text.delta"),
    ]
    assert not log.more


def test_a_whole_file_says_nothing_of_damage(whole: Path) -> None:
    with open_reader(whole, now_ms=read_at) as reader:
        assert left_over(reader) == (LEFT_OVER, "")
        assert not any("damaged" in note for note in reader.opened.notes)
