"""The check of a whole database: range by range, in short reads, with memory for one range and what was found."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Final, Protocol, TypeVar

from inspector.checks.contents import check_contents
from inspector.checks.doubles import check_doubles
from inspector.checks.findings import Checked, Finding, Part
from inspector.checks.models import check_models
from inspector.checks.orphans import check_orphans
from inspector.checks.ranges import Range, Sizes, damage_of, read_one, read_range
from inspector.checks.rulebook import ALL_CAN_BE_READ, Rulebook, rulebook_for
from inspector.checks.schema import check_schema
from inspector.checks.tables import BELOW_ALL, Tables, read_tables, statements_for
from inspector.reading.connection import Reads
from inspector.reading.errors import SqliteTrouble, Unanswered

_Read = TypeVar("_Read")

_TROUBLE: Final = (*SqliteTrouble, Unanswered)
_DEFAULT: Final = Sizes()
_LAST_ROWID: Final = (1 << 63) - 1
_SCHEMA_LOST: Final = "A part of its schema cannot be read: tables that stood there are not looked at."


class Ask(Protocol):
    """Whoever lets a question read the database, within whatever guard the file needs; it may be asked again."""

    def __call__(self, question: Callable[[Reads], _Read], /) -> _Read:
        """Return what the question read."""


def check_database(ask: Ask, *, sizes: Sizes = _DEFAULT) -> Iterator[Part]:
    """Ask every rule about the database, and give what each step found; the last part has the sums of the whole.

    Each step reads as of one moment of its own, so a live database may be written between them; what is accepted after
    the start is left out. Damage is a finding. A lock, a deadline or the loss of the file is raised as it came.
    """
    tables = ask(read_tables)
    book = rulebook_for(tables.why_not)
    checked = Checked(rules=book.names, skipped=book.skipped)
    if not tables.whole_schema:
        yield Part((ALL_CAN_BE_READ.finding(None, _SCHEMA_LOST),), checked)
    if tables.has("tasks.id"):
        if tables.whole_schema and (of_layout := check_schema(ask, book)):
            yield Part(tuple(of_layout), checked)
        for findings, counts in _Walk(ask, tables, book, sizes).parts():
            tasks, events, responses, keys = counts
            checked = replace(
                checked,
                tasks=checked.tasks + tasks,
                events=checked.events + events,
                responses=checked.responses + responses,
                keys=checked.keys + keys,
            )
            yield Part(tuple(findings), checked)
        for findings in check_doubles(ask, tables, book):
            yield Part(tuple(findings), checked)
        for findings in check_orphans(ask, tables, book):
            yield Part(tuple(findings), checked)
        if tables.has("models.id"):
            for findings, models in check_models(ask, tables, book):
                checked = replace(checked, models=checked.models + models)
                yield Part(tuple(findings), checked)
        for findings in check_contents(ask, tables, book, sizes.events):
            yield Part(tuple(findings), checked)
    yield Part((), checked)


class _Walk:
    """The walk over all tasks, by rowid."""

    def __init__(self, ask: Ask, tables: Tables, book: Rulebook, sizes: Sizes) -> None:
        self._ask = ask
        self._tables = tables
        self._book = book
        self._sizes = sizes
        self._full = statements_for(tables)
        self._small = statements_for(tables, sizes=False)
        self._upto = _LAST_ROWID
        self._findings: list[Finding] = []

    def parts(self) -> Iterator[tuple[list[Finding], tuple[int, int, int, int]]]:
        """Give for each range what was found, and the numbers of tasks, events, responses and keys."""
        restarted_at = self._unless_damaged(partial(_last_start, tables=self._tables), "The list of its starts")
        self._upto = self._unless_damaged(partial(_last_rowid, tables=self._tables), "The last task") or _LAST_ROWID
        after = BELOW_ALL
        while (found := self._next(after)) is not None:
            after = found.last
            histories = found.histories
            histories.take(found.events)
            self._findings += histories.end(found.responses, found.keys, restarted_at)
            yield self._findings, (found.tasks, histories.events, len(found.responses), len(found.keys))
            self._findings = []
        yield self._findings, (0, 0, 0, 0)

    def _unless_damaged(self, question: Callable[[Reads], int | None], what: str) -> int | None:
        try:
            return self._ask(question)
        except _TROUBLE as error:
            self._findings.append(ALL_CAN_BE_READ.finding(None, f"{what} cannot be read. {damage_of(error)}"))
            return None

    def _next(self, after: int) -> Range | None:
        """Return the next range; in a damaged one the next task that can be read, with what was skipped as found."""
        question = partial(
            read_range, statements=self._full, book=self._book, after=after, upto=self._upto, sizes=self._sizes
        )
        try:
            return self._ask(question)
        except _TROUBLE as error:
            damage_of(error)
        step, start, damage = 1, after, None
        while start < self._upto:
            one = partial(
                read_one,
                full=self._full,
                small=self._small,
                book=self._book,
                after=start,
                upto=self._upto,
                sizes=self._sizes,
            )
            try:
                found = self._ask(one)
            except _TROUBLE as error:
                # A page of the table cannot be read, and where it ends is not known: in growing steps over it.
                damage = damage_of(error)
                start = max(start, 0) + step
                step *= 2
                continue
            if damage is not None:
                self._skipped(after, start, damage)
            return found
        if damage is not None:
            self._skipped(after, self._upto, damage)
        return None

    def _skipped(self, after: int, upto: int, damage: str) -> None:
        place = f"behind rowid {after}" if after > BELOW_ALL else "at the start"
        to = "" if upto == _LAST_ROWID else f", up to rowid {upto}"
        self._findings.append(ALL_CAN_BE_READ.finding(None, f"Tasks {place} of the table{to} cannot be read. {damage}"))


def _last_rowid(reads: Reads, tables: Tables) -> int | None:
    rows = reads.rows(f"SELECT max({tables.rowid('tasks')}) FROM tasks")  # noqa: S608  a name of ours
    found = rows[0][0]
    return found if isinstance(found, int) else None


def _last_start(reads: Reads, tables: Tables) -> int | None:
    """Return when the service last recovered what was left over, or None where nobody knows."""
    if not (tables.has("service_config.key") and tables.has("service_config.value")):
        return None
    rows = reads.rows("SELECT value FROM service_config WHERE key = 'service.starts' AND typeof(value) = 'text'")
    try:
        starts = json.loads(str(rows[0][0])) if rows else None
        at = starts[-1]["at"] if isinstance(starts, list) else None
    except (ValueError, RecursionError, LookupError, TypeError):
        return None
    return at if type(at) is int else None
