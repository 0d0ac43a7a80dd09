"""Batches of cleanup: sized by time, the lock left free as long as it was held, and undone as a whole."""

import gc
import sqlite3
from collections.abc import Callable
from contextlib import closing

import pytest

from tests.support.store_factory import Rig, disk_error, failing_at, put, statements_of, tapped
from tests.support.store_invariants import broken_invariants
from tests.support.store_old_tasks import COUNTED, CUTOFF, KEEP, NOW, clean, ended, leave_old
from tests.support.subject import store

pytestmark = pytest.mark.ours

A_TASK_EACH = 0.001
"""A time to hold the lock, in milliseconds, that no task fits in."""


class Time:
    """A clock that goes on by what statements take, in milliseconds, and by nothing else."""

    def __init__(self, **costs: float) -> None:
        self._costs = costs
        self.ms = 0.0
        self.pauses: list[float] = []

    def __call__(self) -> float:
        return self.ms / 1000

    def pass_for(self, sql: str) -> None:
        """Let the time pass that the statement takes."""
        self.ms += next((ms for start, ms in self._costs.items() if sql.startswith(start.replace("_", " "))), 0.0)

    def forget(self) -> None:
        """Let no statement take any time from now on."""
        self._costs.clear()

    def pause(self, seconds: float) -> None:
        """Note a pause."""
        self.pauses.append(round(1000 * seconds, 6))


def cleaned(
    rig: Rig, time: Time, hold_ms: float = 20.0, proceed: Callable[[], bool] = lambda: True
) -> store.RetentionResult:
    plan = store.plan_retention(rig.db, now_ms=NOW, keep_ms=KEEP)
    with tapped(rig.db, before=time.pass_for):
        return store.apply_retention(
            rig.db, plan, now_ms=NOW, hold_ms=hold_ms, proceed=proceed, monotonic=time, pause=time.pause
        )


def sizes(rig: Rig, time: Time) -> tuple[store.RetentionResult, list[int]]:
    """Run a cleanup, and return how many tasks each batch took."""
    found: list[int] = []
    left = [len(rig.rows()["tasks"])]

    def look(sql: str) -> None:
        if sql == "COMMIT":
            with closing(sqlite3.connect(rig.path)) as conn:
                ((now,),) = conn.execute("SELECT count(*) FROM tasks").fetchall()
            found.append(left[-1] - now)
            left.append(now)

    with tapped(rig.db, after=look):
        return cleaned(rig, time), found


def test_a_batch_ends_when_its_time_is_used(rig: Rig) -> None:
    for number in range(24):
        ended(rig.db, f"t{number}", at=CUTOFF - 100 + number, status="failed", events=0)
    time = Time(DELETE_FROM_tasks=3, COMMIT=4)
    result, found = sizes(rig, time)
    # The first commit is taken to need half of the 20 ms, the next ones what is seen, more and more.
    assert found == [4, 5, 5, 5, 5]
    assert time.pauses == [16, 19, 19, 19, 19]
    assert (result.batches, result.large) == (5, ())
    assert result.longest_hold_ms == pytest.approx(19)


def test_the_lock_is_left_free_as_long_as_it_was_held(rig: Rig) -> None:
    leave_old(rig.db)
    held: list[float] = []
    time = Time(DELETE=3, COMMIT=7, PRAGMA=1000)

    def watch(sql: str) -> None:
        if sql == "BEGIN IMMEDIATE":
            held.append(-time.ms)
        elif sql == "COMMIT":
            held[-1] = round(held[-1] + time.ms, 6)

    plan = store.plan_retention(rig.db, now_ms=NOW, keep_ms=KEEP)
    with tapped(rig.db, before=time.pass_for, after=watch):
        result = store.apply_retention(rig.db, plan, now_ms=NOW, monotonic=time, pause=time.pause)
    assert time.pauses == held
    assert len(held) == result.batches == 4
    assert result.longest_hold_ms == pytest.approx(max(held))


def test_to_wait_for_the_lock_is_not_to_hold_it(rig: Rig) -> None:
    leave_old(rig.db)
    assert cleaned(rig, Time(BEGIN_IMMEDIATE=900, COMMIT=4)).longest_hold_ms == pytest.approx(4)


