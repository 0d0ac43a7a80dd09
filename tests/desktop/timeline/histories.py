"""Builders of tasks and logs for the tests of the timeline and of the detail pane."""

from collections.abc import Sequence

from inspector.layout.pages import TaskTimeline, Tick
from inspector.layout.rows import TaskRow

TASK = "task_9f3c2a71e0b4"
T0 = 1_796_000_000_000
"""When the tasks of these tests were created."""

Step = tuple[int, str, str]
"""Milliseconds after creation, event type without ``response.``, status after it."""


def task(
    status: str = "running",
    *,
    created_at: int | None = T0,
    started_at: int | None = None,
    finished_at: int | None = None,
    updated_at: int | None = None,
    last_seq: int = 0,
    snapshot_seq: int | None = None,
    attempt: int = 1,
    task_id: str = TASK,
) -> TaskRow:
    """Return a task; what a test does not name is plausible."""
    return TaskRow(
        id=task_id,
        client_id="notes-desktop",
        model_id="llama-3.2-3b-instruct-q4",
        kind="response",
        status=status,
        on_restart="resume",
        snapshot_seq=snapshot_seq,
        last_seq=last_seq,
        attempt=attempt,
        error_code=None,
        created_at=created_at,
        started_at=started_at,
        finished_at=finished_at,
        updated_at=updated_at,
    )


def log(steps: Sequence[Step], *, events: int | None = None, task_id: str = TASK) -> TaskTimeline:
    """Return a log with one event for each step, numbered from 1."""
    ticks = tuple(
        Tick(seq, f"response.{kind}", status, T0 + after) for seq, (after, kind, status) in enumerate(steps, start=1)
    )
    return TaskTimeline(task_id, ticks, len(ticks) if events is None else events)


DELTA = "output_text.delta"

RUNNING: tuple[Step, ...] = (
    (0, "created", "queued"),
    (1_900, "loading", "loading"),
    (6_100, "in_progress", "running"),
    (7_000, DELTA, "running"),
    (8_000, DELTA, "running"),
)

RESTARTED: tuple[Step, ...] = (
    (0, "created", "queued"),
    (100, "in_progress", "running"),
    (500, DELTA, "running"),
    (12_000, "queued", "queued"),
    (13_000, "in_progress", "running"),
    (14_000, DELTA, "running"),
    (20_000, "resumed", "running"),
    (21_000, "completed", "completed"),
)
