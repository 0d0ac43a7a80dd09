"""The words of the drawer, made of values."""

from datetime import tzinfo
from pathlib import Path
from typing import Final

from inspector.desktop.drawer.content import Check, Facts, Note, ProofRow
from inspector.desktop.widgets.words import byte_size, clock_time, counted, grouped
from inspector.layout.health import Health
from inspector.layout.opened import LayoutKind, Mode, Opened
from inspector.layout.traces import FileTrace, TouchState
from inspector.layout.visible import visible

_PROMISES: Final = {
    Mode.LIVE: "live: read beside the service, in short reads",
    Mode.RESTING: "resting: read in place; nothing is created, nothing changes",
    Mode.CRASHED: "crashed: read in place with its -wal; nothing is created, nothing changes",
    Mode.COPY: "copy: read from a private copy, gone when it is closed",
}

CHECKED_ALONE_BELOW: Final = 1 << 30
"""A file of so many bytes or more is hashed and checked only when that is asked for."""


def facts_of(how: Opened, health: Health | None, *, is_lost: bool = False) -> Facts:
    """Return how the file was opened, with what the check found; ``is_lost``: it was so, and is not read any more."""
    kinds = {
        LayoutKind.NATIVE: f"LMSP layout {how.user_version}",
        LayoutKind.NEWER: f"LMSP layout {how.user_version}, newer than this program",
    }
    found = []
    if health is not None:
        found = [*filter(None, [health.schema]), *(sentence for table in health.tables for sentence in table.notes)]
    notes = [*(Note(visible(each), how.faulty) for each in how.notes), *(Note(each, True) for each in found)]
    if health is not None:
        notes += (Note(each, False) for each in health.unchecked)
    mode, why = _PROMISES[how.mode], visible(how.why)
    if is_lost:
        mode, why = f"was {how.mode}: it is not read any more", f"Until the last read: {why}"
    return Facts(mode, why, kinds.get(how.layout, "not the native layout"), tuple(notes))


def check_of(health: Health) -> Check:
    """Return what the check found, in one sentence."""
    damaged = sum(bool(table.notes) for table in health.tables)
    tables = counted(len(health.tables), "table")
    indexes = "with their indexes" if health.full else "indexes only for their form"
    if damaged:
        return Check(f"Checked: {damaged} of {tables} damaged, {indexes}.")
    if health.schema:
        return Check(f"Checked: part of the schema is lost; {tables} left and sound, {indexes}.")
    return Check(f"Checked: {tables} sound, {indexes}.")


def damage_of(health: Health, perhaps: str = "") -> tuple[str, str] | None:
    """Return what a bar says of the damage, fact and consequence, or None where there is none.

    ``perhaps`` is a sentence on what may be why, and stands last.
    """
    damaged = [table for table in health.tables if table.notes]
    if not health.is_damaged:
        return None
    fact = "SQLite's own check found faults."
    if health.schema or any(table.part_unread for table in damaged):
        fact = "Part of this file cannot be read."
    elif all("Index" in table.notes[0] for table in damaged):
        fact = "An index of this file is damaged."
    whole = len(health.tables) - len(damaged)
    notes = " ".join(filter(None, (health.schema, *(note for table in damaged for note in table.notes))))
    rest = f"{notes} The other {counted(whole, 'table')} can be read."
    return fact, f"{rest} {perhaps}" if perhaps else rest


def rows_of(before: TouchState, after: TouchState | None, now_ms: int, zone: tzinfo) -> tuple[ProofRow, ...]:
    """Return the table of the proof: a line for each file that there was, or is, and one for the folder."""
    earlier = {trace.name: trace for trace in before.files}
    later = {} if after is None else {trace.name: trace for trace in after.files}
    rows = [
        _row(earlier.get(name), later.get(name), after is not None, now_ms, zone)
        for name in dict.fromkeys([*earlier, *later])
    ]
    return (*rows, _folder(before, after, now_ms, zone))


def _row(before: FileTrace | None, after: FileTrace | None, looked: bool, now_ms: int, zone: tzinfo) -> ProofRow:
    shown = after or before
    if shown is None:
        raise ValueError("a row is of a file that is or was there")
    verdict, same = "", True
    if looked:
        same = before == after
        verdict = "same" if same else "gone" if after is None else "new" if before is None else "changed"
    return ProofRow(
        name=visible(shown.name),
        size=grouped(shown.size),
        modified=clock_time(shown.modified_ns // 1_000_000, now_ms, zone, digits=0),
        before="" if before is None else _short(before.sha256),
        now="" if after is None else _short(after.sha256),
        verdict=verdict,
        is_same=same,
    )


def _folder(before: TouchState, after: TouchState | None, now_ms: int, zone: tzinfo) -> ProofRow:
    shown = after or before
    names = "not listed" if shown.listing is None else counted(len(shown.listing), "name")
    same = after is None or (before.listing, before.folder_modified_ns) == (after.listing, after.folder_modified_ns)
    return ProofRow(
        name="Folder listing",
        size=names,
        modified=clock_time(shown.folder_modified_ns // 1_000_000, now_ms, zone, digits=0),
        verdict="" if after is None else "same" if same else "changed",
        is_same=same,
    )


def _short(digest: str | None) -> str:
    return "unreadable" if digest is None else f"{digest[:6]}…{digest[-6:]}"


def hashed_at(before: TouchState, after: TouchState | None, now_ms: int, zone: tzinfo) -> str:
    """Say when the file was hashed."""
    first = clock_time(before.at_ms, now_ms, zone)
    return (
        f"hashed at {first}" if after is None else f"before {first}, last look {clock_time(after.at_ms, now_ms, zone)}"
    )


def too_large(path: Path, size: int) -> str:
    """Say why a file is neither hashed nor checked by itself."""
    return f"{visible(path.name)} has {byte_size(size)}: it is read as a whole only when you ask for it."
