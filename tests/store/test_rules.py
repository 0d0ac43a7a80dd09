"""Every rule in every status, from one table; and that what is refused changes nothing at all."""

from collections.abc import Callable

import pytest
from sqlite_utils import Database

from inspector.lmsp.statuses import Status
from tests.support.store_factory import Rig, failing_at, put, statements_of, tapped
from tests.support.subject import store

Rule = Callable[[Database, str, int], store.Written]

DELTA = ("response.output_text.delta", {"delta": "a"})

RULES: dict[str, Rule] = {
    "load": lambda db, task_id, n: store.start_task(db, task_id, status="loading", attempt=n, now_ms=200),
    "run": lambda db, task_id, n: store.start_task(db, task_id, status="running", attempt=n, now_ms=200),
    "run warm": lambda db, task_id, n: store.start_task(
        db, task_id, status="running", attempt=n, now_ms=200, warm=True
    ),
    "append": lambda db, task_id, n: store.append_events(db, task_id, [DELTA, DELTA], attempt=n, now_ms=200),
    "append nothing": lambda db, task_id, n: store.append_events(db, task_id, [], attempt=n, now_ms=200),
    "snapshot": lambda db, task_id, n: store.save_snapshot(db, task_id, {"at": 1}, attempt=n, now_ms=200),
    "complete": lambda db, task_id, n: store.complete_task(db, task_id, {"text": "hi"}, attempt=n, now_ms=200),
    "complete timed": lambda db, task_id, n: store.complete_task(
        db, task_id, {"text": "hi"}, attempt=n, now_ms=200, keep_response_ms=1000
    ),
    "fail": lambda db, task_id, n: store.fail_task(db, task_id, code="c", message="m", attempt=n, now_ms=200),
    "finish cancel": lambda db, task_id, n: store.finish_cancel(db, task_id, attempt=n, now_ms=200),
}

STATUSES = ("queued", "loading", "running", "cancelling", "completed", "failed", "cancelled")

# The status afterwards; "-" where the rule refuses.
TABLE = """
                queued     loading    running    cancelling  completed  failed  cancelled
load            loading    -          -          -           -          -       -
run             -          running    -          -           -          -       -
run warm        running    -          -          -           -          -       -
append          -          loading    running    cancelling  -          -       -
append nothing  -          loading    running    cancelling  -          -       -
snapshot        -          -          running    -           -          -       -
complete        -          -          completed  -           -          -       -
complete timed  -          -          completed  -           -          -       -
fail            failed     failed     failed     cancelled   -          -       -
finish cancel   -          -          -          cancelled   -          -       -
"""

EVENTS = {
    "load": ["response.loading"],
    "run": ["response.in_progress"],
    "run warm": ["response.in_progress"],
    "append": ["response.output_text.delta", "response.output_text.delta"],
    "append nothing": [],
    "snapshot": [],
    "complete": ["response.completed"],
    "complete timed": ["response.completed"],
    "finish cancel": ["response.cancelled"],
}

WANTED = {
    "load": "loading",
    "run": "running",
    "run warm": "running",
    "append": "progress",
    "append nothing": "progress",
    "snapshot": "snapshot",
    "complete": "completed",
    "complete timed": "completed",
    "fail": "failed",
    "finish cancel": "cancelled",
}

CELLS = [
    (line[:16].strip(), found, after)
    for line in TABLE.strip("\n").splitlines()[1:]
    for found, after in zip(STATUSES, line[16:].split(), strict=True)
]
TAKEN = [pytest.param(*cell, id=f"{cell[0]}-{cell[1]}") for cell in CELLS if cell[2] != "-"]
REFUSED = [pytest.param(*cell[:2], id=f"{cell[0]}-{cell[1]}") for cell in CELLS if cell[2] == "-"]


def test_the_table_has_every_rule_in_every_status() -> None:
    assert {(rule, found) for rule, found, _ in CELLS} == {(rule, found) for rule in RULES for found in Status}
    assert len(CELLS) == len(RULES) * 7


@pytest.mark.parametrize(("name", "found", "after"), TAKEN)
def test_a_rule_writes_the_event_and_the_task_together(rig: Rig, name: str, found: str, after: str) -> None:
    task_id = put(rig.db, found, attempt=3)
    before, log = rig.task(task_id), rig.log(task_id)
    types = EVENTS.get(name, [f"response.{after}"])

    written = RULES[name](rig.db, task_id, 3)

    seqs = tuple(range(len(log) + 1, len(log) + 1 + len(types)))
    assert written == store.Written(task_id, seqs, Status(after), 3)
    assert rig.log(task_id) == log + [(seq, kind, after, 3) for seq, kind in zip(seqs, types, strict=True)]
    task = rig.task(task_id)
    assert (task["status"], task["last_seq"], task["attempt"]) == (after, len(log) + len(types), 3)
    assert task["updated_at"] == (before["updated_at"] if name == "append nothing" else 200)
    assert task["finished_at"] == (200 if after in ("completed", "failed", "cancelled") else None)
    assert not rig.db.conn.in_transaction


@pytest.mark.parametrize(("name", "found"), REFUSED)
def test_a_rule_that_says_no_changes_nothing(rig: Rig, name: str, found: str) -> None:
    task_id = put(rig.db, found)
    with rig.unchanged(), pytest.raises(store.Refused) as refused:
        RULES[name](rig.db, task_id, 1)
    error = refused.value
    assert (error.task_id, error.found, error.wanted) == (task_id, found, WANTED[name])
    assert str(error) == error.sentence
    for word in (task_id, found, WANTED[name]):
        assert word in error.sentence