def test_a_slow_commit_leaves_less_time_for_the_next_batch(rig: Rig) -> None:
    for number in range(12):
        ended(rig.db, f"t{number:02}", at=CUTOFF - 100 + number, status="failed", events=0)
    _, found = sizes(rig, Time(DELETE_FROM_tasks=3, COMMIT=40))
    assert found == [4, 2, 2, 2, 2]


def test_a_task_that_does_not_fit_is_left_to_the_next_batch_and_one_larger_than_a_batch_goes_alone(rig: Rig) -> None:
    for number, events in enumerate((0, 0, 2000, 0, 0)):
        ended(rig.db, f"t{number}", at=CUTOFF - 100 + number, events=events)
    result, found = sizes(rig, Time())
    assert found == [2, 1, 2]
    assert result.large == ("t2",)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE tasks SET request = ? WHERE id = 'large'",
        "UPDATE tasks SET snapshot = ?, snapshot_seq = 1 WHERE id = 'large'",
        "UPDATE responses SET body = ? WHERE task_id = 'large'",
    ],
)
def test_a_task_with_few_rows_but_large_ones_goes_alone_too(odd_rig: Rig, change: str) -> None:
    rig = odd_rig
    ended(rig.db, "small", at=CUTOFF - 3)
    ended(rig.db, "large", at=CUTOFF - 2)
    ended(rig.db, "other", at=CUTOFF - 1)
    rig.db.conn.execute(change, ("x" * 8_000_000,))
    result, found = sizes(rig, Time())
    assert found == [1, 1, 1]
    assert result.large == ("large",)


def test_a_task_with_large_events_goes_alone_too(rig: Rig) -> None:
    ended(rig.db, "small", at=CUTOFF - 3)
    put(rig.db, "running", task_id="large", at=CUTOFF - 100)
    delta = ("response.output_text.delta", {"delta": "x" * 8_000_000})
    store.append_events(rig.db, "large", [delta], attempt=1, now_ms=CUTOFF - 50)
    store.complete_task(rig.db, "large", {}, attempt=1, now_ms=CUTOFF - 2)
    assert sizes(rig, Time())[1] == [1, 1]


def test_a_task_that_turns_out_to_be_large_goes_alone_though_others_wait_behind_it(rig: Rig) -> None:
    for number, events in enumerate((400, 400, 0)):
        ended(rig.db, f"t{number}", at=CUTOFF - 100 + number, events=events)
    time = Time(DELETE_FROM_tasks=60)
    with tapped(rig.db, after=lambda sql: time.forget() if sql == "COMMIT" else None):
        result, found = sizes(rig, time)
    assert found == [1, 1, 1]
    assert result.large == ("t1",)


def test_a_large_response_that_expires_is_no_large_task(odd_rig: Rig) -> None:
    ended(odd_rig.db, "t", at=CUTOFF + 1, response_ends=NOW)
    odd_rig.db.conn.execute("UPDATE responses SET body = ?", ("x" * 8_000_000,))
    assert cleaned(odd_rig, Time()).large == ()


def test_a_large_task_is_named_also_where_its_id_is_no_utf8(odd_rig: Rig) -> None:
    odd_rig.db.conn.execute(
        """
        INSERT INTO tasks (id, kind, status, last_seq, attempt, created_at, updated_at, finished_at, request)
        VALUES (CAST(x'61ff' AS TEXT), 'x', 'failed', 0, 1, 1, 1, 1, ?)""",
        ("x" * 8_000_000,),
    )
    assert cleaned(odd_rig, Time()).large == ("a\\xff",)


def test_each_batch_stores_the_counts_so_far_in_its_own_transaction(rig: Rig) -> None:
    leave_old(rig.db)
    seen: list[tuple[int, int, int]] = []

    def look(sql: str) -> None:
        nonlocal seen
        if sql == "COMMIT":
            with closing(sqlite3.connect(rig.path)) as conn:
                seen += conn.execute("""
                    SELECT json_extract(value, '$.batches'), json_extract(value, '$.tasks'),
                           (SELECT count(*) FROM tasks)
                    FROM service_config WHERE key = 'retention.last_run'""").fetchall()

    with tapped(rig.db, after=look):
        result = cleaned(rig, Time(), hold_ms=A_TASK_EACH)
    assert seen == [(n, n, 11 - n) for n in range(1, 7)] + [(7, 6, 5), (8, 6, 5)]
    assert result.batches == 8


