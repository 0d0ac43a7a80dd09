"""What SQLite keeps beside a database is told from a file of another kind, and says which file to open."""

import shutil
import sqlite3
from pathlib import Path

import pytest

from inspector.layout.opened import Mode
from inspector.reading.errors import Unreadable
from inspector.reading.opening import look_at
from tests.support.proof import differences, touch_state
from tests.support.reading_crashes import crashed, hot
from tests.support.reading_databases import make

SUFFIXES = ("-wal", "-shm", "-journal")


def refusal(path: Path) -> str:
    with pytest.raises(Unreadable) as refused:
        look_at(path)
    return refused.value.sentence


def left_behind(folder: Path, suffix: str) -> Path:
    """Make a database with such a file beside it, and return that file."""
    folder.mkdir()
    path = (hot if suffix == "-journal" else crashed)(folder / "x.db")
    return path.with_name(path.name + suffix)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_lies_beside_a_database_names_the_database(tmp_path: Path, suffix: str) -> None:
    beside = left_behind(tmp_path / "d", suffix)
    before = touch_state(beside)
    assert refusal(beside) == f"x.db{suffix} is no database but the {suffix} of x.db, which lies beside it: open x.db."
    assert differences(before, touch_state(beside)) == ()
    assert look_at(beside.with_name("x.db")).mode in (Mode.CRASHED, Mode.COPY)


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("content", [b"", bytes(28), b"\x93" * 600], ids=["empty", "zeroed", "other"])
def test_by_its_name_alone_where_the_database_is_there(tmp_path: Path, suffix: str, content: bytes) -> None:
    make(tmp_path / "x.db", "t")
    (tmp_path / f"x.db{suffix}").write_bytes(content)
    assert refusal(tmp_path / f"x.db{suffix}").endswith("of x.db, which lies beside it: open x.db.")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_where_the_database_is_not_there_that_is_said(tmp_path: Path, suffix: str) -> None:
    beside = left_behind(tmp_path / "d", suffix)
    beside.with_name("x.db").unlink()
    assert refusal(beside) == (
        f"x.db{suffix} is no database but the {suffix} of one, and by its name of x.db, which is not there: put it "
        "beside x.db, and open that."
    )


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_by_what_it_begins_with_whatever_its_name(tmp_path: Path, suffix: str) -> None:
    sent = tmp_path / "attachment.bin"
    shutil.copy(left_behind(tmp_path / "d", suffix), sent)
    assert refusal(sent).startswith(f"attachment.bin is no database but the {suffix} of one")


def test_a_database_or_a_text_with_such_a_name_is_what_it_is(tmp_path: Path) -> None:
    make(tmp_path / "my-journal", "t")
    assert look_at(tmp_path / "my-journal").mode is Mode.RESTING
    (tmp_path / "diary").write_text("dear")
    (tmp_path / "diary-journal").write_text("dear diary")
    assert refusal(tmp_path / "diary-journal") == "diary-journal cannot be read: it is a text file."
    (tmp_path / "-wal").write_bytes(b"")
    assert refusal(tmp_path / "-wal") == "-wal is empty: no service has written to it yet."


@pytest.mark.parametrize("suffix", ["-wal", "-journal"])
def test_a_database_of_which_only_a_companion_is_left_says_so(tmp_path: Path, suffix: str) -> None:
    path = left_behind(tmp_path / "d", suffix).with_name("x.db")
    path.unlink()
    how = "Put both into one folder, and open x.db."
    assert refusal(path) == f"x.db is not there, only its {suffix}: that cannot be read without it. {how}"
    path.with_name(f"x.db{suffix}").write_bytes(b"")
    assert refusal(path) == "x.db is not there."


def test_sqlite_keeps_what_is_told_here(tmp_path: Path) -> None:
    """The bytes are those of a -shm that SQLite itself wrote, on this machine's order of bytes."""
    connection = sqlite3.connect(tmp_path / "x.db")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE t (a)")
    shm = tmp_path / "copied"
    shutil.copy(tmp_path / "x.db-shm", shm)
    connection.close()
    assert refusal(shm).startswith("copied is no database but the -shm of one")
