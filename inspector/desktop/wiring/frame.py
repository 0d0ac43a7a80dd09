"""The window's frame on a session: header, counts in the navigation, messages, status bar, the passing of time."""

import time
from collections.abc import Callable, Iterator
from datetime import tzinfo
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, QTimer, Signal

from inspector.desktop.main_window import MainWindow
from inspector.desktop.moment import Moment
from inspector.desktop.session.session import POLL_EVERY_MS, Session
from inspector.desktop.settings import Settings
from inspector.desktop.widgets.message_kind import MessageKind
from inspector.desktop.widgets.words import clock_time, counted, grouped
from inspector.desktop.wiring.locked import BAR
from inspector.desktop.wiring.totals import Totals
from inspector.layout.opened import LayoutKind, Mode, Opened
from inspector.layout.pages import Counts
from inspector.layout.rows import TaskRow
from inspector.layout.visible import visible
from inspector.lmsp.statuses import FINAL, UNFINISHED
from inspector.reading.messages import GONE, Moved

_MINUTE_MS: Final = 60_000
_HOUR_MS: Final = 60 * _MINUTE_MS
PACES_MS: Final = ((_MINUTE_MS, 250), (_HOUR_MS, 1_000), (24 * _HOUR_MS, 10_000))
"""How often ages are told anew while the least of them is below the first number: as their words change."""
SLOWEST_MS: Final = 60_000
NOTICE_MS: Final = 8_000
SWITCHED_MS: Final = 5_000


