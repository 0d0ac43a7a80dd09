"""What is read from a database, as frozen rows.

A field typed ``str`` holds what was stored, bytes that are no UTF-8 escaped, a blob as SQL writes one, and is empty
where nothing is; a field typed
``int | None`` is None, and one typed ``int`` is 0 or what was worked out instead, also where something other than an
integer was stored, or nothing: ``told`` tells what is. Times are Unix milliseconds, UTC.
"""

from typing import Final, TypeAlias

from inspector.lmsp.values import row, value

Odd: TypeAlias = tuple[tuple[str, int | str | None], ...]
"""Columns whose field is not what is stored: those of numbers with the start of something else as text, any with None
where a field typed ``int`` or ``str`` stands for nothing: no such column, NULL, a row that cannot be read. ``seq`` with
the stored number where the field is a place."""


NO_ID: Final = "NULL"
"""Stands for the id of a task that has none, in a layout of others; a text that looks so is in quotes."""

ESCAPED_BYTE: Final = "\\x"
"""With it a byte begins that is no UTF-8, as it is shown."""

TOO_LARGE: Final = "(too large to be listed)"
"""What stands for a value that is too large for a list, an id too."""


class WithOdd:
    """What may hold something else, or nothing, in columns of numbers."""

    __slots__ = ()

    odd: Odd

    def as_stored(self, column: str) -> str | None:
        """Return what ``column`` holds where that is no number; None where the field tells it."""
        found = dict(self.odd).get(column)
        return None if isinstance(found, int) else found

    def told(self, column: str) -> int | str | None:
        """Return what ``column`` holds: its field, the start of what is no number as text, or None for nothing."""
        odd = dict(self.odd)
        return odd[column] if column in odd else _field(self, column)


def _field(made: object, column: str) -> int | str | None:
    found: int | str | None = getattr(made, column)
    return found


@row
class TaskRow:
    """One task without its large columns: what a list shows."""

    id: str
    client_id: str | None
    model_id: str | None
    kind: str
    status: str
    """As stored; it may be none of the seven in a file that is not held by the layout."""
    on_restart: str | None
    snapshot_seq: int | None
    last_seq: int
    """Where it is not told, how many events there are, as far as a list can count them."""
    attempt: int
    error_code: str | None
    created_at: int | None
    started_at: int | None
    finished_at: int | None
    updated_at: int | None

    def as_stored(self, _column: str) -> str | None:
        """Return what a column of numbers holds where that is no number: "yesterday". None where the field tells it."""
        return None

    def told(self, column: str) -> int | str | None:
        """Return what ``column`` holds; None for nothing, where the field may be a number or a text."""
        return _field(self, column)


@row
class OddTaskRow(WithOdd, TaskRow):
    """One task with columns of numbers that hold something else, or nothing."""

    odd: Odd


@row
class StoredText:
    """A large text, cut to what a pane shows."""

    text: str
    length: int
    """The stored length in characters; where it was cut, in bytes, and more than ``len(text)``."""

    @property
    def is_cut(self) -> bool:
        """Whether there is more than ``text``."""
        return self.length > len(self.text)


@value
class TaskDetail:
    """One task with its large columns and its response, each None where nothing is stored."""

    task: TaskRow
    request: StoredText | None
    snapshot: StoredText | None
    error_message: StoredText | None
    response: StoredText | None


@row
class EventRow:
    """One event of a task's log."""

    id: int
    task_id: str
    seq: int
    """What leads to the event. Its place in its log, from 1 on, where the log's numbers lead to none or to several."""
    type: str
    status: str
    """The task's status after this event."""
    attempt: int
    created_at: int | None
    data_text: str
    data_length: int

    @property
    def data(self) -> StoredText:
        """The data. Its two fields stand in the row itself: most events of a page are never looked at."""
        return StoredText(self.data_text, self.data_length)

    def as_stored(self, _column: str) -> str | None:
        """Return what a column of numbers holds where that is no number. None where the field tells it."""
        return None

    def told(self, column: str) -> int | str | None:
        """Return what ``column`` holds; None for nothing, where the field may be a number or a text."""
        return _field(self, column)


@row
class OddEventRow(WithOdd, EventRow):
    """One event with columns of numbers that hold something else, or nothing."""

    odd: Odd


@value
class ModelRow(WithOdd):
    """One registered model, and how many tasks name it."""

    id: str
    name: str
    digest: str
    size_bytes: int | None
    path: str
    format: str | None
    metadata: str
    added_at: int | None
    tasks: int
    unfinished: int
    odd: Odd = ()


@value
class ResponseRow(WithOdd):
    """The response that was stored with a task's completion."""

    id: str
    task_id: str
    client_id: str | None
    model_id: str | None
    status: str
    body: StoredText
    """JSON."""
    created_at: int | None
    expires_at: int | None
    """None where it is kept as long as its task."""
    odd: Odd = ()


@value
class ClientRow:
    """One paired client, without the hash of its token."""

    id: str
    name: str
    scopes: tuple[str, ...]
    """What it may do; empty also where something other than a JSON array of texts was stored."""
    paired_at: int | None
    last_seen_at: int | None
    revoked_at: int | None
    """None as long as its token is good."""
