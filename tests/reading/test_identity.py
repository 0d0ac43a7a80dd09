"""Which file it is that lies at a path: told from another one that was put there, also by a service's own numbers."""

import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from inspector.layout.opened import FileIdentity
from inspector.reading import source
from inspector.reading.errors import Unreadable
from inspector.reading.identity import require_same, require_there
from inspector.reading.reader import open_reader
from tests.support.file_changes import with_an_end
from tests.support.reading_databases import add_task, make, read_at
from tests.support.reading_service import service_on


def identity(path: Path) -> FileIdentity:
    with open_reader(path, now_ms=read_at) as reader:
        assert reader.opened.file is not None
        return reader.opened.file


def removed(path: Path) -> None:
    path.unlink()


def replaced(path: Path) -> None:
    make(path.with_name("other.db"), "stranger").rename(path)


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def written_over(path: Path) -> None:
    shutil.copyfile(make(path.with_name("other.db"), journal="delete"), path)


SAID: dict[Callable[[Path], None], str] = {
    removed: "The file is gone. It was removed.",
    replaced: "The file is gone. It was replaced by another one.",
    emptied: "The file is gone. It was emptied.",
    written_over: "The file is gone. It was written over by another one.",
}


@pytest.mark.parametrize("what", SAID, ids=lambda what: what.__name__)
def test_another_file_is_refused_with_what_became_of_the_one_that_is_meant(
    tmp_path: Path, what: Callable[[Path], None]
) -> None:
    path = make(tmp_path / "service.db", "a", "b", journal="delete")
    same = identity(path)
    what(path)

    with pytest.raises(Unreadable) as refused:
        open_reader(path, now_ms=read_at, same_as=same)
    assert refused.value.sentence == SAID[what]


@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_what_a_service_makes_of_its_file_is_the_same_file(tmp_path: Path, journal: str) -> None:
    path = make(tmp_path / "service.db", "a", journal=journal)
    same = identity(path)
    with service_on(path) as service:
        for statement in (
            "CREATE TABLE more (a)",
            "PRAGMA page_size = 8192",
            "VACUUM",
            "DROP TABLE more",
            f"PRAGMA journal_mode = {'wal' if journal == 'delete' else 'delete'}",
            "VACUUM",
            "PRAGMA user_version = 0",
        ):
            service.execute(statement)
            require_same(str(path), same)
        add_task(service, "b")
        with_an_end(path)

        with open_reader(path, now_ms=read_at, same_as=same) as reader:
            assert reader.opened.file == same


def test_a_file_that_is_replaced_while_it_is_opened_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make(tmp_path / "service.db", "a")
    same = identity(path)
    opens = source.open_source

    def replaced_first(*given: object, **named: object) -> object:
        replaced(path)
        return opens(*given, **named)  # type: ignore[arg-type]  # what comes is handed on

    monkeypatch.setattr("inspector.reading.following.open_source", replaced_first)
    with pytest.raises(Unreadable, match="It was replaced by another one"):
        open_reader(path, now_ms=read_at, same_as=same)


def test_of_a_database_in_an_archive_it_is_the_archive_that_counts(tmp_path: Path) -> None:
    archive = tmp_path / "bundle.zip"
    with zipfile.ZipFile(archive, "w") as writing:
        writing.write(make(tmp_path / "service.db", "a"), "data/service.db")
    same = identity(archive)

    require_same(str(archive / "data/service.db"), same)
    archive.rename(tmp_path / "elsewhere.zip")
    shutil.copyfile(tmp_path / "elsewhere.zip", archive)
    with pytest.raises(Unreadable, match="It was replaced by another one"):
        require_there(str(archive / "data/service.db"), same)


def test_as_an_argument_it_comes_back_as_it_was() -> None:
    same = FileIdentity(2**63, 1, 2**32 - 1, 0)

    assert FileIdentity.parsed(str(same)) == same
    for odd in ("", "1:2:3", "1:2:3:4:5", "a:b:c:d"):
        with pytest.raises(ValueError, match=r"to unpack|invalid literal"):
            FileIdentity.parsed(odd)
