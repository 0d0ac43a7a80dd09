"""A -wal of another database beside a sound file: where that shows as damage, it is said what may be why."""

import shutil
import sqlite3
from pathlib import Path

import pytest

from inspector.layout.opened import Mode, Opened
from inspector.layout.pages import TaskPage
from inspector.reading.companions import other_wal
from inspector.reading.errors import Unreadable
from inspector.reading.layouts import Layouts
from inspector.reading.reader import open_reader
from inspector.reading.requests import TaskPageRequest
from tests.support.archives import files_of, zipped
from tests.support.proof import differences, touch_state
from tests.support.reading_crashes import crashed
from tests.support.reading_databases import add_task, create, make, read_at

pytestmark = pytest.mark.timeout(30)

SENTENCE = other_wal("x.db")


def with_other_wal(folder: Path) -> Path:
    """Put a sound database at rest beside the -wal of another one, which has other pages in other places."""
    (folder / "d").mkdir()
    path = make(folder / "d" / "x.db", *(f"own {number:03}" for number in range(300)))
    db = create(folder / "other.db")
    for number in range(200):
        add_task(db, f"foreign {number}", request="y" * number)
    shutil.copy(folder / "other.db-wal", f"{path}-wal")
    db.close()
    return path


def opened(path: Path) -> Opened:
    with open_reader(path, now_ms=read_at) as reader:
        return reader.opened


def test_a_file_that_is_damaged_with_its_wal_says_that_it_may_be_of_another(tmp_path: Path) -> None:
    path = with_other_wal(tmp_path)
    before = touch_state(path)

    how = opened(path)

    assert how.mode is Mode.COPY
    assert how.faulty
    assert SENTENCE in how.notes
    assert differences(before, touch_state(path)) == ()


@pytest.mark.parametrize("with_shm", [False, True])
def test_a_wal_with_all_pages_of_another_database_is_told_though_nothing_is_damaged(
    tmp_path: Path, with_shm: bool
) -> None:
    (tmp_path / "d").mkdir()
    path = make(tmp_path / "d" / "x.db", *(f"own {number:03}" for number in range(30)))
    foreign = crashed(tmp_path / "other.db")
    shutil.copy(f"{foreign}-wal", f"{path}-wal")
    if with_shm:
        shutil.copy(f"{foreign}-shm", f"{path}-shm")
    before = touch_state(path)

    with open_reader(path, now_ms=read_at) as reader:
        how = reader.opened
        page = reader.answer(TaskPageRequest())

    assert how.mode is (Mode.CRASHED if with_shm else Mode.COPY)
    assert isinstance(page, TaskPage)
    assert not any(task.id.startswith("own") for task in page.tasks), "SQLite shows the other database"
    assert page.damage == ""
    assert how.notes == ("Nothing of what x.db holds by itself is there with its -wal.", SENTENCE)
    assert how.faulty
    assert differences(before, touch_state(path)) == ()


def test_a_file_whose_own_wal_has_all_its_pages_says_nothing_of_it(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    db = create(path)
    for number in range(30):
        add_task(db, f"task {number}")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    db.execute("VACUUM")
    shutil.copytree(tmp_path, tmp_path / "taken")
    db.close()
    assert SENTENCE not in opened(tmp_path / "taken" / "x.db").notes


def test_what_it_advises_helps(tmp_path: Path) -> None:
    path = with_other_wal(tmp_path)
    (tmp_path / "alone").mkdir()
    how = opened(Path(shutil.copy(path, tmp_path / "alone")))
    assert not how.faulty
    assert SENTENCE not in how.notes


def test_so_does_one_in_an_archive(tmp_path: Path) -> None:
    bundle = tmp_path / "bundle.zip"
    bundle.write_bytes(zipped(files_of(with_other_wal(tmp_path))))
    assert other_wal("x.db of bundle.zip") in opened(bundle).notes


@pytest.mark.parametrize("page", [512, 4096])
def test_so_does_one_that_is_no_services_any_more_with_its_wal(tmp_path: Path, page: int) -> None:
    path = make(tmp_path / "x.db", "t")
    db = sqlite3.connect(tmp_path / "other.db")
    db.execute(f"PRAGMA page_size = {page}")
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("CREATE TABLE colours (name)")
    shutil.copy(tmp_path / "other.db-wal", tmp_path / "x.db-wal")
    with pytest.raises(Unreadable) as refused:
        opened(path)
    assert refused.value.sentence.endswith(SENTENCE)
    with open_reader(path, now_ms=read_at, layouts=Layouts(any_tables=True)) as reader:
        assert SENTENCE in reader.opened.notes

    (tmp_path / "x.db").unlink()
    shutil.copy(tmp_path / "other.db", tmp_path / "x.db")
    with pytest.raises(Unreadable) as refused:
        opened(path)
    assert SENTENCE not in refused.value.sentence, "a file that is no service's with its own -wal either"
    db.close()


def test_a_sound_file_with_its_own_wal_and_a_damaged_one_without_say_nothing_of_it(tmp_path: Path) -> None:
    path = crashed(tmp_path / "x.db")
    assert SENTENCE not in opened(path).notes
    (tmp_path / "x.db-shm").unlink()
    assert SENTENCE not in opened(path).notes

    (tmp_path / "x.db-wal").unlink()
    whole = bytearray(path.read_bytes())
    whole[-4096:] = bytes(4096)
    path.write_bytes(whole)
    assert SENTENCE not in opened(path).notes
