"""Loading a whole history into a new file: the file is that of ``init`` with rows, or is not there."""

import errno
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from inspector.layout import native
from inspector.store import Unusable, open_service_database
from inspector.store.bulk_loading import Rows, load_history

pytestmark = pytest.mark.ours

ROOT = Path(__file__).parents[2]
CONFIG = ("key", "value", "updated_at")
TASK = ("id", "kind", "status", "last_seq", "attempt", "created_at", "updated_at", "request")
EVENT = ("task_id", "seq", "type", "status", "attempt", "created_at", "data")


def configured(*keys: str) -> Rows:
    return Rows("service_config", CONFIG, [(key, "1", 2) for key in keys])


def a_task_with(events: int) -> list[Rows]:
    """Return a queued task and its log, which no rule of the store leads to; bulk loading has no opinion."""
    log = [("t", seq, "response.created" if seq == 1 else "a.b", "queued", 1, 5, "{}") for seq in range(1, events + 1)]
    return [Rows("tasks", TASK, [("t", "response", "queued", events, 1, 5, 5, "{}")]), Rows("task_events", EVENT, log)]


def schema(path: Path) -> list[tuple[str, str, str, str]]:
    with closing(sqlite3.connect(f"file:{path}?immutable=1", uri=True)) as db:
        return db.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema").fetchall()


def pragmas(path: Path) -> list[object]:
    names = ("application_id", "user_version", "page_size", "encoding", "auto_vacuum", "freelist_count")
    with closing(sqlite3.connect(f"file:{path}?immutable=1", uri=True)) as db:
        return [db.execute(f"PRAGMA {name}").fetchone()[0] for name in names]


def test_the_rows_are_there_whatever_their_number(tmp_path: Path) -> None:
    path = tmp_path / "lmsp.db"
    load_history(path, [*a_task_with(events=237), configured("a", "b"), configured()])
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT id, seq, data FROM task_events ORDER BY id").fetchall() == [
            (seq, seq, "{}") for seq in range(1, 238)
        ]
        assert db.execute("SELECT * FROM service_config").fetchall() == [("a", "1", 2), ("b", "1", 2)]
        assert db.execute("SELECT seq FROM sqlite_sequence").fetchall() == [(237,)]
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_the_file_is_that_of_a_service_but_for_the_rows(tmp_path: Path) -> None:
    loaded, of_service = tmp_path / "loaded.db", tmp_path / "of_service.db"
    load_history(loaded, a_task_with(events=60))
    open_service_database(of_service).close()
    assert sorted(tmp_path.iterdir()) == [loaded, of_service]
    assert sorted(schema(loaded), key=str) == sorted(schema(of_service), key=str)
    for kind in ("trigger", "index"):
        # SQLite asks them in this order.
        own = [name for found, name, table, _ in schema(of_service) if found == kind and table == "tasks"]
        assert [name for found, name, table, _ in schema(loaded) if (found, table) == (kind, "tasks")] == own
    assert pragmas(loaded) == pragmas(of_service)
    # Both version numbers of a file in WAL mode.
    assert loaded.read_bytes()[18:20] == of_service.read_bytes()[18:20] == b"\2\2"
    assert loaded.stat().st_mode == of_service.stat().st_mode


def test_the_layout_holds_for_whoever_writes_next(tmp_path: Path) -> None:
    path = tmp_path / "lmsp.db"
    load_history(path, a_task_with(events=2))
    with closing(open_service_database(path)) as db:
        for sql in ("DELETE FROM tasks", "UPDATE task_events SET data = ''", "UPDATE tasks SET status = 'running'"):
            with pytest.raises(sqlite3.IntegrityError):
                db.conn.execute(sql)


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([Rows("tasks", TASK, [("t", "response", "lost", 1, 1, 5, 5, "{}")])], "CHECK"),
        ([configured("a"), configured("a")], "UNIQUE"),
        ([Rows("service_config", CONFIG, [("a", "1", "soon")])], "INTEGER"),
    ],
)
def test_what_the_tables_refuse_leaves_nothing(tmp_path: Path, rows: list[Rows], says: str) -> None:
    with pytest.raises(Unusable, match=says):
        load_history(tmp_path / "lmsp.db", rows)
    assert list(tmp_path.iterdir()) == []


class Stopped(BaseException):
    """What ends a load from outside, as a key does."""


def stopping() -> Iterator[Rows]:
    yield from a_task_with(events=120)
    raise Stopped


def test_a_history_that_stops_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(Stopped):
        load_history(tmp_path / "lmsp.db", stopping())
    assert list(tmp_path.iterdir()) == []


