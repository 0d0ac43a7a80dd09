"""Who has a database open, told by the locks and never by an attempt."""

import os
from pathlib import Path

import pytest

from inspector.reading import locks
from inspector.reading.holders import READER_NAME, Holder, holders_listed, holders_of, named_as_reader
from inspector.reading.locks import ANY_USE, WAL_OPEN, listed_owners, lock_owner
from tests.support.reading_crashes import crashed
from tests.support.reading_databases import listing, make
from tests.support.reading_service import service_on

pytestmark = pytest.mark.timeout(30)


def test_every_process_on_a_wal_file_is_named(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "a")
    with service_on(path) as one, service_on(path) as other:
        holders = holders_of(path)

        assert [holder.pid for holder in holders] == sorted([one.pid, other.pid])
        assert all(holder.name.startswith("python") for holder in holders)
        assert str(holders[0]) == f"{holders[0].name} (pid {holders[0].pid})"
    assert holders_of(path) == ()


@pytest.mark.parametrize("statement", ["BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"])
def test_a_writer_in_rollback_mode_is_named_while_it_writes(tmp_path: Path, statement: str) -> None:
    path = make(tmp_path / "service.db", "a", journal="delete")
    with service_on(path) as service:
        assert holders_of(path) == ()
        service.execute(statement)
        assert [holder.pid for holder in holders_of(path)] == [service.pid]


def test_a_process_that_only_reads_passes_for_a_reader_as_long_as_it_does() -> None:
    name = Path("/proc/self/comm")
    before = name.read_text()
    with named_as_reader():
        assert name.read_text().rstrip("\n") == READER_NAME
    assert name.read_text() == before


def test_a_killed_process_holds_nothing(tmp_path: Path) -> None:
    assert holders_of(crashed(tmp_path / "service.db")) == ()


def test_asking_changes_nothing_and_needs_no_file(tmp_path: Path) -> None:
    assert holders_of(tmp_path / "none.db") == ()
    assert listing(tmp_path) == set()


def test_both_ways_of_asking_agree(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "a")
    with service_on(path) as service:
        assert lock_owner(f"{path}-shm", WAL_OPEN) == service.pid
        assert listed_owners(f"{path}-shm", WAL_OPEN) == frozenset({service.pid})
        assert lock_owner(f"{path}-shm", WAL_OPEN, exclusive=False) is None
        held = holders_listed(f"{path}-shm", WAL_OPEN)
        assert held is not None
        assert [holder.pid for holder in held] == [service.pid]


def test_a_process_that_cannot_be_seen_is_a_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make(tmp_path / "service.db", "a")
    monkeypatch.setattr("inspector.reading.holders.lock_owner", lambda *_: 0)

    assert [str(holder) for holder in holders_of(path)] == ["a process"]
    assert str(Holder(0, "x")) == "a process"


def test_a_list_of_locks_is_read_for_its_file_and_range_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a"
    path.touch()
    found = path.stat()
    place = f"{os.major(found.st_dev):02x}:{os.minor(found.st_dev):02x}:{found.st_ino}"
    text = f"""1: POSIX  ADVISORY  READ 11 {place} 128 128
2: POSIX  ADVISORY  WRITE 12 {place} 127 127
3: POSIX  ADVISORY  WRITE 13 {place} 0 EOF
4: FLOCK  ADVISORY  WRITE 14 {place} 0 EOF
5: POSIX  ADVISORY  READ 15 ff:ff:{found.st_ino} 128 128
5: -> POSIX  ADVISORY  READ 16 {place} 128 128
6: POSIX  ADVISORY  READ 17 {place[:-1]}x 128 128
7: POSIX  ADVISORY  READ {os.getpid()} {place} 128 128
nonsense
"""
    monkeypatch.setattr("inspector.reading.locks.told_by_system", {"/proc/locks": text.encode()}.__getitem__)

    assert listed_owners(str(path), WAL_OPEN) == frozenset({11, 13, 16})
    assert listed_owners(str(path), ANY_USE) == frozenset({13})


def test_the_device_is_learned_from_our_own_lock_where_stat_tells_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    path.touch()
    inode = path.stat().st_ino
    text = (
        f"1: POSIX ADVISORY READ 11 ee:ee:{inode} 128 128\n2: POSIX ADVISORY READ {os.getpid()} ee:ee:{inode} 128 128\n"
    )
    monkeypatch.setattr("inspector.reading.locks.told_by_system", lambda _path: text.encode())

    assert listed_owners(str(path), WAL_OPEN) == frozenset({11})


def test_without_a_list_of_locks_nothing_is_claimed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").touch()

    def refused(_path: str) -> bytes:
        raise PermissionError

    monkeypatch.setattr("inspector.reading.locks.told_by_system", refused)

    assert listed_owners(str(tmp_path / "a"), WAL_OPEN) is None
    assert holders_listed(str(tmp_path / "a"), WAL_OPEN) is None


@pytest.mark.parametrize("make_odd", [lambda path: path.symlink_to("/dev/zero"), lambda path: os.mkfifo(path)])
def test_asking_for_a_lock_neither_follows_a_link_nor_hangs(tmp_path: Path, make_odd: object) -> None:
    assert callable(make_odd)
    make_odd(tmp_path / "a.db-shm")
    (tmp_path / "a.db").touch()

    assert holders_of(tmp_path / "a.db") == ()
    assert locks.WAL_OPEN.length == 1
