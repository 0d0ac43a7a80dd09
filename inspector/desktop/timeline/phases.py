"""The life of one task, from its row and its log: phases, changes of status, progress. Pure; times are milliseconds.

Sequence numbers are the order of a log and never run backwards; clocks do. A change of status and a progress event
stand at their own time, whatever it is, while phases are kept in order: a phase never begins before the one it follows.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

from inspector.desktop.moment import Moment
from inspector.layout.pages import TaskTimeline, Tick
from inspector.layout.rows import TaskRow
from inspector.lmsp.events import EventType, implied_status
from inspector.lmsp.statuses import FINAL, Status
from inspector.lmsp.values import value

_RESTARTS = frozenset({EventType.QUEUED, EventType.RESUMED})
"""The events that only recovery writes (design 4)."""


@value
class Phase:
    """A stretch of time in one status. Final statuses have none: they end a task's last phase."""

    status: str
    start_ms: int
    end_ms: int
    attempt: int
    """Counted from 1 by the restarts in the log; always 1 where the task tells no attempt."""
    silent_from_ms: int | None = None
    """Where a restart ended the phase: the time of its last event, after which nobody knows what happened."""

    @property
    def length_ms(self) -> int:
        """How long it lasted; never negative."""
        return self.end_ms - self.start_ms


@value
class Mark:
    """A change of status. ``seq`` is None where the row tells of it and no event does."""

    seq: int | None
    status: str
    at_ms: int
    is_restart: bool = False


@value
class Hole:
    """Sequence numbers that the log should have and has not, between two events that it has."""

    first_seq: int
    last_seq: int
    start_ms: int
    end_ms: int

    @property
    def events(self) -> int:
        """How many are missing."""
        return self.last_seq - self.first_seq + 1


@value
class Snapshot:
    """Where the stored snapshot stands."""

    seq: int
    at_ms: int


@value
class History:
    """One task's life as far as it is known; :func:`at_moment` brings it up to now."""

    zero_ms: int
    """What the axis counts from: when the task was created, or the first moment that is known."""
    start_ms: int
    end_ms: int
    """First and last moment of all that is drawn; the last one that is known where the task is open."""
    is_open: bool
    """Whether the last phase goes on."""
    phases: tuple[Phase, ...]
    marks: tuple[Mark, ...]
    """By sequence number."""
    progress: tuple[int, ...]
    """Times of the events that changed no status, rising."""
    seqs: tuple[int, ...]
    """Sequence numbers of all events at hand, rising."""
    times: tuple[int, ...]
    """Their times, in the same order."""
    events: int
    """How many events the log has; more than ``seqs`` where it was thinned out."""
    snapshot: Snapshot | None
    holes: tuple[Hole, ...]
    backwards_at: int | None
    """The sequence number of the first event that is earlier than the one before it."""

    @property
    def has_log(self) -> bool:
        """Whether there is any event; without one only the row's own times are drawn."""
        return bool(self.seqs)


def history_of(task: TaskRow, timeline: TaskTimeline | None) -> History | None:
    """Return the life of ``task``, or None where neither row nor log knows any time."""
    ticks = () if timeline is None else timeline.ticks
    known = [at for at in (task.created_at, task.started_at, task.finished_at) if at is not None]
    if not ticks and not known:
        return None
    zero = task.created_at if task.created_at is not None else ticks[0].created_at if ticks else min(known)
    marks, progress = _sorted_out(ticks)
    if not ticks:
        marks = _marks_of_row(task, zero)
    seqs = tuple([tick.seq for tick in ticks])
    times = tuple([tick.created_at for tick in ticks])
    closed = marks[-1].status in FINAL
    if not closed and task.status in FINAL:
        marks.append(Mark(None, task.status, max([*known, *times]) if task.finished_at is None else task.finished_at))
        closed = True
    end = max([zero, *times, *known, *(() if closed or task.updated_at is None else (task.updated_at,))])
    is_thinned = timeline is not None and timeline.events > len(ticks)
    return History(
        zero_ms=zero,
        start_ms=min([zero, *times, *(mark.at_ms for mark in marks)]),
        end_ms=end,
        is_open=not closed,
        phases=_phases(marks, seqs, times, zero, end, counts_attempts=task.told("attempt") is not None),
        marks=tuple(marks),
        progress=tuple(sorted(progress)),
        seqs=seqs,
        times=times,
        events=0 if timeline is None else timeline.events,
        snapshot=_snapshot(task.snapshot_seq, seqs, times),
        holes=() if is_thinned else _holes(seqs, times, zero),
        backwards_at=_first_backwards(seqs, times),
    )


