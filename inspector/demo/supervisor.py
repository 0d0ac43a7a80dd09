"""Starts the simulated service, kills it when its scenario wants that, starts it again, and leaves nothing behind.

Two chains keep processes from outliving their purpose, whatever ends any of them: the supervisor ends when its standard
input is closed, and the service when its own is, which the supervisor alone holds.
"""

import os
import select
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Final

from inspector.demo.happenings import Happening, HappeningKind, Report, parse_happening
from inspector.demo.leash import LeashedProcess
from inspector.demo.scenarios import Scenario
from inspector.lmsp.statuses import Status

UNUSABLE: Final = 2
"""Exit status of a service whose database cannot be used, and of the supervisor then."""

_END_WAIT_S: Final = 3.0
"""How long a service may take to close its database before it is killed."""

_DEAD_FOR_S: Final = 4.0
"""How long the service stays dead where somebody else has killed it and the scenario says nothing."""


class Supervisor:
    """Watches over one service process at a time. Use it in the main thread: it handles the signals that end it.

    ``command`` starts the service when the number of its life is put behind it. ``leash`` is a descriptor; when it is
    closed at its other end, the supervisor ends.
    """

    def __init__(self, command: Sequence[str], scenario: Scenario, *, speed: float, leash: int, report: Report) -> None:
        self._command = command
        self._kills = scenario.crash is not None
        self._dead_for_s = (scenario.crash.dead_for_s if scenario.crash else _DEAD_FOR_S) / speed
        self._leash = leash
        self._report = report

    def run(self) -> int:
        """Run one life after another until asked to end, or until a life ends by itself. Return the exit status."""
        life = 1
        with _signals_to_pipe() as signals:
            while True:
                status = self._run_life(life, signals)
                if status is None or (status < 0 and self._is_asked_to_end(signals, self._dead_for_s)):
                    self._tell(HappeningKind.STOPPED, "The demo has ended.")
                    return 0
                if status >= 0:
                    return UNUSABLE if status == UNUSABLE else 1
                life += 1

    def _run_life(self, life: int, signals: int) -> int | None:
        """Run one service process to its end, and return its exit status: None where the supervisor ended it."""
        service = LeashedProcess([*self._command, str(life)])
        try:
            sentence = f"The service has started (process {service.pid})."
            self._tell(HappeningKind.STARTED, sentence, pid=service.pid, life=life)
            if self._watch(service, signals):
                return None
            return service.process.wait()
        finally:
            service.end(within_s=_END_WAIT_S)

    def _watch(self, service: LeashedProcess, signals: int) -> bool:
        """Pass on what the service reports, and kill it in its scene; return whether we were asked to end."""
        output = service.output.fileno()
        scene: Mapping[str, object] | None = None
        unfinished_line = b""
        while True:
            readable = select.select([self._leash, signals, output], [], [])[0]
            if self._asked(readable, signals):
                return True
            if output not in readable:
                continue
            chunk = os.read(output, 65536)
            if not chunk:
                if service.process.wait() < 0:
                    self._tell_killed(service.pid, scene)
                return False
            *lines, unfinished_line = (unfinished_line + chunk).split(b"\n")
            for happening in filter(None, map(parse_happening, lines)):
                if happening.kind is not HappeningKind.READY_TO_DIE:
                    self._report(happening)
                elif self._kills:
                    service.process.kill()
                    scene = happening.details

    def _is_asked_to_end(self, signals: int, within_s: float) -> bool:
        until = time.monotonic() + within_s
        while (left_s := until - time.monotonic()) > 0:
            if self._asked(select.select([self._leash, signals], [], [], left_s)[0], signals):
                return True
        return False

    def _asked(self, readable: list[int], signals: int) -> bool:
        return signals in readable or (self._leash in readable and not os.read(self._leash, 4096))

    def _tell(self, kind: HappeningKind, sentence: str, **details: object) -> None:
        self._report(Happening(kind, time.time_ns() // 1_000_000, sentence, details))

    def _tell_killed(self, pid: int, scene: Mapping[str, object] | None) -> None:
        if scene is None:
            sentence = f"Somebody has killed the service (process {pid})."
        else:
            busy = int(str(scene.get(Status.RUNNING, 0))) + int(str(scene.get(Status.LOADING, 0)))
            sentence = f"The service (process {pid}) was killed while {busy} tasks were running or loading."
        dead_for_ms = round(self._dead_for_s * 1000)
        self._tell(HappeningKind.KILLED, sentence, pid=pid, dead_for_ms=dead_for_ms, **(scene or {}))


@contextmanager
def _signals_to_pipe() -> Iterator[int]:
    """Turn the signals that ask a process to end into something to read from the descriptor that is given."""
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    old_wakeup = signal.set_wakeup_fd(write_end)
    numbers = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    old = [signal.signal(number, _note) for number in numbers]
    try:
        yield read_end
    finally:
        for number, handler in zip(numbers, old, strict=True):
            signal.signal(number, handler)
        signal.set_wakeup_fd(old_wakeup)
        os.close(read_end)
        os.close(write_end)


def _note(_number: int, _frame: FrameType | None) -> None:
    """Do nothing: the wake-up descriptor carries the signal, and a handler keeps it from ending the process."""
