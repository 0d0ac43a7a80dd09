"""SQLite's own check of a file: what no rule about rows would see."""

from collections.abc import Iterator
from typing import Final

from inspector.checks.findings import Finding
from inspector.checks.ranges import damage_of, is_late
from inspector.checks.rulebook import FILE_IS_SOUND
from inspector.checks.walking import Ask
from inspector.reading.connection import Reads
from inspector.reading.errors import SqliteTrouble, Unanswered
from inspector.reading.values import text

_MOST_LINES: Final = 20


def check_file(ask: Ask) -> list[Finding] | None:
    """Return what ``PRAGMA quick_check`` says, one finding for each line; None where its deadline passed.

    It reads the whole file as of one moment: on a live one a checkpoint waits for that. A lock is raised as it came.
    """
    try:
        said = list(ask(_quick_check))
    except (*SqliteTrouble, Unanswered) as error:
        if is_late(error):
            return None
        return [FILE_IS_SOUND.finding(None, f"SQLite's own check does not come to its end. {damage_of(error)}")]
    return [FILE_IS_SOUND.finding(None, f"SQLite's own check says: {line}") for line in said]


def _quick_check(reads: Reads) -> list[str]:
    return [line for (found,) in reads.rows(f"PRAGMA quick_check({_MOST_LINES})") for line in _lines(text(found))]


def _lines(said: str) -> Iterator[str]:
    for line in said.splitlines():
        if line != "ok" and not line.startswith("*** in database"):
            yield line
