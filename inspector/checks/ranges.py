"""Reading one range of tasks, with all that belongs to them, as of one moment."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from inspector.checks.history import Histories
from inspector.checks.rulebook import Rulebook
from inspector.checks.tables import BELOW_ALL, Statements
from inspector.reading.connection import Reads, Row, Value
from inspector.reading.errors import (
    SqliteTrouble,
    TookTooLong,
    Unanswered,
    is_too_big,
    primary_code,
    require_behind,
    sentence_of,
)
from inspector.reading.values import integer

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

    tasks: int
    last: int
    """The rowid up to which everything was read."""
    histories: Histories
    """The tasks, and what was found in their logs where these were not to be held as a whole."""
    events: Sequence[Row]
    """The events that the histories have not taken yet: the rules are asked when the moment is over."""
    responses: Sequence[Row]
    keys: Sequence[Row]


def read_range(
    reads: Reads, statements: Statements, book: Rulebook, after: int, upto: int, sizes: Sizes
) -> Range | None:
    """Return the next tasks behind the rowid ``after``, or None where there are none up to ``upto``."""
    with reads.one_moment():
        tasks = reads.rows(statements.tasks, [after, upto, sizes.tasks])
        if not tasks:
            return None
        last = integer(tasks[-1][0])
        require_behind(last, after, "tasks")
        events: list[Row] = []
        if statements.events is not None:
            events = reads.rows(statements.events, [after, last, sizes.events + 1])
        if len(events) > sizes.events:
            # The last task among them may not be whole.
            cut = integer(events[-1][0])
            tasks = [row for row in tasks if integer(row[0]) < cut] or tasks[:1]
            last = integer(tasks[-1][0])
            require_behind(last, after, "tasks")
            events = [row for row in events if integer(row[0]) < cut]
            if last == cut:
                histories = Histories(book, tasks)
                _walk_log(reads, statements, histories, last, sizes)
                return Range(1, last, histories, (), *_owned(reads, statements, after, last))
        owned = _owned(reads, statements, after, last)
    return Range(len(tasks), last, Histories(book, tasks), events, *owned)


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
        last = integer(tasks[0][0])
        require_behind(last, after, "tasks")
        histories = Histories(book, tasks)
        try:
            _walk_log(reads, full, histories, last, sizes)
        except SqliteTrouble as error:
            histories = Histories(book, tasks)
            if is_too_big(error):
                too_large = True
                _walk_log(reads, small, histories, last, sizes)
            else:
                histories.cannot_read(last, f"Its events cannot be read. {damage_of(error)}", log=True)
        responses: list[Row] = []
        keys: list[Row] = []
        try:
            responses, keys = _owned(reads, full, last - 1, last)
        except SqliteTrouble as error:
            sentence = f"Its response or its idempotency key cannot be read. {damage_of(error)}"
            histories.cannot_read(last, sentence, log=False)
        if too_large:
            histories.found_too_large(last)
        return Range(1, last, histories, (), responses, keys)


def damage_of(error: BaseException) -> str:
    """Return what is damaged in one sentence. Raises ``error`` again where it is something else: a lock, a deadline."""
    cause = error.__cause__ if isinstance(error, Unanswered) else error
    if isinstance(cause, SqliteTrouble):
        code = primary_code(cause)
        if code in _DAMAGE or (code is None and isinstance(cause, UnicodeError | sqlite3.OperationalError)):
            return sentence_of(cause, "The file")
    raise error


def is_late(error: BaseException) -> bool:
    """Say whether a read was stopped because its deadline had passed."""
    return isinstance(error, TookTooLong)


def _walk_log(reads: Reads, statements: Statements, histories: Histories, task: int, sizes: Sizes) -> None:
    """Walk over a log that is not to be held as a whole."""
    if statements.odd is None or statements.log is None:
        return
    histories.take_odd(reads.rows(statements.odd, [task, _MOST_ODD]))
    seq, event = BELOW_ALL, BELOW_ALL
    while rows := reads.rows(statements.log, [task, seq, event, sizes.events]):
        histories.take(rows)
        last_event, last_seq = (integer(value) for value in rows[-1][1:3])
        if last_seq == seq:
            require_behind(last_event, event, "events")
        else:
            require_behind(last_seq, seq, "events")
        event, seq = last_event, last_seq


def _owned(reads: Reads, statements: Statements, after: int, last: int) -> tuple[list[Row], list[Row]]:
    responses = reads.rows(statements.responses, [after, last]) if statements.responses else []
    keys = reads.rows(statements.keys, [after, last]) if statements.keys else []
    return responses, keys


def _first_that_fits(reads: Reads, full: str, small: str, parameters: list[Value]) -> tuple[list[Row], bool]:
    """Run ``full``, or ``small`` where a value is too large for it, and say whether one was."""
    try:
        return reads.rows(full, parameters), False
    except SqliteTrouble as error:
        if not is_too_big(error):
            raise
    return reads.rows(small, parameters), True
