"""A window in a process of its own, told what to do a line at a time."""

import subprocess
import sys
from pathlib import Path
from select import select
from types import TracebackType
from typing import Self

from processes import Used, family, processor_seconds, pss_mib

ANSWERS_WITHIN_S = 120.0


class ToldWindow:
    """``window.py`` with these arguments, from its start until the end of the block."""

    def __init__(self, *arguments: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("window.py")), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        if self._process.stdin is None or self._process.stdout is None:
            raise ValueError("it is spoken to over pipes")
        self._to, self._from = self._process.stdin, self._process.stdout

    def __enter__(self) -> Self:
        """Wait until it is ready."""
        try:
            self._hear("ready")
        except AssertionError:
            self._process.kill()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End it."""
        if error is None:
            self.tell("end")
        else:
            self._process.kill()
        self._process.wait(timeout=30)

    def tell(self, line: str) -> None:
        """Send a line, and wait until it is done."""
        self._to.write(line + "\n")
        self._to.flush()
        self._hear(line.split()[0])

    def processor_seconds(self) -> Used:
        """Return what the window and its readers have used of a processor."""
        return processor_seconds(family(self._process.pid))

    def pss_mib(self, *, readers: bool = True) -> float:
        """Return the memory of the window, with or without its readers."""
        return pss_mib(family(self._process.pid) if readers else [self._process.pid])

    def _hear(self, word: str) -> None:
        heard = self._from.readline().strip() if select([self._from], [], [], ANSWERS_WITHIN_S)[0] else "nothing"
        if heard != word:
            raise AssertionError(f"the window was to say {word!r} and said {heard!r}")
