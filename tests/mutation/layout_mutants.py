"""Mutants of the layout, made from its text: so none of its triggers and checks can be forgotten.

Each statement that holds something back is taken away, and each of its conditions is weakened: one that another stands
beside (AND) is taken as kept, one that would do by itself (OR) as not kept, and each value of a list is left out.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from inspector.layout import native
from tests.mutation.mutants import Mutant

PATH: Final = "inspector/layout/native_v1.sql"

OF_ROWS: Final = tuple(
    f"tests/layout/test_refusals.py::test_{name}"
    for name in (
        "what_a_store_writes_is_taken",
        "each_trigger_holds_by_itself",
        "a_value_of_the_wrong_kind_is_not_stored",
        "a_log_starts_at_1_also_where_its_trigger_is_gone",
        "an_id_that_was_deleted_does_not_come_back",
        "the_ids_of_another_table_do_not_count",
        "a_finished_task_is_deleted_with_all_that_is_its_own",
        "many_events_move_their_task_once",
        "an_event_without_its_tasks_move_stops_every_other_write_of_that_task",
        "an_impossible_row_is_not_stored",
        "is_refused_and_changes_nothing",
    )
)
"""The quick ones first."""
OF_COLUMNS: Final = ("tests/layout/test_native.py",)
"""What is asked of each column alike, and quickly."""

_OF_A_KEY: Final = "the columns of a primary key are never NULL in a STRICT table"

NO_OTHER_LAYOUT: Final = {
    **dict.fromkeys(
        (
            "service_config: without NOT NULL at key",
            *(f"{table}: without NOT NULL at id" for table in ("clients", "models", "tasks", "responses")),
            *(f"idempotency_keys: without NOT NULL at {column}" for column in ("client_id", "key")),
        ),
        _OF_A_KEY,
    ),
    "task_events_are_appended: always true: seq = NEW.seq - 1": (
        "where an event is final, or of a cancel, none that says otherwise has ever followed it"
    ),
    "task_events_are_appended: always true: NEW.seq = 1": (
        "it only looks more often: a log that has begun has its task, or was left behind by it"
    ),
}
"""What is broken by no more than its words: claims of mutants that refuse and take the same as the layout does."""

_TOKEN: Final = re.compile(r"--[^\n]*|'(?:[^']|'')*'|\"[^\"]*\"|\w+|<>|<=|>=|<<|\|\||[^\s\w]")


def layout_mutants() -> Iterator[Mutant]:
    """Give the mutants of the whole layout."""
    return (mutant for mutant in changes() if mutant.claim not in NO_OTHER_LAYOUT)


def changes() -> Iterator[Mutant]:
    """Give every change, also those that change nothing but words."""
    for statement in native.STATEMENTS:
        named = re.match(r"CREATE (TABLE|TRIGGER) (\w+)", statement)
        if named is None:
            continue
        kind, name = named.groups()
        of_its_kind = _changes_of_trigger(statement) if kind == "TRIGGER" else _changes_of_table(statement)
        times: Counter[str] = Counter()
        for change in (*of_its_kind, *_weaker_conditions(statement), *_shorter_lists(statement)):
            times[change.claim] += 1
            again = f" ({times[change.claim]})" if times[change.claim] > 1 else ""
            of_a_column = change.claim.startswith(("without NOT NULL", "without STRICT"))
            yield Mutant(
                claim=f"{name}: {change.claim}{again}",
                path=PATH,
                old=statement,
                new=statement[: change.start] + change.new + statement[change.end :],
                tests=OF_COLUMNS if of_a_column else OF_ROWS,
            )


@dataclass(frozen=True)
class _Change:
    claim: str
    start: int
    end: int
    new: str


@dataclass
class _Clause:
    """A condition: from where it begins, and the words AND and OR in it."""

    start: int
    is_clause: bool
    """Whether WHERE or WHEN began it, not a parenthesis."""
    words: list[tuple[str, int, int]] = field(default_factory=list)
    between: bool = False


def _changes_of_table(statement: str) -> Iterator[_Change]:
    for found in re.finditer(r"CHECK \(", statement):
        end = _closing(statement, found.end())
        yield _Change(_short("without", statement[found.start() : end]), found.start(), end, "CHECK (1)")
    for words in (" STRICT", " AUTOINCREMENT", " UNIQUE", " ON DELETE CASCADE", " NOT NULL"):
        for found in re.finditer(rf"(?<! IS){words}\b(?! \()", statement):
            line = statement[statement.rindex("\n", 0, found.start()) : found.start()].split()
            column = f" at {line[0]}" if line and line[0] != ")" else ""
            yield _Change(f"without{words}{column}", found.start(), found.end(), "")
    for found in re.finditer(r" REFERENCES tasks \(id\) ON DELETE CASCADE", statement):
        yield _Change("without REFERENCES", found.start(), found.end(), "")
    for found in re.finditer(r"(UNIQUE|PRIMARY KEY) \([\w, ]+\)", statement):
        yield _Change(_short("without", found[0]), found.start(), found.end(), "CHECK (1)")


def _changes_of_trigger(statement: str) -> Iterator[_Change]:
    yield _Change("not there", 0, len(statement), "SELECT 1")
    columns = re.search(r"UPDATE OF ([\w, ]+) ON", statement)
    if columns is not None and "," in columns[1]:
        names = columns[1].split(", ")
        for name in names:
            others = ", ".join(other for other in names if other != name)
            yield _Change(f"an update of {name} is not looked at", *columns.span(1), others)
    raises = list(re.finditer(r"SELECT RAISE\(ABORT, ('[^']*')\)[^;]*;", statement))
    for found in raises if len(raises) > 1 else []:
        yield _Change(f"never says {found[1]}", *found.span(), "")


def _weaker_conditions(statement: str) -> Iterator[_Change]:
    for start, end, word in _operands(statement):
        told = _short("always true:" if word == "AND" else "never true:", statement[start:end])
        yield _Change(told, start, end, "1" if word == "AND" else "0")


def _operands(statement: str) -> Iterator[tuple[int, int, str]]:
    """Give the parts of each condition, each with the word that joins it to the others; a lone one comes with both."""
    open_clauses = [_Clause(0, is_clause=False)]
    for token in _TOKEN.finditer(statement):
        word = token[0]
        clause = open_clauses[-1]
        if word == "(":
            open_clauses.append(_Clause(token.end(), is_clause=False))
        elif word in (")", ";", "BEGIN"):
            yield from _parts(statement, clause, token.start())
            if word == ")":
                open_clauses.pop()
            else:
                open_clauses[-1] = _Clause(token.end(), is_clause=False)
        elif word in ("WHERE", "WHEN"):
            open_clauses[-1] = _Clause(token.end(), is_clause=True)
        elif word == "BETWEEN":
            clause.between = True
        elif word == "AND" and clause.between:
            clause.between = False
        elif word in ("AND", "OR"):
            clause.words.append((word, token.start(), token.end()))


def _parts(statement: str, clause: _Clause, end: int) -> Iterator[tuple[int, int, str]]:
    if not clause.words:
        if clause.is_clause:
            yield (*_stripped(statement, clause.start, end), "AND")
            yield (*_stripped(statement, clause.start, end), "OR")
        return
    ors = [word for word in clause.words if word[0] == "OR"]
    edges = [clause.start, *(at for _, first, last in ors for at in (first, last)), end]
    groups = list(zip(edges[::2], edges[1::2], strict=True))
    for first, last in groups:
        if len(groups) > 1:
            yield (*_stripped(statement, first, last), "OR")
        ands = [word for word in clause.words if word[0] == "AND" and first <= word[1] < last]
        inner = [first, *(at for _, before, after in ands for at in (before, after)), last]
        if ands:
            for begin, finish in zip(inner[::2], inner[1::2], strict=True):
                yield (*_stripped(statement, begin, finish), "AND")


def _shorter_lists(statement: str) -> Iterator[_Change]:
    for found in re.finditer(r"\bIN \(('[^()]*')\)", statement):
        values = re.findall(r"'[^']*'", found[1])
        for value in values:
            others = ", ".join(other for other in values if other != value)
            yield _Change(f"{value} is left out of a list", *found.span(1), others)


def _stripped(statement: str, start: int, end: int) -> tuple[int, int]:
    text = statement[start:end]
    return start + len(text) - len(text.lstrip()), end - len(text) + len(text.rstrip())


def _closing(statement: str, start: int) -> int:
    depth = 1
    for token in _TOKEN.finditer(statement, start):
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        if depth == 0:
            return token.end()
    raise ValueError("a parenthesis is not closed")


def _short(what: str, text: str) -> str:
    words = " ".join(text.split())
    return f"{what} {words if len(words) <= 90 else words[:90] + '…'}"
