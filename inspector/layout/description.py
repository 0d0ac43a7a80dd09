"""What a layout that is not ours looks like, in words of the specification: read from TOML, written as TOML.

Section 11.1 leaves the names of tables and columns to the service. A description holds names only, never SQL.
"""

import tomllib
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final, TypeAlias

from inspector.layout.visible import shortened
from inspector.lmsp.statuses import Status
from inspector.lmsp.values import value

Names: TypeAlias = tuple[tuple[str, str], ...]
"""Pairs of our name and the file's, in their order."""


class InvalidDescription(ValueError):
    """A description cannot be used. ``sentence`` says where it is wrong."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


class TimeFormat(StrEnum):
    """How a table stores its times."""

    UNIX_S = "unix_s"
    UNIX_MS = "unix_ms"
    UNIX_US = "unix_us"
    UNIX_NS = "unix_ns"
    ISO = "iso"
    """ISO 8601 text, with or without an offset."""


COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "tasks": (
        *("id", "client_id", "model_id", "kind", "status", "on_restart", "snapshot_seq", "last_seq", "attempt"),
        *("error_code", "created_at", "started_at", "finished_at", "updated_at", "request", "snapshot"),
        "error_message",
    ),
    "events": ("task_id", "seq", "type", "status", "attempt", "created_at", "data"),
    "models": ("id", "name", "digest", "size_bytes", "path", "format", "metadata", "added_at"),
    "responses": ("id", "task_id", "client_id", "model_id", "status", "body", "created_at", "expires_at"),
}
"""What a description may name, by the name of its part."""

TIMES: Final = frozenset({"created_at", "started_at", "finished_at", "updated_at", "added_at", "expires_at"})

_REQUIRED: Final[Mapping[str, tuple[str, ...]]] = {
    "tasks": ("id", "status"),
    "events": ("task_id",),
    "models": ("id",),
    "responses": ("task_id",),
}
_PART_KEYS: Final = frozenset({"table", "columns", "statuses", "times", "zone"})
_EVENT_KEYS: Final = _PART_KEYS | {"order", "feed", "lines"}
_LINE_KEYS: Final = frozenset({"table", "task_id", "column"})


@value
class Part:
    """One of our tables in another layout."""

    table: str
    columns: Names
    statuses: Names = ()
    """The file's value of a status, as text, and the specification's."""
    times: TimeFormat = TimeFormat.UNIX_MS
    zone: str = "Z"
    """The offset of ISO times that have none: ``Z`` or as in ``+08:00``."""
    order: tuple[str, ...] = ()
    """Events without sequence numbers stand in the order of these columns, each task's by itself."""
    feed: str | None = None
    """The column that orders all events across tasks; ``rowid`` for the order in which they were written."""
    lines: str | None = None
    """Events are the lines of JSON in this column; what ``columns`` names beside task_id are keys in a line."""

    def column(self, name: str) -> str | None:
        """Return what the column of ours is called there, or None where there is none."""
        return dict(self.columns).get(name)


@value
class Description:
    """A layout, by its parts; a part is None where the layout has no such table."""

    name: str
    tasks: Part | None = None
    events: Part | None = None
    models: Part | None = None
    responses: Part | None = None

    def parts(self) -> dict[str, Part]:
        """Return the parts that there are, by name."""
        every = {"tasks": self.tasks, "events": self.events, "models": self.models, "responses": self.responses}
        return {name: part for name, part in every.items() if part is not None}


def description_from(text: str, where: str) -> Description:
    """Return the description that ``text`` holds, as TOML; ``where`` is what a sentence calls it.

    Raises InvalidDescription.
    """
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidDescription(f"{where} is no TOML: {error}.") from error
    except (ValueError, RecursionError) as error:
        raise InvalidDescription(f"{where} cannot be read: it nests too deep, or holds too long a number.") from error
    _only(document, {"name", *COLUMNS}, where)
    parts = {name: _part(name, document[name], f"[{name}] of {where}") for name in COLUMNS if name in document}
    if "tasks" not in parts:
        raise InvalidDescription(f"{where} describes no [tasks].")
    name = _text(document.get("name", where), f"name of {where}")
    if "name" in document and len(name) > _LONGEST_NAME:
        raise InvalidDescription(f"name of {where} is longer than {_LONGEST_NAME} characters: give it a shorter one.")
    return Description(name=name, **parts)


_LONGEST_NAME: Final = 100
"""It stands within sentences."""


def _part(name: str, found: object, where: str) -> Part:
    table = _table(found, where)
    _only(table, _EVENT_KEYS if name == "events" else _PART_KEYS, where)
    lines = None
    columns = _names(table.get("columns", {}), f"columns in {where}", COLUMNS[name])
    if "lines" in table and "table" in table:
        raise InvalidDescription(
            f"{where} tells table and lines: tell lines alone where a column holds the events, else table alone."
        )
    if "lines" in table:
        inner = _table(table["lines"], f"lines in {where}")
        _only(inner, _LINE_KEYS, f"lines in {where}")
        missing = sorted(_LINE_KEYS - set(inner))
        if missing:
            raise InvalidDescription(f"lines in {where} lacks {', '.join(missing)}.")
        stored_in = _text(inner["table"], f"lines.table in {where}")
        lines = _text(inner["column"], f"lines.column in {where}")
        columns = (("task_id", _text(inner["task_id"], f"lines.task_id in {where}")), *columns)
    elif "table" in table:
        stored_in = _text(table["table"], f"table in {where}")
    else:
        raise InvalidDescription(f"{where} names no table.")
    lacking = [each for each in _REQUIRED[name] if each not in dict(columns)]
    if lacking:
        raise InvalidDescription(f"{where} says no column for {', '.join(lacking)}.")
    return Part(
        table=stored_in,
        columns=columns,
        statuses=_statuses(table.get("statuses", {}), f"statuses in {where}"),
        times=_times(table.get("times", TimeFormat.UNIX_MS.value), where),
        zone=_zone(table.get("zone", "Z"), where),
        order=tuple(_text(each, f"order in {where}") for each in _list(table.get("order", []), f"order in {where}")),
        feed=None if "feed" not in table else _text(table["feed"], f"feed in {where}"),
        lines=lines,
    )


