"""What cleanup would delete, counted in any layout: the preview of retention (section 11.2)."""

from typing import Final

from inspector.lmsp.retention import DELETABLE, KEEP_KEY, RetentionPlan, cutoff_of, is_period, stored_period
from inspector.reading.connection import ReadConnection, Value
from inspector.reading.recognising import Shape, Table
from inspector.reading.values import integer

_FINISHED: Final = "status IN ({})".format(", ".join(f"'{status}'" for status in DELETABLE))
_OLD: Final = f"{_FINISHED} AND typeof(finished_at) = 'integer' AND finished_at < :cutoff"
_EXPIRED: Final = "typeof(expires_at) = 'integer' AND expires_at <= :now"


def retention_plan(connection: ReadConnection, shape: Shape, keep_ms: int | None, now_ms: int) -> RetentionPlan | None:
    """Return what cleanup would delete at ``now_ms``, as of one moment.

    None where ``keep_ms`` is None and the database stores no period, or where the period is none. What a layout lacks
    counts as nothing: without the moments at which tasks finished, all of them stay.
    """
    with connection.one_moment():
        period_ms = _stored(connection, shape.config) if keep_ms is None else keep_ms
        if period_ms is None or not is_period(period_ms):
            return None
        cutoff_ms = cutoff_of(now_ms, period_ms)
        moments: dict[str, Value] = {"cutoff": cutoff_ms, "now": now_ms}

        def count(table: Table | None, condition: str, *needed: str) -> int:
            if table is None or not table.columns.issuperset(needed):
                return 0
            sql = f"SELECT count(*) FROM {table.name} WHERE {condition}"  # noqa: S608  names and conditions of ours
            return integer(connection.value(sql, moments))

        old = _OLD if "finished_at" in shape.tasks.columns else "0"
        going = f"task_id IN (SELECT id FROM tasks WHERE {old} AND id IS NOT NULL)"  # noqa: S608  as above
        expired = f"{_EXPIRED} AND ({going}) IS NOT 1"
        tasks, finished = count(shape.tasks, old), count(shape.tasks, _FINISHED)
        return RetentionPlan(
            cutoff_ms=cutoff_ms,
            keep_ms=period_ms,
            tasks=tasks,
            events=count(shape.events, going),
            responses=count(shape.responses, going, "task_id"),
            keys=count(shape.keys, going, "task_id"),
            kept_unfinished=count(shape.tasks, "1") - finished,
            kept_recent=finished - tasks,
            expired_responses=count(shape.responses, expired, "task_id", "expires_at"),
            expired_keys=count(shape.keys, expired, "task_id", "expires_at"),
        )


def _stored(connection: ReadConnection, config: Table | None) -> int | None:
    if config is None or not {"key", "value"} <= config.columns:
        return None
    return stored_period(connection.value("SELECT value FROM service_config WHERE key = ?", [KEEP_KEY]))
