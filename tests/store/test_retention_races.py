"""Cleanup from several processes, against cancels, completions, failures, recovery and other cleanups."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.retention_racer import race_cleaners
from tests.support.store_factory import put
from tests.support.store_invariants import broken_invariants
from tests.support.store_old_tasks import ended
from tests.support.subject import store

pytestmark = [pytest.mark.process, pytest.mark.timeout(300)]

TASKS = tuple(f"t{number:03}" for number in range(40))
CLEANUPS = ("again",) * 30


def race(path: Path, runners: Sequence[tuple[str, Sequence[str]]]) -> list[list[str]]:
    """Let the runners loose; whoever looks at any moment sees every invariant hold."""
    looks = 0

    def look() -> None:
        nonlocal looks
        assert broken_invariants(conn) == []
        looks += 1

    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        answers = race_cleaners(path, runners, meanwhile=look)
        look()
        assert conn.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert looks > 1
    return answers


def statuses(path: Path) -> dict[str, str]:
    with closing(sqlite3.connect(path)) as conn:
        return dict(conn.execute("SELECT id, status FROM tasks").fetchall())


def deleted(answers: list[list[str]]) -> list[int]:
    """Return how many tasks, events, responses and keys cleanups say that they have deleted."""
    return [
        sum(numbers) for numbers in zip(*(map(int, told.split()) for answer in answers for told in answer), strict=True)
    ]


def swept(path: Path) -> list[list[str]]:
    """Run one more cleanup, alone."""
    return race(path, [("clean", ["once"])])


def test_cleanup_against_completions_failures_and_cancels_takes_only_what_has_ended(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    with closing(store.open_service_database(path)) as db:
        for task_id in TASKS:
            put(db, "running", task_id=task_id)
    completes, fails, cancels, *cleaners = race(
        path, [("complete", TASKS), ("fail", TASKS[::-1]), ("cancel", TASKS), ("clean", CLEANUPS), ("clean", CLEANUPS)]
    )
    gone = deleted(cleaners + swept(path))
    left = statuses(path)
    assert set(left.values()) <= {"cancelling"}
    assert gone[0] == len(TASKS) - len(left)
    for task_id, complete, fail, cancel in zip(TASKS, completes, fails[::-1], cancels, strict=True):
        won = [told for told in (complete, fail) if not told.startswith("refused")]
        # Whoever has lost is told by whom, or that the task is gone; what nobody has ended is still there.
        if task_id in left:
            assert (won, cancel) == ([], "cancelling")
            continue
        (end,) = won
        assert end in ("completed", "failed", "cancelled")
        assert cancel == "cancelling" if end == "cancelled" else cancel in ("already_finished", "not_found")
        lost = {complete, fail} - {end}
        assert lost <= {f"refused, found {found}" for found in (end, None, *["cancelling"] * (end == "cancelled"))}
    assert gone[2] == completes.count("completed")


def test_cleanup_against_recovery_never_takes_what_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    policies = ("fail", "retry", "resume")
    with closing(store.open_service_database(path)) as db:
        for number, task_id in enumerate(TASKS):
            put(
                db,
                ("loading", "running", "cancelling")[number // 3 % 3],
                task_id=task_id,
                on_restart=policies[number % 3],
            )
    _, *cleaners = race(path, [("recover", ["once"]), ("clean", CLEANUPS), ("clean", CLEANUPS)])
    gone = deleted(cleaners + swept(path))
    left = statuses(path)
    expected = {
        task_id: "running" if (number // 3 % 3, policies[number % 3]) == (1, "resume") else "queued"
        for number, task_id in enumerate(TASKS)
        if number // 3 % 3 != 2 and policies[number % 3] != "fail"
    }
    assert left == expected
    assert gone[0] == len(TASKS) - len(expected)


def test_of_many_cleanups_each_task_goes_in_one(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    with closing(store.open_service_database(path)) as db:
        for number, task_id in enumerate(TASKS):
            ended(db, task_id, at=number + 500, events=number)
    answers = race(path, [("clean", ["once"])] * 4)
    assert deleted(answers) == [len(TASKS), sum(range(len(TASKS))) + 3 * len(TASKS), len(TASKS), len(TASKS)]
    assert statuses(path) == {}


def test_tasks_that_come_in_during_a_cleanup_stay(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    with closing(store.open_service_database(path)) as db:
        for task_id in TASKS:
            ended(db, f"old {task_id}", at=500)
    told, first, *others = race(
        path, [("accept red", TASKS), ("accept green", TASKS), ("clean", CLEANUPS), ("clean", CLEANUPS)]
    )
    assert deleted(others)[0] == len(TASKS)
    left = statuses(path)
    assert set(left.values()) == {"queued"}
    assert len(left) == len(TASKS)
    assert len(told) == len(first) == len(TASKS)