def test_the_oldest_goes_first(rig: Rig) -> None:
    old = leave_old(rig.db)
    assert cleaned(rig, Time(), hold_ms=A_TASK_EACH).large == tuple(old)


def test_no_more_is_weighed_than_soon_goes(rig: Rig) -> None:
    leave_old(rig.db)
    seen = statements_of(rig.db, lambda: cleaned(rig, Time(), hold_ms=A_TASK_EACH))
    assert sum("length(CAST(request" in sql for sql in seen[: seen.index("BEGIN IMMEDIATE")]) == 1


def expire(rig: Rig, **expiries: int) -> None:
    """Complete a task of each name that stays, with a response whose time is over so many milliseconds ago."""
    for task_id, ago in expiries.items():
        put(rig.db, "running", task_id=task_id, at=NOW - 200)
        store.complete_task(rig.db, task_id, {}, attempt=1, now_ms=NOW - 100, keep_response_ms=100 - ago)


def test_what_expired_first_goes_first(rig: Rig) -> None:
    expire(rig, a=10, b=30, c=20)
    answers = iter([True, True])
    assert cleaned(rig, Time(), hold_ms=A_TASK_EACH, proceed=lambda: next(answers, False)).expired_responses == 1
    assert [row[2] for row in rig.rows()["responses"]] == ["a", "c"]


def test_whether_it_has_expired_is_looked_at_again_under_the_lock(rig: Rig) -> None:
    expire(rig, a=10)

    def meddle(sql: str) -> None:
        if sql == "BEGIN IMMEDIATE":
            with closing(sqlite3.connect(rig.path)) as other, other:
                other.execute("UPDATE responses SET expires_at = ?", (NOW + 1,))

    with tapped(rig.db, before=meddle):
        assert cleaned(rig, Time()).expired_responses == 0
    assert len(rig.rows()["responses"]) == 1


@pytest.mark.parametrize("batches", range(9))
def test_a_run_ends_before_any_batch_when_it_is_told_to(rig: Rig, batches: int) -> None:
    leave_old(rig.db)
    answers = iter([True] * batches)
    result = cleaned(rig, Time(), hold_ms=A_TASK_EACH, proceed=lambda: next(answers, False))
    done = [batch for batch in range(batches) if batch != 6]
    assert result.batches == len(done)
    assert len(rig.rows()["tasks"]) == 11 - min(batches, 6)
    assert not rig.db.conn.in_transaction
    clean(rig.db)
    assert len(rig.rows()["tasks"]) == 5


def test_a_run_that_was_told_to_end_asks_no_more(rig: Rig) -> None:
    leave_old(rig.db)
    answers = iter([False, True, True, True, True])
    with rig.unchanged():
        assert cleaned(rig, Time(), proceed=lambda: next(answers)).batches == 0
    assert next(answers)


def test_a_task_that_another_cleanup_has_deleted_is_passed_over(rig: Rig) -> None:
    leave_old(rig.db)
    others: list[store.RetentionResult] = []

    def overtake(sql: str) -> None:
        if sql == "BEGIN IMMEDIATE" and not others:
            with closing(store.open_service_database(rig.path)) as other:
                others.append(clean(other))

    with tapped(rig.db, before=overtake):
        result = cleaned(rig, Time())
    assert others[0].tasks == 6
    run = store.config_value(rig.db, "retention.last_run")
    assert isinstance(run, dict)
    assert run["tasks"] == 6
    assert result == store.RetentionResult(**dict.fromkeys(COUNTED, 0), batches=0, large=(), longest_hold_ms=0.0)


@pytest.mark.parametrize("words", ["length(CAST(request", "SELECT length(CAST(body", "SELECT length(CAST(result"])
def test_what_another_cleanup_deletes_while_it_is_weighed_is_passed_over(rig: Rig, words: str) -> None:
    leave_old(rig.db)
    plan = store.plan_retention(rig.db, now_ms=NOW, keep_ms=KEEP)
    others: list[store.RetentionResult] = []

    def overtake(sql: str) -> None:
        if words in sql and not others:
            with closing(store.open_service_database(rig.path)) as other:
                others.append(clean(other))

    with tapped(rig.db, before=overtake):
        result = cleaned(rig, Time())
    for counted in COUNTED:
        assert getattr(result, counted) + getattr(others[0], counted) == getattr(plan, counted) > 0


