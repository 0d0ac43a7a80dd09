"""A whole copy as a new file: of a live file, a crashed one, one at rest; and nothing of it where it fails."""

import os
import sqlite3
from pathlib import Path

import pytest

from inspector.reading.copying import NotCopied, copy_database
from inspector.reading.errors import Unreadable
from tests.support.proof import differences, touch_state
from tests.support.reading_crashes import crashed, hot
from tests.support.reading_databases import add_task, as_nobody, listing, make
from tests.support.reading_service import service_on

pytestmark = pytest.mark.timeout(30)


def ids(path: Path) -> list[str]:
    db = sqlite3.connect(path)
    assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    found = [task_id for (task_id,) in db.execute("SELECT id FROM tasks ORDER BY id")]
    db.close()
    return found


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (lambda path: make(path, "early"), ["early"]),
        (lambda path: make(path, "early", journal="delete"), ["early"]),
        (crashed, ["early", "late"]),
        (hot, ["early"]),
    ],
    ids=["resting", "rollback", "crashed", "hot"],
)
def test_a_copy_is_whole_and_the_original_untouched(tmp_path: Path, made: object, expected: list[str]) -> None:
    assert callable(made)
    path = made(tmp_path / "service.db")
    (tmp_path / "there").mkdir()
    before = touch_state(path)

    copy_database(path, tmp_path / "there" / "copy.db")

    assert differences(before, touch_state(path)) == ()
    assert listing(tmp_path / "there") == {"copy.db"}
    assert ids(tmp_path / "there" / "copy.db") == expected


def test_a_live_file_is_copied_as_of_one_moment(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early")
    (tmp_path / "there").mkdir()
    with service_on(path, "wal_autocheckpoint=0") as service:
        add_task(service, "late")
        service.execute("BEGIN IMMEDIATE")
        service.execute("INSERT INTO service_config VALUES ('half', '1', 1)")
        copy_database(path, tmp_path / "there" / "copy.db")
        service.execute("COMMIT")
    assert listing(tmp_path / "there") == {"copy.db"}
    assert ids(tmp_path / "there" / "copy.db") == ["early", "late"]


@pytest.mark.parametrize("taken", ["copy.db", "copy.db-wal", "copy.db-journal", "copy.db-shm"])
def test_nothing_that_exists_is_written_over(tmp_path: Path, taken: str) -> None:
    path = make(tmp_path / "service.db", "early")
    (tmp_path / taken).write_bytes(b"mine")

    with pytest.raises(NotCopied) as refused:
        copy_database(path, tmp_path / "copy.db")

    assert refused.value.sentence == f"{taken} exists already: a copy is made only where nothing is."
    assert listing(tmp_path) == {"service.db", taken}
    assert (tmp_path / taken).read_bytes() == b"mine"


def test_a_link_to_nowhere_is_not_written_through(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early")
    (tmp_path / "copy.db").symlink_to(tmp_path / "elsewhere.db")

    with pytest.raises(NotCopied):
        copy_database(path, tmp_path / "copy.db")
    assert not (tmp_path / "elsewhere.db").exists()


def test_the_database_itself_is_no_place_for_its_copy(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early")

    with pytest.raises(NotCopied):
        copy_database(path, path)


def test_a_copy_that_fails_leaves_nothing(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early")

    with pytest.raises(Unreadable, match="not copied to its end"):
        copy_database(path, tmp_path / "copy.db", should_stop=lambda: True)
    with pytest.raises(Unreadable, match="is not there"):
        copy_database(tmp_path / "none.db", tmp_path / "copy.db")
    with pytest.raises(NotCopied, match="cannot be made"):
        copy_database(path, tmp_path / "nowhere" / "copy.db")
    assert listing(tmp_path) == {"service.db"}


@pytest.mark.skipif(os.getuid() != 0, reason="needs a second user, which only root can become")
def test_a_folder_that_may_not_be_written_is_said(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early")
    for folder in (tmp_path, *list(tmp_path.parents)[:2]):
        folder.chmod(0o755)
    os.chmod(path, 0o644)  # noqa: PTH101

    with as_nobody(), pytest.raises(NotCopied, match=r"copy\.db cannot be made: Permission denied"):
        copy_database(path, tmp_path / "copy.db")


@pytest.mark.parametrize("length", [247, 248, 250, 255])
def test_a_companion_whose_name_would_be_too_long_is_none(tmp_path: Path, length: int) -> None:
    path = make(tmp_path / "service.db", "early").rename(tmp_path / ("n" * length))
    copy_database(path, tmp_path / "copy.db")
    assert ids(tmp_path / "copy.db") == ["early"]


@pytest.mark.parametrize("length", [248, 255, 256])
def test_a_copy_is_not_made_under_a_name_that_leaves_no_room_for_its_journal(tmp_path: Path, length: int) -> None:
    path = make(tmp_path / "service.db", "early")
    before = touch_state(path)
    with pytest.raises(NotCopied) as refused:
        copy_database(path, tmp_path / ("n" * length))
    assert refused.value.sentence.endswith("names would be too long. Name it shorter.")
    assert differences(before, touch_state(path)) == ()
    copy_database(path, tmp_path / ("n" * 247))
