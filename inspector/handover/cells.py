"""What an export has of each row: its columns, which of them are taken out, and one row as cells.

Taken out unless they are asked for are all texts that can be a prompt, an output or a person's: requests, snapshots,
the bodies of responses, the data of events, error messages (they quote what was asked for; the error code stays), and
of a model its path (it names a home folder) and its metadata (whatever a service put there). Of an error code, a kind
and the type of an event those that are no word: in a layout that was guessed, any text may stand for one. Clients and
idempotency keys are in no export: token hashes and keys are not read by anybody, names of clients are people's.
"""

import re
from collections.abc import Mapping
from typing import Final, TypeAlias

from inspector.layout.rows import EventRow, ModelRow, ResponseRow, StoredText, TaskDetail, TaskRow
from inspector.layout.whole import Part
from inspector.lmsp.values import value

COLUMNS: Final[Mapping[Part, tuple[str, ...]]] = {
    Part.MODELS: ("id", "name", "digest", "size_bytes", "format", "added_at", "path", "metadata"),
    Part.TASKS: (
        *("id", "status", "kind", "model_id", "client_id", "on_restart", "attempt", "last_seq", "snapshot_seq"),
        *("error_code", "created_at", "started_at", "finished_at", "updated_at"),
        *("error_message", "request", "snapshot"),
    ),
    Part.RESPONSES: ("id", "task_id", "status", "client_id", "model_id", "created_at", "expires_at", "body"),
    Part.EVENTS: ("id", "task_id", "seq", "type", "status", "attempt", "created_at", "data"),
}
"""The columns of each table in their order."""

SECRETS: Final[Mapping[Part, tuple[str, ...]]] = {
    Part.MODELS: ("path", "metadata"),
    Part.TASKS: ("error_message", "request", "snapshot"),
    Part.RESPONSES: ("body",),
    Part.EVENTS: ("data",),
}
"""Those of them that are taken out unless they are asked for, whatever they hold."""

WORDS: Final[Mapping[Part, tuple[str, ...]]] = {Part.TASKS: ("kind", "error_code"), Part.EVENTS: ("type",)}
"""Those of which a value stays where it is a word, as a code or the name of a type is."""

_TIME: Final = re.compile(r"[0-9TZ_.:/+ -]{0,40}")
_WORD: Final = re.compile(r"[A-Za-z0-9_.:/-]{0,64}")


@value
class TakenOut:
    """Stands for a value that is stored and not handed on."""


@value
class LargeText:
    """A text of any size, that may have been cut."""

    stored: StoredText
    is_json: bool
    """Whether it is to be JSON; what is stored may be something else."""


Cell: TypeAlias = int | str | LargeText | TakenOut | None
Whole: TypeAlias = TaskDetail | EventRow | ResponseRow | ModelRow

TAKEN_OUT: Final = TakenOut()


def cells_of(row: Whole, *, with_secrets: bool) -> tuple[Cell, ...]:
    """Return the cells of one row in the order of COLUMNS."""
    match row:
        case TaskDetail():
            return _task(row, with_secrets)
        case EventRow():
            return _event(row, with_secrets)
        case ResponseRow():
            return _response(row, with_secrets)
        case ModelRow():
            return _model(row, with_secrets)


def number_cell(row: TaskRow | EventRow | ResponseRow | ModelRow, column: str, with_secrets: bool) -> Cell:
    """Return a number of a row as its cell: the one place where times and other numbers become cells.

    Times are Unix milliseconds. Where something else is stored that is told as text, if it looks like a time or a word;
    what the file does not tell is None.
    """
    told = row.told(column)
    if isinstance(told, str):
        return told if with_secrets or _TIME.fullmatch(told) else _word(told, with_secrets)
    return told


def _text(row: TaskRow | EventRow | ResponseRow, column: str) -> str | None:
    told = row.told(column)
    return None if told is None else str(told)


def _task(row: TaskDetail, with_secrets: bool) -> tuple[Cell, ...]:
    task = row.task

    def number(column: str) -> Cell:
        return number_cell(task, column, with_secrets)

    return (
        *(_text(task, "id"), _text(task, "status"), _word(_text(task, "kind"), with_secrets)),
        *(task.model_id, task.client_id, task.on_restart),
        *(number("attempt"), number("last_seq"), number("snapshot_seq"), _word(task.error_code, with_secrets)),
        *(number("created_at"), number("started_at"), number("finished_at"), number("updated_at")),
        _secret(row.error_message, with_secrets, is_json=False),
        _secret(row.request, with_secrets),
        _secret(row.snapshot, with_secrets),
    )


def _event(row: EventRow, with_secrets: bool) -> tuple[Cell, ...]:
    def number(column: str) -> Cell:
        return number_cell(row, column, with_secrets)

    kind = _word(_text(row, "type"), with_secrets)
    return (
        *(
            number("id"),
            _text(row, "task_id"),
            number("seq"),
            kind,
            _text(row, "status"),
            number("attempt"),
            number("created_at"),
        ),
        _secret(row.data if row.told("data") is not None else None, with_secrets),
    )


def _response(row: ResponseRow, with_secrets: bool) -> tuple[Cell, ...]:
    return (
        *(row.id, _text(row, "task_id"), row.status, row.client_id, row.model_id),
        *(number_cell(row, "created_at", with_secrets), number_cell(row, "expires_at", with_secrets)),
        _secret(row.body if row.told("body") is not None else None, with_secrets),
    )


def _model(row: ModelRow, with_secrets: bool) -> tuple[Cell, ...]:
    size, added = (number_cell(row, column, with_secrets) for column in ("size_bytes", "added_at"))
    return (
        *(row.id, row.name, row.digest, size, row.format, added),
        _secret(StoredText(row.path, len(row.path)), with_secrets, is_json=False),
        _secret(StoredText(row.metadata, len(row.metadata)), with_secrets),
    )


def _secret(stored: StoredText | None, with_secrets: bool, *, is_json: bool = True) -> Cell:
    if stored is None:
        return None
    if with_secrets:
        return LargeText(stored, is_json)
    return TAKEN_OUT if stored.length else None


def _word(text: str | None, with_secrets: bool) -> Cell:
    return text if text is None or with_secrets or _WORD.fullmatch(text) else TAKEN_OUT
