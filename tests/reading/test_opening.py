"""How a file is to be read is decided before SQLite sees it, and what cannot be read is refused in one sentence."""

import os
import shutil
import socket
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from inspector.layout.opened import Mode
from inspector.reading.companions import refuse_odd_companions
from inspector.reading.errors import Unreadable
from inspector.reading.opening import look_at
from inspector.reading.reader import open_reader
from tests.support.proof import differences, touch_state
from tests.support.reading_crashes import crashed, hot
from tests.support.reading_databases import add_task, as_nobody, give_to_nobody, listing, make, read_at
from tests.support.reading_service import service_on

pytestmark = pytest.mark.timeout(20)


def refusal(path: Path | str, mode: Mode | None = None) -> str:
    with pytest.raises(Unreadable) as refused:
        look_at(path, mode)
    return refused.value.sentence


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that every user can reach, unlike pytest's own."""
    path = Path(tempfile.mkdtemp(prefix="lmsp-reading-"))
    path.chmod(0o755)
    yield path
    path.chmod(0o755)
    shutil.rmtree(path)


def make_missing(path: Path) -> None:
    assert not path.exists()


def make_dangling(path: Path) -> None:
    path.symlink_to(path.with_name("nowhere"))


def make_looping(path: Path) -> None:
    path.symlink_to(path)


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))


def make_device_link(path: Path) -> None:
    path.symlink_to("/dev/zero")


def make_other(path: Path) -> None:
    path.write_bytes(b"\x93" + os.urandom(8192))


def make_text(path: Path) -> None:
    path.write_text("2026-12-01 tasks: drei über zwölf\n" * 40, encoding="utf-8")


def make_cut_text(path: Path) -> None:
    path.write_text("x" * 511 + "ü" * 10, encoding="utf-8")


def make_header_only(path: Path) -> None:
    path.write_bytes(make(path, "a").read_bytes()[:99])


def make_magic_only(path: Path) -> None:
    path.write_bytes(b"SQLite form")


def make_newer(path: Path) -> None:
    whole = bytearray(make(path, "a").read_bytes())
    whole[19] = 3
    path.write_bytes(whole)


REFUSED: dict[Callable[[Path], object], str] = {
    make_missing: "service.db is not there.",
    make_dangling: "service.db is a link to a file that is not there.",
    make_looping: "service.db cannot be opened: its links lead in a circle.",
    Path.mkdir: "service.db cannot be read: it is a folder.",
    make_pipe: "service.db cannot be read: it is a pipe, not a file.",
    make_socket: "service.db cannot be read: it is a socket, not a file.",
    make_device_link: "zero cannot be read: it is a device, not a file.",
    Path.touch: "service.db is empty: no service has written to it yet.",
    make_other: (
        "service.db cannot be read: its first page is not SQLite's. It may be encrypted, or another kind of file."
    ),
    make_text: "service.db cannot be read: it is a text file.",
    make_cut_text: "service.db cannot be read: it is a text file.",
    make_header_only: (
        "service.db cannot be read: it ends within its header. It was cut off, or not copied to its end."
    ),
    make_magic_only: (
        "service.db cannot be read: it ends within its header. It was cut off, or not copied to its end."
    ),
    make_newer: "service.db cannot be read: a newer SQLite made it.",
}


@pytest.mark.threat(id="T8")
@pytest.mark.parametrize("made", REFUSED, ids=lambda made: made.__name__)
def test_what_is_no_database_is_refused_in_one_sentence_and_nothing_is_made(
    tmp_path: Path, made: Callable[[Path], object]
) -> None:
    path = tmp_path / "service.db"
    made(path)
    before = listing(tmp_path)

    assert refusal(path) == REFUSED[made]
    assert listing(tmp_path) == before


def test_odd_paths_are_refused_in_one_sentence(tmp_path: Path) -> None:
    deep = tmp_path
    for _ in range(4):
        deep = deep / ("d" * 200)
        deep.mkdir()
    make(tmp_path / "a.db", "a")
    shutil.copy(tmp_path / "a.db", deep / "a.db")

    assert refusal(f"{tmp_path}/a\0b") == "a\\u0000b cannot be opened: its path holds a NUL character."
    assert refusal(tmp_path / ("n" * 300)).endswith("cannot be opened: its name or path is too long.")
    assert refusal(deep / "a.db") == "a.db cannot be opened: its path is too long for SQLite."
    assert refusal(tmp_path / "a.db" / "b.db") == "b.db is not there: a part of its path is no folder."
    assert "\u202e" not in refusal(tmp_path / "a\u202eb.db")


