"""Appending progress to a task's log."""

from collections.abc import Iterable
from typing import Final

from sqlite_utils import Database

from inspector.lmsp.events import implied_status
from inspector.lmsp.statuses import Status
from inspector.store.arguments import require_filled, require_many, require_worker, wrong
from inspector.store.errors import Refused
from inspector.store.stored_json import to_json
from inspector.store.tasks import Written, find_for_worker, insert_events, refusal, require_one
from inspector.store.writing import write_transaction

_HELD: Final = frozenset({Status.LOADING, Status.RUNNING, Status.CANCELLING})
"""The statuses of a task that a worker has in its hands."""

_PAIRS: Final = "pairs of a type, which is text, and its data"


def append_events(
    db: Database, task_id: str, events: Iterable[tuple[str, object]], *, attempt: int, now_ms: int
) -> Written:
    """Append progress events, pairs of type and data, in one transaction; the status stays as it is.

    Taken while the task is loading, running, or being cancelled and not yet stopped: ``status`` of what is returned
    tells the worker. No events: nothing is written, but the same is checked and told. Raises Refused for a type that
    stands for a change of status, for data that is not JSON, and where the attempt or the status does not allow it.
    """
    require_worker(task_id, attempt, now_ms)
    require_many("events", events, _PAIRS)
    checked: list[tuple[str, str]] = []
    given: Iterable[object] = events
    for event in given:
        if not isinstance(event, tuple | list) or len(event) != 2:
            raise wrong("each of the events", _PAIRS, event)
        event_type, data = event
        require_filled("the type of an event", event_type)
        if implied_status(event_type) is not None:
            raise Refused(
                f"An event of type {event_type} stands for a change of status: the function that makes the change "
                "writes it, append_events takes others.",
                task_id=task_id,
            )
        checked.append((event_type, to_json(data, f"The data of the {event_type} event")))
    with write_transaction(db) as conn:
        found = find_for_worker(conn, task_id, attempt, "progress")
        if found.status not in _HELD:
            raise refusal(task_id, found.status, "progress", "only a worker that holds the task reports progress")
        if not checked:
            return Written(task_id, (), found.status, attempt)
        at = found.at(now_ms)
        seqs = insert_events(conn, found, checked, status=found.status, attempt=attempt, at=at)
        require_one(
            conn.execute(
                "UPDATE tasks SET last_seq = ?, updated_at = ? WHERE id = ? AND status = ? AND attempt = ?",
                (seqs[-1], at, task_id, str(found.status), attempt),
            )
        )
    return Written(task_id, seqs, found.status, attempt)
