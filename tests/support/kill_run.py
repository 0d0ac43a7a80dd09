"""Starts a service again and again on one database and kills it with SIGKILL, and looks at what each kill has left.

Run as ``python -m tests.support.kill_run FOLDER KILLS SEED``; says what came of it as JSON. At least half of the kills
are within a recovery. A service is a fork of this process, which has no database open: what is looked at is a copy, so
the next start finds the files as the kill left them.
"""

import asyncio
import json
import os
import random
import select
import shutil
import signal
import sqlite3
import sys
import time
import traceback
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from tests.support.kill_service import STOCK, Tell, live, start, teller
from tests.support.power_check import Acknowledged, findings_left
from tests.support.store_leftovers import leave_many
from tests.support.subject import store

_MS_A_LIFE: Final = 1_000_000
_HANGS_AFTER_S: Final = 30.0


@dataclass
class Report:
    """What came of all kills."""

    kills: int = 0
    grouped: int = 0
    """Those of a service with a group writer."""
    within_recovery: int = 0
    acknowledged: int = 0
    looked_up: int = 0
    cleaned: int = 0
    """Tasks that retention was told to have deleted."""
    missing: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)


class _Life:
    """One service, from its start to the kill."""

    def __init__(self, path: Path, *, seed: str, grouped: bool, now_ms: int, only_recovers: bool = False) -> None:
        self.words: list[dict[str, Any]] = []
        self.said: set[str] = set()
        self._rest = b""
        self._reads, writes = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            os.close(self._reads)
            tell = teller(writes)
            _be_a_service(path, tell, seed=seed, grouped=grouped, now_ms=now_ms, only_recovers=only_recovers)
        os.close(writes)

    def listen(self, seconds: float, *, until: str | None = None) -> bool:
        """Take in what it says for so long, or until it says this word; say whether it goes on."""
        ends_s = time.monotonic() + seconds
        while until is None or until not in self.said:
            left_s = ends_s - time.monotonic()
            if left_s <= 0 or not select.select([self._reads], [], [], left_s)[0]:
                return True
            chunk = os.read(self._reads, 1 << 16)
            if not chunk:
                return False
            *lines, self._rest = (self._rest + chunk).split(b"\n")
            for line in lines:
                self.words.append(json.loads(line))
                self.said.add(self.words[-1]["word"])
        return True

    def kill(self) -> int:
        """Kill it, and return its exit status, which is not the signal's where it has ended by itself."""
        os.kill(self._pid, signal.SIGKILL)
        return self.end()

    def end(self) -> int:
        """Wait for its end, take in what it said before, and return its exit status.

        What it has not said whole is no word.
        """
        while self.listen(_HANGS_AFTER_S):
            pass
        os.close(self._reads)
        return os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])


def _be_a_service(path: Path, tell: Tell, *, seed: str, grouped: bool, now_ms: int, only_recovers: bool) -> None:
    try:
        if only_recovers:
            start(path, tell, now_ms)[0].close()
        else:
            asyncio.run(live(path, tell, seed=seed, grouped=grouped, now_ms=now_ms))
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


