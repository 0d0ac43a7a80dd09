"""A layout of the user's own folder that cannot be used is passed over, and that is said where one was looked for."""

import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from inspector.layout.opened import LayoutKind
from inspector.reading.errors import Unreadable
from inspector.reading.layouts import Layouts, layout_folders
from inspector.reading.reader import open_reader
from tests.support.foreign_databases import SHIPPED, close_names
from tests.support.reading_databases import as_nobody, make, read_at

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


@pytest.fixture
def open_to_all(own: Path) -> Iterator[Path]:
    """A folder that any user may enter, in which the folder of layouts is ``layouts``: pytest's own are root's."""
    with TemporaryDirectory() as made:
        folder = Path(made)
        folder.chmod(0o755)
        shutil.copytree(own, folder / "layouts")
        close_names(folder / "jobs.db").chmod(0o644)
        # What is imported late may lie where only root may read.
        notes(folder / "jobs.db", folder / "layouts")
        yield folder
        (folder / "layouts").chmod(0o755)


@pytest.mark.parametrize("mode", [0o000, 0o300])
def test_a_folder_of_layouts_that_may_not_be_listed_is_said(open_to_all: Path, mode: int) -> None:
    path, own = open_to_all / "jobs.db", open_to_all / "layouts"
    own.chmod(mode)
    with as_nobody():
        told = notes(path, own)
    assert told[0] == f"The layouts in {own} are passed over: there is no permission to list the folder."
    assert sum("passed over" in note for note in told) == 1
    assert any(note.startswith("Read as the layout") for note in told)
    own.chmod(0o755)
    assert notes(path, own)[0] == SAID


def test_a_layout_that_may_not_be_opened_is_said(open_to_all: Path) -> None:
    (open_to_all / "layouts" / "broken.toml").chmod(0)
    with as_nobody():
        told = notes(open_to_all / "jobs.db", open_to_all / "layouts")
    assert told[0] == "A layout is passed over: broken.toml cannot be read: Permission denied."


def test_a_file_in_the_place_of_the_folder_is_said_too(tmp_path: Path) -> None:
    own = tmp_path / "layouts\u202e"
    own.write_text("mine")
    told = notes(close_names(tmp_path / "jobs.db"), own)
    assert told[0] == f"The layouts in {tmp_path}/layouts\\u202e are passed over: that is no folder."


def test_it_is_said_of_a_file_that_no_layout_fits_as_well(tmp_path: Path) -> None:
    own = tmp_path / "layouts"
    own.write_text("mine")
    with pytest.raises(Unreadable, match=rf"The layouts in {own} are passed over: that is no folder\. The commands "):
        notes(colours(tmp_path / "colours.db"), own)


def test_a_folder_that_is_not_there_is_not_spoken_of(tmp_path: Path) -> None:
    assert not any("passed over" in note for note in notes(close_names(tmp_path / "jobs.db"), tmp_path / "none"))


def test_of_a_folder_below_one_of_another_user_nothing_is_known(open_to_all: Path) -> None:
    of_another = open_to_all / "layouts" / "lmsp-inspector"
    of_another.mkdir()
    (open_to_all / "layouts").chmod(0)
    with as_nobody():
        assert not any("passed over" in note for note in notes(open_to_all / "jobs.db", of_another))


def test_only_descriptions_are_taken_from_the_folder(tmp_path: Path) -> None:
    own = tmp_path / "layouts"
    own.mkdir()
    (own / "notes.txt").write_text("=")
    (own / "old.toml~").write_text("=")
    assert not any("passed over" in note for note in notes(close_names(tmp_path / "jobs.db"), own))
