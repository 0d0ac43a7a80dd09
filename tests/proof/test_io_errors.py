"""A disk that fails at any call: the rule is refused in one sentence, nothing is lost, and trying again helps.

The first, second, third, … write, sync, truncation or removal fails, until a run is clean. After a sync that failed the
system may have thrown away what was to be synced, and say yes to the next sync: so the power fails afterwards as well.
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from tests.support.apsw_disk import Kind
from tests.support.disk_writes import NOW_MS, WRITES, Write, prepare
from tests.support.power_check import findings_left
from tests.support.power_faults import FOR_EVER, Fault, Lived, act_with_a_fault, live_with_a_fault
from tests.support.power_history import NAME
from tests.support.power_points import Tally, crash_at, summed
from tests.support.power_state import state_of
from tests.support.subject import store

pytestmark = [pytest.mark.ours, pytest.mark.timeout(1800)]

FAULTS = {
    "a write fails": (Kind.WRITE, apsw.SQLITE_IOERR_WRITE, 1, "did not take"),
    "writes fail until it is mended": (Kind.WRITE, apsw.SQLITE_IOERR_WRITE, FOR_EVER, "did not take"),
    "a write finds no room": (Kind.WRITE, apsw.SQLITE_FULL, 1, "full"),
    "a sync fails": (Kind.SYNC, apsw.SQLITE_IOERR_FSYNC, 1, "not confirm"),
    "syncs fail until it is mended": (Kind.SYNC, apsw.SQLITE_IOERR_FSYNC, FOR_EVER, "not confirm"),
    "a truncation fails": (Kind.TRUNCATE, apsw.SQLITE_IOERR_TRUNCATE, 1, "error"),
    "a removal fails": (Kind.DELETE, apsw.SQLITE_IOERR_DELETE, 1, "error"),
}

# A token is random, and a large value is but more of the same writes.
REPEATABLE = [write for name, write in WRITES.items() if name != "pair a client" and "large" not in name]


@pytest.fixture
def prepared(tmp_path: Path) -> bytes:
    folder = tmp_path / "prepared"
    folder.mkdir()
    with closing(store.open_service_database(folder / NAME)) as db:
        prepare(db)
    return (folder / NAME).read_bytes()


def each_until_clean(
    tmp_path: Path, live: Callable[[Path, int], Lived], stride: int = 1
) -> Iterator[tuple[Path, Lived]]:
    """Live with the fault at each call in turn (or each ``stride``-th); in the last run nothing failed."""
    for after in range(0, 10_000, stride):
        folder = tmp_path / f"lived {after}"
        folder.mkdir()
        lived = live(folder, after)
        yield folder, lived
        if not lived.has_failed:
            return


def accept(number: int) -> Write:
    return lambda db: store.accept_task(db, request={}, on_restart="retry", task_id=f"t{number}", now_ms=NOW_MS)


def check(lives: Iterator[tuple[Path, Lived]], says: str) -> tuple[int, int, list[Lived]]:
    """Check that each life ended as the clean one did, and that what was said when the disk failed is ``says``."""
    kept = [(folder, lived, state_of(folder / NAME)) for folder, lived in lives]
    *_, (_, clean, expected) = kept
    assert clean.sentences == []
    assert expected
    for folder, lived, state in kept:
        assert all(says in sentence and sentence.count(". ") == 0 for sentence in lived.sentences), lived.sentences
        assert state == expected, folder
        assert findings_left(folder / NAME, ()) == [], folder
    refused = sum(bool(lived.sentences) for _, lived, _ in kept)
    return len(kept) - 1, refused, [lived for _, lived, _ in kept]


def stride(kind: Kind, large: bool, small: int) -> int:
    """Return which calls are tried: each, or where there are hundreds of them and not ``large`` each ``small``-th."""
    return small if kind is Kind.WRITE and not large else 1


@pytest.mark.parametrize("name", FAULTS)
def test_a_service_on_a_failing_disk(
    tmp_path: Path, prepared: bytes, name: str, large: bool, proved: Callable[[str], None]
) -> None:
    kind, code, times, says = FAULTS[name]

    def live(folder: Path, after: int) -> Lived:
        return live_with_a_fault(folder, prepared, Fault(kind, code, after, times), REPEATABLE)

    runs, refused, _ = check(each_until_clean(tmp_path, live, stride(kind, large, 7)), says)
    assert runs >= 1
    if kind in (Kind.WRITE, Kind.SYNC):
        assert refused > len(REPEATABLE)
    proved(f"I/O errors, {name}: {runs} calls in turn, {refused} told to the caller, nothing lost")


@pytest.mark.parametrize("name", FAULTS)
def test_a_database_that_is_made_on_a_failing_disk(tmp_path: Path, name: str, large: bool) -> None:
    kind, code, times, says = FAULTS[name]

    def live(folder: Path, after: int) -> Lived:
        return live_with_a_fault(folder, None, Fault(kind, code, after, times), [accept(1), accept(2)])

    runs, _, _ = check(each_until_clean(tmp_path, live, stride(kind, large, 3)), says)
    assert runs >= 1


@pytest.mark.parametrize("name", FAULTS)
def test_an_action_in_rollback_mode_on_a_failing_disk(tmp_path: Path, name: str, large: bool) -> None:
    kind, code, times, says = FAULTS[name]
    made = tmp_path / "made.db"
    with closing(store.open_service_database(made)) as db:
        for number in range(3):
            accept(number)(db)
        db.conn.execute("PRAGMA journal_mode = DELETE")

    def live(folder: Path, after: int) -> Lived:
        fault = Fault(kind, code, after, times)
        return act_with_a_fault(folder, made.read_bytes(), fault, [f"t{number}" for number in range(3)])

    runs, _, _ = check(each_until_clean(tmp_path, live, stride(kind, large, 3)), says)
    assert runs >= (0 if kind is Kind.TRUNCATE else 3)


@pytest.mark.parametrize("name", ["a sync fails", "syncs fail until it is mended"])
def test_what_a_failed_sync_threw_away_is_not_acknowledged_by_the_next(
    tmp_path: Path, prepared: bytes, name: str, large: bool, proved: Callable[[str], None]
) -> None:
    kind, code, times, says = FAULTS[name]

    def live(folder: Path, after: int) -> Lived:
        return live_with_a_fault(folder, prepared, Fault(kind, code, after, times), REPEATABLE)

    _, _, lives = check(each_until_clean(tmp_path, live), says)
    tallies: list[Tally] = []
    for seed, lived in enumerate(lives):
        crashed = tmp_path / f"crashed {seed}"
        crashed.mkdir()
        failed = [at for at, op in enumerate(lived.history.ops) if op.kind == "failed sync"]
        positions = [at + 1 for at in failed[:1]] + [at for at in lived.history.commits if failed and at > failed[0]]
        tallies.append(crash_at(lived.history, positions[: 20 if large else 3], crashed, seed=seed))
    tally = summed(tallies)
    assert tally.sentences == []
    assert tally.points > len(lives)
    proved(f"power loss after a failed sync ({name}): {tally.points} crash points, {tally.lost} lost")