_MOST_STATUSES: Final = 1_000
"""Each is a case of one expression, and SQLite takes only so deep a one."""


def _statuses(found: object, where: str) -> Names:
    names = _names(found, where, None)
    if len(names) > _MOST_STATUSES:
        raise InvalidDescription(f"{where} tells {len(names):,} statuses; at most {_MOST_STATUSES:,} can be told.")
    known = {status.value for status in Status}
    for stored, status in names:
        if status not in known:
            raise InvalidDescription(
                f"{where}: {shortened(stored)} is to be {shortened(status)!r}, which is none of the seven statuses."
            )
    return names


def _times(found: object, where: str) -> TimeFormat:
    try:
        return TimeFormat(_text(found, f"times in {where}"))
    except ValueError:
        words = ", ".join(TimeFormat)
        raise InvalidDescription(f"times in {where} is {shortened(str(found))!r}, which is none of {words}.") from None


_MOST_HOURS: Final = 14
"""SQLite takes no greater offset for one; nor is there one."""
_HOUR_MINUTES: Final = 60


def _zone(found: object, where: str) -> str:
    zone = _text(found, f"zone in {where}")
    if zone in ("Z", "UTC"):
        return "Z"
    hours, colon, minutes = zone[1:].partition(":")
    is_offset = zone[:1] in ("+", "-") and colon and len(hours) == len(minutes) == 2 and (hours + minutes).isdecimal()
    if is_offset and int(hours) <= _MOST_HOURS and int(minutes) < _HOUR_MINUTES:
        return zone
    raise InvalidDescription(f"zone in {where} is {shortened(zone)!r}, which is neither UTC nor an offset as +08:00.")


def _names(found: object, where: str, allowed: Sequence[str] | None) -> Names:
    table = _table(found, where)
    if allowed is not None:
        _only(table, set(allowed), where)
    return tuple((key, _text(each, f"{key} in {where}")) for key, each in table.items())


def _only(table: Mapping[str, object], allowed: "set[str] | frozenset[str]", where: str) -> None:
    unknown = sorted(set(table) - set(allowed))
    if unknown:
        raise InvalidDescription(f"{where} holds {shortened(', '.join(unknown))}, which is not known there.")


def _table(found: object, where: str) -> Mapping[str, object]:
    if not isinstance(found, dict):
        raise InvalidDescription(f"{where} is no table.")
    return found


def _list(found: object, where: str) -> Sequence[object]:
    if not isinstance(found, list):
        raise InvalidDescription(f"{where} is no list.")
    return found


def _text(found: object, where: str) -> str:
    if not isinstance(found, str) or not found or "\0" in found:
        raise InvalidDescription(f"{where} is no text.")
    return found


def toml_of(description: Description) -> str:
    """Return the description as TOML: what :func:`description_from` reads back as the same."""
    lines = [f"name = {_quoted(description.name)}"]
    for name, part in description.parts().items():
        lines += ["", f"[{name}]"]
        columns = list(part.columns)
        if part.lines is None:
            lines.append(f"table = {_quoted(part.table)}")
        else:
            task_id = part.column("task_id") or ""
            columns.remove(("task_id", task_id))
            words = (("table", part.table), ("task_id", task_id), ("column", part.lines))
            lines.append(f"lines = {{ {', '.join(f'{key} = {_quoted(each)}' for key, each in words)} }}")
        if part.times is not TimeFormat.UNIX_MS:
            lines.append(f"times = {_quoted(part.times)}")
        if part.zone != "Z":
            lines.append(f"zone = {_quoted(part.zone)}")
        if part.order:
            lines.append(f"order = [{', '.join(map(_quoted, part.order))}]")
        if part.feed is not None:
            lines.append(f"feed = {_quoted(part.feed)}")
        lines += ["", f"[{name}.columns]", *(f"{_quoted(ours)} = {_quoted(theirs)}" for ours, theirs in columns)]
        if part.statuses:
            lines += ["", f"[{name}.statuses]"]
            lines += [f"{_quoted(stored)} = {_quoted(status)}" for stored, status in part.statuses]
    return "\n".join(lines) + "\n"


_ESCAPED: Final = {'"': '\\"', "\\": "\\\\"}


def _quoted(text: str) -> str:
    """Return ``text`` as a basic string of TOML, on one line."""
    return '"' + "".join(_ESCAPED.get(each) or (each if each.isprintable() else _unicode(each)) for each in text) + '"'


def _unicode(character: str) -> str:
    return f"\\U{ord(character):08X}"
