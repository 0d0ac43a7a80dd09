"""A -wal or -shm that goes away or is cut while its database is open is said, and none is made in its place."""

import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from inspector.layout.opened import Mode
from inspector.reading import wal_frames
from inspector.reading.checkpoints import Checkpoints
from inspector.reading.errors import Unreadable
from inspector.reading.header import JOURNAL_MAGIC
from inspector.reading.messages import Lost
from inspector.reading.opening import look_at
from inspector.reading.reader import open_reader
from tests.support.file_changes import halved, with_an_end, without_its
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


def cut_at(part: float) -> Callable[[Path], None]:
    """Return what leaves so much of the -wal."""
    return lambda path: os.truncate(wal_of(path), int(wal_of(path).stat().st_size * part))


KILL_IT = (
    "Kill that process, and open the file then: what stands before the cut is whole. If it is ended in its ordinary "
    "way, it may move the gap into the file."
)


@pytest.mark.parametrize("goes_on", [False, True], ids=["and stays so", "and written on"])
@pytest.mark.parametrize("part", [0, 0.1, 0.5, 0.9, 0.99])
def test_a_wal_that_is_cut_off_under_its_service_is_said_by_an_open_reader_and_at_opening(
    tmp_path: Path, part: float, *, goes_on: bool
) -> None:
    path = tmp_path / "service.db"
    with service_with_its_changes_in_the_wal(path) as service:
        for number in range(20):
            add_task(service, f"task-{number}")
        with open_reader(path, now_ms=read_at, locks_every_s=0) as reader:
            assert reader.look() == ()
            cut_at(part)(path)
            if goes_on:
                add_task(service, "later")  # behind a hole

            holder = f"{comm(service)} (pid {service.pid})"
            said = f"The -wal of service.db was cut off under {holder}, and what stood there is lost. {KILL_IT}"
            assert reader.look() == (Lost(said, read_at()),)
        before = touch_state(path)
        with pytest.raises(Unreadable) as refused:
            open_reader(path, now_ms=read_at)
        assert refused.value.sentence == (
            f"service.db cannot be read: its -wal was cut off while {holder} has it open, and what stood there is "
            f"lost. {KILL_IT}"
        )
        assert differences(before, touch_state(path)) == ()


@pytest.mark.parametrize("killed", [True, False], ids=["killed", "ended"])
def test_what_the_sentence_about_a_cut_wal_promises(tmp_path: Path, *, killed: bool) -> None:
    path = tmp_path / "service.db"
    with service_with_its_changes_in_the_wal(path) as service:
        for number in range(200):
            add_task(service, f"task-{number}")
        cut_at(0.5)(path)
        add_task(service, "later")
        (service.kill if killed else service.close)()

    if killed:
        with open_reader(path, now_ms=read_at) as reader:
            assert {"early", "late", "task-1"} < set(shown(reader))
            assert "later" not in shown(reader)
            assert any(" at the end of the -wal belong to no whole commit" in each for each in reader.opened.notes)
    else:
        assert not is_whole(path)


def is_whole(path: Path) -> bool:
    with closing(sqlite3.connect(path)) as db:
        try:
            return db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        except sqlite3.DatabaseError:
            return False


@pytest.mark.parametrize("when", ["before more came", "after it"])
def test_a_cut_is_seen_though_only_some_of_what_came_since_the_last_look_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    path = tmp_path / "service.db"
    with service_with_its_changes_in_the_wal(path) as service, open_reader(path, now_ms=read_at) as reader:
        for number in range(100):
            add_task(service, f"task-{number}")
        reader.look()
        monkeypatch.setattr(wal_frames, "_MOST_LATER", 80)
        if when == "after it":
            for number in range(100):
                add_task(service, f"more-{number}")
        cut_at(0.8)(path)
        add_task(service, "later")
        (lost,) = reader.look()

    assert isinstance(lost, Lost)
    # Where a question comes upon the hole first, the file is opened anew, and that says it.
    assert " -wal was cut off while " in lost.sentence or "was cut off under" in lost.sentence