@pytest.mark.parametrize("change", ["finished_at = 9000", "status = 'paused'"])
@pytest.mark.parametrize("size", [1, 8_000_000])
def test_a_task_is_looked_at_again_under_the_lock(odd_rig: Rig, change: str, size: int) -> None:
    ended(odd_rig.db, "t")
    odd_rig.db.conn.execute("UPDATE tasks SET request = ?", ("x" * size,))

    def meddle(sql: str) -> None:
        if sql == "BEGIN IMMEDIATE":
            with closing(sqlite3.connect(odd_rig.path)) as other, other:
                other.execute("PRAGMA ignore_check_constraints = ON")
                for (name,) in other.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
                    other.execute(f"DROP TRIGGER {name}")
                other.execute(f"UPDATE tasks SET {change}")

    with tapped(odd_rig.db, before=meddle):
        result = cleaned(odd_rig, Time())
    assert (result.tasks, result.batches, result.large) == (0, 0, ())
    assert odd_rig.task("t")["id"] == "t"
    assert store.config_value(odd_rig.db, "retention.last_run") is None


def test_a_delete_that_another_rule_swallows_is_undone(rig: Rig) -> None:
    ended(rig.db, "t")
    rig.db.conn.execute("CREATE TEMP TRIGGER pass BEFORE DELETE ON main.tasks BEGIN SELECT RAISE(IGNORE); END")
    with rig.unchanged(), pytest.raises(store.Unusable, match="changed while"):
        clean(rig.db)


def test_checkpoints_are_made_between_batches_and_as_before_afterwards(rig: Rig) -> None:
    leave_old(rig.db)
    rig.db.conn.execute("PRAGMA wal_autocheckpoint = 77")
    seen = statements_of(rig.db, lambda: clean(rig.db))
    assert rig.db.conn.execute("PRAGMA wal_autocheckpoint").fetchall() == [(77,)]
    assert seen.index("PRAGMA wal_autocheckpoint = 0") < seen.index("BEGIN IMMEDIATE")
    ends = [seen[number + 1] for number, sql in enumerate(seen) if sql == "COMMIT"]
    assert set(ends) == {"PRAGMA wal_checkpoint(PASSIVE)"}


def test_a_checkpoint_that_fails_stops_nothing(rig: Rig) -> None:
    leave_old(rig.db)

    def fail(sql: str) -> None:
        if "wal_checkpoint(" in sql:
            raise disk_error()

    with tapped(rig.db, before=fail):
        assert clean(rig.db).tasks == 6


WHOLE = """
    SELECT 'task', id, status, last_seq FROM tasks WHERE id = :id
    UNION ALL SELECT 'event', id, status, seq FROM task_events WHERE task_id = :id
    UNION ALL SELECT 'response', id, status, 0 FROM responses WHERE task_id = :id
    UNION ALL SELECT 'key', key, '', 0 FROM idempotency_keys WHERE task_id = :id"""


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_failure_at_any_statement_undoes_its_batch_and_leaves_nothing_open(odd_rig: Rig, moment: str) -> None:
    db = odd_rig.db
    old = leave_old(db, 4)
    started = odd_rig.rows()
    before = all_of(odd_rig, old)
    steps = statements_of(db, lambda: clean_each(odd_rig))
    ends = odd_rig.rows()
    suffered = 0
    for number, step in enumerate(steps):
        refill(odd_rig, started)
        committed = steps[: number + (moment == "after")].count("COMMIT")
        with tapped(db, **{moment: failing_at(number)}):
            sentence = failure(odd_rig)
        assert not db.conn.in_transaction
        gc.collect()  # the error's traceback holds the cursor of the statement after which it was raised
        left = all_of(odd_rig, old)
        if sentence is None:
            # Checkpoints are made good by later ones.
            assert step.startswith("PRAGMA wal_")
            assert left == {task_id: [] for task_id in old}
        else:
            suffered += 1
            assert left == {task_id: [] if task_id in old[:committed] else before[task_id] for task_id in old}
            known = committed - (moment == "after" and step == "COMMIT")
            assert sentence.endswith("stay deleted.") == (known > 0)
        assert broken_invariants(db.conn) == []
        clean_each(odd_rig)
        assert without_runs(odd_rig.rows()) == without_runs(ends)
    assert suffered == len(steps) - len([step for step in steps if step.startswith("PRAGMA wal_checkpoint(")]) - 1


