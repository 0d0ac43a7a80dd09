"""Several processes at once on one database: one of them wins, and every other one is told so."""

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


def prepared(tmp_path: Path, status: str) -> Path:
    path = tmp_path / "service.db"
    db = store.open_service_database(path)
    for task_id in TASKS:
        put(db, status, task_id=task_id)
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


def test_recovery_races_cancels_and_completions(tmp_path: Path) -> None:
    path = prepared(tmp_path, "running")
    answers = race(path, [("recover", ["once"]), ("cancel", TASKS), ("complete", TASKS[::-1])])
    with closing(sqlite3.connect(path)) as conn:
        assert broken_invariants(conn) == []
    assert int(answers[0][0]) <= len(TASKS)
    assert set(statuses(path).values()) <= {"queued", "cancelled", "completed"} | {"cancelling"}


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
