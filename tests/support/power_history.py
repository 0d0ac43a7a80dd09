"""The life of a service on a recorded disk: what it was told, when, and what its database then held."""

import random
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from sqlite_utils import Database

from inspector.store.connecting import open_for_action, open_group_database
from inspector.store.writing import GroupDatabase, group_transaction
from tests.support.apsw_connection import store_on
from tests.support.apsw_disk import Disk, Op, recorded_disk
from tests.support.power_check import Acknowledged
from tests.support.power_state import state_on
from tests.support.subject import store

NAME: Final = "service.db"
CHECKPOINT_PAGES: Final = 12

_DELTA: Final = "response.output_text.delta"


@dataclass
class History:
    """What was asked of the disk, and at which number of ops each commit had returned, and each call."""

    before: dict[str, bytes] = field(default_factory=dict)
    ops: Sequence[Op] = ()
    commits: list[int] = field(default_factory=list)
    states: list[str] = field(default_factory=list)
    """All that the database held at first, and after each commit."""
    acknowledged: list[tuple[int, Acknowledged]] = field(default_factory=list)

    def committed_at(self, position: int) -> int:
        """Return how many commits had returned after this many ops."""
        return sum(commit <= position for commit in self.commits)

    def acknowledged_at(self, position: int) -> list[Acknowledged]:
        """Return what had been acknowledged after this many ops."""
        return [told for at, told in self.acknowledged if at <= position]


@dataclass
class _Life:
    disk: Disk
    history: History
    path: Path
    chance: random.Random
    now_ms: int = 1000
    accepted: int = 0
    in_groups: bool = False
    db: Database | None = None
    untold: list[Acknowledged] | None = None
    """What is to be told when the group has been committed, while there is one."""

    def heard(self, sql: str) -> None:
        if sql == "COMMIT" and self.db is not None:
            self.history.commits.append(len(self.disk.ops))
            self.history.states.append(state_on(self.db.conn))

    def told(self, task_id: str, last_seq: int, status: str, attempt: int) -> None:
        told = Acknowledged(task_id, last_seq, str(status), attempt)
        if self.untold is None:
            self.history.acknowledged.append((len(self.disk.ops), told))
        else:
            self.untold.append(told)

    def start(self) -> None:
        # The layout's own commit comes before there is a database to ask: it is noted here.
        was_absent = not self.path.exists()
        self.db = self._opened()
        if was_absent:
            self.history.commits.append(len(self.disk.ops))
            self.history.states.append(state_on(self.db.conn))
        result = store.apply_recovery(self.db, store.plan_recovery(self.db), now_ms=self.now_ms)
        for step in result.applied.steps:
            _, last_seq, status, attempt = self._task("WHERE id = ?", step.task_id)
            self.told(step.task_id, last_seq, status, attempt)

    def stop(self) -> None:
        if self.db is not None:
            self.db.close()
            self.db = None

    def _opened(self) -> Database:
        if self.in_groups:
            return open_group_database(self.path, wait_ms=1000)
        return store.open_service_database(self.path)

    def live(self) -> None:
        """Do one thing, or in groups a few that share a commit, and tell of each afterwards."""
        if not isinstance(self.db, GroupDatabase):
            self.step()
            return
        told: list[Acknowledged] = []
        self.untold = told
        with group_transaction(self.db):
            for _ in range(self.chance.randint(1, 6)):
                self.step()
        self.untold = None
        for each in told:
            self.told(each.task_id, each.last_seq, each.status, each.attempt)

    def step(self) -> None:
        """Do one thing that a service does, to the task that has waited longest for it."""
        self.now_ms += 7
        found = self._task("WHERE finished_at IS NULL ORDER BY updated_at, id")
        if not found or self.chance.random() < 0.25:
            self._accept()
        elif self.chance.random() < 0.05:
            store.set_config(self._db(), f"key {self.chance.randint(1, 3)}", {"now": self.now_ms}, now_ms=self.now_ms)
        elif self.chance.random() < 0.12 and found[2] != "cancelling":
            cancelled = store.cancel_task(self._db(), found[0], now_ms=self.now_ms)
            assert cancelled.seq is not None
            self.told(found[0], cancelled.seq, str(cancelled.status), found[3])
        else:
            written = self._work(*found)
            self.told(found[0], written.seqs[-1] if written.seqs else found[1], written.status, written.attempt)

    def _accept(self) -> None:
        self.accepted += 1
        task = store.accept_task(
            self._db(),
            request={"prompt": "p" * self.chance.choice((5, 300, 9000))},
            on_restart=self.chance.choice(("fail", "retry", "resume")),
            task_id=f"t{self.accepted}",
            idempotency_key=self.chance.choice((None, f"k{self.accepted}")),
            now_ms=self.now_ms,
        ).task
        self.told(task.id, task.last_seq, task.status, task.attempt)

    def _work(self, task_id: str, last_seq: int, status: str, attempt: int) -> store.Written:
        db, chance, now = self._db(), self.chance, self.now_ms
        turn = chance.random()
        if turn < 0.1:
            return store.fail_task(db, task_id, code="odd", message="m" * 50, attempt=attempt, now_ms=now)
        if status == "queued":
            return store.start_task(db, task_id, status="loading", attempt=attempt, now_ms=now)
        if status == "loading":
            return store.start_task(db, task_id, status="running", attempt=attempt, now_ms=now)
        if status == "cancelling":
            return store.finish_cancel(db, task_id, attempt=attempt, now_ms=now)
        if turn < 0.6:
            text = "d" * chance.choice((3, 80, 2500))
            deltas = [(_DELTA, {"text": text})] * chance.choice((1, 1, 4, 50))
            return store.append_events(db, task_id, deltas, attempt=attempt, now_ms=now)
        if turn < 0.75:
            return store.save_snapshot(db, task_id, {"at": last_seq}, attempt=attempt, now_ms=now)
        response = {"text": "r" * chance.choice((10, 400, 12_000))}
        return store.complete_task(db, task_id, response, attempt=attempt, now_ms=now)

    def _db(self) -> Database:
        assert self.db is not None
        return self.db

    def _task(self, where: str, *parameters: object) -> tuple[Any, ...]:
        sql = f"SELECT id, last_seq, status, attempt FROM tasks {where}"
        rows = self._db().conn.execute(sql, parameters).fetchall()
        return tuple(rows[0]) if rows else ()


