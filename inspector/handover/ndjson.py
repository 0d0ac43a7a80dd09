"""One row as a line of JSON: every digit, every text as stored, nothing that looks like what it is not."""

import json
from collections.abc import Mapping, Sequence

from inspector.handover.cells import Cell, LargeText, TakenOut
from inspector.layout.stored_json import spliced


def line_of(kind: str, columns: Sequence[str], cells: Sequence[Cell]) -> str:
    """Return the row as one JSON object with its ``type`` first, and a line end.

    What was taken out is null with ``…_redacted`` true beside it, so that it is told from what is not there, which is
    null alone. Stored JSON is put in as it stands. Where it is none, or nests too deep, it is null with its text in
    ``…_text``; a text that was cut has its stored length in bytes in ``…_length``. The column ``type`` of an event is
    its ``event_type``.
    """
    plain: dict[str, object] = {"type": kind}
    as_stored: list[str] = []
    for column, cell in zip(columns, cells, strict=True):
        key = "event_type" if column == "type" else column
        match cell:
            case TakenOut():
                plain |= {key: None, f"{key}_redacted": True}
            case LargeText(stored=stored, is_json=is_json):
                text = spliced(stored.text) if is_json and not stored.is_cut else None
                if text is not None:
                    # JSON has line ends between its values only, never inside a string.
                    as_stored.append(f', "{key}": {text.replace(chr(10), " ")}')
                elif is_json:
                    plain |= {key: None, f"{key}_text": stored.text}
                else:
                    plain[key] = stored.text
                if stored.is_cut:
                    plain[f"{key}_length"] = stored.length
            case _:
                plain[key] = cell
    return f"{json.dumps(plain)[:-1]}{''.join(as_stored)}}}\n"


def document_line(kind: str, document: Mapping[str, object]) -> str:
    """Return what is said of the whole export as one line of its ``type``."""
    return f"{json.dumps({'type': kind, **document})}\n"
