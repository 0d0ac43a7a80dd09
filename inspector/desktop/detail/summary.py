"""What the top of the detail pane says of a task, as captions and values. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import tzinfo

from inspector.desktop.widgets.key_values import KeyValue
from inspector.desktop.widgets.words import NOTHING, clock_time, duration, grouped
from inspector.layout.rows import TaskRow
from inspector.layout.visible import number_words, or_as_stored, visible
from inspector.lmsp.statuses import FINAL, UNFINISHED, Status

_LONGEST = 300


@dataclass(frozen=True, slots=True)
class Clock:
    """What time it is for a pane."""

    zone: tzinfo
    now_ms: int | None = None
    """Now, where the file moves; None: an unfinished task's durations end at its last known moment."""
    today_ms: int | None = None
    """Now, for the question whether a time is today's; None: every date is told."""

    def time(self, at_ms: int | None) -> str:
        """Return a moment in words, with its date where that is not today."""
        today = self.now_ms if self.now_ms is not None else self.today_ms
        return clock_time(at_ms, 0 if today is None else today, self.zone)


@dataclass(frozen=True, slots=True)
class Names:
    """Names of models and clients by their ids, as far as they are known."""

    models: Mapping[str, str] = field(default_factory=dict)
    clients: Mapping[str, str] = field(default_factory=dict)


def summary(task: TaskRow, clock: Clock, names: Names) -> tuple[tuple[KeyValue, ...], ...]:
    """Return the three columns."""
    ended = task.status in FINAL
    # In a file at rest nothing goes on: what is told ends with the last that is known of the task.
    unfinished = task.status in UNFINISHED and clock.now_ms is None
    when = (
        KeyValue("Ended", or_as_stored(clock.time(task.finished_at), task.as_stored("finished_at")))
        if ended
        else KeyValue("Started", or_as_stored(clock.time(task.started_at), task.as_stored("started_at")))
    )
    if task.status == Status.FAILED:
        third = KeyValue("Error", _text(task.error_code), tone=_tone(task.error_code))
    else:
        third = KeyValue("On restart", _text(task.on_restart), tone=_tone(task.on_restart))
    return (
        (
            KeyValue("Model", _named(task.model_id, names.models), tone=_tone(task.model_id)),
            KeyValue("Created", or_as_stored(clock.time(task.created_at), task.as_stored("created_at"))),
            when,
        ),
        (
            KeyValue("Client", _named(task.client_id, names.clients), tone=_tone(task.client_id)),
            KeyValue("Wait", _lasted(wait_ms(task, clock.now_ms), so_far=unfinished and task.started_at is None)),
            KeyValue("Run", _lasted(run_ms(task, clock.now_ms), so_far=unfinished)),
        ),
        (
            KeyValue("Attempt", number_words(task.told("attempt"), grouped, NOTHING)),
            third,
            KeyValue("Last seq", number_words(task.told("last_seq"), grouped, NOTHING)),
        ),
    )


def _lasted(ms: int | None, *, so_far: bool) -> str:
    return f"{duration(ms)} to last event" if so_far and ms is not None else duration(ms)


def wait_ms(task: TaskRow, now_ms: int | None) -> int | None:
    """Return how long the task waited for a worker, so far where it still does; None where that is not known."""
    if task.created_at is None:
        return None
    if task.started_at is not None:
        return task.started_at - task.created_at
    return _until(task, task.created_at, now_ms)


def run_ms(task: TaskRow, now_ms: int | None) -> int | None:
    """Return how long the task ran, so far where it still does; None where it never started."""
    return None if task.started_at is None else _until(task, task.started_at, now_ms)


def _until(task: TaskRow, start_ms: int, now_ms: int | None) -> int | None:
    if task.status not in UNFINISHED or task.finished_at is not None:
        return None if task.finished_at is None else task.finished_at - start_ms
    last = task.updated_at if now_ms is None else now_ms
    # A clock that is behind the service's has not gone on yet.
    return None if last is None else max(0, last - start_ms)


def _named(stored: str | None, names: Mapping[str, str]) -> str:
    return _text(stored if stored is None else names.get(stored, stored))


def _text(stored: str | None) -> str:
    return "none" if stored is None else visible(stored[:_LONGEST])


def _tone(stored: str | None) -> str:
    return "text3" if stored is None else "text"
