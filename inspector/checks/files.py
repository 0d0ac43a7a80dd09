"""SQLite's own check of a file: what no rule about rows would see."""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Final

from inspector.checks.findings import Finding
from inspector.checks.ranges import damage_of
from inspector.checks.rulebook import FILE_IS_SOUND
from inspector.checks.walking import Ask
from inspector.layout.visible import shortened, some_of
from inspector.reading.connection import Reads
from inspector.reading.errors import OWN_COLLATION, SqliteTrouble, Unanswered, is_own_collation
from inspector.reading.tables import quoted
from inspector.reading.values import text

_MOST_LINES: Final = 20
_MOST_NAMED: Final = 8
_MOST_TABLES: Final = 10_000


def check_file(ask: Ask) -> tuple[list[Finding], str]:
    """Return what ``PRAGMA quick_check`` says, one finding for each line, and a sentence on what it left out.

    It is empty where it looked at all; a table whose text is sorted as only its own program can is left out. It reads
    the whole file, or then a table, as of one moment: on a live one a checkpoint waits for that. A lock is raised as it
    came, and so is a deadline that passed.
    """
    try:
        return _findings(ask(_quick_check)), ""
    except (*SqliteTrouble, Unanswered) as error:
        if not is_own_collation(error):
            return [_unended(error)], ""
    return _check_tables(ask)


def _check_tables(ask: Ask) -> tuple[list[Finding], str]:
    """Check a table at a time: SQLite gives up the whole file for one that it cannot sort."""
    findings: list[Finding] = []
    left_out = []
    for name in ask(_names):
        try:
            findings += _findings(ask(partial(_quick_check, table=name)))
        except (*SqliteTrouble, Unanswered) as error:
            if is_own_collation(error):
                left_out.append(shortened(name))
            else:
                findings.append(_unended(error))
    listed = some_of(left_out[:_MOST_NAMED], len(left_out))
    return findings, f"SQLite's own check leaves out each table that {OWN_COLLATION}: {listed}." if left_out else ""


def _unended(error: Exception) -> Finding:
    return FILE_IS_SOUND.finding(None, f"SQLite's own check does not come to its end. {damage_of(error)}")


def _findings(said: Iterable[str]) -> list[Finding]:
    return [FILE_IS_SOUND.finding(None, f"SQLite's own check says: {line}") for line in said]


def _names(reads: Reads) -> list[str]:
    rows = reads.rows(f"SELECT name FROM {reads.schema} WHERE type = 'table' AND rootpage > 0 LIMIT {_MOST_TABLES}")  # noqa: S608
    return [text(name) for (name,) in rows]


def _quick_check(reads: Reads, table: str = "") -> list[str]:
    of = quoted(table) if table else _MOST_LINES
    return [line for (found,) in reads.rows(f"PRAGMA main.quick_check({of})") for line in _lines(text(found))][
        :_MOST_LINES
    ]


def _lines(said: str) -> Iterator[str]:
    for line in said.splitlines():
        if line != "ok" and not line.startswith("*** in database"):
            yield line
