"""Which member of an archive is the database, and which are its companions: decided from names and first bytes."""

from collections.abc import Iterable, Sequence
from enum import Enum, auto
from typing import Final, NamedTuple

from inspector.layout.visible import some_of, visible
from inspector.lmsp.values import value
from inspector.reading.archive_entries import EntryKind
from inspector.reading.archive_kinds import Archive, kind_of, other_archive
from inspector.reading.errors import Unreadable
from inspector.reading.header import is_sqlite

_LISTED: Final = 10
_LONGEST_NAME: Final = 120
COMPANIONS: Final = ("-wal", "-journal")
_UNPACK: Final = "Unpack it, and open the database that comes out."


class Content(Enum):
    """What a member begins like."""

    DATABASE = auto()
    ARCHIVE = auto()
    OTHER = auto()


def content_of(first: bytes) -> Content:
    """Return what begins with these bytes."""
    if is_sqlite(first):
        return Content.DATABASE
    return Content.ARCHIVE if kind_of(first) or other_archive(first) else Content.OTHER


class Member(NamedTuple):
    """What a look through the archive found."""

    number: int
    """Its place in the archive, from 0."""
    name: str
    kind: EntryKind
    content: Content


@value
class Choice:
    """What is to be unpacked."""

    name: str
    """The database and its archive, visible: what sentences call it."""
    database: Member
    companions: tuple[tuple[str, Member], ...]
    """Each with what its name has more than the database's: ``-wal``, ``-journal``."""
    notes: tuple[str, ...]


def choose(archive: Archive, members: Sequence[Member]) -> Choice:
    """Choose the database among the members. Raises Unreadable where there is none, or more than one."""
    by_name: dict[str, Member] = {}
    twice = set()
    for member in members:
        name = plain(member.name)
        if name in by_name:
            twice.add(name)
        by_name[name] = member
    name = _chosen(archive, by_name)
    companions, notes = _companions(archive, name, by_name)
    notes += [
        f"{archive.name} holds more than one {shown(each)}: the last of them is read."
        for each in (name, *(name + suffix for suffix in COMPANIONS))
        if each in twice
    ]
    return Choice(f"{shown(name)} of {archive.name}", by_name[name], companions, tuple(notes))


def plain(name: str) -> str:
    """Return a member's name without the parts that lead nowhere: ``./a//b`` is ``a/b``; a / before it stays."""
    parts = [part for part in name.split("/") if part not in ("", ".")]
    return ("/" if name.startswith("/") else "") + "/".join(parts)


def shown(name: str) -> str:
    """Return a member's name for a sentence: visible, and not endless."""
    text = visible(name)
    return text if len(text) <= _LONGEST_NAME else f"{text[: _LONGEST_NAME // 2]}…{text[-_LONGEST_NAME // 2 :]}"


def _leads_out(name: str) -> bool:
    """Say whether a name would, as a path, lead out of the folder that one unpacks in."""
    parts = name.replace("\\", "/").split("/")
    return not parts[0] or ".." in parts or parts[0].endswith(":")


def _chosen(archive: Archive, by_name: dict[str, Member]) -> str:
    return _only_database(archive, by_name) if archive.member is None else _asked_for(archive, archive.member, by_name)


def _only_database(archive: Archive, by_name: dict[str, Member]) -> str:
    databases = [name for name, member in by_name.items() if _is_database(member)]
    inside = [name for name in databases if not _leads_out(name)]
    if len(inside) == 1:
        return inside[0]
    if inside:
        raise Unreadable(
            f"{archive.name} holds {len(inside):,} databases: {_listed(inside)}. Open one of them by its path, as "
            f"{archive.name}/{shown(inside[0])}, or unpack it."
        )
    if databases:
        raise Unreadable(_not_inside(archive, databases[0]))
    raise Unreadable(f"{archive.name} {_why_none(by_name)}")


def _asked_for(archive: Archive, wanted: str, by_name: dict[str, Member]) -> str:
    given = plain(wanted)
    names = [name for name in by_name if name == given] or [name for name in by_name if visible(name) == given]
    if len(names) != 1:
        there = _listed(sorted(name for name, member in by_name.items() if _is_database(member)))
        raise Unreadable(
            f"{archive.name} holds nothing called {shown(given)}." + (f" Databases in it: {there}." if there else "")
        )
    name = names[0]
    member = by_name[name]
    if _leads_out(name):
        raise Unreadable(_not_inside(archive, name))
    if _is_database(member):
        return name
    told = f"{shown(name)} of {archive.name}"
    match member.kind:
        case EntryKind.FILE if member.content is Content.ARCHIVE:
            raise Unreadable(f"{told} is an archive itself. {_UNPACK}")
        case EntryKind.FILE:
            raise Unreadable(f"{told} is no SQLite database, or an encrypted one.")
        case EntryKind.ENCRYPTED | EntryKind.ODDLY_PACKED:
            raise Unreadable(f"{told} {_LOCKED[member.kind]}")
        case _:
            raise Unreadable(f"{told} is {_WORDS[member.kind]}, and is not followed.")


def _is_database(member: Member) -> bool:
    return member.kind is EntryKind.FILE and member.content is Content.DATABASE


def _not_inside(archive: Archive, name: str) -> str:
    return (
        f"{archive.name} is not opened: the name of the database in it, {shown(name)}, leads out of the folder that "
        "it is unpacked in. If you trust it, unpack it and open the database that comes out."
    )


_WORDS: Final = {EntryKind.FOLDER: "a folder", EntryKind.LINK: "a link", EntryKind.SPECIAL: "no file"}
_LOCKED: Final = {
    EntryKind.ENCRYPTED: "is encrypted. Unpack it with its password, and open the database that comes out.",
    EntryKind.ODDLY_PACKED: f"is packed in a way that is not read here. {_UNPACK}",
}


def _why_none(by_name: dict[str, Member]) -> str:
    if not by_name:
        return "is an empty archive."
    for kind, told in _LOCKED.items():
        locked = [name for name, member in by_name.items() if member.kind is kind]
        if locked:
            return f"holds no database that can be read: {shown(locked[0])} in it {told}"
    archives = [name for name, member in by_name.items() if member.content is Content.ARCHIVE]
    if archives:
        return f"holds no database, but another archive: {_listed(archives)}. {_UNPACK}"
    links = [name for name, member in by_name.items() if member.kind in (EntryKind.LINK, EntryKind.SPECIAL)]
    if links:
        return f"holds no database. {shown(links[0])} in it is {_WORDS[by_name[links[0]].kind]}, and is not followed."
    return "holds no SQLite database, or an encrypted one."


def _companions(
    archive: Archive, name: str, by_name: dict[str, Member]
) -> tuple[tuple[tuple[str, Member], ...], list[str]]:
    found, notes = [], []
    for suffix in COMPANIONS:
        member = by_name.get(name + suffix)
        match member:
            case None:
                continue
            case Member(kind=EntryKind.FILE):
                found.append((suffix, member))
            case Member(kind=EntryKind.ENCRYPTED | EntryKind.ODDLY_PACKED as kind):
                raise Unreadable(f"{shown(name + suffix)} of {archive.name}, which belongs to it, {_LOCKED[kind]}")
            case _:
                notes.append(
                    f"{shown(name + suffix)} in {archive.name} is {_WORDS[member.kind]} and is left out: changes that "
                    "it should hold are missing."
                )
    return tuple(found), notes


def _listed(names: Iterable[str]) -> str:
    every = list(names)
    return some_of([shown(name) for name in every[:_LISTED]], len(every))
