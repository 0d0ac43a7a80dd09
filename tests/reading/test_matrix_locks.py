"""Whatever locks other processes hold: what can be read is read, and what cannot is said in time and comes back."""

import time
from pathlib import Path

import pytest

from inspector.layout.opened import Mode
from inspector.reading.errors import Unanswered, Unreadable
from inspector.reading.messages import Lost, Moved
from inspector.reading.reader import open_reader
from tests.support.locked_files import SENTENCE_WITHIN_S, locked_by
from tests.support.reading_databases import add_task, make, read_at
from tests.support.reading_service import service_on
from tests.support.tasks_shown import shown

pytestmark = pytest.mark.timeout(30)


@pytest.mark.parametrize("journal", ["delete", "wal"])
@pytest.mark.parametrize("lock", ["IMMEDIATE", "EXCLUSIVE"])
def test_a_writer_in_its_transaction_is_read_past_where_sqlite_lets_one(
    tmp_path: Path, journal: str, lock: str
) -> None:
    path = make(tmp_path / "service.db", "early", journal=journal)
    with service_on(path) as service, open_reader(path, now_ms=read_at) as reader:
        service.execute(f"BEGIN {lock}")
        service.execute("UPDATE tasks SET error_code = 'unseen'")
        began = time.monotonic()
        if journal == "delete" and lock == "EXCLUSIVE":
            with pytest.raises(Unanswered) as refused:
                shown(reader)
            assert time.monotonic() - began < SENTENCE_WITHIN_S
            assert refused.value.sentence == locked_by(service)
            assert not any(isinstance(push, Lost) for push in reader.look())
        else:
            assert shown(reader) == ["early"]
        service.execute("ROLLBACK")

        assert shown(reader) == ["early"]


@pytest.mark.parametrize("journal", ["delete", "wal"])
@pytest.mark.parametrize("lock", ["IMMEDIATE", "EXCLUSIVE"])
def test_a_file_whose_writer_is_in_its_transaction_opens_where_sqlite_lets_one(
    tmp_path: Path, journal: str, lock: str
) -> None:
    path = make(tmp_path / "service.db", "early", journal=journal)
    with service_on(path) as service:
        service.execute(f"BEGIN {lock}")
        began = time.monotonic()
        if journal == "delete" and lock == "EXCLUSIVE":
            with pytest.raises(Unreadable) as refused:
                open_reader(path, now_ms=read_at)
            assert (refused.value.sentence, refused.value.may_pass) == (locked_by(service), True)
        else:
            with open_reader(path, now_ms=read_at) as reader:
                assert reader.opened.mode is Mode.LIVE
                assert shown(reader) == ["early"]
        assert time.monotonic() - began < SENTENCE_WITHIN_S


@pytest.mark.parametrize("mode", [None, Mode.COPY], ids=["by itself", "copy"])
@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_a_service_that_keeps_the_file_for_itself_is_said_to(tmp_path: Path, journal: str, mode: Mode | None) -> None:
    path = make(tmp_path / "service.db", "early", journal=journal)
    with service_on(path, "locking_mode=EXCLUSIVE") as service:
        add_task(service, "late")
        began = time.monotonic()
        with pytest.raises(Unreadable) as refused:
            open_reader(path, mode=mode, now_ms=read_at)
        assert refused.value.sentence == locked_by(service)
        assert time.monotonic() - began < SENTENCE_WITHIN_S
    with open_reader(path, now_ms=read_at) as reader:
        assert shown(reader) == ["early", "late"]


def test_what_is_read_stays_while_a_lock_lasts_and_what_was_committed_comes_after_it(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early", journal="delete")
    with service_on(path) as service, open_reader(path, now_ms=read_at) as reader:
        service.execute("BEGIN EXCLUSIVE")
        service.execute("INSERT INTO service_config VALUES ('k', '1', 1)")
        for _ in range(3):
            assert not any(isinstance(push, Lost | Moved) for push in reader.look())
        service.execute("COMMIT")
        add_task(service, "late")
        moved = [push for _ in range(3) for push in reader.look() if isinstance(push, Moved)]

        assert [row.id for push in moved for row in push.rows] == ["late"]


def test_a_reader_holds_back_no_checkpoint(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early")
    with service_on(path, "wal_autocheckpoint=0") as service, open_reader(path, now_ms=read_at) as reader:
        for number in range(20):
            add_task(service, f"late-{number}")
            reader.look()
            shown(reader)

            assert service.execute("PRAGMA wal_checkpoint(TRUNCATE)") == [[0, 0, 0]]
            assert (tmp_path / "service.db-wal").stat().st_size == 0


def test_a_service_that_changes_the_journal_mode_is_followed(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early")
    with open_reader(path, now_ms=read_at) as reader:
        with service_on(path) as service:
            service.execute("PRAGMA journal_mode=DELETE")
            add_task(service, "late")
            reader.look()
            assert shown(reader) == ["early", "late"]
        reader.look()
        assert shown(reader) == ["early", "late"]
