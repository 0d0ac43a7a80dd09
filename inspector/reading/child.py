"""One question asked of a reader process of its own, which is killed when its time is over.

What a single function of SQLite does, nothing else can end: it asks nobody until it is done (faults.md 1.9).
"""

import contextlib
import select
import subprocess
import time
from typing import Final

from inspector.layout.opened import FileIdentity
from inspector.reading.command import reader_command, same_as_arguments
from inspector.reading.errors import TookTooLong, Unanswered, Unreadable
from inspector.reading.messages import Answer, Asked, Failed, Lost, Message
from inspector.reading.requests import Request
from inspector.reading.wire import Decoder, WireError, encode

GRACE_S: Final = 0.5
"""So much earlier than it is killed, it is told to give up: then it lives for another question."""

_CHUNK: Final = 1 << 16


def answer_in_child(path: str, request: Request, *, within_s: float, same_as: FileIdentity | None = None) -> object:
    """Return the answer to ``request`` about the file at ``path``, which needs no copy to be read.

    ``same_as``: which file has to lie there; Unreadable is raised where another one does.

    Raises TookTooLong when ``within_s`` have passed, with the time that it takes to start a process; Unanswered with
    one sentence where there is no answer, Unreadable where there is no file.
    """
    ends_at = time.monotonic() + within_s
    child = subprocess.Popen(
        [*reader_command(), "--background", *same_as_arguments(same_as), "--", path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        return _asked(child, Asked(1, request, round(max(0.1, within_s - GRACE_S) * 1_000)), ends_at, within_s)
    finally:
        child.kill()
        with contextlib.suppress(OSError):
            child.communicate()


def _asked(child: "subprocess.Popen[bytes]", asked: Asked, ends_at: float, within_s: float) -> object:
    if child.stdin is None or child.stdout is None:
        raise ValueError("a reader is spoken to over pipes")
    decoder = Decoder()
    with contextlib.suppress(BrokenPipeError):
        child.stdin.write(encode(asked))
        child.stdin.flush()
    while True:
        ready, _, _ = select.select([child.stdout], [], [], max(0.0, ends_at - time.monotonic()))
        if not ready:
            raise TookTooLong(f"This took longer than {within_s:g} s and was stopped.")
        chunk = child.stdout.read1(_CHUNK)  # type: ignore[attr-defined]
        if not chunk:
            raise Unanswered("The process that read the file ended before it had the answer.")
        try:
            messages = decoder.feed(chunk)
        except WireError as error:
            raise Unanswered("The process that read the file gave no answer that can be read.") from error
        for message in messages:
            if isinstance(message, Answer):
                return message.value
            _raise_of(message, within_s)


def _raise_of(message: Message, within_s: float) -> None:
    match message:
        case Lost(sentence=sentence):
            raise Unreadable(sentence)
        case Failed(took_too_long=True):
            raise TookTooLong(f"This took longer than {within_s:g} s and was stopped.")
        case Failed(sentence=sentence):
            raise Unanswered(sentence)