def same_log(one: TaskTimeline | None, other: TaskTimeline | None) -> bool:
    """Say whether two logs are equal; a log that has grown is told apart without a look at all of it."""
    if one is None or other is None or one is other:
        return one is other
    if (one.task_id, one.events, len(one.ticks)) != (other.task_id, other.events, len(other.ticks)):
        return False
    return one.ticks[-1:] == other.ticks[-1:] and one.ticks == other.ticks


def at_moment(history: History, moment: Moment) -> History:
    """Return ``history`` with its open phase drawn out to now, or where nothing goes on to the file's last moment.

    Where neither is known or comes after its last event (a clock that differs) it stays as it is.
    """
    until_ms = moment.last_ms if moment.now_ms is None else moment.now_ms
    if until_ms is None or not history.is_open or until_ms <= history.end_ms:
        return history
    last = history.phases[-1:]
    return replace(
        history,
        end_ms=until_ms,
        phases=(*history.phases[:-1], *(replace(phase, end_ms=until_ms) for phase in last)),
    )


def _first_backwards(seqs: tuple[int, ...], times: tuple[int, ...]) -> int | None:
    steps = zip(seqs[1:], pairwise(times), strict=True) if seqs else ()
    return next((seq for seq, (earlier, later) in steps if later < earlier), None)


def _sorted_out(ticks: Iterable[Tick]) -> tuple[list[Mark], list[int]]:
    marks: list[Mark] = []
    progress: list[int] = []
    before: str | None = None
    for tick in ticks:
        status = tick.status
        if status != before or implied_status(tick.type) is not None:
            marks.append(Mark(tick.seq, status, tick.created_at, before is not None and tick.type in _RESTARTS))
            before = status
        else:
            progress.append(tick.created_at)
    return marks, progress


def _marks_of_row(task: TaskRow, zero: int) -> list[Mark]:
    marks = [Mark(None, Status.QUEUED if task.started_at is not None or task.status in FINAL else task.status, zero)]
    if task.started_at is not None:
        marks.append(Mark(None, Status.RUNNING if task.status in FINAL else task.status, task.started_at))
    return marks


def _phases(
    marks: list[Mark], seqs: tuple[int, ...], times: tuple[int, ...], zero: int, end: int, *, counts_attempts: bool
) -> tuple[Phase, ...]:
    first = marks[0]
    start = min(zero, first.at_ms)
    phases = []
    if first.at_ms > zero and first.status != Status.QUEUED:
        # The event of its creation is missing: from then to the first change it can only have been queued.
        phases.append(Phase(Status.QUEUED, zero, first.at_ms, 1))
        start = first.at_ms
    attempt = 1
    for place, mark in enumerate(marks):
        following = marks[place + 1] if place + 1 < len(marks) else None
        stop = max(start, end if following is None else following.at_ms)
        attempt += mark.is_restart and counts_attempts
        if mark.status not in FINAL:
            silent = None
            if following is not None and following.is_restart and following.seq is not None:
                silent = min(max(start, times[bisect_left(seqs, following.seq) - 1]), stop)
            phases.append(Phase(mark.status, start, stop, attempt, silent))
        start = stop
    return tuple(phases)


def _snapshot(seq: int | None, seqs: tuple[int, ...], times: tuple[int, ...]) -> Snapshot | None:
    if seq is None or not seqs:
        return None
    return Snapshot(seq, times[max(0, bisect_right(seqs, seq) - 1)])


def _holes(seqs: tuple[int, ...], times: tuple[int, ...], zero: int) -> tuple[Hole, ...]:
    holes = []
    before, before_ms = 0, zero
    for seq, at_ms in zip(seqs, times, strict=True):
        if seq > before + 1:
            holes.append(Hole(before + 1, seq - 1, min(before_ms, at_ms), max(before_ms, at_ms)))
        before, before_ms = seq, at_ms
    return tuple(holes)
