"""A cleanup beside a writer that leaves no room: how long it is patient is for its caller to say, and what has gone
is told all the time.
"""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlite_utils import Database

from tests.support.store_old_tasks import KEEP, NOW, ended
from tests.support.subject import store

pytestmark = pytest.mark.ours

TASKS = 8


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "service.db"
    with closing(store.open_service_database(made)) as db:
        for number in range(TASKS):
            ended(db, f"t{number}", events=40)
    return made


@pytest.fixture
def db(path: Path) -> Iterator[Database]:
    """The database of a cleanup that waits for no lock at all."""
    with closing(store.open_service_database(path, wait_ms=0)) as made:
        yield made


@pytest.fixture
def other(path: Path) -> Iterator[Database]:
    with closing(store.open_service_database(path)) as made:
        yield made


def plan_of(db: Database) -> store.RetentionPlan:
    return store.plan_retention(db, now_ms=NOW, keep_ms=KEEP)


def test_without_patience_the_first_lock_that_is_missed_ends_it(db: Database, other: Database) -> None:
    plan = plan_of(db)
    other.conn.execute("BEGIN IMMEDIATE")
    with pytest.raises(store.Busy, match=r"run it again; nothing was changed\.$"):
        store.apply_retention(db, plan, now_ms=NOW)
    other.conn.execute("ROLLBACK")
    assert plan_of(db) == plan


def test_with_patience_the_same_rows_go_when_there_is_room(db: Database, other: Database) -> None:
    asked: list[int] = []

    def patient() -> bool:
        asked.append(len(asked))
        if len(asked) == 3:
            other.conn.execute("ROLLBACK")
        return True

    plan = plan_of(db)
    other.conn.execute("BEGIN IMMEDIATE")
    result = store.apply_retention(db, plan, now_ms=NOW, patient=patient)
    assert (len(asked), result.tasks, result.events) == (3, plan.tasks, plan.events)
    assert plan_of(db).tasks == 0


def test_patience_that_ends_in_the_middle_says_what_has_gone(db: Database, other: Database) -> None:
    told: list[store.RetentionResult] = []

    def hold(_seconds: float) -> None:
        if not other.conn.in_transaction:
            other.conn.execute("BEGIN IMMEDIATE")

    answers = iter([True, False])
    with pytest.raises(store.Busy) as busy:
        store.apply_retention(
            db,
            plan_of(db),
            now_ms=NOW,
            hold_ms=0.001,
            pause=hold,
            patient=lambda: next(answers),
            deleted=told.append,
        )
    other.conn.execute("ROLLBACK")
    assert [result.tasks for result in told] == [1]
    assert busy.value.sentence.endswith("the 1 tasks deleted before it stay deleted.")
    assert plan_of(db).tasks == TASKS - 1


def test_what_has_gone_is_told_after_each_batch(db: Database) -> None:
    told: list[store.RetentionResult] = []
    result = store.apply_retention(
        db, plan_of(db), now_ms=NOW, hold_ms=0.001, pause=lambda _: None, deleted=told.append
    )
    assert [each.tasks for each in told] == list(range(1, TASKS + 1))
    assert told[-1] == result
    assert [each.batches for each in told] == list(range(1, TASKS + 1))


def test_whoever_stops_it_from_outside_knows_what_has_gone(db: Database) -> None:
    told: list[store.RetentionResult] = []

    def stop(result: store.RetentionResult) -> None:
        told.append(result)
        if result.tasks == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.apply_retention(db, plan_of(db), now_ms=NOW, hold_ms=0.001, pause=lambda _: None, deleted=stop)
    assert told[-1].tasks == 3
    assert plan_of(db).tasks == TASKS - 3
    assert not db.conn.in_transaction
