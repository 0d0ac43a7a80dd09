"""What lies beside a database and is no companion that SQLite could use, or has lost what it belongs to."""

import os
import shutil
from pathlib import Path

import pytest

from inspector.layout.opened import Mode
from inspector.layout.pages import TaskPage
from inspector.reading.errors import Unreadable
from inspector.reading.header import JOURNAL_MAGIC
from inspector.reading.reader import open_reader
from inspector.reading.requests import TaskPageRequest
from tests.support.proof import differences, touch_state
from tests.support.reading_databases import add_task, make, read_at
from tests.support.reading_service import service_on


@pytest.fixture
def crashed(tmp_path: Path) -> Path:
    """A database whose last task is in the -wal alone, with its -shm, which nobody has open."""
    path = make(tmp_path / "live.db", "early")
    copy = tmp_path / "copied" / "service.db"
    copy.parent.mkdir()
    with service_on(path) as service:
        add_task(service, "late")
        for suffix in ("", "-wal", "-shm"):
            shutil.copyfile(f"{path}{suffix}", f"{copy}{suffix}")
    return copy


@pytest.mark.parametrize("mode", [None, Mode.COPY])
def test_a_journal_of_nonsense_beside_a_crashed_file_leads_to_a_copy(crashed: Path, mode: Mode | None) -> None:
    Path(f"{crashed}-journal").write_bytes(b"\xa5" + os.urandom(600))
    before = touch_state(crashed)
    with open_reader(crashed, mode=mode, now_ms=read_at) as reader:
        page = reader.answer(TaskPageRequest())
        assert isinstance(page, TaskPage)
        assert {task.id for task in page.tasks} == {"early", "late"}
        assert reader.opened.mode is Mode.COPY
        assert (
            "The -journal beside service.db is none that SQLite can roll back, and is left out." in reader.opened.notes
        )
        if mode is None:
            assert reader.opened.why == (
                "Read from a private copy: a -journal lies here that SQLite would try to roll back."
            )
    assert differences(before, touch_state(crashed)) == ()


def test_a_journal_of_nonsense_is_why_a_crashed_file_is_not_read_in_place(crashed: Path) -> None:
    Path(f"{crashed}-journal").write_bytes(b"\xa5" * 600)
    with pytest.raises(Unreadable, match="not opened as crashed: a -journal lies here"):
        open_reader(crashed, mode=Mode.CRASHED, now_ms=read_at)


def test_an_empty_file_with_a_wal_was_not_always_empty(crashed: Path) -> None:
    os.truncate(crashed, 0)
    with pytest.raises(Unreadable, match="is empty, though a -wal lies beside it"):
        open_reader(crashed, now_ms=read_at)


def test_a_journal_that_only_begins_like_one_is_not_said_to_have_been_rolled_back(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early", journal="delete")
    Path(f"{path}-journal").write_bytes(JOURNAL_MAGIC + b"\xa5" * 4_000)
    before = touch_state(path)
    with open_reader(path, now_ms=read_at) as reader:
        assert reader.opened.mode is Mode.COPY
        assert reader.opened.notes == (
            "The -journal beside service.db is damaged at its beginning: nothing of it was rolled back in the copy.",
        )
        page = reader.answer(TaskPageRequest())
        assert isinstance(page, TaskPage)
        assert [task.id for task in page.tasks] == ["early"]
    assert differences(before, touch_state(path)) == ()