def service_history(
    folder: Path, seed: int, *, steps: int, synchronous: str | None = None, in_groups: bool = False
) -> History:
    """Let a service live in an empty folder for so many steps, from the making of its database; it restarts at times.

    ``synchronous`` is what its connections get in truth. ``in_groups``: a step is a few calls that share a commit.
    """
    path = folder / NAME
    with recorded_disk(folder) as disk:
        history = History(before=disk.before, states=[""])
        life = _Life(disk, history, path, random.Random(seed), in_groups=in_groups)
        with store_on(disk, checkpoint_pages=CHECKPOINT_PAGES, synchronous=synchronous, heard=life.heard):
            life.start()
            for _ in range(steps):
                if life.chance.random() < 0.05:
                    life.stop()
                    life.start()
                life.live()
            life.stop()
    history.ops = disk.ops
    return history


def actions_history(folder: Path, *, tasks: int, synchronous: str | None = None) -> History:
    """Let tasks be cancelled, one after the other, in a database that is in rollback mode, as the inspector does."""
    path = folder / NAME
    with closing(store.open_service_database(path)) as db:
        for number in range(tasks):
            store.accept_task(db, request={}, on_restart="retry", task_id=f"t{number}", now_ms=number)
        db.conn.execute("PRAGMA journal_mode = DELETE")
        first = state_on(db.conn)
    with recorded_disk(folder) as disk:
        history = History(before=disk.before, states=[first])
        for number in range(tasks):
            with store_on(disk, synchronous=synchronous), closing(open_for_action(path, wait_ms=1000)) as db:
                result = store.cancel_task(db, f"t{number}", now_ms=1000 + number)
                assert (result.outcome, result.seq) == ("cancelled", 2)
                history.commits.append(len(disk.ops))
                history.acknowledged.append((len(disk.ops), Acknowledged(f"t{number}", 2, "cancelled", 1)))
                history.states.append(state_on(db.conn))
    history.ops = disk.ops
    return history