class _Killer:
    """Starts and kills, and knows what every task has come to."""

    def __init__(self, folder: Path, seed: int) -> None:
        self._path = folder / "service.db"
        self._copy = folder / "copy.db"
        self._rng = random.Random(seed)
        self._seed = seed
        self._recovery_s = 0.05
        self._known: dict[str, tuple[Acknowledged, int | None]] = {}
        """What each task has come to, and when it has finished."""
        self.report = Report()
        with closing(store.open_service_database(self._path)) as db:
            leave_many(db, STOCK, on_restart="resume")
            db.conn.execute("UPDATE tasks SET updated_at = started_at")
        self._look([])

    def kill_once(self) -> None:
        report = self.report
        grouped = self._rng.random() < 0.5
        life = self._live(grouped=grouped)
        aims_at_recovery = 2 * report.within_recovery <= report.kills + 4
        if aims_at_recovery:
            life.listen(_HANGS_AFTER_S, until="recovering")
            life.listen(self._rng.uniform(0, self._recovery_s), until="recovered")
            if "recovered" in life.said:
                self._recovery_s /= 2  # the machine has become faster
        elif self._rng.random() < 0.15:
            life.listen(self._rng.uniform(0, 2 * self._recovery_s))
        else:
            life.listen(_HANGS_AFTER_S, until="recovering")
            began_s = time.monotonic()
            life.listen(_HANGS_AFTER_S, until="recovered")
            # A little less than the last one took: a machine's moods are to leave it in the midst of it.
            self._recovery_s = 0.7 * (time.monotonic() - began_s)
            life.listen(self._rng.uniform(0, 0.3))
        if life.kill() != -signal.SIGKILL:
            report.broken.append("a service has ended by itself")
        report.kills += 1
        report.grouped += grouped
        report.within_recovery += "recovering" in life.said and "recovered" not in life.said
        self._look(life.words)

    def start_once_more(self) -> None:
        """Let the service start, recover, and end in order."""
        life = self._live(grouped=False, only_recovers=True)
        if life.end() != 0 or "recovered" not in life.said:
            self.report.broken.append("the last start did not come to its end")
        self._look(life.words)

    def _live(self, *, grouped: bool, only_recovers: bool = False) -> _Life:
        number = self.report.kills + 1
        seed = f"{self._seed} {number}"
        return _Life(self._path, seed=seed, grouped=grouped, now_ms=number * _MS_A_LIFE, only_recovers=only_recovers)

    def _look(self, words: list[dict[str, Any]]) -> None:
        """Hold what was told against what is left, and learn what the tasks have come to."""
        cleaning = cleaned = -1
        for word in words:
            match word:
                case {"word": "told", "task": task_id, "seq": seq, "status": status, "attempt": attempt, "at": at}:
                    self.report.acknowledged += 1
                    finished_at = at if status in ("completed", "failed", "cancelled") else None
                    self._known[task_id] = (Acknowledged(task_id, seq, status, attempt), finished_at)
                case {"word": "cleaning", "cutoff": cutoff}:
                    cleaning = cutoff
                case {"word": "cleaned", "cutoff": cutoff, "tasks": tasks}:
                    cleaned = cutoff
                    self.report.cleaned += tasks
        rows = self._rows()
        there = {row[0] for row in rows}
        told = [
            known
            for task_id, (known, finished_at) in self._known.items()
            if task_id in there or finished_at is None or finished_at >= cleaning
        ]
        self.report.looked_up += len(told)
        for finding in findings_left(self._copy, told):
            (self.report.missing if finding.kind == "lost" else self.report.broken).append(finding.what)
        self.report.broken += [
            f"{row[0]} was told to be cleaned, and is there" for row in rows if row[4] is not None and row[4] < cleaned
        ]
        self._known = {row[0]: (Acknowledged(*row[:4]), row[4]) for row in rows}

    def _rows(self) -> list[tuple[Any, ...]]:
        """Copy what is left, and return the tasks in it."""
        for suffix in ("", "-wal", "-shm"):
            left, copy = (path.with_name(path.name + suffix) for path in (self._path, self._copy))
            copy.unlink(missing_ok=True)
            # The index of a -wal is made anew from it, as after a loss of power.
            if left.exists() and suffix != "-shm":
                shutil.copyfile(left, copy)
        with closing(sqlite3.connect(self._copy)) as conn:
            return conn.execute("SELECT id, last_seq, status, attempt, finished_at FROM tasks").fetchall()


def _main(folder: Path, kills: int, seed: int) -> None:
    killer = _Killer(folder, seed)
    report = killer.report
    while not (report.missing or report.broken):
        # Some more where the machine's moods let too many recoveries come to their end.
        if report.kills >= kills and 2 * report.within_recovery >= report.kills:
            break
        killer.kill_once()
    killer.start_once_more()
    sys.stdout.write(json.dumps(asdict(report)))


if __name__ == "__main__":
    _main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
