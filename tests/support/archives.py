"""Archives for tests: honest ones of each kind, and what somebody makes to hold up or mislead whoever opens them."""

import bz2
import gzip
import io
import lzma
import stat
import tarfile
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final, TypeAlias

Members: TypeAlias = Iterable[tuple[str, bytes]]

_MOMENT: Final = (2026, 12, 1, 12, 0, 0)


def zipped(members: Members, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Pack members, each a name and its bytes."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for name, content in members:
            archive.writestr(_info(name, method), content)
    return packed.getvalue()


def zipped_as(mode: int, name: str, content: bytes = b"/etc/passwd") -> tuple[zipfile.ZipInfo, bytes]:
    """Return a member of a zip that says it is what ``mode`` says: a link, a device."""
    info = _info(name, zipfile.ZIP_STORED)
    info.create_system = 3
    info.external_attr = (mode | 0o777) << 16
    return info, content


def zipped_oddly(members: Members, *odd: tuple[zipfile.ZipInfo, bytes]) -> bytes:
    """Pack members, and behind them such odd ones."""
    packed = io.BytesIO(zipped(members))
    with zipfile.ZipFile(packed, "a") as archive:
        for info, content in odd:
            archive.writestr(info, content)
    return packed.getvalue()


def tarred(members: Members, *odd: tarfile.TarInfo, form: int = tarfile.PAX_FORMAT) -> bytes:
    """Pack members, and behind them the headers ``odd``, which have no bytes."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=form) as archive:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
        for info in odd:
            archive.addfile(info)
    return packed.getvalue()


def tarred_as(kind: bytes, name: str, target: str = "/etc/passwd") -> tarfile.TarInfo:
    """Return the header of a link, a device, a pipe or a folder."""
    info = tarfile.TarInfo(name)
    info.type = kind
    info.linkname = target if kind in (tarfile.SYMTYPE, tarfile.LNKTYPE) else ""
    return info


PACKERS: Final[dict[str, Callable[[Members], bytes]]] = {
    "zip": zipped,
    "zip, stored": lambda members: zipped(members, zipfile.ZIP_STORED),
    "tar": tarred,
    "tar, GNU": lambda members: tarred(members, form=tarfile.GNU_FORMAT),
    "tar, ustar": lambda members: tarred(members, form=tarfile.USTAR_FORMAT),
    "tar.gz": lambda members: gzip.compress(tarred(members)),
    "tar.bz2": lambda members: bz2.compress(tarred(members)),
    "tar.xz": lambda members: lzma.compress(tarred(members)),
}
"""Each kind that holds several files."""

SINGLE: Final[dict[str, Callable[[bytes], bytes]]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "gz, in two parts": lambda content: gzip.compress(content[:5_000]) + gzip.compress(content[5_000:]),
    "bz2, in two parts": lambda content: bz2.compress(content[:5_000]) + bz2.compress(content[5_000:]),
    "xz, in two parts": lambda content: lzma.compress(content[:5_000]) + bytes(4) + lzma.compress(content[5_000:]),
}
"""Each kind that holds one file and nothing else."""


def files_of(path: Path, folder: str = "", *, name: str | None = None) -> list[tuple[str, bytes]]:
    """Return the database at ``path`` and the companions beside it as members, called ``name`` in ``folder``."""
    found = []
    for suffix in ("", "-wal", "-shm", "-journal"):
        each = path.with_name(path.name + suffix)
        if each.exists():
            found.append((f"{folder}{name or path.name}{suffix}", each.read_bytes()))
    return found


def encrypted(packed: bytes) -> bytes:
    """Say of each member of a zip that it is encrypted, in its own header and in the list at the end."""
    changed = bytearray(packed)
    for beginning, flags in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        at = changed.find(beginning)
        while at >= 0:
            changed[at + flags] |= 1
            at = changed.find(beginning, at + 1)
    return bytes(changed)


def saying_size(packed: bytes, size: int) -> bytes:
    """Let the only member of a zip say that it is unpacked to ``size`` bytes."""
    changed = bytearray(packed)
    for beginning, sizes in ((b"PK\3\4", 22), (b"PK\1\2", 24)):
        at = changed.find(beginning) + sizes
        changed[at : at + 4] = size.to_bytes(4, "little")
    return bytes(changed)


def saying_sum(packed: bytes, told: int = 0x12345678) -> bytes:
    """Let the only member of a zip say that it has another sum."""
    changed = bytearray(packed)
    for beginning, sums in ((b"PK\3\4", 14), (b"PK\1\2", 16)):
        at = changed.find(beginning) + sums
        changed[at : at + 4] = told.to_bytes(4, "little")
    return bytes(changed)


LINK: Final = stat.S_IFLNK
DEVICE: Final = stat.S_IFCHR
PIPE: Final = stat.S_IFIFO


def _info(name: str, method: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, _MOMENT)
    info.compress_type = method
    return info
