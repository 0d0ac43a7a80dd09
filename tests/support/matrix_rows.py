"""The situations in which a copied or left database is found, by its companions, its permissions and its header."""

import os
import shutil
import sqlite3
import struct
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Final

from inspector.layout.opened import Mode
from inspector.reading.recognising import WHAT_TO_DO
from tests.support.matrix import ALL, CHECKPOINTED, Parts, Situation, changed, placed, with_parts
from tests.support.reading_crashes import hot
from tests.support.reading_databases import make

_NO_WAL: Final = "the latest changes are missing from it"
_IN_PLACE: Final = "Read in place, nothing created."
_DIED: Final = "its service died"
_NO_SHM: Final = "a -wal lies here without its -shm"
_CUT: Final = "service.db cannot be read: it ends within its header. It was cut off, or not copied to its end."
_NEWER: Final = "service.db cannot be read: a newer SQLite made it."


def _copies() -> list[Situation]:
    places = {"writable": (0o755, 0o644), "read-only file": (0o755, 0o400), "closed folder": (0o555, 0o644)}
    rows = []
    for place, (folder, file) in places.items():
        for parts, mode, why, note, tasks in (
            ((), Mode.RESTING, _IN_PLACE, _NO_WAL, CHECKPOINTED),
            (("-shm",), Mode.RESTING, _IN_PLACE, _NO_WAL, CHECKPOINTED),
            (("-wal",), Mode.COPY, _NO_SHM, "", ALL),
            (("-wal", "-shm"), Mode.CRASHED, _DIED, "", ALL),
        ):
            rows.append(
                Situation(
                    f"{place}: db{''.join(parts)}",
                    with_parts(*parts),
                    mode=mode,
                    why=why,
                    note=note,
                    tasks=tasks,
                    folder_rights=folder,
                    file_rights=file,
                )
            )
    for folder, file in product((0o755, 0o555), (0o644, 0o400)):
        name = f"rollback journal, folder {folder:o}, file {file:o}"
        rows.append(
            Situation(
                name, _rollback, mode=Mode.RESTING, why=_IN_PLACE, tasks=3, folder_rights=folder, file_rights=file
            )
        )
    rows.append(
        Situation(
            "tables that stood in a lost -wal",
            _tables_in_a_lost_wal,
            refused="service.db is an SQLite database, but not of an LMSP service: it has no table tasks. "
            f"{WHAT_TO_DO} "
            "No -wal lies beside service.db. If this is a copy that was made while its service ran, "
            "the latest changes are missing from it.",
        )
    )
    return rows


def _tables_in_a_lost_wal(folder: Path, _parts: Parts) -> Path:
    """Copy only the main file of a service that has checkpointed nothing yet."""
    original = folder / "original.db"
    service = sqlite3.connect(original)
    service.execute("PRAGMA journal_mode = WAL")
    service.execute("CREATE TABLE tasks (id TEXT PRIMARY KEY, status TEXT)")
    shutil.copyfile(original, folder / "service.db")
    service.close()
    original.unlink()
    return folder / "service.db"


def _rollback(folder: Path, _parts: Parts) -> Path:
    return make(folder / "service.db", "a", "b", "c", journal="delete")


OTHER_USERS: Final = (
    Situation(
        "the file is another user's",
        with_parts(),
        refused="service.db cannot be read: there is no permission for it.",
        others=("",),
    ),
    Situation(
        "the -wal is another user's",
        with_parts("-wal", "-shm"),
        refused="service.db cannot be read: there is no permission for service.db-wal beside it.",
        others=("-wal",),
    ),
    Situation(
        "the -shm is another user's",
        with_parts("-wal", "-shm"),
        mode=Mode.COPY,
        why="Read from a private copy: there is no permission for the -shm beside it.",
        tasks=ALL,
        others=("-shm",),
    ),
    Situation(
        "stopped, in a folder that cannot be written",
        with_parts(),
        mode=Mode.RESTING,
        why=_IN_PLACE,
        note=_NO_WAL,
        folder_rights=0o555,
    ),
)
"""Only where the process has no right to pass by permissions."""


def _hot(folder: Path, _parts: Parts) -> Path:
    return hot(folder / "service.db")


def _hot_with_super_journal(folder: Path, _parts: Parts) -> Path:
    path = hot(folder / "service.db")
    victim = os.fsencode(folder / "victim.txt")
    (folder / "victim.txt").write_text("precious")
    checksum = sum(byte if byte < 128 else byte - 256 for byte in victim) & 0xFFFFFFFF
    record = struct.pack(">I", 0) + victim + struct.pack(">II", len(victim), checksum)
    with (folder / "service.db-journal").open("ab") as journal:
        journal.write(record + bytes.fromhex("d9d505f920a163d7"))
    return path


def _hot_without_its_journal(folder: Path, _parts: Parts) -> Path:
    path = hot(folder / "service.db")
    (folder / "service.db-journal").unlink()
    return path


def _linked(suffix: str) -> Callable[[Path, Parts], Path]:
    def build(folder: Path, parts: Parts) -> Path:
        (folder / "victim.txt").write_text("precious")
        (folder / f"service.db{suffix}").symlink_to(folder / "victim.txt")
        return placed(folder, parts)

    return build


def _changed_wal(change: Callable[[bytearray], None], *suffixes: str) -> Callable[[Path, Parts], Path]:
    def build(folder: Path, parts: Parts) -> Path:
        path = placed(folder, parts, *suffixes)
        changed(folder / "service.db-wal", change)
        return path

    return build


