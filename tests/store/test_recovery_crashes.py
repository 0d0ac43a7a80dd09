"""Recovery that ends at any statement: each task is moved or not, and the next recovery comes to the same end."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlite_utils import Database

from inspector.lmsp.recovery import RecoveryPlan, RecoveryStep
from inspector.store import recovery
from tests.support.store_factory import Rig, failing_at, statements_of, tapped
from tests.support.store_invariants import broken_invariants
from tests.support.store_leftovers import PAUSED, leave_behind
from tests.support.subject import store

pytestmark = pytest.mark.ours

BATCH_TASKS = 7


@dataclass(frozen=True)
class Left:
    """What a service left behind, and what a recovery makes of it that nothing stops."""

    path: Path
    plan: RecoveryPlan
    statements: list[str]
    """Those of the applying."""
    end: list[tuple[object, ...]]


@pytest.fixture
def left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Left:
    """Give a database with leftovers of every kind, which recovery moves in four batches."""
    monkeypatch.setattr(recovery, "BATCH_TASKS", BATCH_TASKS)
    path = tmp_path / "left.db"
    db = store.open_service_database(path)
    leave_behind(db)
    db.close()
    whole = opened(copy_of(path, tmp_path / "whole.db"))
    plan = store.plan_recovery(whole.db)
    statements = statements_of(whole.db, lambda: store.apply_recovery(whole.db, plan, now_ms=5000))
    found = Left(path, plan, statements, end_of(whole.db))
    whole.db.close()
    assert (statements[0], statements[-1], statements.count("COMMIT")) == ("BEGIN IMMEDIATE", "COMMIT", 4)
    return found


def copy_of(path: Path, to: Path) -> Path:
    shutil.copyfile(path, to)
    return to


def opened(path: Path) -> Rig:
    return Rig(path, store.open_service_database(path))


def end_of(db: Database) -> list[tuple[object, ...]]:
    """Return each task as recovery has left it. What is resumed has a new attempt and event after each start."""
    return db.conn.execute("""
        SELECT id, status, error_code, error_message,
               iif(status = 'running', NULL, attempt), iif(status = 'running', NULL, last_seq)
        FROM tasks ORDER BY id""").fetchall()


def check_and_recover_again(rig: Rig, left: Left, *, committed: int) -> None:
    """Check what a recovery left that ended after so many commits, and that the next one makes it good."""
    # One leftover has a status that only a connection without the layout's checks can have written.
    rig.db.conn.execute("PRAGMA ignore_check_constraints = ON")
    assert rig.db.conn.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    rig.db.conn.execute("PRAGMA ignore_check_constraints = OFF")
    assert broken_invariants(rig.db.conn, but=PAUSED) == []
    for number, step in enumerate(left.plan.steps):
        assert stands(rig, step) == where(step, moved=number < committed * BATCH_TASKS)
    starts = store.config_value(rig.db, "service.starts")
    assert (starts is None) is (committed < left.statements.count("COMMIT"))
    store.apply_recovery(rig.db, store.plan_recovery(rig.db), now_ms=6000)
    assert end_of(rig.db) == left.end
    assert broken_invariants(rig.db.conn, but=PAUSED) == []


def where(step: RecoveryStep, *, moved: bool) -> tuple[object, ...]:
    """Return the status, the sequence number, the attempt and the length of the log that the task is to have."""
    if moved:
        return (step.target, step.next_seq, step.next_attempt, step.next_seq)
    return (step.found, step.last_seq, step.attempt, step.last_seq)


def stands(rig: Rig, step: RecoveryStep) -> tuple[object, ...]:
    task = rig.task(step.task_id)
    return (task["status"], task["last_seq"], task["attempt"], len(rig.log(step.task_id)))


@pytest.mark.parametrize("moment", ["before", "after"])
def test_an_error_at_any_statement_undoes_its_batch_and_is_made_good_by_the_next(
    left: Left, tmp_path: Path, moment: str
) -> None:
    for number in range(len(left.statements)):
        rig = opened(copy_of(left.path, tmp_path / f"{number}.db"))
        with pytest.raises(store.Unusable), tapped(rig.db, **{moment: failing_at(number)}):
            store.apply_recovery(rig.db, left.plan, now_ms=5000)
        assert not rig.db.conn.in_transaction
        # An error after a commit has come too late to undo it.
        done = left.statements[: number + (moment == "after")]
        check_and_recover_again(rig, left, committed=done.count("COMMIT"))
        rig.db.close()


@pytest.mark.process
@pytest.mark.timeout(300)
def test_a_kill_at_any_statement_undoes_its_batch_and_is_made_good_by_the_next(
    left: Left, tmp_path: Path, proved: Callable[[str], None]
) -> None:
    folder = tmp_path / "killed"
    folder.mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.store_killer", left.path, folder, str(BATCH_TASKS)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    killed = len(left.statements)
    assert sorted(int(path.stem) for path in folder.glob("*.db")) == list(range(killed + 1))
    for number in range(killed + 1):
        rig = opened(folder / f"{number}.db")
        check_and_recover_again(rig, left, committed=left.statements[:number].count("COMMIT"))
        rig.db.close()
    proved(
        f"recovery killed with SIGKILL before each of its {killed} statements and at its end, and run again: one end"
    )
