"""Rows as they come from a file, made into values of the right types; what has a wrong one is told instead."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Final, TypeVar

from inspector.checks.rule import quoted
from inspector.checks.values import Event, Task
from inspector.reading.connection import Row

_Made = TypeVar("_Made")

_OPTIONAL: Final = {
    "on_restart": str,
    "error_code": str,
    "client_id": str,
    "model_id": str,
    "snapshot_seq": int,
    "started_at": int,
    "finished_at": int,
    "error": str,
}
_TEXTS: Final = frozenset({"id", "status", "type"})


def _types_of(fields: Sequence[str], texts: frozenset[str]) -> tuple[frozenset[type], ...]:
    return tuple(
        frozenset({_OPTIONAL[name], type(None)}) if name in _OPTIONAL else frozenset({str if name in texts else int})
        for name in fields
    )


_TASK_TYPES: Final = _types_of(Task._fields, _TEXTS)
_EVENT_TYPES: Final = _types_of(Event._fields, _TEXTS - {"id"})
_new: Final[Any] = tuple.__new__
"""What makes a named tuple of a row, without the frame that ``_make`` costs for each of millions."""
_WORDS: Final = {int: "an integer", str: "text"}


def tasks_of(rows: Sequence[Row]) -> list[Task | None]:
    """Return the tasks of these rows, with None for each that has a value of a wrong type."""
    return _made(rows, _TASK_TYPES, partial(_new, Task))


def events_of(rows: Sequence[Row]) -> list[Event | None]:
    """Return the events of these rows, with None for each that has a value of a wrong type."""
    return _made(rows, _EVENT_TYPES, partial(_new, Event))


def _made(rows: Sequence[Row], types: tuple[frozenset[type], ...], make: Callable[[Any], _Made]) -> list[_Made | None]:
    if not rows:
        return []
    # Column by column: almost always all of them fit, and a set of types is the cheapest proof.
    columns = zip(*rows, strict=True)
    if all(set(map(type, column)) <= wanted for column, wanted in zip(columns, types, strict=True)):
        return list(map(make, rows))
    return [None if _misfits(row, types) else make(row) for row in rows]


def wrong_in_task(row: Row) -> Iterator[str]:
    """Say of each value of a task's row that is of a wrong type what it is."""
    for at in _misfits(row, _TASK_TYPES):
        yield f"Its {Task._fields[at]} is {quoted(row[at])}, not {_wanted(_TASK_TYPES[at])}."


def wrong_in_event(row: Row) -> Iterator[str]:
    """Say of each value of an event's row that is of a wrong type what it is."""
    for at in _misfits(row, _EVENT_TYPES):
        name = Event._fields[at]
        which = "An event of it" if name == "seq" else f"Its event {quoted(row[Event._fields.index('seq')])}"
        yield f"{which} has the {name} {quoted(row[at])}, not {_wanted(_EVENT_TYPES[at])}."


def _misfits(row: Row, types: tuple[frozenset[type], ...]) -> list[int]:
    return [at for at, (value, wanted) in enumerate(zip(row, types, strict=True)) if type(value) not in wanted]


def _wanted(types: frozenset[type]) -> str:
    (word,) = (_WORDS[kind] for kind in types if kind in _WORDS)
    return word
