"""Several processes at once on one database: one of them wins, and every other one is told so."""

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.store_factory import put
from tests.support.store_invariants import broken_invariants
from tests.support.store_race import race
from tests.support.subject import store

pytestmark = pytest.mark.process

TASKS = tuple(f"t{number:03}" for number in range(40))


def prepared(tmp_path: Path, status: str, *, on_restart: str = "retry") -> Path:
    path = tmp_path / "service.db"
    db = store.open_service_database(path)
    for task_id in TASKS:
        put(db, status, task_id=task_id, on_restart=on_restart)
    db.close()
    return path


def run(path: Path, rules: Sequence[str]) -> dict[str, list[str]]:
    """Run the rules on all tasks, each in a process of its own, and return what each was told of each task."""
    answers = race(path, [(rule, TASKS) for rule in rules])
    with closing(sqlite3.connect(path)) as conn:
        assert broken_invariants(conn) == []
        assert conn.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    return {task_id: [told[number] for told in answers] for number, task_id in enumerate(TASKS)}


def statuses(path: Path) -> dict[str, str]:
    with closing(sqlite3.connect(path)) as conn:
        return dict(conn.execute("SELECT id, status FROM tasks").fetchall())


def test_a_cancel_and_a_completion_have_one_winner(tmp_path: Path) -> None:
    path = prepared(tmp_path, "running")
    told = run(path, ["complete", "cancel", "complete", "cancel"])
    ends = statuses(path)
    for task_id, (first, cancel, second, again) in told.items():
        if ends[task_id] == "completed":
            assert sorted([first, second]) == ["completed", "refused, found completed"]
            assert {cancel, again} == {"already_finished"}
        else:
            assert ends[task_id] == "cancelling"
            assert {first, second} == {"refused, found cancelling"}
            assert sorted([cancel, again]) == ["already_cancelling", "cancelling"]


def test_a_task_ends_once(tmp_path: Path) -> None:
    path = prepared(tmp_path, "running")
    told = run(path, ["complete", "fail", "complete", "fail"])
    for task_id, end in statuses(path).items():
        assert sorted(told[task_id]) == sorted([end, *[f"refused, found {end}"] * 3])
        assert end in ("completed", "failed")


def test_of_many_workers_that_claim_a_task_one_gets_it(tmp_path: Path) -> None:
    path = prepared(tmp_path, "queued")
    told = run(path, ["claim", "claim warm", "claim", "claim warm"])
    for task_id, found in statuses(path).items():
        assert found in ("loading", "running")
        assert sorted(told[task_id]) == sorted([found, *[f"refused, found {found}"] * 3])


def test_of_many_processes_that_claim_the_next_task_each_gets_tasks_of_its_own(tmp_path: Path) -> None:
    path = prepared(tmp_path, "queued")
    answers = race(path, [("claim next", TASKS[:15])] * 4)
    claimed = [task_id for told in answers for task_id in told if task_id != "none"]
    assert sorted(claimed) == list(TASKS)
    assert all(told.index("none") == len(told) - told.count("none") for told in answers if "none" in told)
    assert set(statuses(path).values()) == {"loading"}
    with closing(sqlite3.connect(path)) as conn:
        assert broken_invariants(conn) == []
        assert conn.execute("SELECT DISTINCT last_seq FROM tasks").fetchall() == [(2,)]


def test_a_cancel_of_a_queued_task_races_its_claim(tmp_path: Path) -> None:
    path = prepared(tmp_path, "queued")
    told = run(path, ["claim", "cancel"])
    for task_id, found in statuses(path).items():
        claim, cancel = told[task_id]
        expected = ("loading", "cancelling") if found == "cancelling" else ("refused, found cancelled", "cancelled")
        assert (claim, cancel) == expected


def test_progress_from_many_processes_is_numbered_without_a_gap(tmp_path: Path) -> None:
    path = prepared(tmp_path, "running")
    told = run(path, ["append"] * 3)
    assert set(map(tuple, told.values())) == {("3", "3", "3")}
    with closing(sqlite3.connect(path)) as conn:
        assert conn.execute("SELECT DISTINCT last_seq FROM tasks").fetchall() == [(3 + 9,)]


