"""The guard of each update of a task: its id, its status and its attempt, each of which stops it by itself.

Under the write lock nobody else can have changed a task that was just read. The guard holds all the same: here the task
is changed on the rule's own connection, between its read and its update, without the layout's triggers.
"""

from collections.abc import Callable

import pytest
from sqlite_utils import Database

from inspector.layout import native
from tests.store.test_rules import CELLS, RULES
from tests.support.store_factory import Rig, put, tapped
from tests.support.subject import store

pytestmark = pytest.mark.ours


def recover(db: Database) -> object:
    return store.apply_recovery(db, store.plan_recovery(db), now_ms=200)


def of(name: str) -> Callable[[Database], object]:
    return lambda db: RULES[name](db, "t", 1)


def cancel(db: Database) -> object:
    return store.cancel_task(db, "t", now_ms=200)


MOVES = [
    *(
        pytest.param(of(name), found, id=f"{name}-{found}")
        for name, found, after in CELLS
        if after != "-" and name not in ("append nothing", "complete timed")
    ),
    *(pytest.param(cancel, found, id=f"cancel-{found}") for found in ("queued", "loading", "running")),
    *(pytest.param(recover, found, id=f"recover-{found}") for found in ("loading", "running", "cancelling")),
    pytest.param(lambda db: store.claim_next_task(db, now_ms=200), "queued", id="claim"),
]

CHANGES = {
    "status": "status = iif(status = 'running', 'loading', 'running')",
    "attempt": "attempt = 7",
    "id": "id = 'another'",
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize(("move", "found"), MOVES)
def test_a_task_that_is_another_by_the_time_of_its_update_is_not_moved(
    odd_rig: Rig, move: Callable[[Database], object], found: str, change: str
) -> None:
    put(odd_rig.db, found)
    conn = odd_rig.db.conn
    conn.execute("PRAGMA foreign_keys = OFF")
    for trigger in native.TRIGGERS:
        conn.execute(f"DROP TRIGGER {trigger}")

    def change_it(sql: str) -> None:
        if sql.split()[:2] == ["UPDATE", "tasks"]:
            conn.execute(f"UPDATE tasks SET {CHANGES[change]} WHERE id = 't'")

    with (
        odd_rig.unchanged(),
        tapped(odd_rig.db, before=change_it),
        pytest.raises(store.Unusable, match="changed while"),
    ):
        move(odd_rig.db)


@pytest.mark.parametrize(("move", "found"), MOVES)
def test_a_move_changes_no_other_task(rig: Rig, move: Callable[[Database], object], found: str) -> None:
    put(rig.db, found)
    put(rig.db, "running" if move is recover else found, task_id="other", at=500)
    if move is recover:
        # What has finished is no leftover.
        store.complete_task(rig.db, "other", {"text": "hi"}, attempt=1, now_ms=600)
    before, log = rig.task("other"), rig.log("other")
    move(rig.db)
    assert rig.task("t")["updated_at"] == 200
    assert rig.task("other") == before
    assert rig.log("other") == log
