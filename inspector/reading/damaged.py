"""Tasks and events of which a part cannot be read: around the damage, piece by piece, with a mark where it is.

A page that an index leads to fails as a whole where one row of it, or the index, is damaged. Here the index alone says
which rows there should be, the table alone gives those that can be read, and each does without the other.
"""

from inspector.layout.pages import PAGE_ROWS, EventPage, TaskFilter, TaskKey, TaskPage
from inspector.layout.rows import EventRow, OddTaskRow, TaskRow
from inspector.reading.connection import ReadConnection, Row
from inspector.reading.details import PREVIEW_BYTES, event_of, start_of
from inspector.reading.errors import SqliteTrouble
from inspector.reading.recognising import TASK_COLUMNS, Shape, Table
from inspector.reading.salvage import MOST_ROWS, UNREADABLE, Salvage, damage_sentence
from inspector.reading.shown_ids import shown_id, stored_id
from inspector.reading.task_rows import newest_first, task_rows
from inspector.reading.values import integer, integer_or_none, odd_ones


def damaged_task_page(
    connection: ReadConnection,
    shape: Shape,
    wanted: TaskFilter,
    after: TaskKey | None,
    limit: int,
    read_at_ms: int,
    *,
    start: TaskKey | None = None,
) -> TaskPage:
    """Return the page of tasks as far as they can be read, newest first; ``damage`` says what is missing.

    A task that only an index knows of has the status UNREADABLE and passes by its id alone. Raises
    sqlite3.Error where neither the table nor an index gives anything.
    """
    listed, damage = damaged_task_list(connection, shape, wanted)
    key = after or start
    if key is not None:
        listed = [task for task in listed if _place(task) < _key_place(key) or (after is None and task.id == key.id)]
    limit = max(1, min(limit, PAGE_ROWS))
    return TaskPage(tuple(listed[:limit]), len(listed) > limit, read_at_ms, damage=damage)


def damaged_task_list(connection: ReadConnection, shape: Shape, wanted: TaskFilter) -> tuple[list[TaskRow], str]:
    """Return the newest tasks as far as they can be read, newest first, and what is missing. Raises as above."""
    found = Salvage(connection, shape.tasks, shape.tasks.select(*TASK_COLUMNS)).run()
    tasks = {task.id: task for task in task_rows(found.rows, shape.tasks)}
    lost = [
        lost_task(row, shape.tasks) for row in known_tasks(connection) if shown_id(row[1], shape.tasks) not in tasks
    ]
    if found.error is not None and not tasks and not lost:
        raise found.error
    listed = newest_first([task for task in (*tasks.values(), *lost) if wanted.passes(task)])
    return listed, damage_sentence("tasks", len(lost), found.unread, older=found.older)


def damaged_event_page(
    connection: ReadConnection, shape: Shape, task_id: str, after_seq: int | None, before_seq: int | None, limit: int
) -> EventPage:
    """Return the page of a task's events as far as they can be read, rising; ``damage`` says what is missing.

    An event that only an index knows of has the type UNREADABLE. Raises sqlite3.Error as above.
    """

    def is_wanted(seq: int) -> bool:
        return (after_seq is None or seq > after_seq) and (before_seq is None or seq < before_seq)

    limit = max(1, min(limit, PAGE_ROWS))
    events = shape.events
    columns = f"{events.rowid or 'NULL'}, {events.select('seq', 'type', 'status', 'attempt', 'created_at')}, "
    columns += start_of("data", events)
    unread, older = 0, False
    try:
        key = stored_id(connection, events, "task_id", task_id)
        known = connection.rows(
            f"SELECT {events.rowid}, seq FROM task_events WHERE task_id = ? ORDER BY {events.rowid}",  # noqa: S608
            [key],
        )
    except SqliteTrouble:
        found = Salvage(connection, events, f"{columns}, task_id").run()
        unread, older = found.unread, found.older
        own = [row[:-1] for row in found.rows if shown_id(row[-1], events) == task_id]
        rows = [event_of(task_id, row, events, place) for row, place in placed(own, events)]
        if not rows:
            raise
    else:
        wanted = sorted((place or integer(row[1]), row, place) for row, place in placed(known, events))
        wanted = [each for each in wanted if is_wanted(each[0])]
        wanted = wanted[: limit + 1] if after_seq is not None else wanted[-limit - 1 :]
        rows = [_event(connection, events, columns, task_id, row, place) for _, row, place in wanted]
    rows = sorted((row for row in rows if is_wanted(row.seq)), key=lambda event: event.seq)
    shown = rows[:limit] if after_seq is not None else rows[-limit:]
    more = len(rows) > limit
    lost = sum(event.type == UNREADABLE for event in shown)
    return EventPage(
        task_id,
        tuple(shown),
        more_before=more if after_seq is None else True,
        more_after=more if after_seq is not None else before_seq is not None,
        damage=damage_sentence("events", lost, unread, older=older),
    )


def placed(rows: list[Row], events: Table) -> list[tuple[Row, int | None]]:
    """Return rows of one log, number and seq first, each with its place where the seqs do not lead to them all."""
    seqs = [row[1] for row in rows]
    is_by_seq = events.is_ours or len({seq for seq in seqs if isinstance(seq, int)}) == len(seqs)
    return [(row, None if is_by_seq else place) for place, row in enumerate(rows, 1)]


def _event(
    connection: ReadConnection, events: Table, columns: str, task_id: str, known: Row, place: int | None
) -> EventRow:
    """Return an event as far as it can be read, of which an index knows the number and the seq."""
    number, seq = known
    try:
        rows = connection.rows(
            f"SELECT {columns} FROM task_events WHERE {events.rowid} = :number",  # noqa: S608  names of ours
            {"number": number, "bytes": PREVIEW_BYTES},
        )
        return event_of(task_id, rows[0], events, place)
    except (*SqliteTrouble, IndexError):
        row = (number, seq, UNREADABLE, "", None, None, "", 0)
        return event_of(task_id, row, events, place)


def known_tasks(connection: ReadConnection) -> list[Row]:
    """Return time of creation and id of the newest tasks, from an index alone; none where each is damaged.

    The index on the ids knows no times.
    """
    for sql in (
        "SELECT created_at, id FROM tasks ORDER BY created_at DESC, id DESC LIMIT ?",
        "SELECT NULL, id FROM tasks ORDER BY id DESC LIMIT ?",
    ):
        try:
            return connection.rows(sql, [MOST_ROWS])
        except SqliteTrouble:
            continue
    return []


def lost_task(known: Row, tasks: Table) -> TaskRow:
    """Return what stands for a task of which only an index knows the time of creation and the id."""
    created_at, task_id = known
    return OddTaskRow(
        *(shown_id(task_id, tasks), None, None, "", UNREADABLE, None, None, 0, 0, None),
        created_at=integer_or_none(created_at),
        started_at=None,
        finished_at=None,
        updated_at=None,
        odd=odd_ones((("created_at", created_at), ("last_seq", None), ("attempt", None))),
    )


def _place(task: TaskRow) -> tuple[int, str]:
    return task.created_at or 0, task.id


def _key_place(key: TaskKey) -> tuple[int, str]:
    return key.created_at or 0, key.id
