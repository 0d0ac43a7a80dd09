"""The texts that the models of a simulated history answer with, cut into the pieces of which each is an event."""

import json
import re
from typing import Final

from inspector.demo.texts import CODE, DOCUMENTS, HOME, NOTES, SHELL, Subject

_LENGTHS: Final = (95, 180, 140, 230, 120, 165, 205)
"""About how many characters a piece has, in turn."""
_WORD: Final = re.compile(r"\s*\S+|\s+")
_SAID: Final = 1
"""So many pieces of an answer its response and its snapshot repeat: the whole stands in the events."""


def _cut(text: str) -> list[str]:
    pieces = [""]
    for word in _WORD.findall(text):
        if len(pieces[-1]) + len(word) > _LENGTHS[len(pieces) % len(_LENGTHS)] and pieces[-1]:
            pieces.append("")
        pieces[-1] += word
    return pieces


def _in_json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


_SUBJECTS: Final = (*NOTES, *CODE, *DOCUMENTS, *HOME, *SHELL)
_CUT: Final = [[_in_json(piece) for piece in _cut(subject.answer)] for subject in _SUBJECTS]
_ALL: Final = [piece for pieces in _CUT for piece in pieces]

DATA: Final = [f'{{"delta":"{piece}","output_index":0,"index":' for piece in _ALL]
"""The data of an event for each piece, as JSON up to the number of the piece. Behind one answer comes the next: a
model that has more to say goes on with it."""

_FIRST: Final = {subject: sum(map(len, _CUT[:at])) for at, subject in enumerate(_SUBJECTS)}


def first_piece(subject: Subject) -> int:
    """Return where in ``DATA`` the answer begins."""
    return _FIRST[subject]


def answer_from(first: int, pieces: int) -> str:
    """Return the start of an answer of so many pieces, as it stands inside a JSON text."""
    return "".join(_ALL[at % len(_ALL)] for at in range(first, first + min(pieces, _SAID)))
