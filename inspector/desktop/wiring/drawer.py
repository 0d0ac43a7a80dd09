"""The drawer on a session: the file is hashed and checked in the background, and what comes of it is told."""

import asyncio
from collections.abc import Coroutine
from datetime import tzinfo
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication

from inspector.desktop.drawer.content import Check, Proof
from inspector.desktop.drawer.view import Drawer
from inspector.desktop.drawer.words import (
    CHECKED_ALONE_BELOW,
    check_of,
    damage_of,
    facts_of,
    hashed_at,
    rows_of,
    too_large,
)
from inspector.desktop.late import Late
from inspector.desktop.main_window import MainWindow
from inspector.desktop.session.reader_link import ReaderGone, RequestFailed
from inspector.desktop.session.session import LOST, Session
from inspector.desktop.widgets.message_kind import MessageKind
from inspector.desktop.widgets.words import byte_size
from inspector.layout.health import Health
from inspector.layout.opened import Mode, Opened
from inspector.layout.pages import Progress
from inspector.layout.traces import TouchState
from inspector.layout.visible import visible
from inspector.reading.companions import other_wal
from inspector.reading.proof import differences, proof_line
from inspector.reading.requests import HealthRequest, ProofRequest

AFTER_OPENING_S: Final = 1.5
"""How long after opening a file is first read as a whole: its pages come before."""

SAID_MS: Final = 4_000

_LIVE_PROOF: Final = "No proof for a live file: its service may write at any time."
_LIVE_CHECK: Final = (
    "A live file is not checked: its service's checkpoints would wait. Open it as a copy and check that."
)


