"""A demo for the window to watch: a simulated service on a scratch database, which goes when the window goes."""

import asyncio
import contextlib
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, Signal

from inspector.demo.happenings import Happening, HappeningKind, parse_happening
from inspector.demo.scenarios import Scenario
from inspector.demo.starting import DEFAULT_COMMAND, RunningDemo, start_demo

DEMO_ARGUMENT: Final = "--run-demo"
"""How a frozen program is told to play the demo: it has no ``python -m``."""

_ENDINGS: Final = frozenset({HappeningKind.UNUSABLE, HappeningKind.STOPPED})


def demo_command() -> Sequence[str]:
    """Return the command that starts a demo, from source or frozen."""
    return [sys.executable, DEMO_ARGUMENT] if getattr(sys, "frozen", False) else DEFAULT_COMMAND


class Demonstration(QObject):
    """One demo from its start to its end, in a scratch folder of its own.

    Signals:
        happened: carries each ``Happening``, as it happens.
    """

    happened = Signal(object)

    def __init__(self, scenario: Scenario, speed: float) -> None:
        super().__init__()
        self.scenario = scenario
        self._folder = tempfile.TemporaryDirectory(prefix="lmsp-demo-")
        self.path = Path(self._folder.name) / "lmspd.db"
        self._demo: RunningDemo = start_demo(self.path, scenario.name, speed=speed, command=demo_command())
        self._ready: asyncio.Event = asyncio.Event()
        self._sentence: str | None = None
        self._lines = bytearray()

    async def ready(self) -> str | None:
        """Wait until the service works; return None then, or one sentence on why it cannot."""
        loop = asyncio.get_running_loop()
        loop.add_reader(self._demo.output.fileno(), self._on_readable)
        await self._ready.wait()
        return self._sentence

    async def stopped(self) -> None:
        """End the demo, and take its folder away."""
        asyncio.get_running_loop().remove_reader(self._demo.output.fileno())
        with ThreadPoolExecutor(max_workers=1) as beside:
            await asyncio.get_running_loop().run_in_executor(beside, self._demo.stop)
        with contextlib.suppress(OSError):
            self._folder.cleanup()

    def _on_readable(self) -> None:
        chunk = self._demo.output.read1(1 << 16)  # type: ignore[attr-defined]  # a pipe's reader is buffered
        if not chunk:
            asyncio.get_running_loop().remove_reader(self._demo.output.fileno())
            self._end("The demo ended before its service was ready.")
            return
        self._lines += chunk
        *whole, rest = self._lines.split(b"\n")
        self._lines = bytearray(rest)
        for line in whole:
            happening = parse_happening(bytes(line))
            if happening is not None:
                self._take(happening)

    def _take(self, happening: Happening) -> None:
        self.happened.emit(happening)
        if happening.kind is HappeningKind.READY:
            self._ready.set()
        elif happening.kind in _ENDINGS:
            self._end(happening.sentence)

    def _end(self, sentence: str) -> None:
        if not self._ready.is_set():
            self._sentence = sentence
            self._ready.set()
