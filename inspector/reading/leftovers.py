"""What recovery would find: the tasks that are in no final status."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from inspector.layout.pages import Leftovers
from inspector.lmsp.recovery import Leftover, Number, Unknown, outcomes_of, plan_recovery
from inspector.lmsp.statuses import FINAL, known_status
from inspector.reading.connection import ReadConnection, Row, Value
from inspector.reading.recognising import Shape, Table
from inspector.reading.shown_ids import shown_id
from inspector.reading.values import integer, integer_or_none, text, text_or_none

_NOT_FINAL: Final = (
    "status < 'cancelled'",
    "status > 'cancelled' AND status < 'completed'",
    "status > 'completed' AND status < 'failed'",
    "status > 'failed'",
    "status IS NULL",
)
"""The gaps between the final statuses: so an unknown status is found too, and each gap by the index on the status."""

ROW: Final = ("created_at", "id", "status", "on_restart", "attempt", "last_seq", "snapshot_seq")
"""What recovery has to know of a task's row."""

LOG_END: Final = """
    coalesce((SELECT max(seq) FROM task_events WHERE task_id = tasks.id), 0),
    (SELECT status FROM task_events WHERE task_id = tasks.id ORDER BY seq DESC LIMIT 1)"""
"""The last sequence number of the log of ``tasks.id``, 0 where it is empty, and the status of that event."""

UNKNOWN_END: Final[tuple[Value, Value]] = (None, None)
"""The same of a log that is not looked at: it counts as known from the task's row."""


def leftovers(connection: ReadConnection, shape: Shape) -> Leftovers:
    """Return what recovery has to know of every task that is in no final status, oldest first."""
    # The end of a log only where an index finds it.
    columns = f"{shape.tasks.select_stored(*ROW)}, {LOG_END if shape.events.is_ours else 'NULL, NULL'}"
    with connection.one_moment():
        # One statement for all the gaps would walk over every task instead.
        rows = [
            row
            for gap in _NOT_FINAL
            for row in connection.rows(f"SELECT {columns} FROM tasks WHERE {gap}")  # noqa: S608  names of ours
        ]
    return Leftovers(in_order(rows, shape.tasks))


def counted_behind(left: Leftovers, most: int) -> Leftovers:
    """Return the first ``most`` of the leftovers; the others are planned here, and counted."""
    more = outcomes_of(plan_recovery(left.tasks[most:]).steps)
    return replace(left, tasks=left.tasks[:most], more=tuple(more.items()))


def in_order(rows: Iterable[Row], tasks: Table) -> tuple[Leftover, ...]:
    """Return what ``rows``, of :data:`ROW` and :data:`LOG_END`, tell, oldest first."""
    return tuple(
        Leftover(
            task_id=shown_id(task_id, tasks),
            status=text(status),
            on_restart=text_or_none(policy),
            attempt=integer(attempt),
            last_seq=integer(last_seq if isinstance(last_seq, int) else log_seq),
            snapshot_seq=integer_or_none(snapshot_seq),
            log_seq=integer_or_none(log_seq),
            log_ended=known_status(log_status) in FINAL,
            unknown=_unknown(attempt, last_seq),
        )
        for _, task_id, status, policy, attempt, last_seq, snapshot_seq, log_seq, log_status in sorted(
            rows, key=lambda row: (integer(row[0]), text(row[1]))
        )
    )


def _unknown(attempt: Value, last_seq: Value) -> Unknown:
    """Return which of these numbers no layout tells, or the file stores something else for."""
    told = ((Number.ATTEMPT, attempt), (Number.LAST_SEQ, last_seq))
    return frozenset(number for number, value in told if not isinstance(value, int))
