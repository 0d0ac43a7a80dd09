"""How a search stands, in values and in words. Pure: no Qt, so that every sentence is read by a test."""

from dataclasses import replace
from datetime import tzinfo
from enum import Enum, auto
from typing import Final

from inspector.desktop.widgets.words import clock_time, counted, grouped
from inspector.layout.pages import Progress
from inspector.layout.visible import visible
from inspector.lmsp.values import value

_MILLION: Final = 1_000_000
_SHOWN_CHARACTERS: Final = 60


class State(Enum):
    """What a search does, or why it does nothing more."""

    NONE = auto()
    SEARCHING = auto()
    FULL = auto()
    """It has found as many as it was asked for, and there may be more."""
    ENDED = auto()
    """Every event was looked at."""
    STOPPED = auto()
    STOPPED_BY_PAUSE = auto()
    LOST = auto()
    """The file went away."""
    FAILED = auto()


@value
class Standing:
    """One search of all events."""

    state: State = State.NONE
    text: str = ""
    hits: int = 0
    done: int = 0
    """How many events were looked at; where ``of`` is not known, nobody knows."""
    of: int | None = None
    """About how many there are."""
    read_at_ms: int | None = None
    """When the search that has an answer was begun: what was written later was not looked at."""
    why: str = ""
    """What a search that failed says of it."""

    @property
    def fraction(self) -> float:
        """How much of all events was looked at, from 0 to 1."""
        return min(1.0, self.done / self.of) if self.of else 0.0

    def come_to(self, progress: Progress) -> "Standing":
        """Return how it stands as far as ``progress`` tells, which counts from where it was begun or went on."""
        if progress.of is None:
            return self
        # The first part may have been over before it could tell how many there are.
        of = self.of or progress.of + self.hits
        return replace(self, done=max(0, of - max(0, progress.of - progress.done)), of=of)


def line(standing: Standing, zone: tzinfo) -> str:
    """Return how a search goes or went, for the line above its hits, with the time of day in ``zone``."""
    hits = counted(standing.hits, "hit")
    as_of = f", as of {clock_time(standing.read_at_ms, None, zone, digits=0)}"
    match standing.state:
        case State.NONE:
            return ""
        case State.SEARCHING:
            return f"Searched {_part(standing)}, {hits}" if standing.of else f"Searching, {hits}"
        case State.ENDED:
            return f"Searched all {_all(standing)}, {hits}{as_of}"
        case State.FULL:
            within = f", in {_part(standing)}" if standing.of else ""
            return f"The newest {hits}{within}{as_of}"
        case State.STOPPED | State.STOPPED_BY_PAUSE:
            at = f" after {_part(standing)}" if standing.of else ""
            by = " by the pause" if standing.state is State.STOPPED_BY_PAUSE else ""
            return f"Stopped{by}{at}, {hits}"
        case State.LOST if not standing.text:
            return ""
        case State.LOST:
            return f"The file cannot be read any more. {hits} of “{_shown(standing.text)}” until then."
        case State.FAILED:
            return standing.why


def sentence(standing: Standing, *, is_paused: bool) -> str:
    """Return what stands where there is no hit."""
    match standing.state:
        case State.NONE:
            pause = " Paused: a search still reads the file, as it is when it is asked." if is_paused else ""
            return (
                "Type a text and press Return: the data of every event is searched, the newest first. "
                f"A to Z are found in any case.{pause}"
            )
        case State.SEARCHING:
            return f"No event holds “{_shown(standing.text)}” so far."
        case State.LOST:
            return "The file cannot be read any more: nothing in it can be searched."
        case State.STOPPED | State.STOPPED_BY_PAUSE:
            return f"Stopped before an event was found that holds “{_shown(standing.text)}”."
        case State.FAILED:
            return standing.why
        case _:
            return f"No event holds “{_shown(standing.text)}”."


def _part(standing: Standing) -> str:
    of = standing.of or 0
    if of < _MILLION:
        return f"{grouped(standing.done)} of {counted(of, 'event')}"
    return f"{_millions(standing.done)} of {_millions(of)} million events"


def _all(standing: Standing) -> str:
    if standing.of is None:
        return "events"
    return counted(standing.of, "event") if standing.of < _MILLION else f"{_millions(standing.of)} million events"


def _millions(count: int) -> str:
    tenths = count * 10 // _MILLION
    return f"{grouped(tenths // 10)}.{tenths % 10}"


def _shown(text: str) -> str:
    shown = visible(text[: _SHOWN_CHARACTERS + 1])
    return shown if len(shown) <= _SHOWN_CHARACTERS else f"{shown[:_SHOWN_CHARACTERS]}…"
