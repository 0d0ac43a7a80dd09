"""Snapshots: what a running task can be continued from (section 11.3, policy ``resume``)."""

from collections.abc import Mapping

from sqlite_utils import Database

from inspector.lmsp.statuses import Status
from inspector.store.arguments import require_worker
from inspector.store.stored_json import object_to_json
from inspector.store.tasks import Written, find_for_worker, refusal, require_one
from inspector.store.writing import write_transaction


def save_snapshot(db: Database, task_id: str, snapshot: Mapping[str, object], *, attempt: int, now_ms: int) -> Written:
    """Keep what the task can be continued from, in place of the snapshot before; ``snapshot_seq`` is its last event.

    No event is written. Raises Refused unless the task is running under this attempt, and for what is no JSON object.
    """
    require_worker(task_id, attempt, now_ms)
    body = object_to_json(snapshot, "snapshot")
    with write_transaction(db) as conn:
        found = find_for_worker(conn, task_id, attempt, "snapshot")
        if found.status is not Status.RUNNING:
            raise refusal(task_id, found.status, "snapshot", "a snapshot is saved only while the task is running")
        require_one(
            conn.execute(
                """
                UPDATE tasks SET snapshot = ?, snapshot_seq = last_seq, updated_at = ?
                WHERE id = ? AND status = ? AND attempt = ?""",
                (body, found.at(now_ms), task_id, str(found.status), attempt),
            )
        )
    return Written(task_id, (), found.status, attempt)