def test_a_service_that_begins_its_wal_anew_again_and_again_is_never_said_to_have_lost_it(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early")
    ended = threading.Event()
    looks = met = 0
    with service_on(path, "synchronous=OFF", "wal_autocheckpoint=3", "journal_size_limit=0") as service:

        def work() -> None:
            for number in range(300):
                add_task(service, f"task-{number}", request="x" * (9_000 if number % 7 else 10))
                if number % 10 == 0:
                    service.execute(f"PRAGMA wal_checkpoint({('RESTART', 'TRUNCATE', 'PASSIVE')[number % 3]})")
                if number % 100 == 50:
                    service.execute("VACUUM")
            ended.set()

        working = threading.Thread(target=work)
        working.start()
        checkpoints = Checkpoints(str(path))
        while not ended.is_set():
            for told in (checkpoints, Checkpoints(str(path))):
                looks += 1
                met += told.told() is not None
                assert not told.wal_is_cut()
                if told is not checkpoints:
                    told.close()
        working.join()
        checkpoints.close()
    assert min(met, looks - met) > 100


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


@pytest.mark.parametrize("mode", [None, Mode.COPY])
def test_a_stray_journal_beside_a_live_file_is_named_with_its_user_and_what_to_do(
    tmp_path: Path, mode: Mode | None
) -> None:
    path = make(tmp_path / "service.db", "early")
    journal = tmp_path / "service.db-journal"
    with service_on(path) as service:
        add_task(service, "late")
        with open_reader(path, now_ms=read_at) as earlier:
            journal.write_bytes(JOURNAL_MAGIC + bytes(600))
            before = touch_state(path)
            with (
                closing(sqlite3.connect(path, timeout=0)) as db,
                pytest.raises(sqlite3.OperationalError, match="locked"),
            ):
                db.execute("SELECT count(*) FROM tasks")  # so it is for everybody
            with pytest.raises(Unreadable) as refused:
                open_reader(path, mode=mode, now_ms=read_at)
            assert differences(before, touch_state(path)) == ()
            assert earlier.look() == ()
            assert shown(earlier) == ["early", "late"]

        assert refused.value.sentence == (
            "service.db cannot be read: service.db-journal lies beside it, and until it is gone SQLite lets no other "
            f"process into the file. {comm(service)} (pid {service.pid}) has the file open with its -wal and does not "
            "use that -journal, which was left over or copied there. Move it to another folder, and open the file then."
        )
        journal.rename(tmp_path / "kept")
        with open_reader(path, now_ms=read_at) as reader:
            assert shown(reader) == ["early", "late"]


@pytest.mark.parametrize("content", [b"", bytes(600)], ids=["empty", "over"])
def test_a_journal_that_is_over_bothers_nobody_beside_a_live_file(tmp_path: Path, content: bytes) -> None:
    path = make(tmp_path / "service.db", "early")
    with service_on(path):
        (tmp_path / "service.db-journal").write_bytes(content)
        with open_reader(path, now_ms=read_at) as reader:
            assert reader.opened.mode is Mode.LIVE
            assert shown(reader) == ["early"]


@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_a_file_that_was_renamed_to_the_place_of_one_that_is_live_is_not_read_through_its_wal(
    tmp_path: Path, journal: str
) -> None:
    path = make(tmp_path / "service.db", "early")
    with service_on(path) as service:
        add_task(service, "late")
        make(tmp_path / "new.db", "other", journal=journal).rename(path)
        before = touch_state(path)
        for mode in (None, Mode.LIVE, Mode.COPY):
            with pytest.raises(Unreadable) as refused:
                open_reader(path, mode=mode, now_ms=read_at)
            assert refused.value.sentence == (
                f"service.db cannot be read: {comm(service)} (pid {service.pid}) has another file open, which lay here "
                "before, and service.db-wal and service.db-shm are of that one. Whoever opens service.db now mixes the "
                "two, and may destroy it. End that process, move service.db-wal and service.db-shm away where they are "
                "still there, and open service.db then; what that process has written is not in it."
            )
        assert differences(before, touch_state(path)) == ()
        service.kill()

    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink()
    with open_reader(path, now_ms=read_at) as reader:
        assert shown(reader) == ["other"]


def test_services_that_come_and_go_are_never_said_to_have_another_file_open(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early")
    comes_and_goes = (
        "import sqlite3, sys\n"
        "while True:\n"
        "    db = sqlite3.connect(sys.argv[1])\n"
        "    db.execute('SELECT count(*) FROM tasks').fetchall()\n"
        "    db.close()\n"
    )
    with service_on(path), subprocess.Popen([sys.executable, "-c", comes_and_goes, str(path)]) as other:
        try:
            for _ in range(300):
                assert look_at(path).mode is Mode.LIVE
        finally:
            other.kill()
