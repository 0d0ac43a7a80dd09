"""Lets ten processes loose on one database, until so much has happened, or one of them has found something broken."""

import json
import os
import selectors
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

from tests.support.subject import NAME

PRODUCERS: Final = 48

CAST: Final = (
    ("submit", PRODUCERS),
    ("submit", 1),
    ("work", PRODUCERS),
    ("work", PRODUCERS),
    ("work", 1),
    ("cancel", 1),
    ("cancel", 1),
    ("recover", 1),
    ("clean", 1),
    ("check", 1),
)
"""Each role with its producers: more than one share a group writer."""

CAST_ALONE: Final = tuple((role, 1) for role, _ in CAST)
"""The same, for a store that has no group writer."""

_ENDS_WITHIN_S: Final = 60


@dataclass
class Outcome:
    """What a run came to."""

    books: tuple[Path, ...] = ()
    seconds: float = 0.0
    """From the start to the word to stop."""
    tally: Counter[str] = field(default_factory=Counter)
    found: list[str] = field(default_factory=list)
    """What the checker found broken beside the writers. The run has ended at once."""
    failed: list[str] = field(default_factory=list)
    """Processes that ended by themselves, with what they said last."""
    memory_kib: list[int] = field(default_factory=list)
    """The proportional set size of the first worker, at a tenth of the way and at the end."""


class _Cast:
    """The processes of one run."""

    def __init__(self, path: Path, folder: Path, cast: Sequence[tuple[str, int]], seed: int, subject: str) -> None:
        self._errors = [(folder / f"{number}-{role}.err").open("w+b") for number, (role, _) in enumerate(cast)]
        self.roles = [role for role, _ in cast]
        self.books = tuple(folder / f"{number}-{role}.book" for number, role in enumerate(self.roles))
        self.processes = [
            subprocess.Popen(
                [
                    sys.executable,
                    *("-m", "tests.support.stress_process", path, book, role, f"{seed} {number}", str(producers)),
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                bufsize=0,
                cwd=Path(__file__).parents[2],
                env={**os.environ, "LMSP_STORE": subject},
            )
            for number, ((role, producers), book, errors) in enumerate(zip(cast, self.books, self._errors, strict=True))
        ]
        self._selector = selectors.DefaultSelector()
        for number, process in enumerate(self.processes):
            self._selector.register(_pipe(process.stdout), selectors.EVENT_READ, number)

    def words(self, wait_s: float) -> Iterator[tuple[int, dict[str, object] | None]]:
        """Give what the processes say in this time, each with its number; None for one that has ended."""
        for key, _ in self._selector.select(wait_s):
            # Nothing is read ahead, so what else was said wakes the selector again.
            line = _pipe(self.processes[key.data].stdout).readline()
            if not line:
                self._selector.unregister(key.fileobj)
            yield key.data, json.loads(line) if line else None

    def start(self) -> None:
        for process in self.processes:
            _pipe(process.stdin).write(b"\n")
            _pipe(process.stdin).flush()

    def stop(self) -> None:
        for process in self.processes:
            _pipe(process.stdin).close()

    def last_words(self, number: int) -> str:
        self._errors[number].seek(0)
        text = self._errors[number].read().decode()
        return f"process {number} ({self.roles[number]}) ended by itself: {text[-2000:]}"

    def close(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                _pipe(pipe).close()
        self._selector.close()
        for errors in self._errors:
            errors.close()


@contextmanager
def _cast_of(path: Path, folder: Path, cast: Sequence[tuple[str, int]], seed: int, subject: str) -> Iterator[_Cast]:
    processes = _Cast(path, folder, cast, seed, subject)
    try:
        yield processes
    finally:
        processes.close()


def stress(
    path: Path,
    folder: Path,
    *,
    transitions: int,
    seed: int = 1,
    cast: Sequence[tuple[str, int]] = CAST,
    subject: str = NAME,
    hangs_after_s: float,
) -> Outcome:
    """Let the cast play on the database until it has made so many transitions, and tell what it came to.

    ``folder`` takes the books and the archive, which grow with the run; the database does not, it is cleaned up.
    It ends at once where the checker finds something, or a process ends by itself. Raises TimeoutError where it takes
    longer than ``hangs_after_s`` seconds from the start.
    """
    with _cast_of(path, folder, cast, seed, subject) as processes:
        outcome = Outcome(processes.books)
        ready = 0
        while ready < len(cast) and not outcome.failed:
            for number, word in processes.words(_ENDS_WITHIN_S):
                ready += 1
                if word is None:
                    outcome.failed.append(processes.last_words(number))
        started_s = time.monotonic()
        processes.start()
        _let_it_run(processes, outcome, transitions, started_s + hangs_after_s)
        outcome.seconds = time.monotonic() - started_s
        if not (outcome.found or outcome.failed):
            _let_it_end(processes, outcome)
        return outcome


def _let_it_run(processes: _Cast, outcome: Outcome, transitions: int, until_s: float) -> None:
    worker = processes.processes[processes.roles.index("work")].pid
    moved = 0
    while not outcome.failed and not outcome.found and moved < transitions:
        if time.monotonic() > until_s:
            raise TimeoutError(f"the run has come to {moved} transitions of {transitions}, and nothing was found")
        for number, word in processes.words(0.2):
            match word:
                case {"word": "moved", "transitions": int(more)}:
                    moved += more
                    if not outcome.memory_kib and moved * 10 >= transitions:
                        outcome.memory_kib.append(_pss_kib(worker))
                case {"word": "found", "breaks": list(breaks)}:
                    outcome.found += breaks
                case _:
                    outcome.failed.append(processes.last_words(number))
    if not outcome.failed:
        outcome.memory_kib.append(_pss_kib(worker))


def _let_it_end(processes: _Cast, outcome: Outcome) -> None:
    processes.stop()
    until_s = time.monotonic() + _ENDS_WITHIN_S
    done: set[int] = set()
    open_pipes = len(processes.processes)
    while open_pipes:
        if time.monotonic() > until_s:
            raise TimeoutError(f"only the processes {sorted(done)} have ended after the word to stop")
        for number, word in processes.words(0.2):
            match word:
                case {"word": "done", "tally": dict(tally)}:
                    done.add(number)
                    outcome.tally.update(tally)
                case {"word": "found", "breaks": list(breaks)}:
                    outcome.found += breaks
                case None:
                    open_pipes -= 1
                    if number not in done:
                        outcome.failed.append(processes.last_words(number))


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None
    return pipe


def _pss_kib(pid: int) -> int:
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1])
    raise AssertionError("this kernel does not tell the proportional set size")
