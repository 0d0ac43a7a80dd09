"""The words of the drawer, from what was found."""

from dataclasses import replace
from datetime import UTC
from pathlib import Path

import pytest

from inspector.desktop.drawer.content import Note
from inspector.desktop.drawer.words import check_of, damage_of, facts_of, hashed_at, rows_of, too_large
from inspector.layout.health import Health, TableHealth
from inspector.layout.opened import LayoutKind, Mode
from inspector.layout.traces import FileTrace, TouchState
from tests.desktop.session.test_acting import LIVE

NOW_MS = 1_796_000_100_000
SOUND = TableHealth("tasks", ())
LOST = TableHealth("task_events", ("Part of task_events cannot be read: 1 row.",), part_unread=True, missing=1)
INDEX = TableHealth("models", ("Index i on models is damaged: counts and orders that use it may be wrong.",))
ODD = TableHealth("models", ("SQLite's own check of models says: NULL value in models.id.",))
TRACE = FileTrace("a.db", 1, 4096, NOW_MS * 1_000_000, (0, 0, 0, 1), "ab" * 32)
STATE = TouchState("/x/a.db", (TRACE,), ("a.db",), NOW_MS * 1_000_000, NOW_MS)


def health(*tables: TableHealth, full: bool = False, unchecked: tuple[str, ...] = ()) -> Health:
    return Health(full, tables, unchecked, NOW_MS)


@pytest.mark.parametrize("mode", list(Mode))
def test_the_mode_stands_first_and_says_what_it_promises(mode: Mode) -> None:
    assert facts_of(replace(LIVE, mode=mode), None).mode.startswith(f"{mode}: ")


def test_of_a_lost_file_mode_and_reason_are_those_until_the_last_read() -> None:
    facts = facts_of(LIVE, None, is_lost=True)
    assert facts.mode == "was live: it is not read any more"
    assert facts.why == f"Until the last read: {LIVE.why}"


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (LayoutKind.NATIVE, "LMSP layout 1"),
        (LayoutKind.NEWER, "LMSP layout 1, newer than this program"),
        (LayoutKind.OTHER, "not the native layout"),
    ],
)
def test_the_layout_is_named(kind: LayoutKind, said: str) -> None:
    assert facts_of(replace(LIVE, layout=kind), None).layout == said


def test_faults_have_the_triangle_and_other_notes_do_not() -> None:
    how = replace(LIVE, notes=("No -wal lies\nbeside it.",))
    found = facts_of(how, health(LOST, unchecked=("2 more tables were not checked.",)))

    assert found.notes == (
        Note("No -wal lies\\u000abeside it.", False),
        Note("Part of task_events cannot be read: 1 row.", True),
        Note("2 more tables were not checked.", False),
    )
    assert facts_of(replace(how, faulty=True), None).notes[0].is_fault


def test_what_was_checked_is_one_sentence() -> None:
    assert check_of(health(SOUND)).text == "Checked: 1 table sound, indexes only for their form."
    assert check_of(health(SOUND, LOST, full=True)).text == "Checked: 1 of 2 tables damaged, with their indexes."


@pytest.mark.parametrize(
    ("damaged", "fact"),
    [
        ((LOST, INDEX), "Part of this file cannot be read."),
        ((INDEX,), "An index of this file is damaged."),
        ((ODD, INDEX), "SQLite's own check found faults."),
    ],
)
def test_the_bar_says_the_worst_first_and_what_is_whole(damaged: tuple[TableHealth, ...], fact: str) -> None:
    found = damage_of(health(SOUND, *damaged))

    assert found is not None
    assert found[0] == fact
    assert found[1].endswith(" The other 1 table can be read.")
    assert all(note in found[1] for table in damaged for note in table.notes)


def test_a_schema_of_which_a_part_is_lost_is_no_sound_file() -> None:
    found = replace(health(SOUND), schema="Part of its schema is lost.")

    assert check_of(found).text == (
        "Checked: part of the schema is lost; 1 table left and sound, indexes only for their form."
    )
    assert damage_of(found) == (
        "Part of this file cannot be read.",
        "Part of its schema is lost. The other 1 table can be read.",
    )


def test_a_sound_file_has_no_bar() -> None:
    assert damage_of(health(SOUND)) is None


def test_one_look_shows_the_digests_and_no_verdict() -> None:
    file, folder = rows_of(STATE, None, NOW_MS, UTC)

    assert (file.name, file.size, file.before, file.now, file.verdict) == ("a.db", "4,096", "ababab…ababab", "", "")
    assert (folder.name, folder.size, folder.verdict) == ("Folder listing", "1 name", "")
    assert hashed_at(STATE, None, NOW_MS, UTC) == "hashed at 00:55:00.000"


@pytest.mark.parametrize(
    ("after", "verdicts"),
    [
        (STATE, ["same", "same"]),
        (replace(STATE, files=(replace(TRACE, sha256=None),)), ["changed", "same"]),
        (replace(STATE, files=(), listing=()), ["gone", "changed"]),
        (replace(STATE, files=(TRACE, replace(TRACE, name="a.db-wal"))), ["same", "new", "same"]),
        (replace(STATE, folder_modified_ns=0), ["same", "changed"]),
        (replace(STATE, listing=None), ["same", "changed"]),
    ],
)
def test_a_second_look_has_a_verdict_for_each(after: TouchState, verdicts: list[str]) -> None:
    rows = rows_of(STATE, after, NOW_MS, UTC)

    assert [row.verdict for row in rows] == verdicts
    assert [row.is_same for row in rows] == [verdict == "same" for verdict in verdicts]
    assert hashed_at(STATE, after, NOW_MS, UTC) == "before 00:55:00.000, last look 00:55:00.000"


def test_a_large_file_is_read_when_it_is_asked_for() -> None:
    assert too_large(Path("/x/a.db"), 4_700_000_000) == (
        "a.db has 4.7 GB: it is read as a whole only when you ask for it."
    )
