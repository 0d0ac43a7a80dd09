"""Nothing new is written to a name that SQLite uses beside a database that is there, whatever command writes it."""

from pathlib import Path

import pytest

from tests.commands.databases import run, state_of
from tests.support.any_tables import made
from tests.support.foreign_databases import SHIPPED
from tests.support.reading_databases import make

pytestmark = pytest.mark.timeout(60)


@pytest.mark.parametrize(
    ("words", "suffix"),
    [
        (("recover", "{db}", "--to", "{new}"), "-wal"),
        (("export", "{db}", "--format", "ndjson", "--out", "{new}"), "-shm"),
        (("layout", "{foreign}", "--save", "{new}"), "-journal"),
        (("layout", "{foreign}", "--save", "{new}"), "-wal"),
        (("init", "{new}"), "-wal"),
        (("simulate", "{new}", "--tasks", "1"), "-journal"),
    ],
)
def test_a_companion_s_name_is_refused_and_nothing_is_made(tmp_path: Path, words: tuple[str, ...], suffix: str) -> None:
    make(tmp_path / "service.db", "early", journal="delete")
    SHIPPED["events as JSON lines"](tmp_path / "foreign.db")
    before = state_of(tmp_path)
    new = tmp_path / f"service.db{suffix}"
    named = {"{db}": tmp_path / "service.db", "{foreign}": tmp_path / "foreign.db", "{new}": new}

    result = run(*(named.get(word, word) for word in words))

    assert result.returncode == 2
    assert f"{new.name} is a name that SQLite uses beside service.db: name another one." in result.stderr.decode()
    assert state_of(tmp_path) == before


def test_such_a_name_without_its_database_is_as_good_as_any(tmp_path: Path) -> None:
    result = run("init", tmp_path / "lonely-wal")

    assert result.returncode == 0
    assert (tmp_path / "lonely-wal").stat().st_size > 0


@pytest.mark.parametrize("words", [("--help",), ("--version",), ("tasks", "--help"), ("tasks", "{db}")], ids=" ".join)
def test_a_full_output_is_one_sentence(tmp_path: Path, words: tuple[str, ...]) -> None:
    path = made(tmp_path / "a.db", "CREATE TABLE tasks (id, status)")
    with Path("/dev/full").open("wb") as full:
        result = run(*(path if word == "{db}" else word for word in words), stdout=full)

    assert result.returncode == 2
    assert result.stderr.decode() == "lmsp-inspector: Standard output cannot be written: No space left on device.\n"
