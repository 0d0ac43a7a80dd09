"""``--proof``: hashes, times and listing before and after what a command read, as one line."""

import json
from pathlib import Path

from inspector.commands.clock import Clock
from inspector.commands.ending import NotDone
from inspector.layout.opened import Mode
from inspector.layout.traces import TouchState
from inspector.reading.errors import Unreadable
from inspector.reading.opening import Look, look_at
from inspector.reading.proof import proof_line, touch_state


class Proof:
    """The proof for one command: made before the file is opened, told after it was closed."""

    def __init__(self, database: Path, mode: Mode | None, clock: Clock) -> None:
        """Hash the file, unless it will be read live. Ends the command where it cannot be opened."""
        self._clock = clock
        try:
            self._look: Look = look_at(database, mode)
            self._before = None if self._look.mode is Mode.LIVE else self._state()
        except Unreadable as error:
            raise NotDone(error.sentence) from error

    def line(self) -> str:
        """Hash the file again and return the proof. Call it when no connection to the file is open any more."""
        if self._before is None:
            return f"No proof: {self._look.name} is read live, and the process that has it open may write at any time."
        return proof_line(self._before, self._state())

    def _state(self) -> TouchState:
        try:
            return touch_state(self._look.path, self._clock.now_ms)
        except OSError as error:
            raise NotDone(f"There is no proof: the folder of {self._look.name} cannot be read.") from error


def proof_lines(proof: Proof | None) -> list[str]:
    """Return the proof in words: no line where none was wanted."""
    return [] if proof is None else [proof.line()]


def proof_document(proof: Proof | None) -> str:
    """Return the proof as the last member of a JSON document, with the comma before it; empty where none was wanted."""
    return "" if proof is None else f',\n"proof": {json.dumps(proof.line())}'
