"""What holds in every database of a service at every moment, whatever has happened to it."""

import sqlite3

_RULES = {
    "a task whose events do not run from 1 to last_seq": """
        SELECT t.id FROM tasks AS t
        WHERE (SELECT count(*) || ' ' || coalesce(min(seq), 1) || ' ' || coalesce(max(seq), 0)
               FROM task_events WHERE task_id = t.id) <> t.last_seq || ' 1 ' || t.last_seq""",
    "a task whose status is not that of its last event": """
        SELECT t.id FROM tasks AS t JOIN task_events AS e ON e.task_id = t.id AND e.seq = t.last_seq
        WHERE e.status <> t.status""",
    "a final event that is not the last one, or not the only one": """
        SELECT e.task_id FROM task_events AS e JOIN tasks AS t ON t.id = e.task_id
        WHERE e.status IN ('completed', 'failed', 'cancelled') AND e.seq <> t.last_seq""",
    "an event of progress that changes the status": """
        SELECT e.task_id FROM task_events AS e JOIN task_events AS b ON b.task_id = e.task_id AND b.seq = e.seq - 1
        WHERE e.type = 'response.output_text.delta' AND (e.status <> b.status OR e.attempt <> b.attempt)""",
    "a completion after a cancel": """
        SELECT e.task_id FROM task_events AS e JOIN task_events AS c ON c.task_id = e.task_id AND c.seq < e.seq
        WHERE c.status = 'cancelling' AND e.status NOT IN ('cancelling', 'cancelled')""",
    "an attempt that falls": """
        SELECT e.task_id FROM task_events AS e JOIN task_events AS b ON b.task_id = e.task_id AND b.seq = e.seq - 1
        WHERE e.attempt < b.attempt""",
    "a time that falls": """
        SELECT e.task_id FROM task_events AS e JOIN task_events AS b ON b.task_id = e.task_id AND b.seq = e.seq - 1
        WHERE e.created_at < b.created_at
        UNION ALL
        SELECT id FROM tasks WHERE updated_at < created_at OR finished_at < created_at OR started_at < created_at
                                OR finished_at < started_at""",
    "an event, a response or a key without its task": """
        SELECT task_id FROM task_events WHERE task_id NOT IN (SELECT id FROM tasks)
        UNION ALL SELECT task_id FROM responses WHERE task_id NOT IN (SELECT id FROM tasks)
        UNION ALL SELECT task_id FROM idempotency_keys WHERE task_id NOT IN (SELECT id FROM tasks)""",
    "a failure without its error code, or an error code without a failure": """
        SELECT id FROM tasks WHERE (error_code IS NOT NULL) <> (status = 'failed')""",
    "a completed task without its response, or a response of another": """
        SELECT t.id FROM tasks AS t LEFT JOIN responses AS r ON r.task_id = t.id
        WHERE (r.id IS NOT NULL) <> (t.status = 'completed')""",
    "a claim without a worker, or a worker without a claim": """
        SELECT id FROM tasks
        WHERE status IN ('loading', 'running') AND started_at IS NULL
           OR status = 'queued' AND started_at IS NOT NULL""",
}


def broken_invariants(conn: sqlite3.Connection) -> list[tuple[str, str]]:
    """Return each rule that does not hold, with the task that breaks it."""
    return [(rule, task_id) for rule, sql in _RULES.items() for (task_id,) in conn.execute(sql).fetchall()]


RULES = tuple(_RULES)
