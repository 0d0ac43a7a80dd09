"""Standard output and standard error: what is written there is plain, whatever the data and the terminal's encoding."""

import codecs
import contextlib
import os
import sys
from datetime import UTC, datetime, timedelta
from typing import Final

from inspector.commands.ending import NotDone
from inspector.layout.stored_json import json_escapes
from inspector.layout.visible import visible

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_JSON_ESCAPES: Final = "lmsp_json_escapes"


NO_STATUS: Final = "(none)"
"""What stands for a status that is not there."""

NOTHING: Final = "-"
"""What stands for a number, a time or a name that is not there."""


def utc(at_ms: int | None) -> str:
    """Return a time as UTC in ISO form with milliseconds; the number itself where no calendar reaches, "-" for None."""
    if at_ms is None:
        return NOTHING
    try:
        moment = _EPOCH + timedelta(milliseconds=at_ms)
    except OverflowError:
        return str(at_ms)
    return f"{moment.replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"


def write_lines(*lines: str) -> None:
    """Write lines for a person. Each must be visible text already; what the encoding lacks is escaped."""
    _write("".join(f"{line}\n" for line in lines), "backslashreplace")


def write_json(text: str) -> None:
    """Write JSON text and a newline. What the encoding lacks is escaped as JSON does: it stays the same value."""
    _write(f"{text}\n", _JSON_ESCAPES)


def write_error(sentence: str) -> None:
    """Write one line on standard error, made visible: it may quote a path or what a database holds."""
    if sys.stderr is None:
        return
    # Whoever does not read standard error gets the exit status all the same.
    with contextlib.suppress(OSError):
        sys.stderr.write(f"{visible(sentence)}\n")
        sys.stderr.flush()


def unwritten(error: OSError) -> str:
    """Say why standard output cannot be written."""
    return f"Standard output cannot be written: {error.strerror}."


def discard_output() -> None:
    """Let standard output lead nowhere: what its buffer still holds would fail once more when the program ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _write(text: str, escapes: str) -> None:
    # None where standard output was closed before the start: what was asked for is done all the same.
    if sys.stdout is None:
        return
    left = memoryview(text.encode(sys.stdout.encoding or "ascii", escapes))
    try:
        sys.stdout.flush()
        while left:
            # Unbuffered, it may take a part; Python's own text layer then forgets the rest without a word.
            left = left[sys.stdout.buffer.write(left) :]
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        discard_output()
        raise NotDone(unwritten(error)) from error


def _json_escapes(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return json_escapes(error.object[error.start : error.end]), error.end


codecs.register_error(_JSON_ESCAPES, _json_escapes)
