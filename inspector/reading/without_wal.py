"""What a file holds without the -wal beside it: where none of it is there with that, the -wal may be another's."""

from collections.abc import Callable
from contextlib import closing
from typing import Final

from inspector.lmsp.values import value
from inspector.reading.connecting import connect
from inspector.reading.connection import ReadConnection, Value
from inspector.reading.errors import SqliteTrouble, Unanswered, Unreadable
from inspector.reading.layouts import Layouts
from inspector.reading.recognising import Shape, recognise

_MOST_TABLES: Final = 500
_MOST_TASKS: Final = 20
_MOST_MS: Final = 100


@value
class Alone:
    """The names of the tables of a file without its -wal, and the ids of some of its tasks, as they are stored."""

    tables: frozenset[Value] = frozenset()
    tasks: tuple[Value, ...] = ()

    def is_left_in(self, connection: ReadConnection, shape: Shape) -> bool:
        """Say whether any of it is there with the -wal; also where it holds nothing, or that cannot be told."""
        with connection.within(_MOST_MS):
            try:
                return self._is_left(connection, shape)
            except (Unanswered, *SqliteTrouble):
                return True

    def _is_left(self, connection: ReadConnection, shape: Shape) -> bool:
        if self.tables and not self.tables & _tables(connection):
            return False
        if not self.tasks or "id" not in shape.tasks.columns:
            return True
        among = ", ".join("?" for _ in self.tasks)
        return bool(connection.rows(f"SELECT 1 FROM tasks WHERE id IN ({among}) LIMIT 1", self.tasks))  # noqa: S608


def alone(path: str, name: str, layouts: Layouts, *, should_stop: Callable[[], bool]) -> Alone:
    """Return what the file at ``path`` holds without its -wal; nothing where that cannot be read.

    For a file that nobody has open, and before this process has a connection to it: closing this one would drop its
    locks.
    """
    try:
        connection, _ = connect(path, "mode=ro&immutable=1", should_stop=should_stop)
    except SqliteTrouble:
        return Alone()
    with closing(connection), connection.within(_MOST_MS):
        try:
            tables = _tables(connection)
            shape = recognise(connection, name, layouts)
            newest = f"ORDER BY {shape.tasks.rowid} DESC" if shape.tasks.rowid else ""
            rows = connection.rows(f"SELECT id FROM tasks {newest} LIMIT ?", [_MOST_TASKS])  # noqa: S608  ours
        except (Unanswered, *SqliteTrouble):
            return Alone()
        except Unreadable:
            return Alone(tables)
        return Alone(tables, tuple(task for (task,) in rows))


def _tables(connection: ReadConnection) -> frozenset[Value]:
    sql = "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND substr(name, 1, 7) <> 'sqlite_' LIMIT ?"
    return frozenset(name for (name,) in connection.rows(sql, [_MOST_TABLES]))
