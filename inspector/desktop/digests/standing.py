"""Where a model's file stands: what was found, what is being done, and in which group of the view that puts it.

Pure: no Qt, so that every group and every sentence is a function of values.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from inspector.layout.files import FileCheck, FileState
from inspector.layout.rows import ModelRow

WRONG: Final = frozenset(FileState) - {FileState.MATCH, FileState.UNCHECKED}
"""The states in which tasks do not get the bytes that the database describes."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a file has been read."""

    done_bytes: int
    total_bytes: int

    @property
    def percent(self) -> int:
        """The part that was read in whole percent, cut, not rounded; 0 while the size is not known."""
        if self.total_bytes <= 0:
            return 0
        return max(0, min(100, self.done_bytes * 100 // self.total_bytes))

    @property
    def fraction(self) -> float:
        """The part that was read, 0 to 1, in steps that a bar can show."""
        if self.total_bytes <= 0:
            return 0.0
        return max(0, min(1_000, self.done_bytes * 1_000 // self.total_bytes)) / 1_000


@dataclass(frozen=True, slots=True)
class Standing:
    """One model as the view shows it."""

    model: ModelRow
    check: FileCheck | None
    """The newest check of its file, or None where none was made."""
    progress: Progress | None = None
    """While the file is being hashed."""
    waits: bool = False
    """Whether it will be hashed after others."""

    @property
    def state(self) -> FileState:
        """The file's state as last found; what is going on now does not change it."""
        return FileState.UNCHECKED if self.check is None else self.check.state


class Group(StrEnum):
    """The chips above the table."""

    ALL = "all"
    WRONG = "wrong"
    MATCH = "match"
    UNCHECKED = "unchecked"


def is_in(group: Group, standing: Standing) -> bool:
    """Say whether a chip counts this model."""
    match group:
        case Group.ALL:
            return True
        case Group.WRONG:
            return standing.state in WRONG
        case Group.MATCH:
            return standing.state is FileState.MATCH
        case Group.UNCHECKED:
            return standing.state is FileState.UNCHECKED


def is_named(text: str, model: ModelRow) -> bool:
    """Say whether ``text`` stands in the model's name, id, digest or path, in any case; no text is in every model."""
    wanted = text.strip().casefold()
    return not wanted or any(wanted in field.casefold() for field in (model.name, model.id, model.digest, model.path))


def group_counts(standings: Iterable[Standing]) -> Mapping[Group, int]:
    """Return how many of these models each chip counts."""
    counts = dict.fromkeys(Group, 0)
    for standing in standings:
        for group in Group:
            counts[group] += is_in(group, standing)
    return counts