@pytest.mark.parametrize("attempt", [1, 3])
@pytest.mark.parametrize("found", STATUSES)
@pytest.mark.parametrize("name", RULES)
def test_a_write_of_another_attempt_is_refused(rig: Rig, name: str, found: str, attempt: int) -> None:
    task_id = put(rig.db, found, attempt=2)
    with rig.unchanged(), pytest.raises(store.Refused) as refused:
        RULES[name](rig.db, task_id, attempt)
    error = refused.value
    assert (error.task_id, error.found, error.wanted) == (task_id, found, WANTED[name])
    assert f"attempt {attempt}" in error.sentence
    assert "attempt 2" in error.sentence


@pytest.mark.parametrize("name", RULES)
def test_a_task_that_is_not_there_is_refused(rig: Rig, name: str) -> None:
    put(rig.db, "running")
    with rig.unchanged(), pytest.raises(store.Refused) as refused:
        RULES[name](rig.db, "nobody", 1)
    assert (refused.value.task_id, refused.value.found, refused.value.wanted) == ("nobody", None, WANTED[name])


@pytest.mark.parametrize("name", RULES)
def test_an_id_that_is_no_text_is_refused(rig: Rig, name: str) -> None:
    with rig.unchanged(), pytest.raises(store.Refused):
        RULES[name](rig.db, "t\udc80", 1)


@pytest.mark.parametrize(("name", "found", "after"), TAKEN)
def test_time_does_not_go_back(rig: Rig, name: str, found: str, after: str) -> None:
    task_id = put(rig.db, found, at=1_000_000)
    before = rig.task(task_id)
    written = RULES[name](rig.db, task_id, 1)
    assert written.status == after
    assert rig.task(task_id)["updated_at"] == before["updated_at"]
    moments = rig.db.conn.execute("SELECT created_at FROM task_events ORDER BY seq").fetchall()
    assert moments == sorted(moments)


@pytest.mark.ours
@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize(("name", "found", "after"), TAKEN)
def test_a_rule_that_fails_halfway_changes_nothing(rig: Rig, name: str, found: str, after: str, moment: str) -> None:
    probe = put(rig.db, found, task_id="probe")
    steps = statements_of(rig.db, lambda: RULES[name](rig.db, probe, 1))
    assert (steps[0], steps[-1]) == ("BEGIN IMMEDIATE", "COMMIT")
    task_id = put(rig.db, found)
    # What has been committed stays, so nothing fails after it.
    for number in range(len(steps) - (moment == "after")):
        with (
            rig.unchanged(),
            pytest.raises(store.Unusable, match="disk"),
            tapped(rig.db, **{moment: failing_at(number)}),
        ):
            RULES[name](rig.db, task_id, 1)
    assert RULES[name](rig.db, task_id, 1).status == after


@pytest.mark.ours
@pytest.mark.parametrize("how", ["ABORT", "ROLLBACK", "FAIL"])
@pytest.mark.parametrize(("name", "found", "after"), TAKEN)
def test_a_second_write_that_is_stopped_takes_the_first_with_it(
    rig: Rig, name: str, found: str, after: str, how: str
) -> None:
    task_id = put(rig.db, found)
    rig.db.conn.execute(f"""
        CREATE TEMP TRIGGER stop BEFORE UPDATE ON main.tasks BEGIN SELECT RAISE({how}, 'stopped'); END""")
    if name == "append nothing":
        assert RULES[name](rig.db, task_id, 1).status == after
        return
    with rig.unchanged(), pytest.raises(store.Unusable, match="stopped"):
        RULES[name](rig.db, task_id, 1)


@pytest.mark.ours
@pytest.mark.parametrize(("name", "found", "after"), TAKEN)
def test_an_update_that_finds_another_task_than_was_read_is_rolled_back(
    rig: Rig, name: str, found: str, after: str
) -> None:
    task_id = put(rig.db, found)
    rig.db.conn.execute("CREATE TEMP TRIGGER pass BEFORE UPDATE ON main.tasks BEGIN SELECT RAISE(IGNORE); END")
    if name == "append nothing":
        assert RULES[name](rig.db, task_id, 1).status == after
        return
    with rig.unchanged(), pytest.raises(store.Unusable, match="changed while"):
        RULES[name](rig.db, task_id, 1)


@pytest.mark.ours
@pytest.mark.parametrize("name", RULES)
def test_a_rule_does_not_join_a_transaction_of_the_caller(rig: Rig, name: str) -> None:
    task_id = put(rig.db, "running")
    rig.db.conn.execute("BEGIN")
    rig.db.conn.execute("UPDATE tasks SET kind = 'other' WHERE id = ?", (task_id,))
    with pytest.raises(RuntimeError, match="transaction"):
        RULES[name](rig.db, task_id, 1)
    assert rig.db.conn.in_transaction
    assert rig.task(task_id)["kind"] == "other"
    rig.db.conn.execute("ROLLBACK")


def test_an_unknown_status_is_refused_by_every_rule(odd_rig: Rig) -> None:
    task_id = put(odd_rig.db, "running")
    odd_rig.db.conn.execute("PRAGMA ignore_check_constraints = ON")
    odd_rig.db.conn.execute(
        "INSERT INTO tasks (id, kind, status, last_seq, attempt, created_at, updated_at, request) "
        "SELECT 'odd', kind, 'paused', 0, 1, 1, 1, request FROM tasks WHERE id = ?",
        (task_id,),
    )
    for name, rule in RULES.items():
        with odd_rig.unchanged(), pytest.raises(store.Refused, match="none of the seven") as refused:
            rule(odd_rig.db, "odd", 1)
        assert (refused.value.found, refused.value.wanted) == ("paused", WANTED[name])
