"""SQLite's own check of a file, a table at a time: what cannot be read is named, and the rest is not lost with it.

It reads all of the file as of one moment for each table: never of a live one, whose checkpoints would wait for it.
"""

from collections.abc import Generator
from functools import partial
from typing import Final

from inspector.layout.health import Health, TableHealth
from inspector.layout.opened import Mode
from inspector.layout.pages import Progress
from inspector.layout.visible import visible
from inspector.lmsp.values import value
from inspector.reading.connection import ReadConnection
from inspector.reading.errors import OWN_COLLATION, SqliteTrouble, Unanswered, is_damage, is_own_collation
from inspector.reading.indexes import damaged_index_sentence, indexes_named, row_counts, said_of_table
from inspector.reading.reader import Reader
from inspector.reading.recognising import Shape
from inspector.reading.requests import HealthRequest
from inspector.reading.steps import Ask
from inspector.reading.tables import quoted
from inspector.reading.values import integer, text

_TABLE_MS: Final = 3_600_000
"""How long the check of one table may take."""

_SCHEMA: Final = (
    "Part of its schema or of its pages is not there or cannot be understood: tables that stood there are not checked."
)
_MOST_TABLES: Final = 200
_MOST_LINES: Final = 20
_ROWS: Final = 50_000


def health_steps(request: HealthRequest, reader: Reader, read_at_ms: int) -> Generator[Progress, None, Health]:
    """Check a table with each step; the progress counts tables. Raises Unanswered on a file that is or becomes live."""
    ask = partial(reader.read, deadline_ms=_TABLE_MS)
    _require_rest(reader)
    tables = ask(_tables)
    found = []
    unchecked = []
    for number, table in enumerate(tables[:_MOST_TABLES]):
        yield Progress(number, min(len(tables), _MOST_TABLES))
        reader.look()
        _require_rest(reader)
        try:
            found.append(_checked(ask, table, full=request.full))
        except Unanswered as error:
            why = f"was not checked: it {OWN_COLLATION}." if is_own_collation(error) else ""
            unchecked.append(f"{visible(table.name)} {why or f'was not checked to its end: {error.sentence}'}")
    if len(tables) > _MOST_TABLES:
        unchecked.append(f"{len(tables) - _MOST_TABLES:,} more tables were not checked.")
    schema = _SCHEMA if ask(lambda connection, _shape: connection.is_damaged) else ""
    return Health(request.full, tuple(found), tuple(unchecked), read_at_ms, schema)


def _require_rest(reader: Reader) -> None:
    if reader.opened.mode is Mode.LIVE:
        raise Unanswered(
            "A file that a service has open is not checked: the check reads a whole table at one moment, and the "
            "service's checkpoints would wait. Open it as a copy and check that."
        )


@value
class _Table:
    name: str
    rowid: bool


def _tables(connection: ReadConnection, _shape: Shape) -> list[_Table]:
    rows = connection.rows(
        f"SELECT name, sql FROM {connection.schema} "  # noqa: S608  ours
        "WHERE type = 'table' AND rootpage > 0 AND substr(name, 1, 7) <> 'sqlite_' ORDER BY name LIMIT 10000"
    )
    return [_Table(text(name), "WITHOUT ROWID" not in text(sql).upper()) for name, sql in rows]


def _checked(ask: Ask, table: _Table, *, full: bool) -> TableHealth:
    name = visible(table.name)
    if not ask(lambda connection, _shape: connection.rows(f"PRAGMA main.table_xinfo({quoted(table.name)})")):
        note = f"What the file says of {name} cannot be understood: nothing of it can be read."
        return TableHealth(table.name, (note,), part_unread=True)
    said = ask(lambda connection, _shape: said_of_table(connection, table.name, full=full))
    wrong = ask(lambda connection, _shape: row_counts(connection, table.name)).wrong
    if not said and not wrong:
        return TableHealth(table.name, ())
    notes: list[str] = []
    unread = ask(lambda connection, _shape: _unread(connection, table))
    if unread is not None:
        notes.append(unread.sentence(name))
    damaged = dict.fromkeys((*wrong, *indexes_named(said)))
    notes += [damaged_index_sentence(index, table.name) for index in damaged]
    if not notes:
        notes.append(f"SQLite's own check of {name} says: {said[0]}.")
    missing = None if unread is None else unread.missing
    return TableHealth(table.name, tuple(notes), tuple(said[:_MOST_LINES]), unread is not None, missing)


@value
class _Unread:
    """Which rows cannot be read: those with a rowid between two, both of which can; None where none can."""

    after: int | None
    before: int | None
    is_all: bool

    @property
    def missing(self) -> int | None:
        if self.after is None or self.before is None or self.before <= self.after:
            return None
        return max(1, self.before - self.after - 1)

    def sentence(self, name: str) -> str:
        if self.is_all:
            return f"{name} cannot be read."
        if self.after is None:
            return f"Part of {name} cannot be read: its first rows, up to row {self.before:,}."
        if self.before is None:
            return f"Part of {name} cannot be read: its last rows, from behind row {self.after:,}."
        if self.missing is None:
            return f"Part of {name} cannot be read: its rows do not follow one another."
        rows = "1 row" if self.missing == 1 else f"about {self.missing:,} rows"
        return f"Part of {name} cannot be read: {rows}, between the rows {self.after:,} and {self.before:,}."


def _unread(connection: ReadConnection, table: _Table) -> _Unread | None:
    """Walk over the rows from both ends to where that fails, or return None where all can be read."""
    if not table.rowid:
        try:
            connection.rows(f"SELECT count(*) FROM main.{quoted(table.name)}")  # noqa: S608  a quoted name
        except SqliteTrouble as error:
            if not is_damage(error):
                raise
            return _Unread(None, None, is_all=True)
        return None
    after, ended = _walked(connection, table, "ASC")
    if ended:
        return None
    before, _ = _walked(connection, table, "DESC")
    return _Unread(after, before, is_all=after is None and before is None)


def _walked(connection: ReadConnection, table: _Table, way: str) -> tuple[int | None, bool]:
    """Return the last rowid that can be read, and whether that was the last of all."""
    source = f"main.{quoted(table.name)}"
    last, behind = ("max", ">") if way == "ASC" else ("min", "<")
    at: int | None = None
    rows = _ROWS
    while True:
        where = "" if at is None else f"WHERE rowid {behind} {at}"
        try:
            found = connection.rows(
                f"SELECT {last}(r), count(*) FROM "  # noqa: S608  a quoted name, and a number of ours
                f"(SELECT rowid AS r FROM {source} NOT INDEXED {where} ORDER BY rowid {way} LIMIT {rows})"
            )
        except SqliteTrouble as error:
            if not is_damage(error):
                raise
            if rows == 1:
                return at, False
            rows = max(1, rows // 8)
            continue
        ((reached, count),) = found
        if count:
            before, at = at, integer(reached)
            if before is not None and (at <= before if way == "ASC" else at >= before):
                # SQLite follows the tree and does not look whether it leads on: this one leads in a circle.
                return before, False
        if integer(count) < rows:
            return at, True