def _flipped(at: int) -> Callable[[bytearray], None]:
    def flip(data: bytearray) -> None:
        data[at] ^= 0xFF

    return flip


def _shorter_by(count: int) -> Callable[[bytearray], None]:
    def cut(data: bytearray) -> None:
        del data[-count:]

    return cut


def _cut_to(length: int) -> Callable[[bytearray], None]:
    def cut(data: bytearray) -> None:
        del data[length:]

    return cut


def _set(at: int, value: bytes) -> Callable[[bytearray], None]:
    def write(data: bytearray) -> None:
        data[at : at + len(value)] = value

    return write


def _nonsense_journal(folder: Path, parts: Parts) -> Path:
    path = _rollback(folder, parts)
    (folder / "service.db-journal").write_bytes(b"\x17" * 5_000)
    return path


def _companions() -> list[Situation]:
    rows = [
        *(
            Situation(
                f"hot journal, folder {folder:o}, file {file:o}",
                _hot,
                mode=Mode.COPY,
                why="a -journal of an unfinished transaction lies here",
                note="rolled back in the copy",
                tasks=1,
                folder_rights=folder,
                file_rights=file,
            )
            for folder, file in ((0o755, 0o644), (0o555, 0o644), (0o755, 0o400))
        ),
        Situation(
            "a -journal that names a victim",
            _hot_with_super_journal,
            mode=Mode.COPY,
            why="a -journal of an unfinished transaction lies here",
            tasks=1,
        ),
        Situation("a hot database without its journal", _hot_without_its_journal, mode=Mode.RESTING, tasks=1),
        *(
            Situation(
                f"{suffix} is a link",
                _linked(suffix),
                refused=f"service.db cannot be read: service.db{suffix} beside it is a link to another file.",
            )
            for suffix in ("-wal", "-shm", "-journal")
        ),
    ]
    for shm in ((), ("-shm",)):
        mode = Mode.CRASHED if shm else Mode.COPY
        with_shm = " beside its -shm" if shm else ""
        rows += [
            Situation(
                f"-wal cut within a frame{with_shm}",
                _changed_wal(_shorter_by(1_000), "-wal", *shm),
                mode=mode,
                note="no whole commit",
                tasks=ALL - 1,
            ),
            Situation(
                f"last frame of the -wal damaged{with_shm}",
                _changed_wal(_flipped(-100), "-wal", *shm),
                mode=mode,
                note="no whole commit",
                tasks=ALL - 1,
            ),
            Situation(
                f"first frame of the -wal damaged{with_shm}",
                _changed_wal(_flipped(100), "-wal", *shm),
                mode=mode,
                note="no whole commit",
            ),
        ]
    rows += [
        Situation(
            "header of the -wal damaged",
            _changed_wal(_flipped(0), "-wal"),
            mode=Mode.RESTING,
            note="The -wal beside service.db holds nothing that SQLite can read",
        ),
        Situation(
            "empty -wal",
            _changed_wal(_cut_to(0), "-wal"),
            mode=Mode.RESTING,
            note="The -wal beside service.db is empty.",
        ),
        Situation(
            "a -journal of nonsense",
            _nonsense_journal,
            mode=Mode.RESTING,
            note="The -journal beside service.db is none that SQLite can roll back",
            tasks=3,
        ),
    ]
    return rows


def _changed_main(change: Callable[[bytearray], None]) -> Callable[[Path, Parts], Path]:
    return lambda folder, _parts: changed(make(folder / "service.db", "a", "b", journal="delete"), change)


def _half(data: bytearray) -> None:
    del data[len(data) // 2 :]


_DAMAGED: Final = "service.db is incomplete or damaged (SQLITE_CORRUPT)."
_SHORT: Final = f"{_DAMAGED} service.db is N bytes shorter than its header says: what stood there cannot be read."

HEADERS: Final = (
    Situation("100 bytes of header alone", _changed_main(_cut_to(100)), refused=_SHORT),
    Situation("99 bytes", _changed_main(_cut_to(99)), refused=_CUT),
    Situation("half of a small file", _changed_main(_half), refused=_SHORT),
    Situation(
        "cut within its last pages",
        lambda folder, parts: changed(placed(folder, parts), _shorter_by(5_000)),
        mode=Mode.RESTING,
        note="what can still be read is shown",
    ),
    Situation("wrong page size", _changed_main(_set(16, b"\x02\x00")), refused=_DAMAGED),
    Situation("format to read of a newer SQLite", _changed_main(_set(19, b"\x09")), refused=_NEWER),
    Situation("schema format of a newer SQLite", _changed_main(_set(44, b"\0\0\0\x09")), refused=_NEWER),
    Situation("format to write of a newer SQLite", _changed_main(_set(18, b"\x09")), mode=Mode.RESTING, tasks=2),
    Situation("wrong encoding", _changed_main(_set(56, b"\0\0\0\x07")), refused="service.db is incomplete or damaged."),
    Situation(
        "one byte short",
        _changed_main(_shorter_by(1)),
        mode=Mode.RESTING,
        note="1 bytes shorter than its header says",
        tasks=2,
    ),
    Situation("garbage behind it", _changed_main(lambda data: data.extend(b"x" * 500)), mode=Mode.RESTING, tasks=2),
    Situation(
        "a newer user_version", _changed_main(_set(60, b"\0\0\x03\xe7")), mode=Mode.RESTING, note="version 999", tasks=2
    ),
)

COPIES: Final = tuple(_copies())
COMPANIONS: Final = tuple(_companions())