@pytest.mark.skipif(os.getuid() != 0, reason="needs a second user, which only root can become")
def test_what_may_not_be_read_is_told_apart_from_what_is_missing(folder: Path) -> None:
    closed = make(folder / "closed.db", "a")
    closed.chmod(0)
    inner = folder / "inner"
    inner.mkdir(mode=0o700)
    make(inner / "hidden.db", "a")
    left = crashed(folder / "left.db")
    for path in folder.glob("left.db*"):
        path.chmod(0o644)
    (folder / "left.db-wal").chmod(0o600)

    with as_nobody():
        assert refusal(closed) == "closed.db cannot be read: there is no permission for it."
        assert refusal(inner / "hidden.db") == "hidden.db cannot be read: there is no permission for its folder."
        assert refusal(left) == "left.db cannot be read: there is no permission for left.db-wal beside it."
        assert refusal(folder / "none.db") == "none.db is not there."


@pytest.mark.threat(id="T8")
@pytest.mark.parametrize("suffix", ["-wal", "-shm", "-journal"])
def test_a_companion_that_is_a_link_is_refused(tmp_path: Path, suffix: str) -> None:
    path = make(tmp_path / "service.db", "a")
    (tmp_path / f"service.db{suffix}").symlink_to(tmp_path / "victim")

    assert refusal(path) == f"service.db cannot be read: service.db{suffix} beside it is a link to another file."


@pytest.mark.threat(id="T8")
def test_a_companion_that_is_a_pipe_does_not_hang(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "a")
    os.mkfifo(tmp_path / "service.db-journal")

    assert refusal(path) == "service.db cannot be read: service.db-journal beside it is no file."


@pytest.mark.parametrize("journal", ["wal", "delete", "truncate", "persist"])
def test_a_file_that_nobody_has_open_is_read_at_rest(tmp_path: Path, journal: str) -> None:
    look = look_at(make(tmp_path / "service.db", "a", journal=journal))

    assert look.mode is Mode.RESTING
    assert look.wal is (journal == "wal")
    assert look.why.endswith("Read in place, nothing created.")


def test_a_wal_file_alone_may_be_a_copy_without_its_latest_changes(tmp_path: Path) -> None:
    assert "the latest changes are missing" in look_at(make(tmp_path / "wal.db", "a")).notes[0]
    assert look_at(make(tmp_path / "rollback.db", "a", journal="delete")).notes == ()


def test_companions_of_length_zero_count_as_absent(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "a")
    for suffix in ("-wal", "-journal"):
        (tmp_path / f"service.db{suffix}").touch()

    assert look_at(path).mode is Mode.RESTING


@pytest.mark.parametrize("content", [b"x", bytes(32), b"\x37\x7f\x06\x83", bytes(4_200), b"\x37\x7f\x06\x83" * 20])
def test_a_wal_that_sqlite_takes_for_empty_counts_as_absent(tmp_path: Path, content: bytes) -> None:
    path = make(tmp_path / "service.db", "a")
    (tmp_path / "service.db-wal").write_bytes(content)

    assert look_at(path).mode is Mode.RESTING


def test_a_lone_shm_is_ignored(tmp_path: Path) -> None:
    path = crashed(tmp_path / "service.db")
    (tmp_path / "service.db-wal").unlink()

    assert look_at(path).mode is Mode.RESTING


@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_a_live_file_names_the_process_that_has_it_open(tmp_path: Path, journal: str) -> None:
    path = make(tmp_path / "service.db", "a", journal=journal)
    with service_on(path) as service:
        service.execute("BEGIN IMMEDIATE")  # in rollback-journal mode an idle service holds no lock
        look = look_at(path)
        service.execute("ROLLBACK")

        assert look.mode is Mode.LIVE
        assert look.holder is not None
        assert look.holder.pid == service.pid
        assert f"(pid {service.pid}) has it open. Reading only" in look.why
        assert ("no lock it could wait for" in look.why) is (journal == "wal")
        assert look.notes == ()


def test_an_idle_service_on_a_wal_file_is_seen(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "a")
    with service_on(path):
        assert look_at(path).mode is Mode.LIVE
    assert look_at(path).mode is Mode.RESTING


