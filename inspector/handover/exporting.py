"""The export of a database: all its tasks, events, responses and models, page by page, so that memory stays flat."""

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from inspector import __version__
from inspector.handover.cells import COLUMNS, SECRETS, WORDS, LargeText, cells_of
from inspector.handover.forms import Form, new_sheet
from inspector.handover.targets import require_free
from inspector.handover.walking import Ask, Walk
from inspector.layout.opened import Opened
from inspector.lmsp.values import value

VERSION: Final = 1
"""Of the form of an export: another number where a reader of it must look again."""

_MOST_DAMAGE: Final = 100
"""So many sentences on damage are kept; a file that is damaged in more places is told so."""


@value
class Wanted:
    """What is to be exported, and where to."""

    path: Path
    """A new name: a file for lines of JSON, a folder for CSV."""
    form: Form
    with_secrets: bool = False
    exported_at: int = 0
    """The time, which stands in it: Unix milliseconds."""


@value
class Exported:
    """What was written."""

    path: Path
    files: tuple[str, ...]
    """The files in it, where it is a folder."""
    counts: Mapping[str, int]
    """How many rows of each table."""
    redacted: Mapping[str, tuple[str, ...]]
    """The columns that were taken out, by their table."""
    as_of_event: int | None
    """No newer event than the one of this id is in it; None where this layout numbers none."""
    damage: tuple[str, ...]
    """What cannot be read and is missing, in sentences."""
    notes: tuple[str, ...]
    """What else is to be known of it."""


def export(
    ask: Ask, opened: Opened, database: Path, wanted: Wanted, tell: Callable[[Mapping[str, int]], None]
) -> Exported:
    """Write all rows of the open ``database`` to ``wanted.path``; ``tell`` is given the counts after each page.

    Raises NotWritten where that cannot be written, and what ``ask`` raises where the file cannot be read any more; then
    nothing is there. Damage is passed over and told. As of which moment it is says :mod:`inspector.handover.walking`.
    """
    require_free(wanted.path, database)
    walk = Walk(ask, with_secrets=wanted.with_secrets)
    counts: Counter[str] = Counter(dict.fromkeys((part.value for part in walk.parts), 0))
    damage = _Damage()
    cut = 0
    redacted = {} if wanted.with_secrets else {part.value: SECRETS[part] for part in walk.parts}
    with new_sheet(wanted.form, wanted.path, walk.parts, private=wanted.with_secrets) as sheet:
        sheet.begin(_about(opened, wanted, walk, redacted))
        for page in walk:
            for row in page.rows:
                cells = cells_of(row, with_secrets=wanted.with_secrets)
                cut += sum(isinstance(cell, LargeText) and cell.stored.is_cut for cell in cells)
                sheet.write(page.part, cells)
            counts[page.part] += len(page.rows)
            damage.add(page.damage)
            tell(counts)
        notes = [*walk.notes, *([_cut(cut)] if cut else [])]
        files = sheet.end({"counts": dict(counts), "damage": damage.sentences(), "notes": notes})
    return Exported(
        wanted.path, files, dict(counts), redacted, walk.as_of_event, tuple(damage.sentences()), tuple(notes)
    )


def _about(opened: Opened, wanted: Wanted, walk: Walk, redacted: Mapping[str, tuple[str, ...]]) -> dict[str, object]:
    """Return what is said of an export before its rows. No path: it would name a person's home folder."""
    return {
        "format": "lmsp-inspector-export",
        "version": VERSION,
        "made_by": f"lmsp-inspector {__version__}",
        "file": Path(opened.path).name,
        "exported_at": wanted.exported_at,
        "opened": {
            "mode": opened.mode,
            "why": opened.why,
            "notes": opened.notes,
            "layout": opened.layout,
            "layout_name": opened.layout_name,
        },
        "as_of_event": walk.as_of_event,
        "tables": {part.value: COLUMNS[part] for part in walk.parts},
        "redacted": redacted,
        "redacted_unless_a_word": {} if wanted.with_secrets else WORDS,
    }


def _cut(number: int) -> str:
    values = "1 value is" if number == 1 else f"{number:,} values are"
    return f"{values} larger than 16 MiB and cut there."


class _Damage:
    """The sentences on what cannot be read, each once, and not more than can be read by somebody."""

    def __init__(self) -> None:
        self._sentences: dict[str, None] = {}
        self._left_off = 0

    def add(self, sentence: str) -> None:
        if not sentence or sentence in self._sentences:
            return
        if len(self._sentences) < _MOST_DAMAGE:
            self._sentences[sentence] = None
        else:
            self._left_off += 1

    def sentences(self) -> list[str]:
        more = [f"The file is damaged in {self._left_off:,} more places."] if self._left_off else []
        return [*self._sentences, *more]
