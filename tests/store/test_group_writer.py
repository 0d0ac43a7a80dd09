"""The group writer: answered after the commit, refused alone, in order, and nothing lost when it ends or is killed."""

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlite_utils import Database

from inspector.store import group_writer
from inspector.store.connecting import open_group_database
from inspector.store.writing import GroupDatabase
from tests.support.store_factory import Tapped, put
from tests.support.store_invariants import broken_invariants
from tests.support.subject import store

pytestmark = pytest.mark.ours

DELTA = ("response.output_text.delta", {"delta": "a"})


@pytest.fixture
def path(tmp_path: Path) -> Iterator[Path]:
    """A database with ten running tasks; at the end every invariant holds in it."""
    path = tmp_path / "service.db"
    with closing(store.open_service_database(path)) as db:
        for number in range(10):
            put(db, "running", task_id=f"t{number}")
    yield path
    with closing(sqlite3.connect(path)) as conn:
        assert broken_invariants(conn) == []


def statements(monkeypatch: pytest.MonkeyPatch, *, before: Callable[[str], None] = lambda _: None) -> list[str]:
    """Return the statements that a group writer runs, a list that grows; ``before`` may raise."""
    seen: list[str] = []

    def opened(path: Any, *, wait_ms: int) -> GroupDatabase:  # noqa: ANN401
        db = open_group_database(path, wait_ms=wait_ms)

        def told(sql: str) -> None:
            seen.append(" ".join(sql.split()))
            before(sql)

        db.conn = Tapped(db.conn, before=told)  # type: ignore[assignment]  # it is all of a connection that is used
        return db

    monkeypatch.setattr(group_writer, "open_group_database", opened)
    return seen


def statuses(path: Path) -> dict[str, tuple[str, int]]:
    with closing(sqlite3.connect(path)) as conn:
        found = conn.execute("SELECT id, status, last_seq FROM tasks").fetchall()
    return {task_id: (status, seq) for task_id, status, seq in found}


