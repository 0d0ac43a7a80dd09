"""Reading one range of tasks, with all that belongs to them, as of one moment."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from inspector.checks.history import LogWalk
from inspector.checks.rulebook import Rulebook
from inspector.checks.tables import Statements
from inspector.checks.typing_rows import events_of
from inspector.reading.connection import Reads, Row, Value
from inspector.reading.errors import SqliteTrouble, Unanswered, is_too_big, primary_code, sentence_of

_BELOW_ALL: Final = -(1 << 63)
_MOST_ODD: Final = 100

_DAMAGE: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_IOERR})


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is read as of one moment: so much that it is fast, so little that it is short."""

    tasks: int = 256
    events: int = 4096


@dataclass(frozen=True, slots=True)
class Range:
    """Some tasks as they stood at one moment."""

    tasks: Sequence[Row]
    last: int
    """The rowid up to which everything was read."""
    events: Sequence[Row] = ()
    walked: LogWalk | None = None
    """The log of the one task of this range, where it was not to be held as a whole: it is asked about already."""
    responses: Sequence[Row] = ()
    keys: Sequence[Row] = ()


def read_range(
    reads: Reads, statements: Statements, book: Rulebook, after: int, upto: int, sizes: Sizes
) -> Range | None:
    """Return the next tasks behind the rowid ``after``, or None where there are none up to ``upto``."""
    with reads.one_moment():
        tasks = reads.rows(statements.tasks, [after, upto, sizes.tasks])
        if not tasks:
            return None
        last = _rowid(tasks[-1])
        events: list[Row] = []
        if statements.events is not None:
            events = reads.rows(statements.events, [after, last, sizes.events + 1])
        if len(events) > sizes.events:
            # The last task among them may not be whole.
            cut = _rowid(events[-1])
            if cut == tasks[0][0]:
                return _long_range(reads, statements, book, after, tasks[0], sizes)
            tasks = [row for row in tasks if _rowid(row) < cut]
            events = [row for row in events if _rowid(row) < cut]
            last = _rowid(tasks[-1])
        responses, keys = _owned(reads, statements, after, last)
        return Range(tasks, last, events, None, responses, keys)


def _long_range(reads: Reads, statements: Statements, book: Rulebook, after: int, task: Row, sizes: Sizes) -> Range:
    last = _rowid(task)
    walked = LogWalk(book, task)
    _walk_log(reads, statements, walked, last, sizes)
    responses, keys = _owned(reads, statements, after, last)
    return Range([task], last, (), walked, responses, keys)


def _walk_log(reads: Reads, statements: Statements, walked: LogWalk, task: int, sizes: Sizes) -> None:
    """Walk over a log that is not to be held as a whole."""
    if statements.odd is None or statements.log is None:
        return
    odd = reads.rows(statements.odd, [task, _MOST_ODD])
    walked.take([None] * len(odd), odd)
    seq, event = _BELOW_ALL, _BELOW_ALL
    while rows := reads.rows(statements.log, [task, seq, event, sizes.events]):
        walked.take(events_of(rows), rows)
        event, seq = (_integer(value) for value in rows[-1][1:3])


def _owned(reads: Reads, statements: Statements, after: int, last: int) -> tuple[list[Row], list[Row]]:
    responses = reads.rows(statements.responses, [after, last]) if statements.responses else []
    keys = reads.rows(statements.keys, [after, last]) if statements.keys else []
    return responses, keys


def read_one(
    reads: Reads, full: Statements, small: Statements, book: Rulebook, after: int, upto: int, sizes: Sizes
) -> Range | None:
    """Return the next task alone, and as much of what belongs to it as a damaged file lets be read.

    ``small`` are the statements that touch no large column. Raises as SQLite does where not even its row can be read.
    """
    with reads.one_moment():
        tasks, too_large = _first_that_fits(reads, full.tasks, small.tasks, [after, upto, 1])
        if not tasks:
            return None
        last = _rowid(tasks[0])
        walked = LogWalk(book, tasks[0])
        try:
            _walk_log(reads, full, walked, last, sizes)
        except SqliteTrouble as error:
            walked = LogWalk(book, tasks[0])
            if is_too_big(error):
                too_large = True
                _walk_log(reads, small, walked, last, sizes)
            else:
                walked.cannot_read(f"Its events cannot be read. {damage_of(error)}", log=True)
        responses: list[Row] = []
        keys: list[Row] = []
        try:
            responses, keys = _owned(reads, full, last - 1, last)
        except SqliteTrouble as error:
            walked.cannot_read(f"Its response or its idempotency key cannot be read. {damage_of(error)}", log=False)
        if too_large:
            walked.found_too_large()
        return Range(tasks, last, (), walked, responses, keys)


def _first_that_fits(reads: Reads, full: str, small: str, parameters: list[Value]) -> tuple[list[Row], bool]:
    """Run ``full``, or ``small`` where a value is too large for it, and say whether one was."""
    try:
        return reads.rows(full, parameters), False
    except SqliteTrouble as error:
        if not is_too_big(error):
            raise
    return reads.rows(small, parameters), True


def damage_of(error: BaseException) -> str:
    """Return what is damaged in one sentence. Raises ``error`` again where it is something else: a lock, a deadline."""
    cause = error.__cause__ if isinstance(error, Unanswered) else error
    if isinstance(cause, SqliteTrouble):
        code = primary_code(cause)
        if code in _DAMAGE or (code is None and isinstance(cause, UnicodeError | sqlite3.OperationalError)):
            return sentence_of(cause, "It")
    raise error


def _rowid(row: Row) -> int:
    return _integer(row[0])


def _integer(value: object) -> int:
    if not isinstance(value, int):
        raise TypeError(f"SQLite gave {type(value).__name__} where it gives integers alone.")
    return value
