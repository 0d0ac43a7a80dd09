"""Pictures of every view, made without a display: on a live demo with its crash, or on a file as it lies there."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Final

from inspector.desktop.composition import Inspector
from inspector.desktop.main_window import SIZE
from inspector.desktop.session.launch import Target
from inspector.desktop.widgets.theme import Theme
from inspector.layout.opened import Mode
from inspector.layout.rows import TaskRow
from inspector.lmsp.statuses import Status

NARROW_SIZE: Final = (900, 640)
_PATIENT: Final = 100
_WAIT_S: Final = 60.0
_LOOK_EVERY_S: Final = 0.05
_AT_WORK_MS: Final = 1_500
_COMMON_WORD: Final = "the"
_SHOWN_TABLE: Final = "task_events"
_SHOWS_A_TASK: Final = 25
"""A running task is worth a picture when it has so many events."""


class TourFailed(Exception):
    """A picture could not be made; ``sentence`` says which and why."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


class Tour:
    """Takes the pictures, in both themes, one number for each view. ``made`` is told the path of each picture."""

    def __init__(self, inspector: Inspector, folder: Path, made: Callable[[Path], None]) -> None:
        self._inspector = inspector
        self._folder = folder
        self._made = made

    async def of_a_demo(self, target: Target, *, crashes: bool) -> None:
        """Follow a demo that was just started: its work, a cancel, its models, its crash and its restart."""
        inspector = self._inspector
        await self._open(target)
        await self._models(3)
        inspector.window.show_view("tasks")
        await self._until(lambda: self._mode() is Mode.LIVE and self._busiest() is not None, "a running task")
        await self._show(self._busiest())
        await self._take(1, "tasks")
        await self._show(self._busiest())
        await self._cancel_selected()
        await self._take(2, "cancel")
        if crashes:
            # From its beginning: a service that died is up again within seconds.
            await self._until(lambda: self._mode() is Mode.LIVE, "the service at work")
            await self._until(lambda: self._mode() is Mode.CRASHED, "the crash of the service")
        await self._recovery(5)
        if crashes:
            inspector.window.show_view("tasks")
            await self._take(6, "crashed")
            await self._until(lambda: self._mode() is Mode.LIVE, "the restart of the service")
            await self._until(lambda: self._again() is not None, "a task that was recovered")
            await self._show(self._again())
            await self._take(7, "restarted")
        await self._search(4)
        await self._tables(8)
        inspector.session.pause()
        await self._narrow(9, "narrow-paused")
        inspector.session.resume()
        inspector.frame.close_file()
        await self._quiet()
        await self._take(10, "empty")

    async def of_a_file(self, target: Target) -> None:
        """Show a file as it lies there."""
        await self._open(target)
        inspector = self._inspector
        rows = inspector.window.views.tasks.rows
        await self._show(max(self._tasks(), key=lambda task: task.last_seq, default=rows.task_at(0)))
        await self._take(1, "tasks")
        await self._models(2, verify=False)
        await self._search(3)
        await self._recovery(4)
        await self._tables(5)
        await self._narrow(6, "narrow")

    async def _open(self, target: Target) -> None:
        refusals: list[str] = []
        session = self._inspector.session
        session.could_not_open.connect(refusals.append)
        session.lock.met.connect(refusals.append)
        self._inspector.window.resize(*SIZE)
        self._inspector.window.show()
        self._inspector.open(target)
        await self._until(lambda: bool(refusals) or session.how is not None, "the file")
        if refusals:
            raise TourFailed(refusals[0])
        await self._quiet()

    async def _models(self, number: int, *, verify: bool = True) -> None:
        self._inspector.window.show_view("models")
        await self._quiet()
        if verify:
            ended = asyncio.Event()
            self._inspector.checks.ended.connect(ended.set)
            self._inspector.window.views.models.verify_all()
            await self._until(ended.is_set, "the digests of the models")
        await self._take(number, "models")

    async def _search(self, number: int) -> None:
        """Search all events for a word that most texts have, and take what was found by then."""
        window = self._inspector.window
        window.show_view("search")
        view = window.views.search
        view.bar.field.setText(_COMMON_WORD)
        view.bar.wanted.emit()
        await self._quiet()
        await self._take(number, "search")
        view.stop_requested.emit()

    async def _recovery(self, number: int) -> None:
        self._inspector.window.show_view("recovery")
        await self._quiet()
        await self._take(number, "recovery")

    async def _tables(self, number: int) -> None:
        """Show the rows of the events, and one of their values."""
        window = self._inspector.window
        window.show_view("tables")
        view = window.views.tables
        await self._quiet()
        view.choose(_SHOWN_TABLE)
        await self._quiet()
        view.table.setCurrentIndex(view.rows.index(min(1, view.rows.rowCount() - 1), 0))
        await self._take(number, "tables")

    async def _narrow(self, number: int, name: str) -> None:
        window = self._inspector.window
        window.show_view("tasks")
        window.resize(*NARROW_SIZE)
        await self._quiet()
        await self._take(number, name)
        window.resize(*SIZE)

    async def _cancel_selected(self) -> None:
        done = asyncio.Event()
        self._inspector.cancel.done.connect(done.set)
        task_id = self._inspector.selection.task_id
        if task_id is not None:
            self._inspector.cancel.cancel(task_id)
            await self._until(done.is_set, "the outcome of a cancel")
            await self._quiet()

    async def _take(self, number: int, name: str) -> None:
        for theme, mark in ((Theme.DARK, "-dark"), (Theme.LIGHT, "")):
            self._inspector.set_theme(theme)
            if self._mode() is Mode.LIVE:
                # Another theme takes the window a moment, in which the service went on.
                await self._quiet()
            else:
                # Only a turn of the loop: a service that died is up again within seconds.
                await asyncio.sleep(_LOOK_EVERY_S)
            path = self._folder / f"{number:02d}-{name}{mark}.png"
            if not self._inspector.window.grab().save(str(path)):
                raise TourFailed(f"The picture {path} cannot be written.")
            self._made(path)

    async def _quiet(self, is_enough: Callable[[], bool] = lambda: False, *, looks: int = 8) -> None:
        """Let what was asked be answered and painted: two looks of the reader, or less where that is enough."""
        for _ in range(looks):
            if is_enough():
                return
            await asyncio.sleep(_LOOK_EVERY_S)

    async def _until(self, condition: Callable[[], bool], what: str) -> None:
        try:
            async with asyncio.timeout(_WAIT_S):
                while not condition():  # noqa: ASYNC110  the conditions are many, and most have no signal
                    await asyncio.sleep(_LOOK_EVERY_S)
        except TimeoutError:
            raise TourFailed(f"The tour waited {_WAIT_S:.0f} s for {what}; it did not come.") from None

    def _mode(self) -> Mode | None:
        how = self._inspector.session.how
        return None if how is None else how.mode

    def _tasks(self) -> list[TaskRow]:
        rows = self._inspector.window.views.tasks.rows
        tasks = (rows.task_at(row) for row in range(rows.rowCount()))
        return [task for task in tasks if task is not None]

    def _busiest(self) -> TaskRow | None:
        newest_ms = max((task.updated_at or 0 for task in self._tasks()), default=0)
        running = [
            task
            for task in self._tasks()
            if task.status == Status.RUNNING
            and task.last_seq >= _SHOWS_A_TASK
            and newest_ms - (task.updated_at or 0) < _AT_WORK_MS
        ]
        # The one that began last: it still runs when its picture is taken.
        return max(running, key=lambda task: task.started_at or 0, default=None)

    def _again(self) -> TaskRow | None:
        again = [task for task in self._tasks() if task.attempt > 1 and task.status == Status.RUNNING]
        return max(again, key=lambda task: task.snapshot_seq or 0, default=None)

    async def _show(self, task: TaskRow | None) -> None:
        """Select a task, and one of its last events as soon as they are there."""
        if task is None:
            return
        pane = self._inspector.window.views.detail
        self._inspector.selection.select(task.id)
        # A row whose id is no text cannot be asked for by it; and a task may have no events.
        await self._quiet(lambda: pane.task_id == task.id, looks=_PATIENT)
        await self._quiet(lambda: pane.events.list.events.rowCount() > 0)
        if pane.events.list.events.rowCount():
            pane.timeline.seq_selected.emit(max(1, task.last_seq - 3))
        await self._quiet()