def test_a_crash_is_known_by_what_it_left(tmp_path: Path) -> None:
    look = look_at(crashed(tmp_path / "service.db"))

    assert look.mode is Mode.CRASHED
    assert look.why == "A -wal and -shm are here and no process has the file open: its service died."


def test_a_wal_without_its_shm_is_read_from_a_copy(tmp_path: Path) -> None:
    path = crashed(tmp_path / "service.db")
    (tmp_path / "service.db-shm").unlink()

    assert look_at(path).mode is Mode.COPY
    assert look_at(path).why == "Read from a private copy: a -wal lies here without its -shm."


def test_a_hot_journal_is_read_from_a_copy(tmp_path: Path) -> None:
    look = look_at(hot(tmp_path / "service.db"))

    assert look.mode is Mode.COPY
    assert look.hot_journal


@pytest.mark.parametrize("suffix", ["-journal", "-wal"])
def test_a_companion_that_its_service_removes_during_the_look_is_none_that_may_not_be_read(
    tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make(tmp_path / "service.db", "a", journal="delete")
    companion = tmp_path / f"service.db{suffix}"
    companion.write_bytes(b"\0" * 600)

    def removed_after(real: str, name: str) -> None:
        refuse_odd_companions(real, name)
        companion.unlink()

    monkeypatch.setattr("inspector.reading.opening.refuse_odd_companions", removed_after)

    assert look_at(path).mode is Mode.RESTING
    assert not companion.exists()


def test_a_journal_that_is_over_is_no_hot_one(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "a", journal="persist")
    assert (tmp_path / "service.db-journal").stat().st_size > 0

    assert look_at(path).mode is Mode.RESTING


def test_the_file_behind_a_link_is_looked_at_with_its_own_companions(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    path = crashed(tmp_path / "there" / "service.db")
    link = tmp_path / "link.db"
    link.symlink_to(path)

    look = look_at(link)

    assert (look.path, look.mode) == (str(path), Mode.CRASHED)


def test_looking_changes_nothing(tmp_path: Path) -> None:
    for path in (make(tmp_path / "rest.db", "a"), crashed(tmp_path / "crash.db"), hot(tmp_path / "hot.db")):
        before = touch_state(path)
        look_at(path)

        assert differences(before, touch_state(path)) == ()


def test_a_file_that_is_cut_off_says_how_much_is_missing(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "a", journal="delete")
    path.write_bytes(path.read_bytes()[:-5000])

    assert look_at(path).notes == (
        "service.db is 5,000 bytes shorter than its header says: what stood there cannot be read.",
    )


def test_a_wish_is_followed_where_it_is_safe(tmp_path: Path) -> None:
    resting = make(tmp_path / "rest.db", "a")
    rollback = make(tmp_path / "rollback.db", "a", journal="delete")

    assert look_at(resting, Mode.COPY).why == "Read from a private copy, because you asked for a copy."
    assert look_at(resting, Mode.RESTING).mode is Mode.RESTING
    assert look_at(rollback, Mode.LIVE).mode is Mode.LIVE
    assert look_at(crashed(tmp_path / "crash.db"), Mode.COPY).mode is Mode.COPY


def test_a_file_that_is_read_live_by_wish_alone_says_that_nobody_was_seen(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "a", journal="delete")

    assert look_at(path, Mode.LIVE).why == (
        "Read live, because you asked for it: nobody was seen writing to it when it was opened. "
        "Reading only; a commit may wait a few ms for a read."
    )
    for wish in (None, Mode.LIVE):
        changing = look_at(path, wish, seen_changing=True)
        assert changing.mode is Mode.LIVE
        assert changing.why.startswith("It changed while it was read: a process writes to it.")
    with service_on(path, "locking_mode=EXCLUSIVE") as service:
        add_task(service, "b")
        assert f"(pid {service.pid}) has it open." in look_at(path, Mode.LIVE).why


def test_a_wish_that_would_change_or_hide_something_is_refused_with_the_reason(tmp_path: Path) -> None:
    resting = make(tmp_path / "rest.db", "a")
    died = crashed(tmp_path / "crash.db")
    waiting = hot(tmp_path / "hot.db")

    assert refusal(resting, Mode.LIVE) == (
        "rest.db is not opened as live: no process has it open, and reading it that way could leave a -wal and "
        "-shm beside it."
    )
    assert refusal(resting, Mode.CRASHED).endswith("there is no -wal and -shm of a service that died.")
    assert refusal(died, Mode.RESTING).endswith("a -wal waits to be read, and would be left out.")
    assert "would have to roll back first" in refusal(waiting, Mode.RESTING)
    with service_on(resting) as service:
        for mode in (Mode.RESTING, Mode.CRASHED):
            assert f"(pid {service.pid}) has it open" in refusal(resting, mode)


@pytest.mark.threat(id="T10")
@pytest.mark.parametrize(
    "name",
    [
        "a?b",
        "a#b",
        "a%20b",
        "a b",
        "a;b",
        "a'b",
        "a\nb",
        "a&b",
        "a\u202eb",
        os.fsdecode(b"a\xffb"),
        "-wal",
        "a?mode=rwc",
    ],
)
def test_any_name_is_looked_at_as_itself(tmp_path: Path, name: str) -> None:
    path = make(tmp_path / "plain.db", "a").rename(tmp_path / name)

    look = look_at(path)

    assert look.path == str(path)
    assert look.name.isprintable()
    assert listing(tmp_path) == {name}


def test_a_file_of_another_user_is_read_where_its_folder_cannot_be_written(folder: Path) -> None:
    path = make(folder / "service.db", "a")
    path.chmod(0o444)
    folder.chmod(0o555)
    give_to_nobody(path)

    with as_nobody():
        assert look_at(path).mode is Mode.RESTING


@pytest.mark.skipif(os.geteuid() != 0, reason="needs a second user, which only root can become")
@pytest.mark.parametrize("mode", [None, Mode.COPY], ids=["by itself", "copy"])
def test_a_live_file_whose_shm_is_another_users_is_said_to_be(folder: Path, mode: Mode | None) -> None:
    path = make(folder / "service.db", "early")
    with service_on(path) as service:
        add_task(service, "late")
        path.with_name("service.db-shm").chmod(0o600)
        path.with_name("service.db-wal").chmod(0o644)
        path.chmod(0o644)
        with as_nobody(), pytest.raises(Unreadable) as refused:
            open_reader(path, mode=mode, now_ms=read_at)
    assert refused.value.sentence == (
        "service.db cannot be read: there is no permission for service.db-shm, and a process has the file open."
    )


def test_a_database_that_one_process_keeps_for_itself_is_live(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "a", journal="delete")
    with service_on(path, "locking_mode=EXCLUSIVE") as service:
        add_task(service, "b")

        assert look_at(path).mode is Mode.LIVE


def test_a_file_that_goes_away_under_the_look_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make(tmp_path / "service.db", "a")

    def remove(real: str) -> None:
        Path(real).unlink()
        monkeypatch.undo()

    monkeypatch.setattr("inspector.reading.opening.guard_of", remove)

    assert refusal(path) == "service.db cannot be read: No such file or directory."


def test_sqlite_itself_agrees_that_the_journal_is_hot(tmp_path: Path) -> None:
    path = hot(tmp_path / "service.db")
    db = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)

    with pytest.raises(sqlite3.OperationalError) as refused:
        db.execute("SELECT count(*) FROM tasks")
    db.close()
    assert refused.value.sqlite_errorname == "SQLITE_READONLY_ROLLBACK"


def followed(path: Path, mode: Mode) -> bool:
    try:
        return look_at(path, mode).mode is mode
    except Unreadable:
        return False


def test_the_modes_that_are_offered_are_those_that_a_wish_is_followed_in(tmp_path: Path) -> None:
    paths = [make(tmp_path / "rest.db", "a"), make(tmp_path / "old.db", "a", journal="delete")]
    paths += [crashed(tmp_path / "crashed.db"), hot(tmp_path / "hot.db")]

    offered = [look_at(path).modes for path in paths]

    assert offered == [tuple(mode for mode in Mode if followed(path, mode)) for path in paths]
    assert [Mode.LIVE in modes for modes in offered] == [False, True, False, False]
    assert [len(modes) for modes in offered] == [2, 3, 2, 1]


def test_a_file_of_which_something_is_missing_is_faulty_and_a_whole_one_is_not(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "a")
    assert not look_at(path).faulty

    os.truncate(path, path.stat().st_size - 4096)

    assert look_at(path).faulty
