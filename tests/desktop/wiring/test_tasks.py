"""The Tasks view on a session that answers from a list."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from datetime import UTC
from typing import Any, cast

import pytest
from PySide6.QtCore import QObject, Signal
from pytestqt.qtbot import QtBot

from inspector.desktop.selection import Selection
from inspector.desktop.session.reader_link import ReaderGone, RequestFailed
from inspector.desktop.session.session import Session
from inspector.desktop.tasks.view import TasksView
from inspector.desktop.widgets.chip import Chip
from inspector.desktop.widgets.empty import EmptySentence
from inspector.desktop.wiring import rested as rested_module
from inspector.desktop.wiring import tasks as wiring_module
from inspector.desktop.wiring import totals as totals_module
from inspector.desktop.wiring.first_read import NOTHING_READ
from inspector.desktop.wiring.tasks import TasksWiring
from inspector.desktop.wiring.totals import Totals
from inspector.layout.opened import LayoutKind, Mode, Opened
from inspector.layout.pages import PAGE_ROWS, Counts, TaskFilter, TaskKey, TaskPage
from inspector.reading.messages import Moved
from inspector.reading.requests import (
    CountsRequest,
    TaskPageRequest,
    TaskPlacesRequest,
    TasksByIdRequest,
    TasksByPrefixRequest,
)
from tests.desktop.tasks.rows import NOW_MS, TaskList, row
from tests.support.finding import found


class Answering(QObject):
    """A session on a list of tasks."""

    opened = Signal(object)
    moved = Signal(object)
    lost = Signal(str, object)
    acting_changed = Signal(object)

    def __init__(self, there: TaskList) -> None:
        super().__init__()
        self.there = there
        self.asked: list[object] = []
        self.in_background: list[object] = []
        self.gone = 0
        self.is_lost = False
        self.fails: Exception | None = None
        self.held: asyncio.Event | None = None
        self.how: Opened | None = None
        self.opened.connect(lambda how: setattr(self, "how", how))
        self.work: set[asyncio.Task[None]] = set()

    def watch(self, _task_ids: tuple[str, ...]) -> None:
        pass

    def spawn(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.get_running_loop().create_task(quietly(work))
        self.work.add(task)
        task.add_done_callback(self.work.discard)
        # Cancelled before its first step, it would otherwise be missed as one that nobody awaited.
        task.add_done_callback(lambda _task: work.close())

    async def ask(self, request: Any) -> object:  # noqa: ANN401  any question
        self.asked.append(request)
        if isinstance(request, TasksByIdRequest):
            return tuple(task for task in self.there.tasks if task.id in request.ids)
        if isinstance(request, TasksByPrefixRequest):
            return tuple(task for task in self.there.tasks if task.id.startswith(request.prefix))
        assert isinstance(request, TaskPageRequest), "nothing that takes long is asked of the reader"
        if self.fails is not None:
            raise self.fails
        if request.wanted.text and request.start is None and request.after is None:
            return TaskPage((), True, NOW_MS, TaskKey(self.there.tasks[0].created_at, self.there.tasks[0].id))
        return self.there.page(start=request.start, after=request.after)

    async def ask_in_background(self, request: Any) -> object:  # noqa: ANN401  any question
        self.in_background.append(request)
        if self.gone:
            self.gone -= 1
            raise ReaderGone
        if isinstance(request, TaskPlacesRequest):
            return self.there.places(request.every)
        if isinstance(request, TaskPageRequest):
            passing = [task for task in self.there.tasks if request.wanted.passes(task)]
            return TaskPage(tuple(passing[:PAGE_ROWS]), len(passing) > PAGE_ROWS, NOW_MS)
        assert isinstance(request, CountsRequest)
        if self.held is not None and not request.wanted.is_empty:
            await self.held.wait()
        counted = sum(request.wanted.passes(task) for task in self.there.tasks)
        return Counts({"queued": counted}, read_at_ms=NOW_MS)

    def lose(self) -> None:
        self.is_lost = True
        self.fails = RequestFailed("It is gone.")
        self.lost.emit("It is gone.", NOW_MS)

    async def ended(self) -> None:
        for task in self.work:
            task.cancel()
        if self.work:
            await asyncio.wait(self.work, timeout=1)


async def quietly(work: Coroutine[object, object, None]) -> None:
    with suppress(ReaderGone, RequestFailed):
        await work


def opened(path: str = "/tmp/service.db", mode: Mode = Mode.LIVE) -> Opened:
    return Opened(path, mode, "", (), None, LayoutKind.NATIVE, 1, "3.40.1", True, None)


def moved(*, cleaned: bool = False) -> Moved:
    return Moved((), (), 1, 1, fell_behind=False, cleaned=cleaned, read_at_ms=NOW_MS)


async def until(condition: Any) -> None:  # noqa: ANN401  a function
    async with asyncio.timeout(10):
        while not condition():  # noqa: ASYNC110  no signal tells of it
            await asyncio.sleep(0.005)


@pytest.fixture
def view(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> TasksView:
    monkeypatch.setattr(wiring_module, "AFTER_PAINT_S", 0.0)
    monkeypatch.setattr(totals_module, "AFTER_PAINT_S", 0.0)
    view = TasksView(UTC)
    qtbot.addWidget(view)
    view.resize(760, 400)
    view.show()
    return view


@pytest.mark.usefixtures("qloop")
async def test_after_the_first_page_the_background_tells_how_long_the_list_is(
    view: TasksView,
) -> None:
    session = Answering(TaskList(row(number) for number in range(2_000)))
    wiring = TasksWiring(view, cast(Session, session), Selection(), Totals(cast(Session, session)))
    session.opened.emit(opened())

    await until(lambda: view.rows.rowCount() == 2_000)

    assert session.asked == [TaskPageRequest(TaskFilter())]
    view.table.doItemsLayout()
    view.table.verticalScrollBar().setValue(1_000 * view.table.rowHeight(0))
    await until(lambda: not view.rows.missing(*view.table.shown_rows()))
    assert view.rows.task_at(1_000) == session.there.tasks[1_000]
    await session.ended()
    del wiring


@pytest.mark.usefixtures("qloop")
async def test_places_that_got_lost_with_their_reader_are_asked_for_again_and_anew_after_a_cleanup(
    view: TasksView, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wiring_module, "PLACES_REST_S", 0.0)
    monkeypatch.setattr(rested_module, "RESTS_TIMES", 0)
    monkeypatch.setattr(rested_module, "TRIES_AGAIN_AFTER_S", 0.0)
    session = Answering(TaskList(row(number) for number in range(1_000)))
    session.gone = 2
    wiring = TasksWiring(view, cast(Session, session), Selection(), Totals(cast(Session, session)))
    session.opened.emit(opened())
    await until(lambda: view.rows.rowCount() == 1_000)

    session.there.drop([task.id for task in session.there.tasks[600:]])
    session.moved.emit(moved(cleaned=True))

    await until(lambda: view.rows.rowCount() == 600)
    await session.ended()
    del wiring


@pytest.mark.usefixtures("qloop")
async def test_a_list_that_is_on_its_page_needs_no_places(view: TasksView) -> None:
    session = Answering(TaskList(row(number) for number in range(20)))
    wiring = TasksWiring(view, cast(Session, session), Selection(), Totals(cast(Session, session)))
    session.opened.emit(opened())
    await until(lambda: bool(session.in_background))
    assert session.in_background == [CountsRequest(TaskFilter())]
    await session.ended()
    del wiring


def current_id(view: TasksView) -> str | None:
    task = view.rows.task_at(view.table.currentIndex().row())
    return None if task is None else task.id


@pytest.mark.usefixtures("qloop")
async def test_a_task_selected_elsewhere_is_gone_to_wherever_in_the_list_it_is(view: TasksView) -> None:
    session, selection = Answering(TaskList(row(number) for number in range(5_000))), Selection()
    totals = Totals(cast(Session, session))
    wiring = TasksWiring(view, cast(Session, session), selection, totals)
    session.opened.emit(opened())
    await until(lambda: view.rows.rowCount() == 5_000)

    selection.select(session.there.tasks[3_210].id)

    await until(lambda: current_id(view) == selection.task_id)
    first, last = view.table.shown_rows()
    assert first <= 3_210 <= last
    asked = len(session.asked)
    selection.select(session.there.tasks[3_205].id)
    assert current_id(view) == selection.task_id
    assert len(session.asked) == asked, "what is loaded is not asked for"
    await session.ended()
    del wiring


@pytest.mark.usefixtures("qloop")
async def test_a_file_that_is_opened_at_a_task_shows_that_task_in_its_list(view: TasksView) -> None:
    session, selection = Answering(TaskList(row(number) for number in range(5_000))), Selection()
    totals = Totals(cast(Session, session))
    selection.select(session.there.tasks[4_000].id)
    wiring = TasksWiring(view, cast(Session, session), selection, totals)
    session.opened.emit(opened())

    await until(lambda: current_id(view) == selection.task_id)

    first, last = view.table.shown_rows()
    assert first <= 4_000 <= last
    await session.ended()
    del wiring


@pytest.mark.usefixtures("qloop")
async def test_where_few_tasks_pass_they_are_found_first_and_a_list_that_is_whole_by_then_needs_no_places(
    view: TasksView,
) -> None:
    session, selection = Answering(TaskList(row(number) for number in range(500))), Selection()
    totals = Totals(cast(Session, session))
    wiring = TasksWiring(view, cast(Session, session), selection, totals)
    session.opened.emit(opened())
    await until(lambda: view.rows.rowCount() == 500)
    session.in_background.clear()

    view.want(TaskFilter(text="task_0123"))

    await until(lambda: current_id(view) == "task_0123")
    assert selection.task_id == "task_0123"
    assert view.rows.is_whole
    await until(lambda: session.work == set())
    assert {type(each) for each in session.in_background} == {CountsRequest, TaskPageRequest}
    await session.ended()
    del wiring


@pytest.mark.usefixtures("qloop")
async def test_the_counts_of_the_whole_file_are_asked_once_and_stand_again_when_a_filter_is_lifted(
    view: TasksView,
) -> None:
    session = Answering(TaskList(row(number) for number in range(20)))
    totals = Totals(cast(Session, session))
    wiring = TasksWiring(view, cast(Session, session), Selection(), totals)
    shown: list[Counts] = []
    totals.counted.connect(shown.append)
    session.opened.emit(opened())
    await until(lambda: shown)
    assert session.in_background == [CountsRequest()]
    all_of_them = found_chip(view)
    assert all_of_them() == "All, 20"

    other = TaskFilter(model_id="large-model")
    view.want(other)
    await until(lambda: all_of_them() == "All, 0")
    assert session.in_background == [CountsRequest(), CountsRequest(other)]
    await until(lambda: not session.work)
    view.want(TaskFilter())

    assert all_of_them() == "All, 20"
    await until(lambda: not session.work)
    assert len(session.in_background) == 2
    await session.ended()
    del wiring


@pytest.mark.usefixtures("qloop")
async def test_counts_of_the_file_and_of_a_filter_never_stand_for_one_another(
    view: TasksView, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rested_module, "RESTS_TIMES", 0)
    session = Answering(TaskList(row(number) for number in range(20)))
    totals = Totals(cast(Session, session))
    wiring = TasksWiring(view, cast(Session, session), Selection(), totals)
    shown: list[Counts] = []
    totals.counted.connect(shown.append)
    session.opened.emit(opened())
    await until(lambda: shown)
    all_of_them = found_chip(view)
    view.want(TaskFilter(model_id="large-model"))
    await until(lambda: all_of_them() == "All, 0")

    await until(lambda: not session.work)
    session.held = asyncio.Event()
    session.moved.emit(moved())
    await until(lambda: len(shown) == 2)
    assert all_of_them() == "All, 0", "the file's own are not those of the filter"

    view.want(TaskFilter())
    assert all_of_them() == "All, 20"
    session.held.set()
    await until(lambda: not session.work)
    assert all_of_them() == "All, 20", "those of a filter that was lifted come too late"
    await session.ended()
    del wiring


@pytest.mark.usefixtures("qloop")
async def test_a_list_of_which_only_the_first_tasks_were_found_is_measured_then(view: TasksView) -> None:
    session = Answering(TaskList(row(number) for number in range(900)))
    totals = Totals(cast(Session, session))
    wiring = TasksWiring(view, cast(Session, session), Selection(), totals)
    session.opened.emit(opened())
    await until(lambda: view.rows.rowCount() == 900)
    session.in_background.clear()

    view.want(TaskFilter(text="task_0"))

    await until(lambda: len(session.in_background) == 3 and view.rows.is_whole)
    asked = [type(each) for each in session.in_background if not isinstance(each, CountsRequest)]
    assert asked == [TaskPageRequest, TaskPlacesRequest]
    await session.ended()
    del wiring


@pytest.mark.usefixtures("qloop")
async def test_where_the_first_tasks_got_lost_with_their_reader_the_list_is_measured_all_the_same(
    view: TasksView, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rested_module, "TRIES_AGAIN_AFTER_S", 0.0)
    session = Answering(TaskList(row(number) for number in range(900)))
    totals = Totals(cast(Session, session))
    wiring = TasksWiring(view, cast(Session, session), Selection(), totals)
    session.opened.emit(opened())
    await until(lambda: view.rows.rowCount() == 900)
    session.gone = 2  # the counts, and the first tasks

    view.want(TaskFilter(text="task_0"))
    await until(lambda: not session.work)

    assert view.rows.is_whole
    assert view.rows.rowCount() == 900
    await session.ended()
    del wiring


@pytest.mark.usefixtures("qloop")
async def test_whoever_selects_another_task_meanwhile_is_not_taken_to_the_first(view: TasksView) -> None:
    session, selection = Answering(TaskList(row(number) for number in range(5_000))), Selection()
    totals = Totals(cast(Session, session))
    wiring = TasksWiring(view, cast(Session, session), selection, totals)
    session.opened.emit(opened())
    await until(lambda: view.rows.rowCount() == 5_000)

    selection.select(session.there.tasks[3_210].id)
    selection.select(session.there.tasks[2].id)
    await until(lambda: not session.work)

    assert current_id(view) == session.there.tasks[2].id
    assert view.table.shown_rows()[0] == 0
    await session.ended()
    del wiring


@pytest.mark.usefixtures("qloop")
async def test_counts_of_another_file_are_none_until_they_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(totals_module, "AFTER_PAINT_S", 0.0)
    session = Answering(TaskList(row(number) for number in range(20)))
    totals = Totals(cast(Session, session))
    session.opened.emit(opened())

    def has_some() -> bool:
        return totals.newest is not None

    await until(has_some)
    session.opened.emit(opened(mode=Mode.RESTING))
    assert has_some(), "the same file in another mode"
    session.opened.emit(opened("other.db"))
    assert not has_some()
    await until(has_some)
    await session.ended()


@pytest.mark.usefixtures("qloop")
async def test_a_filter_that_was_not_answered_before_the_loss_is_put_back_to_the_one_that_is_listed(
    view: TasksView,
) -> None:
    session = Answering(TaskList(row(number) for number in range(20)))
    totals = Totals(cast(Session, session))
    wiring = TasksWiring(view, cast(Session, session), Selection(), totals)
    session.opened.emit(opened())
    all_of_them = found_chip(view)
    await until(lambda: all_of_them() == "All, 20" and view.rows.rowCount() == 20)

    view.want(TaskFilter(text="nothing like this", model_id="large-model"))
    session.lose()
    await until(lambda: not session.work)

    assert view.wanted == TaskFilter()
    assert view.rows.rowCount() == 20
    assert all_of_them() == "All, 20"
    view.want(TaskFilter(text="task"))
    assert view.wanted == TaskFilter(), "no other can be followed"
    await session.ended()
    del wiring


@pytest.mark.usefixtures("qloop")
async def test_tasks_whose_first_page_never_came_are_said_not_to_have_been_read(view: TasksView) -> None:
    session = Answering(TaskList(row(number) for number in range(20)))
    session.fails = ReaderGone()
    wiring = TasksWiring(view, cast(Session, session), Selection(), Totals(cast(Session, session)))
    session.opened.emit(opened())
    await until(lambda: not [each for each in session.work if not each.done()] or session.asked)
    session.lose()

    assert found(view, EmptySentence).accessibleName() == NOTHING_READ
    assert view.rows.rowCount() == 0
    session.is_lost, session.fails = False, None
    wiring.forget()
    assert found(view, EmptySentence).isHidden()
    session.opened.emit(opened())
    await until(lambda: view.rows.rowCount() == 20)
    await session.ended()


@pytest.mark.usefixtures("qloop")
async def test_where_a_filter_is_not_answered_no_other_tasks_stand_under_it_and_the_sentence_says_why(
    view: TasksView,
) -> None:
    session = Answering(TaskList(row(number) for number in range(20)))
    wiring = TasksWiring(view, cast(Session, session), Selection(), Totals(cast(Session, session)))
    session.opened.emit(opened())
    await until(lambda: view.rows.rowCount() == 20)

    session.fails = RequestFailed("This took too long.")
    view.want(TaskFilter(model_id="large-model"))
    await until(lambda: view.rows.rowCount() == 0)
    assert found(view, EmptySentence).accessibleName() == "This took too long."

    await session.ended()
    del wiring


@pytest.mark.usefixtures("qloop")
async def test_a_filter_that_its_reader_did_not_live_to_answer_is_asked_of_the_next_one(view: TasksView) -> None:
    session = Answering(TaskList(row(number) for number in range(900)))
    wiring = TasksWiring(view, cast(Session, session), Selection(), Totals(cast(Session, session)))
    session.opened.emit(opened())
    await until(lambda: view.rows.rowCount() == 900)
    session.fails = ReaderGone()
    view.want(TaskFilter(model_id="large-model"))
    await until(lambda: TaskPageRequest(view.wanted) in session.asked)
    session.there.drop([task.id for task in session.there.tasks[300:]])

    session.fails = None
    session.opened.emit(opened())

    await until(lambda: view.rows.rowCount() == 300)
    await session.ended()
    del wiring


def found_chip(view: TasksView) -> Callable[[], str]:
    chip = next(each for each in view.findChildren(Chip) if each.word == "All")
    return chip.accessibleName
