"""A loss of power at any moment loses nothing that was acknowledged, leaves nothing half, and the store goes on.

The store's own functions run on a recorded disk, with a checkpoint every few pages and restarts in between. Then the
power fails after any number of the disk's ops, and most often right after a commit has returned: what was synced stays,
of the rest anything may be there (``tests/support/power_replay.py`` says what).

What is assumed of a disk and of a folder: a sync that returned is true; a write changes no byte beside its own; the
name of a new file is durable when its folder was synced, and not before. SQLite syncs the folder with the first sync of
a journal and of a -wal that it has made, never for the database alone: a database that was just created is durable with
its first acknowledged write, by the sync of its -wal (``test_syncs.py`` sees that sync with the real module). And it
does not sync the folder after it has removed a journal, unless ``synchronous`` is EXTRA, as an action's connection has
it in rollback mode: where a folder may forget a removal, the journal would be back and the last commit undone. WAL has
no such moment.
"""

import itertools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.power_history import History, actions_history, service_history
from tests.support.power_points import Tally, crash_at, sample, summed

pytestmark = [pytest.mark.ours, pytest.mark.timeout(1800)]

POINTS_A_HISTORY = 60


def new_folder(tmp_path: Path, name: str) -> Path:
    folder = tmp_path / name
    folder.mkdir()
    return folder


def crash(tmp_path: Path, points: int, synchronous: str | None = None, *, in_groups: bool = False) -> Tally:
    """Crash several histories, each at some points."""
    tallies = []
    for seed in range(points // POINTS_A_HISTORY):
        lived, crashed = new_folder(tmp_path, f"lived {seed}"), new_folder(tmp_path, f"crashed {seed}")
        steps = 40 if in_groups else 80
        history = service_history(lived, seed, steps=steps, synchronous=synchronous, in_groups=in_groups)
        tallies.append(crash_at(history, sample(history, POINTS_A_HISTORY, seed), crashed, seed=seed))
    return summed(tallies)


def test_with_full_nothing_acknowledged_is_lost(tmp_path: Path, large: bool, proved: Callable[[str], None]) -> None:
    tally = crash(tmp_path, 3000 if large else 300)
    assert tally.sentences == []
    assert tally.points == (3000 if large else 300)
    assert tally.acknowledged > 20 * tally.points
    proved(
        f"power loss: {tally.points} crash points with FULL, {tally.acknowledged} acknowledgements looked up, "
        f"{tally.lost} lost"
    )


def test_calls_that_share_a_commit_are_there_together_or_not_at_all(
    tmp_path: Path, large: bool, proved: Callable[[str], None]
) -> None:
    tally = crash(tmp_path, 600 if large else 60, in_groups=True)
    assert tally.sentences == []
    proved(
        f"power loss in groups: {tally.points} crash points, {tally.acknowledged} acknowledgements looked up, "
        f"{tally.lost} lost"
    )


def test_the_same_replay_sees_what_normal_loses(tmp_path: Path, large: bool, proved: Callable[[str], None]) -> None:
    tally = crash(tmp_path, 600 if large else 60, "NORMAL")
    assert tally.lost > tally.points // 10
    # In WAL a commit without its sync is lost whole.
    assert set(tally.kinds) == {"lost"}
    proved(f"power loss: {tally.points} crash points with NORMAL, {tally.lost} of them lost something acknowledged")


def test_the_same_replay_sees_what_is_half_without_any_sync(tmp_path: Path) -> None:
    tally = crash(tmp_path, 60, "OFF")
    assert tally.lost > 0
    assert tally.kinds["damaged"] > 0


def first_acknowledged(history: History) -> int:
    return history.acknowledged[0][0]


def every_point_of_the_beginning(tmp_path: Path, history: History, seeds: range) -> Tally:
    end = first_acknowledged(history) + 12
    return summed(crash_at(history, range(end), new_folder(tmp_path, f"crashed {seed}"), seed=seed) for seed in seeds)


def test_a_database_that_was_just_created_is_there_with_its_first_task(
    tmp_path: Path, large: bool, proved: Callable[[str], None]
) -> None:
    history = service_history(new_folder(tmp_path, "lived"), 1, steps=4)
    assert history.before == {}
    tally = every_point_of_the_beginning(tmp_path, history, range(20 if large else 2))
    assert tally.sentences == []
    assert tally.points > 2 * first_acknowledged(history)
    proved(f"power loss while a database is created: {tally.points} crash points, {tally.lost} lost")


def test_it_is_lost_where_the_folder_is_never_synced(tmp_path: Path) -> None:
    history = service_history(new_folder(tmp_path, "lived"), 1, steps=4)
    history.ops = [replace(op, syncs_folder=False) for op in history.ops]
    tally = every_point_of_the_beginning(tmp_path, history, range(1))
    assert tally.lost > 0


@pytest.mark.parametrize(
    ("synchronous", "removals_last", "loses"),
    [(None, True, False), (None, False, False), ("OFF", True, True), ("FULL", False, True)],
    ids=["as opened", "as opened, where a removal is forgotten", "OFF", "FULL where a removal is forgotten"],
)
def test_an_action_on_a_database_in_rollback_mode(
    tmp_path: Path,
    synchronous: str | None,
    removals_last: bool,
    loses: bool,
    large: bool,
    proved: Callable[[str], None],
) -> None:
    history = actions_history(new_folder(tmp_path, "lived"), tasks=12, synchronous=synchronous)
    assert {op.name for op in history.ops} == {"service.db", "service.db-journal"}
    tallies = []
    for seed in range(20 if large else 2):
        crashed = new_folder(tmp_path, f"crashed {seed}")
        positions = sample(history, 60, seed)
        tallies.append(crash_at(history, positions, crashed, seed=seed, removals_last=removals_last))
    tally = summed(tallies)
    if loses:
        assert tally.sentences, "the replay is blind"
    else:
        assert tally.sentences == []
        folder = "lasts at once" if removals_last else "may be forgotten"
        proved(f"power loss in rollback mode, where a removal {folder}: {tally.points} points, {tally.lost} lost")


def test_a_history_has_checkpoints_restarts_and_large_writes_among_its_crash_points(tmp_path: Path) -> None:
    history = service_history(new_folder(tmp_path, "lived"), 0, steps=80)
    asked = [(str(op.kind), op.name.removeprefix("service.db")) for op in history.ops]
    deleted = asked.count(("delete", "-wal"))
    assert deleted >= 2, "the service has started again"
    assert asked.count(("sync", "")) > deleted + 5, "checkpoints while it ran"
    gaps = [after - before for before, after in itertools.pairwise(history.commits)]
    assert max(gaps) > 40, "a transaction of many pages"
