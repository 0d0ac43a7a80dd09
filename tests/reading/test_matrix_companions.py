"""A -wal or -shm that goes away or is cut while its database is open is said, and none is made in its place."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from inspector.layout.opened import Mode
from inspector.reading.errors import Unreadable
from inspector.reading.messages import Lost
from inspector.reading.reader import open_reader
from tests.support.file_changes import halved, with_an_end, with_emptied, without_its
from tests.support.proof import differences, touch_state
from tests.support.reading_databases import add_task, make, read_at
from tests.support.reading_service import Service, service_on
from tests.support.tasks_shown import shown

pytestmark = pytest.mark.timeout(30)


def wal_of(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


@contextmanager
def service_with_its_changes_in_the_wal(path: Path) -> Iterator[Service]:
    make(path, "early")
    with service_on(path, "wal_autocheckpoint=0") as service:
        add_task(service, "late")
        yield service


def comm(service: Service) -> str:
    return Path(f"/proc/{service.pid}/comm").read_text().strip()


@pytest.mark.parametrize("crashed", [False, True], ids=["live", "crashed"])
def test_a_wal_that_is_removed_is_said_at_the_next_look(tmp_path: Path, *, crashed: bool) -> None:
    path = tmp_path / "service.db"
    with service_with_its_changes_in_the_wal(path) as service:
        if crashed:
            service.kill()
        with open_reader(path, now_ms=read_at, locks_every_s=0) as reader:
            without_its("-wal")(path)

            said = "The -wal of service.db was removed, and what stood in it cannot be read any more."
            assert reader.look() == (Lost(said, read_at()),)


@pytest.mark.parametrize("removed", [("-wal",), ("-shm",), ("-wal", "-shm")], ids=["-wal", "-shm", "both"])
@pytest.mark.parametrize("mode", [None, Mode.COPY], ids=["by itself", "copy"])
def test_a_file_whose_service_goes_on_with_removed_companions_is_refused_and_nothing_is_made(
    tmp_path: Path, removed: tuple[str, ...], mode: Mode | None
) -> None:
    path = tmp_path / "service.db"
    with service_with_its_changes_in_the_wal(path) as service:
        for suffix in removed:
            without_its(suffix)(path)
        before = touch_state(path)

        with pytest.raises(Unreadable) as refused:
            open_reader(path, mode=mode, now_ms=read_at)

        assert refused.value.sentence == (
            f"service.db cannot be read: its {removed[0]} was removed while {comm(service)} (pid {service.pid}) has it "
            "open. If that process is ended in its ordinary way, it writes all it has into the file; if it is killed, "
            "the latest changes may be lost."
        )
        assert differences(before, touch_state(path)) == ()
    with open_reader(path, now_ms=read_at) as reader:
        # What the sentence promises.
        assert shown(reader) == ["early", "late"]


def test_a_shm_that_is_removed_is_said_where_a_service_runs_and_read_around_where_none_does(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    with service_with_its_changes_in_the_wal(path) as service:
        with open_reader(path, now_ms=read_at, locks_every_s=0) as reader:
            without_its("-shm")(path)
            (lost,) = reader.look()
            assert isinstance(lost, Lost)
            assert "its -shm was removed while " in lost.sentence
        service.kill()
    with open_reader(path, now_ms=read_at) as reader:
        assert reader.opened.mode is Mode.COPY
        assert shown(reader) == ["early", "late"]


def test_a_wal_that_is_cut_off_where_no_service_runs_is_said_at_the_next_look(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    with service_with_its_changes_in_the_wal(path) as service:
        service.kill()
    with open_reader(path, now_ms=read_at) as reader:
        halved(wal_of(path))

        said = "The -wal of service.db was cut off, and what stood behind cannot be read any more."
        assert reader.look()[-1] == Lost(said, read_at())


@pytest.mark.parametrize("cut", [with_emptied("-wal"), lambda path: halved(wal_of(path))], ids=["emptied", "halved"])
def test_a_wal_that_is_cut_off_under_its_service_is_said_by_an_open_reader_and_at_opening(
    tmp_path: Path, cut: Callable[[Path], None]
) -> None:
    path = tmp_path / "service.db"
    with service_with_its_changes_in_the_wal(path) as service:
        with open_reader(path, now_ms=read_at, locks_every_s=0) as reader:
            cut(path)

            said = "The -wal of service.db was cut off, and what stood behind cannot be read any more."
            assert reader.look() == (Lost(said, read_at()),)
        before = touch_state(path)
        with pytest.raises(Unreadable) as refused:
            open_reader(path, now_ms=read_at)
        assert f"its -wal was cut off while {comm(service)} (pid {service.pid}) has it open" in refused.value.sentence
        assert differences(before, touch_state(path)) == ()


def test_a_wal_whose_beginning_is_gone_is_no_encrypted_database(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    with service_with_its_changes_in_the_wal(path) as service:
        with_emptied("-wal")(path)
        add_task(service, "later")  # written behind a hole

        with pytest.raises(Unreadable, match="its -wal was cut off while "):
            open_reader(path, now_ms=read_at)


def test_what_is_added_at_the_end_of_a_live_file_is_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    with service_with_its_changes_in_the_wal(path), open_reader(path, now_ms=read_at) as reader:
        with_an_end(path)

        assert reader.look() == ()


def test_a_page_that_is_not_there_as_a_whole_was_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    with service_with_its_changes_in_the_wal(path), open_reader(path, now_ms=read_at) as reader:
        os.truncate(path, path.stat().st_size - 100)

        assert reader.look() == (Lost("The file is gone. A part of it was cut off.", read_at()),)


def test_a_service_that_takes_up_the_file_of_a_dead_one_may_make_its_wal_shorter(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    with service_with_its_changes_in_the_wal(path) as service:
        service.kill()
    with open_reader(path, now_ms=read_at) as reader, service_on(path) as next_service:
        add_task(next_service, "next")
        next_service.execute("PRAGMA wal_checkpoint(TRUNCATE)")

        assert not any(isinstance(push, Lost) for push in reader.look())
        assert reader.opened.mode is Mode.LIVE
        assert shown(reader) == ["early", "late", "next"]