def test_what_comes_to_lie_beside_the_unfinished_file_goes_with_it(tmp_path: Path) -> None:
    def stopping_untidily() -> Iterator[Rows]:
        yield configured("a")
        (part,) = tmp_path.glob(".*.part")
        (part / "database-journal").touch()
        raise Stopped

    with pytest.raises(Stopped):
        load_history(tmp_path / "lmsp.db", stopping_untidily())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("at", ["Making the indexes", "Writing it to the disk"])
def test_a_stop_after_the_last_row_leaves_nothing(tmp_path: Path, at: str) -> None:
    told: list[str] = []

    def stop(doing: str) -> None:
        assert not (tmp_path / "lmsp.db").exists()
        told.append(doing)
        if doing == at:
            raise Stopped

    with pytest.raises(Stopped):
        load_history(tmp_path / "lmsp.db", a_task_with(events=1), ending=stop)
    assert told[-1] == at
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_at_the_path_before_all_is_there(tmp_path: Path) -> None:
    path = tmp_path / "lmsp.db"

    def looking() -> Iterator[Rows]:
        yield configured("a")
        (made,) = tmp_path.iterdir()
        assert made.name.endswith(".part")

    load_history(path, looking())
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("kind", ["file", "folder", "link to nothing"])
def test_what_is_there_is_not_touched(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "lmsp.db"
    match kind:
        case "file":
            path.write_bytes(b"keep me")
        case "folder":
            path.mkdir()
        case _:
            path.symlink_to("nowhere")
    before = path.lstat()
    untouched = iter(a_task_with(events=1))
    with pytest.raises(Unusable, match="there already"):
        load_history(path, untouched)
    assert list(tmp_path.iterdir()) == [path]
    assert path.lstat() == before
    assert next(untouched) == a_task_with(events=1)[0]  # it is said before the first row, not after hours


@pytest.mark.parametrize("suffix", ["-wal", "-shm", "-journal"])
def test_a_companion_of_an_earlier_database_is_named_and_not_touched(tmp_path: Path, suffix: str) -> None:
    beside = tmp_path / f"lmsp.db{suffix}"
    beside.write_bytes(b"x")
    with pytest.raises(Unusable, match=f"lmsp.db{suffix} of an earlier database"):
        load_history(tmp_path / "lmsp.db", a_task_with(events=1))
    assert list(tmp_path.iterdir()) == [beside]


def test_what_comes_to_be_there_meanwhile_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "lmsp.db"

    def slow() -> Iterator[Rows]:
        path.write_text("somebody else's")
        yield configured("a")

    with pytest.raises(Unusable, match="there already"):
        load_history(path, slow())
    assert path.read_text() == "somebody else's"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("name", "says"), [("missing/lmsp.db", "folder"), ("file/lmsp.db", "Not a directory"), ("x" * 300, "too long")]
)
def test_a_place_where_nothing_can_be_made_is_said_before_any_row(tmp_path: Path, name: str, says: str) -> None:
    (tmp_path / "file").touch()

    asked_for = (configured(str(rows)) for rows in range(1))
    with pytest.raises(Unusable, match=says):
        load_history(tmp_path / name, asked_for)
    assert len(list(asked_for)) == 1
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def test_it_is_on_the_disk_before_it_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "lmsp.db"
    synced: list[tuple[bool, bool]] = []
    sync = os.fsync

    def noted(descriptor: int) -> None:
        is_folder = os.fstat(descriptor).st_ino == tmp_path.stat().st_ino
        synced.append((is_folder, path.exists()))
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", noted)
    load_history(path, a_task_with(events=1))
    assert synced == [(False, False), (True, True)]


def test_a_disk_that_does_not_confirm_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_descriptor: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(Unusable, match="Input/output error"):
        load_history(tmp_path / "lmsp.db", a_task_with(events=1))
    assert list(tmp_path.iterdir()) == []


WITHOUT_ROOM = """
import resource, sys
from inspector.store import Unusable
from inspector.store.bulk_loading import load_history
from tests.store.test_bulk_loading import a_task_with
resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, 500_000))
try:
    load_history(sys.argv[1], a_task_with(events=100_000))
except Unusable as error:
    sys.stdout.write(error.sentence)
"""


@pytest.mark.process
def test_a_disk_without_room_is_said_and_nothing_is_left(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_ROOM, tmp_path / "lmsp.db"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "The disk did not take what was written" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_rows_may_come_before_those_they_belong_to(tmp_path: Path) -> None:
    path = tmp_path / "lmsp.db"
    load_history(path, reversed(a_task_with(events=60)))
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT count(*) FROM task_events").fetchone() == (60,)
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []


def test_the_layout_has_nothing_that_bulk_loading_does_not_know() -> None:
    assert {text.split()[1] for text in native.STATEMENTS if text.startswith("CREATE")} == {"TABLE", "INDEX", "TRIGGER"}
