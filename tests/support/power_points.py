"""Crash points of a history: the files that a loss of power leaves at each, and what is found in them."""

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.power_check import findings_in
from tests.support.power_history import NAME, History
from tests.support.power_replay import PowerLoss
from tests.support.power_state import state_of


@dataclass
class Tally:
    """What was found at some crash points."""

    points: int = 0
    acknowledged: int = 0
    """How much had been acknowledged, summed over the points."""
    kinds: Counter[str] = field(default_factory=Counter)
    """At how many points each kind of finding was made; see Finding. Empty: all is well."""
    sentences: list[str] = field(default_factory=list)
    """The findings, with their points."""

    def add(self, position: int, kind: str, what: str) -> None:
        """Note a finding at a point."""
        self.kinds[kind] += 1
        self.sentences.append(f"after {position} ops: {kind}: {what}")

    @property
    def lost(self) -> int:
        """At how many points something acknowledged was gone."""
        return self.kinds["lost"]


def sample(history: History, number: int, seed: int) -> list[int]:
    """Return crash points in rising order: half of them anywhere, half right after a commit has returned."""
    chance = random.Random(seed)
    anywhere = [chance.randint(0, len(history.ops)) for _ in range(number - number // 2)]
    return sorted(anywhere + [chance.choice(history.commits) for _ in range(number // 2)])


def crash_at(
    history: History, positions: Sequence[int], folder: Path, *, seed: int, removals_last: bool = False
) -> Tally:
    """Let the power fail at each position (rising), and look at what is left; ``folder`` is for the files.

    The database must hold what it held after the last commit that had returned, or after the one that was under way:
    nothing older, nothing between. And the store must go on with it.
    """
    chance = random.Random(seed)
    replay = PowerLoss(history.before, history.ops, removals_last=removals_last)
    tally = Tally()
    for position in positions:
        left = replay.at(position, chance)
        path = folder / NAME
        _put(folder, left)
        told = history.acknowledged_at(position)
        tally.points += 1
        tally.acknowledged += len(told)
        findings = findings_in(path, told)
        for kind in sorted({finding.kind for finding in findings}):
            tally.add(position, kind, next(finding.what for finding in findings if finding.kind == kind))
        if not findings:
            _put(folder, left)
            _compare(history, position, state_of(path), tally)
    return tally


def _compare(history: History, position: int, state: str, tally: Tally) -> None:
    returned = history.committed_at(position)
    if state in history.states[returned : returned + 2]:
        return
    if state in history.states[:returned]:
        tally.add(position, "lost", f"the database is as it was before commit {returned}")
    else:
        tally.add(position, "half", "the database is as it was after no commit at all")


def _put(folder: Path, files: dict[str, bytes]) -> None:
    for path in folder.iterdir():
        path.unlink()
    for name, held in files.items():
        (folder / name).write_bytes(held)


def summed(tallies: Iterable[Tally]) -> Tally:
    """Return several tallies as one."""
    total = Tally()
    for tally in tallies:
        total.points += tally.points
        total.acknowledged += tally.acknowledged
        total.kinds += tally.kinds
        total.sentences += tally.sentences
    return total
