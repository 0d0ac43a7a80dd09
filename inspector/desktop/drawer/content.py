"""What the drawer shows, in words."""

from inspector.lmsp.values import value


@value
class Note:
    """One line about the file."""

    text: str
    is_fault: bool
    """A triangle stands before it; else a small circle."""


@value
class Facts:
    """How the file was opened."""

    mode: str
    why: str
    layout: str
    notes: tuple[Note, ...]


@value
class Check:
    """How SQLite's own check of the file stands."""

    text: str
    is_running: bool = False
    may_start: bool = True
    """Whether the file may be checked at all; where not, ``text`` says why."""


@value
class ProofRow:
    """One file of the proof, or the listing of the folder."""

    name: str
    size: str
    modified: str
    before: str = ""
    """The first and the last digits of a digest."""
    now: str = ""
    verdict: str = ""
    """Empty before a second look."""
    is_same: bool = True


@value
class Proof:
    """How the proof stands."""

    title: str
    moments: str
    rows: tuple[ProofRow, ...]
    is_running: bool = False
    may_look: bool = True
    line: str = ""
    """The whole as one line for a ticket; empty where there is none yet."""
