"""A layout of the user's own folder that cannot be used is passed over, and that is said where one was looked for."""

import sqlite3
from pathlib import Path

import pytest

from inspector.layout.opened import LayoutKind
from inspector.reading.errors import Unreadable
from inspector.reading.layouts import Layouts, layout_folders
from inspector.reading.reader import open_reader
from tests.support.foreign_databases import SHIPPED, close_names
from tests.support.reading_databases import make, read_at

SAID = "A layout is passed over: [tasks] of broken.toml is no table."


@pytest.fixture
def own(tmp_path: Path) -> Path:
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "broken.toml").write_text("tasks = 1")
    return folder


def notes(path: Path, own: Path, *, any_tables: bool = False) -> tuple[str, ...]:
    layouts = Layouts(folders=layout_folders(own), any_tables=any_tables)
    with open_reader(path, now_ms=read_at, layouts=layouts) as reader:
        return reader.opened.notes


def colours(path: Path) -> Path:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE colours (name)")
    connection.close()
    return path


@pytest.mark.parametrize("database", [close_names, *SHIPPED.values()])
def test_one_that_cannot_be_used_is_said_with_what_is_wrong(tmp_path: Path, own: Path, database: object) -> None:
    assert callable(database)
    told = notes(database(tmp_path / "jobs.db"), own)

    assert told.count(SAID) == 1
    assert any(note.startswith("Read as the layout") for note in told)


def test_one_that_was_not_needed_is_not_looked_at(tmp_path: Path, own: Path) -> None:
    (own / "a.toml").write_text(
        'name = "mine"\n[tasks]\ntable = "jobs"\n[tasks.columns]\nid = "id"\nstatus = "state"\n'
    )
    told = notes(close_names(tmp_path / "jobs.db"), own)

    assert told[0] == "Read as the layout “mine”. Actions are off for this file."
    assert SAID not in told


def test_a_native_file_looks_for_none(tmp_path: Path, own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Layouts, "known", lambda _self: pytest.fail("it looked for layouts"))

    assert SAID not in notes(make(tmp_path / "a.db", "t"), own)


def test_it_is_said_of_a_file_that_no_layout_fits(tmp_path: Path, own: Path) -> None:
    path = colours(tmp_path / "colours.db")
    with open_reader(path, now_ms=read_at, layouts=Layouts(folders=(own,), any_tables=True)) as reader:
        assert reader.opened.layout is LayoutKind.UNKNOWN
        assert reader.opened.notes[-2:] == (
            "colours.db is an SQLite database, but of no layout that is known.",
            SAID,
        )
    with pytest.raises(Unreadable, match=r"^colours\.db is an SQLite .* known\. A layout is passed over: \[tasks\] of"):
        notes(path, own)
