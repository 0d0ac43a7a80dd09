"""One task, or the tasks asked for by their ids or their status, where an index that leads to them is damaged."""

from collections.abc import Sequence

from inspector.layout.pages import PAGE_ROWS, Leftovers, LogStretch, TaskFilter
from inspector.layout.rows import StoredText, TaskDetail, TaskRow
from inspector.lmsp.statuses import FINAL, known_status
from inspector.reading.connection import ReadConnection, Row, Value
from inspector.reading.damaged import known_tasks, lost_task, placed
from inspector.reading.details import DETAIL_BYTES, large_text, stretch_of
from inspector.reading.errors import SqliteTrouble, around_damage, is_damage
from inspector.reading.leftovers import LOG_END, ROW, UNKNOWN_END, in_order
from inspector.reading.recognising import TASK_COLUMNS, Shape, Table
from inspector.reading.requests import STRETCH_EVENTS, TimelineRequest
from inspector.reading.salvage import UNREADABLE, Salvage, damage_sentence
from inspector.reading.shown_ids import shown_id
from inspector.reading.task_rows import newest_first, task_rows
from inspector.reading.values import integer, text


def damaged_task_detail(connection: ReadConnection, shape: Shape, task_id: str) -> TaskDetail | None:
    """Return the task, a text that cannot be read being UNREADABLE; None where neither its row nor an index is there.

    Raises sqlite3.Error where its table cannot be read by numbers.
    """
    tasks = shape.tasks
    found = Salvage(connection, tasks, f"{tasks.select(*TASK_COLUMNS)}, {tasks.rowid}").run()
    rows = [row for row in found.rows if row[0] is not None and shown_id(row[0], tasks) == task_id]
    if not rows:
        lost = _lost(connection, shape, [task_id])
        return TaskDetail(lost[0], None, None, None, None) if lost else None
    number = rows[-1][-1]

    def text_in(table: Table, column: str, key: str, value: Value) -> StoredText | None:
        return around_damage(
            lambda: large_text(connection, table, column, (key,), (value,), DETAIL_BYTES),
            lambda: StoredText(UNREADABLE, len(UNREADABLE)),
        )

    response = None
    if shape.responses is not None and "task_id" in shape.responses.columns:
        response = text_in(shape.responses, "body", "task_id", rows[-1][0])
    request, snapshot, error_message = (
        text_in(tasks, column, tasks.rowid or "rowid", number) for column in ("request", "snapshot", "error_message")
    )
    return TaskDetail(task_rows([rows[-1][:-1]], tasks)[0], request, snapshot, error_message, response)


def damaged_tasks_by_id(connection: ReadConnection, shape: Shape, ids: Sequence[str]) -> tuple[TaskRow, ...]:
    """Return those of these tasks that can be read, or that an index knows of. Raises sqlite3.Error as above."""
    wanted = frozenset(ids)
    found = {task.id: task for task in _tasks(connection, shape) if task.id in wanted}
    return (*found.values(), *_lost(connection, shape, [task_id for task_id in ids if task_id not in found]))


def damaged_tasks_by_prefix(
    connection: ReadConnection, shape: Shape, prefix: str, wanted: TaskFilter
) -> tuple[TaskRow, ...]:
    """Return the newest tasks whose id begins with ``prefix``, in letters of any size. Raises as above."""
    folded = prefix.lower()
    found = [task for task in _tasks(connection, shape) if task.id.lower().startswith(folded) and wanted.passes(task)]
    return tuple(newest_first(found)[:PAGE_ROWS]) if prefix else ()


def damaged_leftovers(connection: ReadConnection, shape: Shape) -> Leftovers:
    """Return the leftovers among the rows that can be read; ``damage`` says what is missing.

    Where the end of a log cannot be read it counts as the task's row has it. Raises sqlite3.Error as above.
    """
    found = Salvage(connection, shape.tasks, shape.tasks.select_stored(*ROW)).run()
    there = {shown_id(row[1], shape.tasks) for row in found.rows}
    lost = len({shown_id(task_id, shape.tasks) for _, task_id in known_tasks(connection)} - there)
    unread_logs = 0
    rows: list[Row] = []
    for row in found.rows:
        if known_status(text(row[2])) in FINAL:
            continue
        end: Row = UNKNOWN_END
        if shape.events.is_ours:
            try:
                (end,) = connection.rows(f"SELECT {LOG_END} FROM (SELECT ? AS id) AS tasks", [row[1]])  # noqa: S608
            except SqliteTrouble as error:
                if not is_damage(error):
                    raise
                unread_logs += 1
        rows.append((*row, *end))
    sentences = []
    if lost or found.unread or found.older or not unread_logs:
        sentences.append(damage_sentence("tasks", lost, found.unread, older=found.older))
    if unread_logs:
        logs = "The log of 1 task" if unread_logs == 1 else f"The logs of {unread_logs:,} tasks"
        sentences.append(f"{logs} cannot be read: what the rows of the tasks say stands for their ends.")
    return Leftovers(in_order(rows, shape.tasks), damage=" ".join(sentences))


def damaged_log_stretch(connection: ReadConnection, shape: Shape, request: TimelineRequest) -> LogStretch:
    """Return the next stretch of a log as far as its events can be read. Raises sqlite3.Error as above."""
    columns = shape.events.select("seq", "type", "status", "created_at")
    found = Salvage(connection, shape.events, f"NULL, {columns}, task_id").run()
    own = placed([row[:-1] for row in found.rows if shown_id(row[-1], shape.events) == request.task_id], shape.events)
    rows = [(place or row[1], *row[2:]) for row, place in own]
    rows = sorted((row for row in rows if integer(row[0]) > request.after_seq), key=lambda row: integer(row[0]))
    most = max(1, min(request.limit, STRETCH_EVENTS)) + 1
    are_numbered = not any(place for _, place in own)
    return stretch_of(connection, shape, request, rows[:most], are_numbered=are_numbered)


def _tasks(connection: ReadConnection, shape: Shape) -> list[TaskRow]:
    return task_rows(Salvage(connection, shape.tasks, shape.tasks.select(*TASK_COLUMNS)).run().rows, shape.tasks)


def _lost(connection: ReadConnection, shape: Shape, ids: Sequence[str]) -> list[TaskRow]:
    """Return what stands for those of these tasks that an index knows of."""
    known = known_tasks(connection) if ids else []
    tasks = shape.tasks
    return [lost_task(row, tasks) for row in known if shown_id(row[1], tasks) in ids]
