"""What the top of the detail pane says of a task, as captions and values. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import tzinfo

from inspector.desktop.moment import Moment, end_ms, goes_on
from inspector.desktop.widgets.key_values import KeyValue
from inspector.desktop.widgets.words import NOTHING, clock_time, duration, grouped, short_time
from inspector.layout.rows import TaskRow
from inspector.layout.visible import number_words, or_as_stored, visible
from inspector.lmsp.statuses import FINAL, Status

_LONGEST = 300


@dataclass(frozen=True, slots=True)
class Clock:
    """What time it is for a pane."""

    zone: tzinfo
    moment: Moment = field(default_factory=Moment)

    def time(self, at_ms: int | None) -> str:
        """Return a moment in words, with its date where that is not today."""
        return clock_time(at_ms, self.moment.date_ms or 0, self.zone)

    def lasted(self, start_ms: int | None, task: TaskRow) -> str:
        """Return how long ``task``, which was in this state since ``start_ms``, was in it until its end, or so far.

        Where nothing goes on in the file, the moment stands there up to which that is told.
        """
        until_ms = end_ms(task, self.moment)
        if start_ms is None or until_ms is None:
            return NOTHING
        # A clock that is behind the service's has not gone on yet.
        lasted_ms = max(0, until_ms - start_ms) if goes_on(task) else until_ms - start_ms
        if self.moment.now_ms is not None or not goes_on(task):
            return duration(lasted_ms)
        return f"{duration(lasted_ms)} to {short_time(until_ms, self.moment.date_ms, self.zone)}"


@dataclass(frozen=True, slots=True)
class Names:
    """Names of models and clients by their ids, as far as they are known."""

    models: Mapping[str, str] = field(default_factory=dict)
    clients: Mapping[str, str] = field(default_factory=dict)


def summary(task: TaskRow, clock: Clock, names: Names) -> tuple[tuple[KeyValue, ...], ...]:
    """Return the three columns."""
    ended = task.status in FINAL
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
            KeyValue("Wait", _waited(task, clock)),
            KeyValue("Run", clock.lasted(task.started_at, task)),
        ),
        (
            KeyValue("Attempt", number_words(task.told("attempt"), grouped, NOTHING)),
            third,
            KeyValue("Last seq", number_words(task.told("last_seq"), grouped, NOTHING)),
        ),
    )


def _waited(task: TaskRow, clock: Clock) -> str:
    """Return how long the task waited for a worker, so far where it still does."""
    if task.created_at is None or task.started_at is None:
        return clock.lasted(task.created_at, task)
    return duration(task.started_at - task.created_at)


def _named(stored: str | None, names: Mapping[str, str]) -> str:
    return _text(stored if stored is None else names.get(stored, stored))


def _text(stored: str | None) -> str:
    return "none" if stored is None else visible(stored[:_LONGEST])


def _tone(stored: str | None) -> str:
    return "text3" if stored is None else "text"
