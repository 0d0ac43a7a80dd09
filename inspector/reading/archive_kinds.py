"""Which files are archives: told by what they begin with, a zip also by its end, never by their name."""

from enum import StrEnum
from typing import Final

from inspector.lmsp.values import value

PROBE: Final = 512
"""So many first bytes tell."""

LAST_PROBE: Final = 22 + 0xFFFF
"""In so many last bytes stands where the list of a zip's members lies: what is put before it may be anything."""

_ZIP_END, _ZIP_MEMBER = b"PK\5\6", b"PK\1\2"
_ZIP_END_BYTES: Final = 22
_TAR_SUM: Final = slice(148, 156)


class ArchiveKind(StrEnum):
    """How an archive is packed. The last three may hold a tar, or one file and nothing else."""

    ZIP = "zip"
    TAR = "tar"
    GZIP = "gzip"
    BZIP2 = "bzip2"
    XZ = "xz"


@value
class Archive:
    """An archive that a database is to be read from."""

    path: str
    """Absolute, links resolved."""
    name: str
    """The last part of the path, made visible."""
    kind: ArchiveKind
    member: str | None
    """The name of the member that was asked for, None where the one database in it is meant."""


_BEGINNINGS: Final = (
    (b"PK\3\4", ArchiveKind.ZIP),
    (b"PK\5\6", ArchiveKind.ZIP),
    (b"\x1f\x8b\x08", ArchiveKind.GZIP),
    (b"\xfd7zXZ\0", ArchiveKind.XZ),
)
_BZIP2_BLOCKS: Final = (bytes.fromhex("314159265359"), bytes.fromhex("177245385090"))
_OTHERS: Final = (
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"Rar!\x1a\x07", "RAR"),
    (b"\x28\xb5\x2f\xfd", "Zstandard"),
    (b"PK\7\x08", "zip in several parts"),
)


def kind_of(first: bytes) -> ArchiveKind | None:
    """Return what kind of archive begins with these bytes, :data:`PROBE` of them where there are as many."""
    for beginning, kind in _BEGINNINGS:
        if first.startswith(beginning):
            return kind
    if first[:3] == b"BZh" and first[3:4] in b"123456789" and first[4:10] in _BZIP2_BLOCKS:
        return ArchiveKind.BZIP2
    return ArchiveKind.TAR if _is_tar(first) else None


def other_archive(first: bytes) -> str | None:
    """Return what an archive that begins with these bytes is called where it is of a kind that is not opened."""
    return next((name for beginning, name in _OTHERS if first.startswith(beginning)), None)


def ends_as_zip(last: bytes, size: int) -> bool:
    """Say whether a file of ``size`` bytes that ends with ``last``, :data:`LAST_PROBE` of them, ends as a zip does.

    A program that unpacks itself begins with that program. Its list of members must end where the end of the zip begins
    and lie within the file; its comment must be the rest of the file.
    """
    at = last.rfind(_ZIP_END)
    if at < 0 or len(last) - at < _ZIP_END_BYTES:
        return False
    end = last[at : at + _ZIP_END_BYTES]
    members, listed = int.from_bytes(end[10:12], "little"), int.from_bytes(end[12:16], "little")
    comment = int.from_bytes(end[20:22], "little")
    list_at = at - listed
    is_listed = list_at < 0 or last.startswith(_ZIP_MEMBER, list_at)
    return members > 0 and at + _ZIP_END_BYTES + comment == len(last) and listed < size and is_listed


def _is_tar(first: bytes) -> bool:
    """Say whether the sum that stands in a tar's header is that of the header: the oldest tars have nothing else."""
    if len(first) < PROBE or not first[0]:
        return False
    try:
        told = int(first[_TAR_SUM].strip(b" \0") or b"x", 8)
    except ValueError:
        return False
    return told == sum(first[:PROBE]) - sum(first[_TAR_SUM]) + 8 * ord(" ")