class DrawerWiring(QObject):
    """Opens and closes the drawer, and does what it wants: one hash and one check at a time, ended with the file."""

    def __init__(self, window: MainWindow, session: Session, zone: tzinfo) -> None:
        super().__init__(window)
        self._window = window
        self._session = session
        self._zone = zone
        self._late = Late(self._make)
        self._how: Opened | None = None
        self._health: Health | None = None
        self._check = Check("")
        self._before: TouchState | None = None
        self._after: TouchState | None = None
        self._hashing = ""
        self._failed = ""
        self._is_lost = False
        self._looked_at: str | None = None
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._first_look: asyncio.TimerHandle | None = None
        window.header.drawer_requested.connect(self.toggle)
        session.opened.connect(self._on_opened)
        session.lost.connect(self._on_lost)
        if session.how is not None:
            self._on_opened(session.how)

    @property
    def drawer(self) -> Drawer | None:
        """The drawer, or None where nobody has looked at it yet."""
        return self._late.made

    def toggle(self) -> None:
        """Open the drawer, or close it."""
        if self._how is None:
            return
        drawer = self._late()
        drawer.setVisible(not drawer.isVisible())
        self._show()

    def forget(self) -> None:
        """Stop, and leave nothing of the file that was open."""
        self._looked_at = None
        self._clear()

    def _clear(self) -> None:
        self._stop_all()
        self._how = self._health = self._before = self._after = None
        self._check = Check("")
        self._failed = ""
        self._window.hide_message("health")
        if self._late.made is not None:
            self._late.made.hide()

    async def ended(self) -> None:
        """Stop, and wait until that is done."""
        tasks = tuple(self._tasks.values())
        self._stop_all()
        if tasks:
            await asyncio.wait(tasks)

    def _make(self) -> Drawer:
        drawer = Drawer(self._window)
        drawer.hide()
        self._window.place_drawer(drawer)
        drawer.closed.connect(drawer.hide)
        drawer.look_wanted.connect(self._look)
        drawer.look_stop_wanted.connect(lambda: self._stop("proof"))
        drawer.copy_wanted.connect(self._copy)
        drawer.check_wanted.connect(self._run_check)
        drawer.check_stop_wanted.connect(lambda: self._stop("health"))
        return drawer

    def _on_opened(self, how: Opened) -> None:
        earlier = self._how
        if earlier is not None and not self._is_lost and (earlier.path, earlier.mode) == (how.path, how.mode):
            self._how = how
            self._show()
            return
        self._clear()
        self._how = how
        self._is_lost = False
        if how.mode is Mode.LIVE:
            self._check = Check(_LIVE_CHECK, may_start=False)
        elif how.path != self._looked_at:
            self._first_look = asyncio.get_running_loop().call_later(AFTER_OPENING_S, self._look_by_itself)
        if how.faulty and (earlier is None or earlier.path != how.path):
            self._late().show()
        self._show()

    def _on_lost(self) -> None:
        self._is_lost = True
        self._looked_at = None
        self._stop_all()
        if self._how is not None and self._how.mode is Mode.LIVE:
            self._check = Check(LOST, may_start=False)
        self._show()

    def _look_by_itself(self) -> None:
        how = self._how
        if how is None:
            return
        # Once: a file that goes from mode to mode, as its service comes and goes, is not read again and again.
        self._looked_at = how.path
        try:
            size = Path(how.path).stat().st_size
        except OSError:
            return
        if size >= CHECKED_ALONE_BELOW:
            self._check = Check(too_large(Path(how.path), size))
            self._show()
            return
        self._run_check(False)
        self._look()

    def _run_check(self, full: bool) -> None:
        self._check = Check("Being checked…", is_running=True)
        self._start("health", self._checked(HealthRequest(full)))

    async def _checked(self, request: HealthRequest) -> None:
        try:
            health = await self._session.run_errand(request, self._on_check_progress)
        except RequestFailed as failed:
            self._check = Check(visible(failed.sentence))
            return
        self._health = health
        self._check = check_of(health)
        damage = damage_of(health, self._perhaps())
        if damage is None:
            self._window.hide_message("health")
            return
        bar = self._window.show_message("health", MessageKind.WARN, *damage, verbs=("How it was opened",))
        bar.verb_clicked.connect(lambda _verb: self._late().show())
        self._late().show()
        self._show()

    def _perhaps(self) -> str:
        """Return the sentence on what may be why the file is damaged; nothing where its notes say it, or nobody can."""
        how = self._how
        if how is None or how.mode is not Mode.CRASHED:
            return ""
        sentence = other_wal(visible(Path(how.path).name))
        return "" if sentence in how.notes else sentence

    def _on_check_progress(self, progress: Progress) -> None:
        if progress.of is not None:
            self._check = Check(f"Being checked: table {progress.done + 1} of {progress.of}…", is_running=True)
            self._show()

    def _look(self) -> None:
        self._hashing = "being hashed…"
        self._failed = ""
        self._start("proof", self._hashed())

    async def _hashed(self) -> None:
        try:
            state = await self._session.run_errand(ProofRequest(), self._on_hash_progress)
        except RequestFailed as failed:
            self._failed = visible(failed.sentence)
            return
        if self._before is None:
            self._before = state
        else:
            self._after = state

    def _on_hash_progress(self, progress: Progress) -> None:
        self._hashing = f"{byte_size(progress.done)} of {byte_size(progress.of)} hashed…"
        self._show()

    def _start(self, name: str, work: Coroutine[object, object, None]) -> None:
        self._stop(name)
        task = asyncio.get_running_loop().create_task(self._to_its_end(work))
        self._tasks[name] = task
        task.add_done_callback(partial(self._on_done, name))
        # Cancelled before its first step, it would otherwise be missed as one that nobody awaited.
        task.add_done_callback(lambda _task: work.close())
        self._show()

    @staticmethod
    async def _to_its_end(work: Coroutine[object, object, None]) -> None:
        try:
            await work
        except ReaderGone:
            return

    def _on_done(self, name: str, task: asyncio.Task[None]) -> None:
        if self._tasks.get(name) is task:
            del self._tasks[name]
            if name == "health" and self._check.is_running:
                self._check = Check("The check was stopped.")
            self._show()

    def _stop(self, name: str) -> None:
        task = self._tasks.get(name)
        if task is not None:
            task.cancel()

    def _stop_all(self) -> None:
        if self._first_look is not None:
            self._first_look.cancel()
            self._first_look = None
        for name in tuple(self._tasks):
            self._stop(name)

    def _copy(self, line: str) -> None:
        QGuiApplication.clipboard().setText(line)
        self._window.show_notice("The proof is in the clipboard.", SAID_MS)

    def _show(self) -> None:
        drawer = self._late.made
        if drawer is None or self._how is None:
            return
        drawer.show_facts(facts_of(self._how, self._health, is_lost=self._is_lost))
        drawer.show_check(self._check)
        drawer.show_proof(self._proof())

    def _proof(self) -> Proof:
        running = "proof" in self._tasks
        if self._how is not None and self._how.mode is Mode.LIVE:
            return Proof(LOST if self._is_lost else _LIVE_PROOF, "", (), may_look=False)
        if self._before is None:
            return Proof("Not hashed yet", self._hashing if running else self._failed, (), running)
        now_ms = self._session.read_at_ms or self._before.at_ms
        moments = self._hashing if running else self._failed or hashed_at(self._before, self._after, now_ms, self._zone)
        rows = rows_of(self._before, self._after, now_ms, self._zone)
        if self._after is None:
            return Proof("Hashed once: look again to compare", moments, rows, running)
        changes = differences(self._before, self._after)
        title = "Nothing was touched" if not changes else f"Changed by someone else: {' '.join(changes)}"
        return Proof(title, moments, rows, running, line=proof_line(self._before, self._after))