def test_a_cancel_and_a_failure_have_one_winner(tmp_path: Path) -> None:
    path = prepared(tmp_path, "running")
    told = run(path, ["fail", "cancel", "fail", "cancel"])
    ends = statuses(path)
    for task_id, (first, cancel, second, again) in told.items():
        end = ends[task_id]
        if end == "failed":
            assert {cancel, again} == {"already_finished"}
        else:
            # The failure that came after the cancel has ended the task as cancelled.
            assert end == "cancelled"
            assert [cancel, again].count("cancelling") == 1
            assert {cancel, again} <= {"cancelling", "already_cancelling", "already_finished"}
        assert sorted([first, second]) == sorted([end, f"refused, found {end}"])


def test_a_cancel_and_the_end_of_a_cancel_have_one_winner(tmp_path: Path) -> None:
    path = prepared(tmp_path, "cancelling")
    told = run(path, ["finish cancel", "fail", "complete", "cancel"])
    assert set(statuses(path).values()) == {"cancelled"}
    for finish, fail, complete, cancel in told.values():
        assert sorted([finish, fail]) == ["cancelled", "refused, found cancelled"]
        assert complete in ("refused, found cancelling", "refused, found cancelled")
        assert cancel in ("already_cancelling", "already_finished")


# Each in an order of its own, so that every one of them comes first somewhere.
ORDERS = {"cancel": TASKS[10:] + TASKS[:10], "complete": TASKS[::-1], "fail": TASKS[20:] + TASKS[:20]}


@pytest.mark.parametrize(
    ("found", "policy"),
    [
        ("queued", "fail"),
        ("loading", "retry"),
        ("running", "fail"),
        ("running", "retry"),
        ("running", "resume"),
        ("cancelling", "retry"),
    ],
)
def test_recovery_races_cancels_completions_and_failures(tmp_path: Path, found: str, policy: str) -> None:
    path = prepared(tmp_path, found, on_restart=policy)
    with closing(sqlite3.connect(path)) as conn:
        ((before,),) = conn.execute("SELECT DISTINCT last_seq FROM tasks").fetchall()
    answers = race(path, [("recover", ["once"]), *ORDERS.items()])
    recovered = {task_id for task_id, _, _ in json.loads(answers[0][0])}
    told = [dict(zip(order, answer, strict=True)) for order, answer in zip(ORDERS.values(), answers[1:], strict=True)]
    with closing(sqlite3.connect(path)) as conn:
        assert broken_invariants(conn) == []
        for task_id in TASKS:
            cancel, complete, fail = (answer[task_id] for answer in told)
            written = conn.execute(
                "SELECT status, data FROM task_events WHERE task_id = ? AND seq > ?", (task_id, before)
            ).fetchall()
            by_recovery = [status for status, data in written if "server_restarted" in data]
            # Whoever was told that it wrote has its event there, and each event has one who was told of it.
            claimed = [word for word in (complete, fail) if not word.startswith("refused")]
            claimed += [cancel] if not cancel.startswith("already") else []
            assert sorted(claimed + by_recovery) == sorted(status for status, _ in written)
            assert (task_id in recovered) is bool(by_recovery)
            assert len(by_recovery) <= 1


@pytest.mark.parametrize("start", ["absent", "empty"])
def test_processes_that_create_one_file_at_once_all_find_it(tmp_path: Path, start: str) -> None:
    for number in range(3):
        path = tmp_path / f"{number}.db"
        if start == "empty":
            path.touch()
        answers = race(path, [("create", [f"p{process}-{n}" for n in range(5)]) for process in range(4)])
        ids = [task_id for told in answers for task_id in told]
        assert len(ids) == 20
        assert set(statuses(path)) == set(ids)
        with closing(sqlite3.connect(path)) as conn:
            assert conn.execute("PRAGMA journal_mode").fetchall() == [("wal",)]
            assert broken_invariants(conn) == []
