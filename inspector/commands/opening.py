"""How a database is opened for reading, and what is said of it."""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeVar

from inspector.commands.clock import Clock
from inspector.commands.ending import NotDone, Refused
from inspector.commands.output import utc
from inspector.commands.patience import Patience, why_not_read
from inspector.layout.description import InvalidDescription
from inspector.layout.opened import Mode, Opened
from inspector.layout.rows import ESCAPED_BYTE, NO_ID
from inspector.layout.visible import visible
from inspector.reading.errors import Unanswered, Unreadable
from inspector.reading.holders import named_as_reader
from inspector.reading.layouts import NATIVE_ONLY, Layouts, layouts_of
from inspector.reading.opening import Look
from inspector.reading.reader import Reader, open_reader
from inspector.reading.requests import Request

_Answer = TypeVar("_Answer")

DEADLINE_MS: Final = 60_000
"""How long one read may take. Nobody waits in front of a window here; Ctrl+C ends it earlier."""


@contextmanager
def reading(
    path: Path, mode: Mode | None, clock: Clock, *, layouts: Layouts = NATIVE_ONLY, patience: Patience | None = None
) -> Iterator[Reader]:
    """Open the database for reading. What cannot be opened or read ends the command with its sentence.

    With ``patience`` it is waited for while another process keeps it locked.
    """
    with named_as_reader():
        opened = _opened(path, mode, clock, layouts, patience)
        try:
            with opened as reader:
                yield reader
        except (Unreadable, Unanswered) as error:
            raise NotDone(why_not_read(error)) from error


def _opened(path: Path, mode: Mode | None, clock: Clock, layouts: Layouts, patience: Patience | None) -> Reader:
    while True:
        try:
            return open_reader(path, mode=mode, now_ms=clock.now_ms, layouts=layouts)
        except Unreadable as error:
            if not error.is_locked:
                other = None if layouts is not NATIVE_ONLY else _other_layout(path, mode, clock)
                raise NotDone(other or error.sentence) from error
            if patience is None:
                raise NotDone(why_not_read(error)) from error
            patience.wait(error.sentence)


def _other_layout(path: Path, mode: Mode | None, clock: Clock) -> str | None:
    """Return what to say of a file of another layout where only the native one will do; None where it is none."""
    try:
        with open_reader(path, mode=mode, now_ms=clock.now_ms, layouts=layouts_of_others(None)) as reader:
            name = reader.opened.layout_name
    except Unreadable:
        return None
    return None if name is None else f"{path.name} is of the layout “{name}”: this is for the native layout alone."


def layouts_of_others(layout: Path | None, *, any_tables: bool = False) -> Layouts:
    """Return what a file may be read as: the layout described in ``layout``, else what is known or can be guessed.

    Ends the command where ``layout`` describes none. ``any_tables``: a file without tasks is opened as well.
    """
    try:
        return layouts_of(layout, os.environ, any_tables=any_tables)
    except InvalidDescription as error:
        raise NotDone(error.sentence) from error


def why_not_act_at_rest(look: Look, path: Path, clock: Clock) -> str | None:
    """Return why nothing may be written to a file that no service has open; None where it may, or where one has.

    Asked before it is opened to write to it: to open it for that and to close it again would leave traces of a -wal and
    -shm in its folder. Ends the command as :func:`require_readable` does.
    """
    if look.mode not in (Mode.RESTING, Mode.CRASHED):
        return None
    with reading(path, None, clock) as reader:
        return reader.opened.why_not_act


def require_readable(path: Path, clock: Clock) -> None:
    """End the command as a reading one does where the file is no database of an LMSP service at all.

    For a file that nothing may be written to: whether that is a rule's refusal or no input for any command.
    """
    with reading(path, None, clock):
        pass


def asked(reader: Reader, request: Request, kind: type[_Answer]) -> _Answer:
    """Return the answer to the request, which is of this kind."""
    value = reader.answer(request, deadline_ms=DEADLINE_MS)
    if not isinstance(value, kind):
        raise TypeError(f"{type(request).__name__} is not answered by a {kind.__name__}")
    return value


def no_such_task(task_id: str) -> Refused:
    """Return what to raise where the database does not hold the task."""
    leads_nowhere = task_id == NO_ID or ESCAPED_BYTE in task_id
    hint = " Nothing leads to a task whose id is NULL or no UTF-8; the command tables shows its row."
    return Refused(f"There is no task {task_id} in this database.{hint if leads_nowhere else ''}")


def opened_lines(opened: Opened) -> list[str]:
    """Return how the file was opened, in words: one line for the mode, one for each note."""
    last = opened.last_moment_ms
    ends = [] if last is None else [f"Last moment in it: {utc(last)}"]
    return [f"Opened {opened.mode}: {visible(opened.why)}", *ends, *(f"Note: {visible(note)}" for note in opened.notes)]


def opened_document(opened: Opened) -> dict[str, object]:
    """Return how the file was opened, for ``--json``."""
    return {
        "mode": opened.mode,
        "why": opened.why,
        "notes": opened.notes,
        "holder": opened.holder,
        "layout": opened.layout,
        "last_moment": opened.last_moment_ms,
    }


def damage_lines(damage: Sequence[str]) -> list[str]:
    """Return what could not be read, one line each."""
    return [f"Damaged: {visible(sentence)}" for sentence in damage]


def damage_document(damage: Sequence[str]) -> str:
    """Return the same as a further member of a JSON document; nothing where all could be read."""
    return f',\n"damage": {json.dumps(list(damage))}' if damage else ""
