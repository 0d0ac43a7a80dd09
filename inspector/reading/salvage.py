"""The rows of a table that can be read by their numbers alone, passing over damage, and how that is told."""

from typing import Final

from inspector.layout.opened import LayoutKind
from inspector.lmsp.values import value
from inspector.reading.connection import ReadConnection, Row
from inspector.reading.details import PREVIEW_BYTES
from inspector.reading.errors import SqliteTrouble, around_damage, is_damage
from inspector.reading.recognising import Shape, Table
from inspector.reading.rowids import first_readable
from inspector.reading.values import integer

MOST_ROWS: Final = 50_000
"""So many of the newest rows of a table are looked at: all of them for each page."""

UNREADABLE: Final = "(unreadable)"
"""What stands for the status of a task, or the type of an event, that only an index knows of, and for a lost text."""

_STEP: Final = 1_000
_FIRST_ROWID: Final = -(1 << 63)


def unreadable_tables(connection: ReadConnection, shape: Shape) -> list[str]:
    """Return the tables of the native layout of which no row can be read."""
    if shape.description is not None or shape.kind is LayoutKind.UNKNOWN:
        return []
    tables = (shape.tasks, shape.events, shape.models, shape.responses, shape.config, shape.keys)
    return [table.name for table in tables if table is not None and _is_unreadable(connection, table)]


def _is_unreadable(connection: ReadConnection, table: Table) -> bool:
    sql = f"SELECT 1 FROM main.{table.name} NOT INDEXED"  # noqa: S608  a name of ours

    def reads(start: int) -> tuple[bool, bool]:
        behind = f"{sql} WHERE {table.rowid} >= ? LIMIT 1"
        found = around_damage(lambda: connection.rows(behind, [start]), lambda: None)
        return found is not None, bool(found)

    if around_damage(lambda: connection.rows(f"{sql} LIMIT 1"), lambda: None) is not None:
        return False
    return table.rowid is None or first_readable(reads, 0) is None


def damage_sentence(what: str, lost: int, unread: int, *, older: bool = False) -> str:
    """Return what of the ``what``, tasks or events, is missing: ``lost`` rows known of, or ``unread`` places.

    ``older`` says that there are rows before those that were looked at.
    """
    if lost:
        found = f"{lost:,} {what if lost > 1 else what[:-1]} cannot be read: only an index knows of {_them(lost)}."
    elif unread:
        places = "place" if unread == 1 else "places"
        found = f"Some {what} cannot be read: their table is damaged in {unread:,} {places}."
    elif older:
        found = f"An index of the {what} is damaged; their table is read instead."
    else:
        found = f"An index of the {what} is damaged; all that their table holds is shown."
    return f"{found} Only the newest {MOST_ROWS:,} rows of that table are looked at." if older else found


def _them(many: int) -> str:
    return "it" if many == 1 else "them"


@value
class Salvaged:
    """What was read of a table, by rising row number."""

    rows: list[Row]
    unread: int
    """How many row numbers, or stretches of them, cannot be read."""
    error: Exception | None
    """The damage that was come upon last; None for none."""
    older: bool
    """Whether there are, or may be, rows before those that were looked at."""


class Salvage:
    """The rows of a table by their numbers alone, passing over what cannot be read."""

    def __init__(self, connection: ReadConnection, table: Table, columns: str) -> None:
        """Read ``columns``, a list for SQL, in which ``:bytes`` stands for the most of a preview."""
        self._connection = connection
        self._table = table
        self._sql = (
            f"SELECT {table.rowid}, {columns} FROM {table.name} NOT INDEXED "  # noqa: S608  names of ours
            f"WHERE {table.rowid} >= :start ORDER BY {table.rowid} LIMIT :limit"
        )

    def run(self) -> Salvaged:
        """Read what can be read of the newest rows. Raises sqlite3.Error where the table has no row numbers."""
        found: list[Row] = []
        unread = 0
        error: Exception | None = None
        begin = self._start()
        start: int | None = begin
        rows = _STEP
        while start is not None:
            try:
                read = self._read(start, rows)
            except SqliteTrouble as trouble:
                if not is_damage(trouble):
                    raise
                error = trouble
                if rows > 1:
                    rows = max(1, rows // 8)
                    continue
                unread += 1
                start = first_readable(self._reads, start)
            else:
                found += read
                start = _behind(read, start) if len(read) == rows else None
            # Near damage in small steps: a read that fails has read all the rows before for nothing.
            rows = min(4 * rows, _STEP)
        older = len(found) > MOST_ROWS or self._has_rows_before(begin)
        return Salvaged([row[1:] for row in found[-MOST_ROWS:]], unread, error, older)

    def _has_rows_before(self, number: int) -> bool:
        table = self._table
        sql = f"SELECT 1 FROM {table.name} NOT INDEXED WHERE {table.rowid} < ? LIMIT 1"  # noqa: S608  names of ours
        return around_damage(lambda: bool(self._connection.rows(sql, [number])), lambda: number > 0)

    def _start(self) -> int:
        """Return where the newest rows begin, or the first row where nobody can say which they are."""
        try:
            sql = f"SELECT max({self._table.rowid}) FROM {self._table.name} NOT INDEXED"  # noqa: S608  names of ours
            return integer(self._connection.value(sql)) - MOST_ROWS
        except SqliteTrouble as error:
            if not is_damage(error):
                raise
            return _FIRST_ROWID

    def _read(self, start: int, rows: int) -> list[Row]:
        return self._connection.rows(self._sql, {"start": start, "limit": rows, "bytes": PREVIEW_BYTES})

    def _reads(self, start: int) -> tuple[bool, bool]:
        try:
            return True, bool(self._read(start, 1))
        except SqliteTrouble as error:
            if not is_damage(error):
                raise
            return False, False


def _behind(rows: list[Row], start: int) -> int:
    """Return where to read on behind ``rows``, read from ``start``: always further.

    SQLite follows the tree and does not look whether it rises: in a damaged one it can lead in a circle.
    """
    return max(start, *(integer(row[0]) for row in rows)) + 1
