"""What goes over the wire: a question to the reader process; its answers, and what it says unasked."""

from typing import Final, TypeAlias

from inspector.layout.opened import Opened
from inspector.layout.pages import Progress
from inspector.layout.rows import TaskRow
from inspector.lmsp.values import value
from inspector.reading.requests import Request

GONE: Final = "The file is gone."
"""How the sentence of a loss begins that is one of the file itself; how it went comes after it."""


@value
class Asked:
    """One question. ``number`` comes back with its answer; ``deadline_ms`` is how long reading may take."""

    number: int
    request: Request
    deadline_ms: int = 2_000


@value
class Answer:
    """The answer to question ``number``: the type that the request names."""

    number: int
    value: object


@value
class Failed:
    """Question ``number`` was not answered; ``sentence`` says why. Others still may be."""

    number: int
    sentence: str
    took_too_long: bool = False
    """Whether it would be answered if there were more time."""


@value
class Stop:
    """Nobody waits for the answer to question ``number`` any more. It gets none."""

    number: int


@value
class Progressed:
    """How far question ``number``, asked in the background, has come."""

    number: int
    progress: Progress


@value
class Moved:
    """What changed since the last look."""

    rows: tuple[TaskRow, ...]
    """Changed and new tasks as they are now, and watched ones that are no longer as they were sent."""
    gone: tuple[str, ...]
    """Watched tasks that are not in the database any more."""
    last_event_id: int
    events: int
    """How many new events the look saw."""
    fell_behind: bool
    """More changed than one page holds: views should ask anew instead of taking ``rows``."""
    cleaned: bool
    """The service's cleanup has run: counts should start anew."""
    read_at_ms: int


@value
class Lost:
    """The file cannot be read from now on. Nothing more is pushed, and every question fails with this sentence."""

    sentence: str
    at_ms: int


@value
class Locked:
    """Another process keeps the file locked: nothing can be read, or opened, for as long as it does.

    It is tried again and again; where other sentences follow, another one has it.
    """

    sentence: str


@value
class Unlocked:
    """The lock is gone, and the file can be read again. What was asked meanwhile was not answered."""


Push: TypeAlias = Opened | Moved | Lost | Locked | Unlocked
Message: TypeAlias = Asked | Stop | Answer | Failed | Progressed | Push
