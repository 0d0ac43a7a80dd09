"""A private copy has no more rights than its reader, takes nothing along that acts, and leaves nothing behind."""

import os
import sqlite3
from pathlib import Path
from types import SimpleNamespace

import pytest

from inspector.layout.opened import Mode
from inspector.layout.pages import TaskPage
from inspector.reading.errors import Unreadable
from inspector.reading.private_copy import PrivateCopy, copy_files, cut_super_journal
from inspector.reading.reader import open_reader
from inspector.reading.requests import TaskPageRequest
from tests.support.proof import differences, touch_state
from tests.support.reading_crashes import crashed, hot, with_super_journal
from tests.support.reading_databases import listing, make, read_at

pytestmark = pytest.mark.timeout(30)


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


def never() -> bool:
    return False


@pytest.mark.threat(id="T1")
def test_no_file_that_a_journal_names_is_removed(tmp_path: Path) -> None:
    victim = tmp_path / "victim.txt"
    victim.write_text("precious", encoding="utf-8")
    path = with_super_journal(hot(tmp_path / "service.db"), victim)
    before = touch_state(path)

    with open_reader(path, now_ms=read_at) as reader:
        assert reader.opened.mode is Mode.COPY
        assert "An unfinished transaction was rolled back in the copy." in reader.opened.notes

    assert victim.read_text(encoding="utf-8") == "precious"
    assert differences(before, touch_state(path)) == ()


def test_the_name_is_cut_off_and_nothing_else(tmp_path: Path) -> None:
    path = hot(tmp_path / "service.db")
    journal = tmp_path / "service.db-journal"
    whole = journal.read_bytes()
    with_super_journal(path, tmp_path / "victim.txt")

    cut_super_journal(str(journal))

    assert journal.read_bytes() == whole


@pytest.mark.parametrize("content", [b"", b"short", b"x" * 100, b"\xff" * 12 + bytes.fromhex("d9d505f920a163d7")])
def test_a_journal_without_such_a_name_stays_as_it_is(tmp_path: Path, content: bytes) -> None:
    journal = tmp_path / "a-journal"
    journal.write_bytes(content)

    cut_super_journal(str(journal))
    cut_super_journal(str(tmp_path / "none-journal"))

    assert journal.read_bytes() == content


def test_the_copy_holds_what_its_wal_holds_and_never_its_shm(temporary: Path, tmp_path: Path) -> None:
    path = crashed(tmp_path / "service.db")
    copy = PrivateCopy()
    copy.fill(str(path), "service.db", hot=False, should_stop=never)
    folder = Path(copy.path).parent

    assert listing(folder) == {"copy.db", "copy.db-wal"}
    assert folder.parent == temporary
    assert folder.stat().st_mode & 0o777 == 0o700
    copy.remove()
    copy.remove()
    assert listing(temporary) == set()


def test_a_disk_that_is_too_small_is_said_before_anything_is_copied(
    temporary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make(tmp_path / "service.db", "a")
    room = SimpleNamespace(f_bavail=10, f_frsize=100)
    monkeypatch.setattr(os, "statvfs", lambda _: room)

    with pytest.raises(Unreadable) as refused:
        open_reader(path, mode=Mode.COPY, now_ms=read_at)

    assert refused.value.sentence == (
        f"service.db cannot be copied: {path.stat().st_size + (64 << 20):,} bytes are needed, 64 MiB to be left free "
        "among them, and 1,000 are free."
    )
    assert listing(temporary) == set()


def test_a_file_that_keeps_changing_is_not_copied_as_half_of_each(temporary: Path, tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "a", journal="delete")

    def change() -> bool:
        path.touch()
        return False

    with pytest.raises(Unreadable, match="it keeps changing"):
        copy_files(str(path), str(temporary / "copy.db"), "service.db", should_stop=change)


def test_a_file_that_changes_once_is_copied_again(temporary: Path, tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "a", journal="delete")
    changes = iter(["b"])

    def change() -> bool:
        for task_id in changes:
            db = sqlite3.connect(path)
            db.execute("INSERT INTO service_config VALUES (?, '1', 1)", [task_id])
            db.commit()
            db.close()
        return False

    copy_files(str(path), str(temporary / "copy.db"), "service.db", should_stop=change)

    assert (temporary / "copy.db").read_bytes() == path.read_bytes()


def test_a_stop_ends_the_copying(temporary: Path, tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="not copied to its end"):
        open_reader(make(tmp_path / "service.db", "a"), mode=Mode.COPY, now_ms=read_at, should_stop=lambda: True)
    assert listing(temporary) == set()


@pytest.mark.parametrize("suffix", ["", "-wal"])
def test_a_link_is_not_followed(temporary: Path, tmp_path: Path, suffix: str) -> None:
    path = make(tmp_path / "service.db", "a")
    if suffix:
        (tmp_path / "service.db-wal").symlink_to(path)
    else:
        path = tmp_path / "link.db"
        path.symlink_to(tmp_path / "service.db")

    with pytest.raises(Unreadable):
        copy_files(str(path), str(temporary / "copy.db"), "service.db", should_stop=never)


def test_a_pipe_is_not_waited_for(temporary: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.db")

    with pytest.raises(Unreadable, match="it is no file"):
        copy_files(str(tmp_path / "pipe.db"), str(temporary / "copy.db"), "pipe.db", should_stop=never)


def test_what_others_left_in_the_folder_is_left_alone(temporary: Path) -> None:
    (temporary / "lmsp-inspector-copy-notes").mkdir()
    (temporary / f"lmsp-inspector-copy-{os.getpid()}-mine").mkdir()
    (temporary / "lmsp-inspector-copy-4194999-file").touch()
    (temporary / "lmsp-inspector-copy-4194999-gone").mkdir()

    PrivateCopy().remove()

    assert listing(temporary) == {
        "lmsp-inspector-copy-notes",
        f"lmsp-inspector-copy-{os.getpid()}-mine",
        "lmsp-inspector-copy-4194999-file",
    }


def test_a_damaged_copy_is_announced(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", *(f"t{number}" for number in range(200)), journal="delete")
    whole = bytearray(path.read_bytes())
    page = int.from_bytes(whole[16:18], "big")
    db = sqlite3.connect(path)
    (root,) = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'tasks_by_created'").fetchone()
    db.close()
    whole[(root - 1) * page : (root - 1) * page + 8] = bytes(8)
    path.write_bytes(whole)

    with open_reader(path, mode=Mode.COPY, now_ms=read_at) as reader:
        assert "service.db is damaged: what can still be read is shown." in reader.opened.notes


def test_a_file_whose_name_leaves_no_room_for_that_of_a_journal_is_read_from_a_copy(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "t").rename(tmp_path / ("n" * 250))
    with open_reader(path, mode=Mode.COPY, now_ms=read_at) as reader:
        page = reader.answer(TaskPageRequest())
    assert isinstance(page, TaskPage)
    assert [task.id for task in page.tasks] == ["t"]