async def test_calls_that_are_made_together_share_one_commit(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = statements(monkeypatch)
    async with store.open_group_writer(path) as writer:
        seen.clear()
        written = await asyncio.gather(
            *(writer.append_events(f"t{number}", [DELTA], attempt=1, now_ms=200) for number in range(10))
        )
    assert [one.task_id for one in written] == [f"t{number}" for number in range(10)]
    assert {one.seqs for one in written} == {(4,)}
    assert seen.count("BEGIN IMMEDIATE") == seen.count("COMMIT") == 1
    assert seen.count("SAVEPOINT rule") == seen.count("RELEASE rule") == 10


async def test_a_group_is_no_larger_than_it_may_be(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = statements(monkeypatch)
    async with store.open_group_writer(path, most_calls=4) as writer:
        seen.clear()
        await asyncio.gather(
            *(writer.append_events(f"t{number}", [DELTA], attempt=1, now_ms=200) for number in range(10))
        )
    assert seen.count("BEGIN IMMEDIATE") == seen.count("COMMIT") == 3


async def test_it_waits_for_others_as_long_as_it_is_told(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[int] = []

    def opened(path: Any, *, wait_ms: int) -> GroupDatabase:  # noqa: ANN401
        told.append(wait_ms)
        return open_group_database(path, wait_ms=wait_ms)

    monkeypatch.setattr(group_writer, "open_group_database", opened)
    async with store.open_group_writer(path, wait_ms=1234), store.open_group_writer(path):
        assert told == [1234, 10_000]


async def test_an_opening_that_is_cancelled_ends_its_thread(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, may_go_on = threading.Event(), threading.Event()

    def opened(path: Any, *, wait_ms: int) -> GroupDatabase:  # noqa: ANN401
        begun.set()
        may_go_on.wait(30)
        return open_group_database(path, wait_ms=wait_ms)

    monkeypatch.setattr(group_writer, "open_group_database", opened)
    entering = asyncio.ensure_future(store.open_group_writer(path).__aenter__())
    await asyncio.to_thread(begun.wait, 30)
    entering.cancel()
    await asyncio.sleep(0)
    may_go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(entering, 10)


async def test_nobody_is_answered_before_the_commit(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answered: list[str] = []
    answered_before_the_commit: list[list[str]] = []

    def look(sql: str) -> None:
        if sql == "COMMIT":
            answered_before_the_commit.append(list(answered))

    statements(monkeypatch, before=look)
    async with store.open_group_writer(path) as writer:

        async def work(task_id: str) -> None:
            for _ in range(5):
                await writer.append_events(task_id, [DELTA], attempt=1, now_ms=200)
                with closing(sqlite3.connect(path)) as other:
                    # What was answered is there for everybody.
                    (seq,) = other.execute("SELECT last_seq FROM tasks WHERE id = ?", (task_id,)).fetchall()[0]
                answered.append(f"{task_id} {seq}")

        await asyncio.gather(*(work(f"t{number}") for number in range(4)))
    assert sorted(answered) == sorted(f"t{number} {seq}" for number in range(4) for seq in range(4, 9))
    assert answered_before_the_commit[0] == []
    assert len(answered_before_the_commit) >= 5


async def test_a_refusal_reaches_its_caller_alone(path: Path) -> None:
    async with store.open_group_writer(path) as writer:
        told = await asyncio.gather(
            writer.append_events("t0", [DELTA], attempt=1, now_ms=200),
            writer.append_events("nobody", [DELTA], attempt=1, now_ms=200),
            writer.complete_task("t1", {}, attempt=2, now_ms=200),
            writer.complete_task("t2", {}, attempt=1, now_ms=200),
            writer.append_events("t3", [DELTA], attempt="one", now_ms=200),  # type: ignore[arg-type]
            writer.append_events("t4", [DELTA], attempt=1, now_ms="now"),  # type: ignore[arg-type]
            writer.cancel_task("t5", now_ms=200),
            return_exceptions=True,
        )
    assert [type(one) for one in told] == [
        store.Written,
        store.Refused,
        store.Refused,
        store.Written,
        store.Refused,
        store.Refused,
        store.CancelResult,
    ]
    found = statuses(path)
    assert [found[f"t{number}"] for number in range(6)] == [
        ("running", 4),
        ("running", 3),
        ("completed", 4),
        ("running", 3),
        ("running", 3),
        ("cancelling", 4),
    ]


async def test_what_a_refused_rule_had_written_is_undone_alone(path: Path) -> None:
    # The second response of that name is found out only after the event and the move of its task.
    async with store.open_group_writer(path) as writer:
        first, second, third = await asyncio.gather(
            writer.complete_task("t0", {}, attempt=1, now_ms=200, response_id="r"),
            writer.complete_task("t1", {}, attempt=1, now_ms=200, response_id="r"),
            writer.complete_task("t2", {}, attempt=1, now_ms=200),
            return_exceptions=True,
        )
    assert isinstance(second, store.Refused)
    assert [getattr(first, "status", None), getattr(third, "status", None)] == ["completed", "completed"]
    assert statuses(path)["t1"] == ("running", 3)


async def test_the_calls_of_one_task_keep_their_order(path: Path) -> None:
    async with store.open_group_writer(path, most_calls=3) as writer:
        task_id = (await writer.accept_task(request={}, on_restart="retry", now_ms=1)).task.id
        calls = [
            writer.start_task(task_id, status="running", attempt=1, now_ms=2, warm=True),
            *(writer.append_events(task_id, [("x", number)], attempt=1, now_ms=3) for number in range(20)),
            writer.complete_task(task_id, {}, attempt=1, now_ms=4),
        ]
        written = await asyncio.gather(*calls)
    assert [one.seqs[0] for one in written] == list(range(2, 24))
    with closing(sqlite3.connect(path)) as conn:
        found = conn.execute("SELECT data FROM task_events WHERE task_id = ? AND type = 'x' ORDER BY seq", (task_id,))
        assert [json.loads(data) for (data,) in found.fetchall()] == list(range(20))


async def test_many_workers_that_claim_at_once_get_a_task_each(path: Path) -> None:
    async with store.open_group_writer(path) as writer:
        accepted = await asyncio.gather(
            *(writer.accept_task(request={}, on_restart="retry", now_ms=number) for number in range(12))
        )
        claimed = await asyncio.gather(*(writer.claim_next_task(now_ms=50) for _ in range(15)))
    assert [task.id for task in claimed if task] == [one.task.id for one in accepted]
    assert claimed[12:] == [None] * 3


async def test_closing_writes_and_answers_what_was_asked_for(path: Path) -> None:
    waiting = []
    async with store.open_group_writer(path, most_calls=7) as writer:
        waiting = [
            asyncio.ensure_future(writer.append_events(f"t{number % 10}", [DELTA], attempt=1, now_ms=200))
            for number in range(100)
        ]
    assert all(one.done() for one in waiting)
    assert set(statuses(path).values()) == {("running", 13)}
    with pytest.raises(store.Unusable, match="closed"):
        writer.append_events("t0", [DELTA], attempt=1, now_ms=200)


async def test_a_call_that_is_cancelled_before_its_turn_is_not_made(path: Path) -> None:
    async with store.open_group_writer(path) as writer:
        kept = asyncio.ensure_future(writer.append_events("t0", [DELTA], attempt=1, now_ms=200))
        dropped = asyncio.ensure_future(writer.append_events("t1", [DELTA], attempt=1, now_ms=200))
        dropped.cancel()
        assert (await kept).seqs == (4,)
    assert dropped.cancelled()
    assert statuses(path)["t1"] == ("running", 3)


@pytest.mark.parametrize("at", ["BEGIN IMMEDIATE", "COMMIT"])
async def test_a_disk_that_fails_the_group_is_told_to_all_of_it_and_nothing_is_changed(
    path: Path, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    before = statuses(path)
    failing = [True]

    def fail(sql: str) -> None:
        if sql == at and failing:
            failing.clear()
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorcode = sqlite3.SQLITE_IOERR_FSYNC
            raise error

    statements(monkeypatch, before=fail)
    async with store.open_group_writer(path) as writer:
        told = await asyncio.gather(
            *(writer.append_events(f"t{number}", [DELTA], attempt=1, now_ms=200) for number in range(5)),
            return_exceptions=True,
        )
        assert [type(one) for one in told] == [store.Unusable] * 5
        assert len({id(one) for one in told}) == 5
        assert {type(one.__cause__) for one in told if isinstance(one, store.Unusable)} == {sqlite3.OperationalError}
        assert statuses(path) == before
        assert (await writer.append_events("t0", [DELTA], attempt=1, now_ms=200)).seqs == (4,)


async def test_a_change_that_finds_no_room_is_told_to_its_caller_alone(path: Path) -> None:
    async with store.open_group_writer(path) as writer:

        def limit(db: Database) -> None:
            (pages,) = db.conn.execute("PRAGMA page_count").fetchall()[0]
            db.conn.execute(f"PRAGMA max_page_count = {pages}").fetchall()

        await writer.call(limit)
        first, second, third = await asyncio.gather(
            writer.append_events("t0", [DELTA], attempt=1, now_ms=200),
            writer.append_events("t1", [("x", "x" * 100_000)], attempt=1, now_ms=200),
            writer.append_events("t2", [DELTA], attempt=1, now_ms=200),
            return_exceptions=True,
        )
    assert isinstance(second, store.Unusable)
    assert [type(first), type(third)] == [store.Written] * 2
    assert [statuses(path)[f"t{number}"][1] for number in range(3)] == [4, 3, 4]


async def test_a_group_that_sqlite_undid_in_the_middle_is_told_to_all_of_it(path: Path) -> None:
    before = statuses(path)

    def run_out_of_disk(db: Database) -> None:
        # What SQLite does by itself where a write finds no room on the disk.
        db.conn.execute("ROLLBACK")
        raise store.Unusable("The disk is full.")

    async with store.open_group_writer(path) as writer:
        told = await asyncio.gather(
            writer.append_events("t0", [DELTA], attempt=1, now_ms=200),
            writer.call(run_out_of_disk),
            writer.append_events("t2", [DELTA], attempt=1, now_ms=200),
            return_exceptions=True,
        )
        assert [str(one) for one in told] == ["The disk is full."] * 3
        assert statuses(path) == before
        assert (await writer.append_events("t1", [DELTA], attempt=1, now_ms=200)).seqs == (4,)


async def test_a_database_that_another_process_holds_is_busy_for_all(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        async with store.open_group_writer(path, wait_ms=10) as writer:
            other.execute("BEGIN IMMEDIATE")
            told = await asyncio.gather(
                writer.append_events("t0", [DELTA], attempt=1, now_ms=200),
                writer.cancel_task("t1", now_ms=200),
                return_exceptions=True,
            )
            other.execute("ROLLBACK")
            assert isinstance(told[0], store.Busy)
            assert isinstance(told[1], store.CancelResult)
            assert (told[1].outcome, told[1].status) == ("busy", None)
            assert (await writer.cancel_task("t1", now_ms=200)).outcome == "cancelling"


def fail_with(error: BaseException) -> Callable[[Database], object]:
    def rule(_: Database) -> object:
        raise error

    return rule


async def no_rule(_: Database) -> None:
    pytest.fail("it ran")


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        (fail_with(StopIteration()), RuntimeError),
        (fail_with(asyncio.CancelledError()), asyncio.CancelledError),
        (fail_with(GeneratorExit()), GeneratorExit),
        (no_rule, TypeError),
        (lambda db: store.apply_recovery(db, store.plan_recovery(db), now_ms=9), RuntimeError),
        (
            lambda db: store.apply_retention(db, store.plan_retention(db, keep_ms=1, now_ms=9), now_ms=9),
            RuntimeError,
        ),
        (lambda db: store.register_model(db, __file__, name="m", now_ms=9), RuntimeError),
    ],
)
async def test_whatever_a_rule_raises_reaches_its_caller_alone(
    path: Path, rule: Callable[[Database], object], told: type[BaseException]
) -> None:
    async with store.open_group_writer(path) as writer:
        before = writer.append_events("t0", [DELTA], attempt=1, now_ms=200)
        odd = writer.call(rule)
        after = writer.append_events("t1", [DELTA], attempt=1, now_ms=200)
        async with asyncio.timeout(20):
            assert [(await before).seqs, (await after).seqs] == [(4,), (4,)]
            with pytest.raises(told):
                await odd
        assert (await writer.append_events("t2", [DELTA], attempt=1, now_ms=200)).seqs == (4,)


async def test_it_can_be_entered_again_but_not_twice_at_once(path: Path) -> None:
    writer = store.open_group_writer(path)
    async with writer:
        with pytest.raises(RuntimeError, match="open already"):
            await writer.__aenter__()
        await writer.cancel_task("t0", now_ms=200)
    async with writer:
        assert (await writer.cancel_task("t0", now_ms=200)).outcome == "already_cancelling"


async def test_one_that_could_not_be_opened_can_be_entered_later(tmp_path: Path) -> None:
    writer = store.open_group_writer(tmp_path / "folder" / "service.db")
    with pytest.raises(store.Unusable):
        await writer.__aenter__()
    (tmp_path / "folder").mkdir()
    async with writer, asyncio.timeout(20):
        assert (await writer.cancel_task("t", now_ms=1)).outcome == "not_found"


@pytest.mark.parametrize("most_calls", [0, -1])
def test_a_group_of_no_calls_is_refused(tmp_path: Path, most_calls: int) -> None:
    with pytest.raises(store.Refused):
        store.open_group_writer(tmp_path / "service.db", most_calls=most_calls)


async def test_a_call_from_another_loop_is_refused_and_not_made(path: Path) -> None:
    async def call() -> None:
        await writer.append_events("t0", [DELTA], attempt=1, now_ms=200)

    async with store.open_group_writer(path) as writer:
        with pytest.raises(RuntimeError, match="event loop"):
            await asyncio.to_thread(lambda: asyncio.run(call()))
        with pytest.raises(RuntimeError, match="event loop"):
            await asyncio.to_thread(writer.append_events, "t0", [DELTA], attempt=1, now_ms=200)
    assert statuses(path)["t0"] == ("running", 3)


@pytest.mark.parametrize("content", [b"no database at all, and rather long for one" * 100, None])
async def test_what_cannot_be_opened_is_told_on_entering(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "missing" / "service.db"
    if content is not None:
        path.parent.mkdir()
        path.write_bytes(content)
    with pytest.raises(store.Unusable):
        async with store.open_group_writer(path):
            pytest.fail("it opened")


async def test_an_error_in_the_block_closes_the_writer_all_the_same(path: Path) -> None:
    asked: list[asyncio.Future[store.Written]] = []

    async def fail() -> None:
        async with store.open_group_writer(path) as writer:
            asked.append(asyncio.ensure_future(writer.append_events("t0", [DELTA], attempt=1, now_ms=200)))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    assert (await asked[0]).seqs == (4,)


async def test_an_end_that_is_cancelled_still_writes_what_was_asked_for(path: Path) -> None:
    entered = asyncio.Event()
    asked: list[asyncio.Future[store.Written]] = []

    async def work() -> None:
        async with store.open_group_writer(path) as writer:
            entered.set()
            asked.extend(
                asyncio.ensure_future(writer.append_events(f"t{number}", [DELTA], attempt=1, now_ms=200))
                for number in range(10)
            )

    task = asyncio.create_task(work())
    await entered.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    for thread in threading.enumerate():
        if thread.name == "group writer":
            thread.join()
    assert set(statuses(path).values()) == {("running", 4)}


PRODUCER = """
import asyncio, sys
from inspector import store

async def main(path):
    async with store.open_group_writer(path) as writer:
        async def produce(name):
            for number in range(10**6):
                accepted = await writer.accept_task(request={"n": number}, on_restart="retry", now_ms=number)
                sys.stdout.write(accepted.task.id + "\\n")
                sys.stdout.flush()
        await asyncio.gather(*(produce(name) for name in range(16)))

asyncio.run(main(sys.argv[1]))
"""


@contextmanager
def producer(path: Path) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-c", PRODUCER, str(path)], stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.process
@pytest.mark.parametrize("answers", [1, 40, 400])
def test_a_crash_loses_nothing_that_was_answered(tmp_path: Path, answers: int) -> None:
    path = tmp_path / "service.db"
    with producer(path) as process:
        assert process.stdout is not None
        told = [process.stdout.readline().strip() for _ in range(answers)]
        os.kill(process.pid, signal.SIGKILL)
        rest = process.stdout.read().split("\n")
        # The last line may have been cut by the kill.
        told += [line for line in rest[:-1] if line]
    assert len(told) >= answers
    with closing(store.open_service_database(path)) as db:
        assert {told_id for told_id in told if store.find_task(db, told_id) is None} == set()
        assert broken_invariants(db.conn) == []
