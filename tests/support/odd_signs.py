"""Characters that nobody sees, or that a terminal obeys."""

from pathlib import Path
from typing import Final

from inspector.layout import native
from tests.support.hostile_files import loose
from tests.support.reading_databases import START_MS

_POINTS: Final = (
    *(0x00, 0x07, 0x08, 0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x1A, 0x1B, 0x7F, 0x80, 0x85, 0x90, 0x9B, 0x9C, 0x9D, 0xAD),
    *(0x600, 0x61C, 0x180E, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A, 0x202B, 0x202C, 0x202D),
    *(0x202E, 0x2060, 0x2066, 0x2067, 0x2068, 0x2069, 0xE000, 0xFEFF, 0xFFF9, 0x1D173, 0xE0001, 0xE0041, 0xF0000),
)
UNSEEN: Final = tuple(chr(point) for point in _POINTS)
"""Controls, marks of direction, joiners, line ends, tags and private use, one of each kind at least."""

OBEYED: Final = {
    "OSC 0, the title": "\x1b]0;owned\x07",
    "OSC 8, a link": "\x1b]8;;file:///etc/passwd\x1b\\here\x1b]8;;\x1b\\",
    "OSC 52, the clipboard": "\x1b]52;c;cm0gLXJmIC8=\x07",
    "CSI 2J, wiped": "\x1b[2J\x1b[H",
    "CSI 31m, red": "\x1b[31m",
    "DCS": "\x1bP+q544e\x1b\\",
    "APC and PM": "\x1b_x\x1b\\\x1b^x\x1b\\",
    "C1 CSI": "\x9b2J",
    "C1 OSC": "\x9d0;owned\x9c",
    "C1 DCS": "\x90+q544e\x9c",
    "a bell, a backspace, a return": "\x07safe\x08\x08\x08\x08\rrm -rf",
    "a full reset": "\x1bc",
}
"""What a terminal takes for an order, by what it would do."""


def ids_with_odd_signs(path: Path) -> list[str]:
    """Make a database of our tables without their rules: in each a row for each sign and order, in every column of ids.

    Return the ids, in the order in which the tasks were made.
    """
    ids = [f"a{sign}b" for sign in UNSEEN] + [f"c{order}d" for order in OBEYED.values()]
    db = loose(path)
    for table in native.TABLES:
        names = [row[1] for row in db.execute(f"PRAGMA table_xinfo({table})")]
        texts = [name for name in names if name not in _PLAIN]
        columns = [*texts, *(name for name in names if name in _PLAIN)]
        plain = [_PLAIN[name] for name in columns if name in _PLAIN]
        db.execute("BEGIN")
        db.executemany(
            f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})",
            ([each] * len(texts) + plain for each in ids),
        )
        db.execute("COMMIT")
    db.close()
    return ids


_PLAIN: Final = {"seq": 1, "status": "running", "created_at": START_MS, "attempt": 1, "last_seq": 1}
"""The columns that hold no id, name or other text of a service's choice."""
