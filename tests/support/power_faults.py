"""A service on a disk that fails at one call, or from it on until it is mended: it is refused, and tries again."""

import sqlite3
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from sqlite_utils import Database

from tests.support.apsw_connection import store_on
from tests.support.apsw_disk import Disk, Kind, recorded_disk
from tests.support.disk_writes import Write
from tests.support.power_history import NAME, History
from tests.support.power_state import state_on
from tests.support.subject import store

FOR_EVER = 1 << 30
_TRIES = 4

T = TypeVar("T")


@dataclass
class Fault:
    """Which call of the disk fails: the one after ``after`` others of its kind, and ``times`` in all."""

    kind: Kind
    code: int
    after: int
    times: int = 1


@dataclass
class Lived:
    """What came of it."""

    history: History
    sentences: list[str] = field(default_factory=list)
    """What the store said each time that it refused."""
    has_failed: bool = False
    """Whether the disk failed at all: no, where it was asked less often than that."""
    state: str = ""
    """All that the database held at the end."""


@dataclass
class _Service:
    disk: Disk
    lived: Lived
    db: Database | None = None

    def heard(self, sql: str) -> None:
        if sql == "COMMIT" and self.db is not None:
            self.lived.history.commits.append(len(self.disk.ops))
            self.lived.history.states.append(state_on(self.db.conn))

    def insist(self, call: Callable[[], T]) -> T:
        """Call until it is done; a disk that still fails then is mended."""
        for _ in range(_TRIES):
            try:
                return call()
            except store.Unusable as error:
                self.lived.sentences.append(error.sentence)
                if self.db is not None:
                    assert not self.db.conn.in_transaction
                    assert state_on(self.db.conn) == self.lived.history.states[-1], "something was changed"
                if self.disk.failure is not None and self.disk.failure.hit > 1:
                    self.disk.mend()
        raise AssertionError("it is refused for ever")


def live_with_a_fault(folder: Path, before: bytes | None, fault: Fault, writes: Iterable[Write]) -> Lived:
    """Let a service do ``writes`` in a database that holds ``before`` (None: it makes it), with checkpoints between.

    Errors of a checkpoint are nobody's: SQLite makes it after a commit, and tells no one that it failed.
    """
    path = folder / NAME
    if before is not None:
        path.write_bytes(before)
    with recorded_disk(folder) as disk:
        lived = Lived(History(before=disk.before))
        service = _Service(disk, lived)
        with store_on(disk, heard=service.heard):
            failure = disk.fail(fault.kind, fault.code, after=fault.after, times=fault.times)
            service.db = service.insist(lambda: store.open_service_database(path))
            lived.history.states.append(state_on(service.db.conn))
            for number, write in enumerate(writes, start=1):
                _write(service, write)
                if number % 4 == 0:
                    with suppress(sqlite3.OperationalError):
                        service.db.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            lived.state = state_on(service.db.conn)
            service.db.close()
        lived.history.ops = disk.ops
        lived.has_failed = failure.hit > 0
    return lived


def _write(service: _Service, write: Write) -> None:
    db = service.db
    assert db is not None
    service.insist(lambda: write(db))


def act_with_a_fault(folder: Path, before: bytes, fault: Fault, task_ids: Iterable[str]) -> Lived:
    """Cancel tasks in a database that holds ``before``, each by an action of its own."""
    path = folder / NAME
    path.write_bytes(before)
    with recorded_disk(folder) as disk:
        lived = Lived(History(before=disk.before))
        service = _Service(disk, lived)
        with store_on(disk):
            failure = disk.fail(fault.kind, fault.code, after=fault.after, times=fault.times)
            for task_id in task_ids:
                _cancel(service, path, task_id)
        lived.history.ops = disk.ops
        lived.has_failed = failure.hit > 0
    return lived


def _cancel(service: _Service, path: Path, task_id: str) -> None:
    result = service.insist(lambda: store.cancel_in_file(path, task_id, now_ms=9000))
    assert (result.outcome, result.seq) == ("cancelled", 2)