def failure(rig: Rig) -> str | None:
    try:
        clean_each(rig)
    except store.Unusable as error:
        return error.sentence
    return None


def all_of(rig: Rig, task_ids: list[str]) -> dict[str, list[tuple[object, ...]]]:
    return {task_id: rig.db.conn.execute(WHOLE, {"id": task_id}).fetchall() for task_id in task_ids}


def clean_each(rig: Rig) -> None:
    plan = store.plan_retention(rig.db, now_ms=NOW, keep_ms=KEEP)
    store.apply_retention(rig.db, plan, now_ms=NOW, hold_ms=A_TASK_EACH, pause=lambda _: None)


def refill(rig: Rig, rows: dict[str, list[tuple[object, ...]]]) -> None:
    """Put back what a cleanup has deleted, past the layout's rules."""
    conn = rig.db.conn
    conn.execute("PRAGMA foreign_keys = OFF")
    triggers = conn.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
    conn.execute("BEGIN")
    for name, _ in triggers:
        conn.execute(f"DROP TRIGGER {name}")
    for table in ("tasks", "task_events", "responses", "idempotency_keys", "service_config"):
        columns = [column for _, column, *_ in conn.execute(f"PRAGMA table_info({table})").fetchall()]
        conn.execute(f"DELETE FROM {table}")
        names = ", ".join(["rowid", *columns] if "id INTEGER" not in table else columns)
        conn.executemany(f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * (1 + len(columns)))})", rows[table])
    for _, sql in triggers:
        conn.execute(sql)
    conn.execute("COMMIT")
    conn.execute("PRAGMA foreign_keys = ON")


def test_a_database_that_another_holds_too_long_is_busy_and_what_was_done_stays(rig: Rig) -> None:
    leave_old(rig.db)
    rig.db.conn.execute("PRAGMA busy_timeout = 1")
    commits: list[str] = []
    with closing(sqlite3.connect(rig.path, isolation_level=None)) as other:

        def hold(sql: str) -> None:
            if sql == "COMMIT":
                commits.append(sql)
                if len(commits) == 2:
                    other.execute("BEGIN IMMEDIATE")

        plan = store.plan_retention(rig.db, now_ms=NOW, keep_ms=KEEP)
        with tapped(rig.db, after=hold), pytest.raises(store.Busy, match="the 2 tasks deleted before it stay deleted"):
            store.apply_retention(rig.db, plan, now_ms=NOW, hold_ms=A_TASK_EACH, pause=lambda _: None)
        other.execute("ROLLBACK")
    assert clean(rig.db).tasks == 4


def disk_full() -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("database or disk is full")
    error.sqlite_errorcode = sqlite3.SQLITE_FULL
    return error


@pytest.mark.parametrize("batch", [1, 3])
def test_on_a_full_disk_it_is_said_what_to_do_and_what_was_done_stays(rig: Rig, batch: int) -> None:
    leave_old(rig.db)
    commits: list[str] = []

    def fill_the_disk(sql: str) -> None:
        if sql == "COMMIT":
            commits.append(sql)
            if len(commits) == batch:
                # As SQLite does by itself.
                rig.db.conn.execute("ROLLBACK")
                raise disk_full()

    with tapped(rig.db, before=fill_the_disk), pytest.raises(store.Unusable) as raised:
        clean_each(rig)
    sentence = raised.value.sentence
    assert "free some" in sentence
    assert "run this again" in sentence
    assert sentence.endswith("nothing was changed." if batch == 1 else "the 2 tasks deleted before it stay deleted.")
    assert isinstance(raised.value.__cause__, sqlite3.OperationalError)
    assert clean(rig.db).tasks == 7 - batch


def without_runs(rows: dict[str, list[tuple[object, ...]]]) -> dict[str, list[tuple[object, ...]]]:
    return {table: found for table, found in rows.items() if table != "service_config"}