class FrameWiring(QObject):
    """Shows what concerns the whole window. Ages move only while it is live, not locked and not paused.

    Signals:
        moment_changed: ages are told of another moment; carries the ``Moment``.
        open_requested: the file that now lies where a lost one lay is to be opened; carries the ``Target``.
    """

    moment_changed = Signal(object)
    open_requested = Signal(object)

    def __init__(self, window: MainWindow, session: Session, totals: Totals, settings: Settings, zone: tzinfo) -> None:
        """Tell times in ``zone``."""
        super().__init__(window)
        self._words: dict[str, Callable[[], str]] = {}
        self._zone = zone
        self._window = window
        self._session = session
        self._settings = settings
        self._total: Counts | None = None
        self._statuses: dict[str, str] = {}
        self._had_file = False
        self._moment = Moment()
        window.views.tasks.shown_changed.connect(lambda _task_ids: self._show_status())
        session.opened.connect(self._on_opened)
        session.could_not_open.connect(self._on_could_not_open)
        session.moved.connect(self._on_moved)
        session.lost.connect(self._on_lost)
        session.reader_replaced.connect(self._on_reader_replaced)
        session.pause_changed.connect(self._on_pause_changed)
        session.lock.met.connect(lambda _sentence: self.tick())
        session.lock.lifted.connect(self.tick)
        window.header.pause_requested.connect(lambda paused: session.pause() if paused else session.resume())
        window.seen_changed.connect(self._on_seen_changed)
        window.views.tasks.shown_changed.connect(self._keep_pace)
        self._ticking = QTimer(self)
        self._ticking.timeout.connect(self.tick)
        totals.counted.connect(self._take_counts)

    def add_words(self, view: str, words: Callable[[], str]) -> None:
        """Let the status bar say these words while the view of this name is on screen."""
        self._words[view] = words

    def show_words(self) -> None:
        """Show what is to be said in the status bar now: somebody's words are others."""
        self._show_status()

    def forget(self) -> None:
        """Leave no count and no word of the file that was open."""
        self._total = None
        self._statuses = {}
        for name in _COUNTED:
            self._window.navigation.set_count(name, None)
        self._window.header.forget_moments()
        self._window.show_status("", "")

    def show_opening(self, path: Path) -> None:
        """Name the file that is being opened, and say nothing more of the one before it; :meth:`forget` comes first."""
        self._hide_messages()
        self._window.statusBar().clearMessage()
        self._window.header.show_opening(path)
        self._window.setWindowTitle(_title_of(path))

    def tick(self) -> None:
        """Tell every age on screen anew."""
        now_ms = time.time_ns() // 1_000_000
        how = self._session.how
        moving = how is not None and how.mode is Mode.LIVE and not self._stands_still()
        self._window.header.set_now(now_ms, self._session.read_at_ms)
        if moving:
            self._show_moment(Moment(now_ms))
        self._show_status()
        self._keep_pace()

    def _stands_still(self) -> bool:
        """Say whether nothing that is shown can be news now."""
        session = self._session
        return session.is_paused or session.is_lost or session.lock.sentence is not None

    def _keep_pace(self, _shown: object = None) -> None:
        """Tick as often as what is on screen needs it: where all of it is old, nothing changes for long."""
        if not self._ticking.isActive():
            return
        now_ms = time.time_ns() // 1_000_000
        least_ms = min((abs(now_ms - at_ms) for at_ms in self._moments()), default=_HOUR_MS)
        pace_ms = next((pace for below, pace in PACES_MS if least_ms < below), SLOWEST_MS)
        if pace_ms != self._ticking.interval():
            self._ticking.setInterval(pace_ms)

    def _moments(self) -> Iterator[int]:
        """Give the last moment of everything on screen whose age is told."""
        views = self._window.views
        if self._window.header.moved_at_ms is not None:
            yield self._window.header.moved_at_ms
        if self._window.view == "tasks":
            first, last = views.tasks.table.shown_rows()
            shown = [views.tasks.rows.task_at(row) for row in range(first, last + 1)]
            pane = views.late_detail.made
            for task in (*shown, None if pane is None else pane.task):
                at_ms = None if task is None else (task.updated_at or task.created_at)
                if at_ms is not None:
                    yield at_ms

    def _start_ticking(self) -> None:
        if self._window.isVisible() and not self._window.isMinimized():
            self._ticking.start(PACES_MS[0][1])

    def _on_seen_changed(self, seen: bool) -> None:
        self._session.set_hidden(not seen)
        if not seen:
            self._ticking.stop()
        elif self._session.how is not None:
            self._start_ticking()
            self.tick()

    @property
    def moment(self) -> Moment:
        """The moment that ages are told of."""
        return self._moment

    def _show_moment(self, moment: Moment) -> None:
        self._moment = moment
        self._window.views.tasks.set_moment(moment)
        self.moment_changed.emit(moment)

    def stop(self) -> None:
        """Let time stand still: the window is about to end."""
        self._ticking.stop()

    def _on_opened(self, how: Opened) -> None:
        window = self._window
        earlier = window.header.shown
        window.header.show_opened(how)
        window.setWindowTitle(_title_of(Path(how.path)))
        window.set_file_open(True)
        for key in ("refused", "lost"):
            window.hide_message(key)
        if earlier is None or earlier.path != how.path:
            window.hide_message("replaced")
        if not self._had_file:
            window.expect_file()
            window.views.tasks.table.setFocus()
        self._had_file = True
        if earlier is not None and earlier.path == how.path and earlier.mode is not how.mode:
            window.show_notice(_switched(how), SWITCHED_MS)
        if how.layout is not how.layout.NATIVE:
            window.show_message("layout", MessageKind.WARN, *_layout_words(how))
        else:
            window.hide_message("layout")
        for part, views in _VIEWS_OF_PARTS.items():
            for name in views:
                window.navigation.set_off(name, dict(how.missing).get(part))
        if how.layout is LayoutKind.UNKNOWN and window.view != "tables":
            window.show_view("tables")
        self._settings.keep_recent(Path(how.place))
        if how.mode is not Mode.LIVE:
            self._show_moment(Moment(None, time.time_ns() // 1_000_000, how.last_moment_ms))
        self._start_ticking()
        self.tick()

    def _on_could_not_open(self, sentence: str) -> None:
        window = self._window
        target = self._session.target
        self._ticking.stop()
        self._had_file = False
        self._hide_messages()
        window.header.show_nothing(None if target is None else target.path)
        window.set_file_open(False)
        window.show_view("start")
        window.show_message("refused", MessageKind.ERROR, visible(sentence))
        window.show_status("", "")

    def _on_moved(self, moved: Moved) -> None:
        self._window.header.show_moved(moved.read_at_ms)
        if self._session.is_paused:
            # It was under way when the pause began: ages are told of its moment from now on.
            self._show_moment(Moment(moved.read_at_ms))
        self._notice_failures(moved.rows)
        self.tick()

    def _on_lost(self, sentence: str, at_ms: int) -> None:
        window = self._window
        window.header.show_lost(at_ms)
        # Nothing is caught up any more, whoever resumes.
        window.hide_message("paused")
        fact, shows = visible(sentence), self.tr("This shows the last read.")
        if fact.startswith(f"{GONE} "):
            at = clock_time(at_ms, time.time_ns() // 1_000_000, self._zone)
            how = fact.removeprefix(f"{GONE} ").removesuffix(".")
            fact, shows = GONE, f"{how} {self.tr('at %s') % at}. {shows}"
        bar = window.show_message(
            "lost",
            MessageKind.ERROR,
            fact,
            shows,
            verbs=(self.tr("Open the new file"), self.tr("Close")),
            closable=False,
        )
        bar.verb_clicked.connect(self._on_lost_verb)
        self.tick()

    def _on_lost_verb(self, verb: str) -> None:
        target = self._session.target
        if verb == self.tr("Open the new file") and target is not None:
            self.open_requested.emit(target)
        else:
            self.close_file()

    def close_file(self) -> None:
        """Close the file and show the start view."""
        self._session.close()
        self._ticking.stop()
        self._had_file = False
        self._hide_messages()
        self._window.header.show_nothing()
        self._window.statusBar().clearMessage()
        self._window.set_file_open(False)
        self._window.setWindowTitle("LMSP Inspector")
        self._window.show_view("start")
        self._window.show_status("", "")

    def _hide_messages(self) -> None:
        """Take away what is said of a file that is not shown any more."""
        for key in ("lost", "layout", "paused", "refused", "replaced", BAR):
            self._window.hide_message(key)

    def _on_reader_replaced(self) -> None:
        self._window.show_message(
            "replaced",
            MessageKind.WARN,
            self.tr("The reader stopped answering and was replaced."),
            self.tr("Your view, filter and selection are kept."),
        )

    def _on_pause_changed(self, paused: bool) -> None:
        self._window.header.show_paused(paused)
        if paused and not self._session.is_lost:
            at = clock_time(self._session.read_at_ms, time.time_ns() // 1_000_000, self._zone)
            self._window.show_message(
                "paused",
                MessageKind.PAUSED,
                self.tr("Paused."),
                self.tr("This shows %s. Nothing is read by itself until you resume; then all since is caught up.") % at,
                closable=False,
            )
        else:
            self._window.hide_message("paused")
        self.tick()

    def _notice_failures(self, rows: tuple[TaskRow, ...]) -> None:
        """Say in the status bar that tasks failed that were seen before in another status."""
        failed = [
            task for task in rows if task.status == "failed" and self._statuses.get(task.id, "failed") != "failed"
        ]
        self._statuses = {task.id: task.status for task in rows} | {
            task_id: status
            for task_id, status in self._statuses.items()
            if status in UNFINISHED and task_id not in {task.id for task in rows}
        }
        if len(failed) == 1:
            task = failed[0]
            why = visible(task.error_code or self.tr("no code"))
            self._window.show_notice(self.tr("%s failed: %s") % (visible(task.id), why), NOTICE_MS)
        elif failed:
            self._window.show_notice(self.tr("%s tasks failed") % grouped(len(failed)), NOTICE_MS)

    def _take_counts(self, counts: Counts) -> None:
        self._total = counts
        unfinished = sum(counts.by_status.get(status, 0) for status in UNFINISHED)
        leftover = counts.tasks - sum(counts.by_status.get(status, 0) for status in FINAL)
        for name, count in zip(_COUNTED, (unfinished, counts.models, leftover), strict=True):
            # Of what the file does not have nothing was counted.
            is_there = not any(self._lacks(part) for part, views in _VIEWS_OF_PARTS.items() if name in views)
            self._window.navigation.set_count(name, count if is_there else None)
        self._show_status()

    def _lacks(self, part: str) -> bool:
        """Say whether the open file has no such part, ``tasks`` for one, to be counted."""
        how = self._session.how
        return how is not None and part in dict(how.missing)

    def _show_status(self) -> None:
        how = self._session.how
        if how is None:
            return
        parts = []
        if self._total is not None and not self._lacks("tasks"):
            parts.append(counted(self._total.tasks, "task"))
        words = self._words.get(self._window.view)
        if words is not None:
            parts.append(words())
        right = [self.tr("read-only"), self.tr("Times: %s") % str(self._zone).removeprefix("Etc/")]
        if self._session.lock.sentence is not None:
            right.append(self.tr("waiting for a lock"))
        elif how.mode is Mode.LIVE and not self._stands_still():
            right.append(self.tr("%d looks/s") % (1000 // POLL_EVERY_MS))
        right.append(f"SQLite {how.sqlite_version}")
        gap = "    "
        self._window.show_status(gap.join(part for part in parts if part), gap.join(right))


_COUNTED: Final = ("tasks", "models", "recovery")
"""Which views have a count in the navigation."""

_VIEWS_OF_PARTS: Final = {"tasks": ("tasks", "recovery"), "events": ("search",), "models": ("models",)}
"""Which views show nothing without a part of the layout."""


def _title_of(path: Path) -> str:
    return f"{visible(path.name)} — LMSP Inspector"


def _layout_words(how: Opened) -> tuple[str, str]:
    """Return what the bar says of a layout that is not the native one of this version."""
    if how.layout is LayoutKind.UNKNOWN:
        return "No tasks were recognised in this file.", "Its tables can be looked at as they are."
    if how.layout_name is not None:
        return f"Read as the layout “{visible(how.layout_name)}”.", "Actions are off for this file."
    return how.notes[-1] if how.notes else how.why, ""


def _switched(how: Opened) -> str:
    match how.mode:
        case Mode.LIVE:
            return "A service has the file open. Following it live now."
        case Mode.CRASHED:
            return "The service has ended. Its file is read in place."
        case _:
            return "The service closed the file."
