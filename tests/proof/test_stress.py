"""Ten processes on one database break no rule, and what each of them was told is true to the end.

Two submit, three work, two cancel, one recovers in the midst of it, one cleans up, and one runs the whole checker as of
one moment, again and again beside them. Time is the number of events. What cleanup deletes goes into an archive, so
that at the end every task there ever was is checked, and every acknowledgement is looked up
(``tests/support/stress_books.py``).

What is stressed is who comes first, not the disk: the database lies in memory where the machine has a folder there. It
is synced all the same. What a disk keeps is shown by ``test_power_loss.py``.

A transition is an event that brings a task into a status: its acceptance, each move, and a resume. Progress, snapshots,
refusals and answers that were given again are not counted.

Two mutants play on the same stage. A naive store is caught by the checker beside it. One without the fence of attempts
leaves nothing that the checker could see; the acknowledgements tell, and so do the directed tests.
"""

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.support import naive_store
from tests.support.store_invariants import broken_invariants
from tests.support.stress_archive import archive_in, complete_archive
from tests.support.stress_books import told_and_untrue
from tests.support.stress_cast import CAST_ALONE, stress
from tests.support.subject import store

pytestmark = [pytest.mark.process, pytest.mark.timeout(300)]

NAIVE = "tests.support.naive_store"
UNFENCED = "tests.support.unfenced_store"

MEMORY = Path("/dev/shm")
ROOM_BYTES = 60_000_000

CAUGHT_WITHIN_S = 10
FLAT = 1.1
"""The memory of a worker at the end may be so many times that at a tenth of the way."""


@pytest.fixture
def path(tmp_path: Path) -> Iterator[Path]:
    """Give where the database is to lie."""
    if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ROOM_BYTES:
        with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
            yield Path(folder) / "service.db"
    else:
        yield tmp_path / "service.db"


def transitions_in(archive: Path) -> int:
    """Return the number of events by which a task came into a status, whatever became of the task."""
    with closing(sqlite3.connect(archive)) as conn:
        sql = "SELECT count(*) FROM task_events WHERE type NOT LIKE 'response.output_text%'"
        ((number,),) = conn.execute(sql).fetchall()
        return int(number)


def still_broken(path: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        return broken_invariants(conn)


def broken_in(archive: Path) -> list[tuple[str, str]]:
    # A key may stand there beside each task that it led to, one after the other was cleaned.
    return [found for found in still_broken(archive) if found[0] != "key-twice"]


@pytest.mark.timeout(3600)
def test_ten_processes_break_no_rule_and_were_told_the_truth(
    path: Path, tmp_path: Path, large: bool, proved: Callable[[str], None]
) -> None:
    store.open_service_database(path).close()
    wanted = 1_000_000 if large else 50_000
    outcome = stress(path, tmp_path, transitions=wanted, hangs_after_s=3000 if large else 200)
    assert (outcome.failed, outcome.found) == ([], [])
    with closing(sqlite3.connect(path)) as conn:
        assert conn.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    archive = archive_in(tmp_path)
    complete_archive(archive, path)
    breaks = still_broken(path) + broken_in(archive) + told_and_untrue(archive, outcome.books)
    assert breaks == []
    told = outcome.tally
    assert transitions_in(archive) == told["transitions"] >= wanted
    assert told["late writes taken"] == 0
    # Everybody had something to do, and came too late now and then.
    for what in (
        *("replayed", "keys refused", "claims lost", "cancels won", "cancels lost", "cancels finished"),
        *("finishes won", "finishes lost", "recovered", "late writes refused", "cleaned", "expired", "checks"),
    ):
        assert told[what] > 0, what
    memory = ""
    if large:
        first, last = outcome.memory_kib
        memory = f", a worker's memory {first:,} KiB at a tenth and {last:,} KiB at the end"
        assert last < first * FLAT
    proved(
        f"stress: 10 processes, {told['transitions']:,} transitions in {outcome.seconds:.1f} s, cancels "
        f"{told['cancels won']:,} won and {told['cancels lost']:,} lost, finishes {told['finishes won']:,} won and "
        f"{told['finishes lost']:,} lost, {told['recovered']:,} recovered, {told['cleaned']:,} cleaned, "
        f"{told['checks']:,} checks beside the writers, {len(breaks)} breaks{memory}"
    )


def test_a_naive_store_is_caught_within_ten_seconds_by_the_same_run(
    path: Path, tmp_path: Path, proved: Callable[[str], None]
) -> None:
    naive_store.open_service_database(path).close()
    outcome = stress(
        path, tmp_path, transitions=1_000_000, cast=CAST_ALONE, subject=NAIVE, hangs_after_s=CAUGHT_WITHIN_S
    )
    assert outcome.failed == []
    assert outcome.found
    proved(f"stress: a naive store is caught in {outcome.seconds:.1f} s, by {len(outcome.found)} findings at once")


def test_a_store_without_the_fence_is_caught_by_what_it_acknowledged(
    path: Path, tmp_path: Path, proved: Callable[[str], None]
) -> None:
    store.open_service_database(path).close()
    outcome = stress(path, tmp_path, transitions=3_000, subject=UNFENCED, hangs_after_s=100)
    # The checker is blind to it, beside the writers and at the end.
    assert (outcome.failed, outcome.found) == ([], [])
    archive = archive_in(tmp_path)
    complete_archive(archive, path)
    assert still_broken(path) + broken_in(archive) == []
    assert outcome.tally["late writes taken"] > 0
    untrue = told_and_untrue(archive, outcome.books)
    assert any(sentence.startswith("an attempt has written after recovery had raised it") for sentence in untrue)
    proved(f"stress: without the fence no finding, {outcome.tally['late writes taken']} acknowledgements are untrue")


def test_the_directed_tests_of_the_fence_catch_the_store_without_it() -> None:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
            *("tests/store/test_fence.py", "-k", "the_old_worker_is_refused_and_the_new_one_is_not"),
        ],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "LMSP_STORE": UNFENCED},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout
    assert "DID NOT RAISE" in done.stdout
    assert "ERROR" not in done.stdout
