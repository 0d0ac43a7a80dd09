"""A cancel, and every way in which it ends (section 11.2: the transition is atomic)."""

import sqlite3
import threading
from pathlib import Path

import pytest

from inspector.lmsp.cancelling import CancelOutcome
from inspector.lmsp.statuses import Status
from tests.support.store_factory import Rig, failing_at, put, statements_of, tapped
from tests.support.store_files import NOT_OURS, native_file, picture
from tests.support.subject import store

WRITES = [
    ("queued", "cancelled", "cancelled", "response.cancelled"),
    ("loading", "cancelling", "cancelling", "response.cancelling"),
    ("running", "cancelling", "cancelling", "response.cancelling"),
]

LEAVES = [
    ("cancelling", "already_cancelling"),
    ("completed", "already_finished"),
    ("failed", "already_finished"),
    ("cancelled", "already_finished"),
]


def test_the_tables_have_every_status() -> None:
    assert {found for found, *_ in WRITES} | {found for found, _ in LEAVES} == set(Status)


@pytest.mark.parametrize(("found", "outcome", "status", "event"), WRITES)
def test_a_cancel_writes_the_status_and_its_event_together(
    rig: Rig, found: str, outcome: str, status: str, event: str
) -> None:
    task_id = put(rig.db, found, attempt=3)
    log = rig.log(task_id)
    result = store.cancel_task(rig.db, task_id, now_ms=200)
    seq = len(log) + 1
    assert result == store.CancelResult(task_id, result.outcome, status, seq, None)
    assert result.outcome == outcome
    assert rig.log(task_id) == [*log, (seq, event, status, 3)]
    task = rig.task(task_id)
    assert (task["status"], task["last_seq"], task["attempt"], task["updated_at"]) == (status, seq, 3, 200)
    assert task["finished_at"] == (200 if status == "cancelled" else None)
    assert task["error_code"] is None


@pytest.mark.parametrize(("found", "outcome"), LEAVES)
def test_a_task_that_is_stopping_or_has_ended_is_left_alone(rig: Rig, found: str, outcome: str) -> None:
    task_id = put(rig.db, found)
    with rig.unchanged():
        result = store.cancel_task(rig.db, task_id, now_ms=200)
    assert (result.outcome, result.status, result.reason) == (outcome, found, None)
    assert result.seq == len(rig.log(task_id))


def test_the_second_ask_names_the_event_of_the_first_though_progress_followed(rig: Rig) -> None:
    put(rig.db, "running")
    first = store.cancel_task(rig.db, "t", now_ms=200)
    store.append_events(rig.db, "t", [("response.output_text.delta", {})] * 3, attempt=1, now_ms=201)
    with rig.unchanged():
        second = store.cancel_task(rig.db, "t", now_ms=202)
    assert (second.outcome, second.seq) == ("already_cancelling", first.seq)


def test_an_end_whose_event_is_gone_has_no_number(odd_rig: Rig) -> None:
    odd_rig.db.conn.execute("""
        INSERT INTO tasks (id, kind, status, last_seq, attempt, created_at, finished_at, updated_at, request)
        VALUES ('t', 'x', 'cancelled', 0, 1, 1, 1, 1, '{}')""")
    result = store.cancel_task(odd_rig.db, "t", now_ms=200)
    assert (result.outcome, result.seq) == ("already_finished", None)


@pytest.mark.parametrize("task_id", ["nobody", "", "T", "t ", "t\0", "t\udc80", "%", "' OR 1=1 --"])
def test_a_task_that_is_not_there_is_not_found(rig: Rig, task_id: str) -> None:
    put(rig.db, "running")
    with rig.unchanged():
        result = store.cancel_task(rig.db, task_id, now_ms=200)
    assert (result.outcome, result.task_id, result.status, result.seq) == ("not_found", task_id, None, None)


def test_an_unknown_status_is_refused_with_the_reason(odd_rig: Rig) -> None:
    odd_rig.db.conn.execute("PRAGMA ignore_check_constraints = ON")
    odd_rig.db.conn.execute("""
        INSERT INTO tasks (id, kind, status, last_seq, attempt, created_at, updated_at, request)
        VALUES ('t', 'x', 'paused', 0, 1, 1, 1, '{}')""")
    with odd_rig.unchanged():
        result = store.cancel_task(odd_rig.db, "t", now_ms=200)
    assert (result.outcome, result.status, result.seq) == ("refused", "paused", None)
    assert result.reason is not None
    assert "none of the seven" in result.reason


def test_time_does_not_go_back(rig: Rig) -> None:
    put(rig.db, "queued", at=1_000_000)
    store.cancel_task(rig.db, "t", now_ms=5)
    task = rig.task("t")
    assert (task["updated_at"], task["finished_at"]) == (1_000_000, 1_000_000)


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("found", ["queued", "loading", "running"])
def test_a_cancel_that_fails_halfway_changes_nothing(rig: Rig, found: str, moment: str) -> None:
    put(rig.db, found, task_id="probe")
    steps = statements_of(rig.db, lambda: store.cancel_task(rig.db, "probe", now_ms=200))
    put(rig.db, found)
    for number in range(len(steps) - (moment == "after")):
        with (
            rig.unchanged(),
            pytest.raises(store.Unusable, match="disk"),
            tapped(rig.db, **{moment: failing_at(number)}),
        ):
            store.cancel_task(rig.db, "t", now_ms=200)
    assert store.cancel_task(rig.db, "t", now_ms=200).outcome in ("cancelled", "cancelling")


@pytest.mark.ours
@pytest.mark.parametrize("found", ["queued", "loading", "running"])
def test_a_cancel_that_finds_another_task_than_it_read_is_rolled_back(rig: Rig, found: str) -> None:
    put(rig.db, found)
    rig.db.conn.execute("CREATE TEMP TRIGGER pass BEFORE UPDATE ON main.tasks BEGIN SELECT RAISE(IGNORE); END")
    with rig.unchanged(), pytest.raises(store.Unusable):
        store.cancel_task(rig.db, "t", now_ms=200)


@pytest.mark.ours
@pytest.mark.parametrize("way", ["open connection", "file"])
@pytest.mark.parametrize("found", ["queued", "running", "completed"])
def test_where_another_writes_it_is_busy_and_nothing_has_changed(tmp_path: Path, found: str, way: str) -> None:
    path = tmp_path / "service.db"
    db = store.open_service_database(path, wait_ms=20)
    rig = Rig(path, db)
    put(db, found)
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    with rig.unchanged():
        if way == "file":
            result = store.cancel_in_file(path, "t", now_ms=200, wait_ms=20)
        else:
            result = store.cancel_task(db, "t", now_ms=200)
    assert (result.outcome, result.status, result.seq) == ("busy", None, None)
    assert result.reason is not None
    assert "nothing was changed" in result.reason
    writer.execute("ROLLBACK")
    assert store.cancel_task(db, "t", now_ms=200).outcome != "busy"
    db.close()


def test_where_another_holds_the_whole_file_it_is_busy(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    native_file(path)
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("PRAGMA locking_mode = EXCLUSIVE")
    holder.execute("BEGIN IMMEDIATE")
    holder.execute("COMMIT")
    result = store.cancel_in_file(path, "t", now_ms=200, wait_ms=20)
    assert (result.outcome, result.seq) == ("busy", None)
    holder.close()
    assert store.cancel_in_file(path, "t", now_ms=200, wait_ms=20).outcome == "cancelled"


def test_a_cancel_waits_for_a_writer_that_is_soon_done(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    native_file(path)
    writer = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    writer.execute("BEGIN IMMEDIATE")
    commit = threading.Timer(0.05, writer.execute, ["COMMIT"])
    commit.start()
    assert store.cancel_in_file(path, "t", now_ms=200, wait_ms=30_000).outcome == "cancelled"
    commit.join()


@pytest.mark.parametrize("found", Status)
def test_a_cancel_in_a_file_is_the_same_cancel(rig: Rig, found: str) -> None:
    put(rig.db, found)
    put(rig.db, found, task_id="twin")
    here = store.cancel_task(rig.db, "twin", now_ms=200)
    there = store.cancel_in_file(rig.path, "t", now_ms=200)
    assert (there.outcome, there.status, there.seq) == (here.outcome, here.status, here.seq)
    assert [row[1:] for row in rig.log("t")] == [row[1:] for row in rig.log("twin")]
    assert store.cancel_in_file(str(rig.path), "nobody", now_ms=200).outcome == "not_found"


@pytest.mark.parametrize("name", NOT_OURS)
def test_where_nothing_may_be_written_it_is_refused_with_the_reason(tmp_path: Path, name: str) -> None:
    make, named = NOT_OURS[name]
    path = tmp_path / "service.db"
    make(path)
    before = picture(tmp_path)
    result = store.cancel_in_file(path, "t", now_ms=200)
    assert (result.task_id, result.outcome, result.status, result.seq) == ("t", "refused", None, None)
    assert result.reason is not None
    assert named in result.reason
    assert picture(tmp_path) == before


def test_a_cancel_in_a_file_closes_it_again(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    native_file(path)
    store.cancel_in_file(path, "t", now_ms=200)
    assert sorted(picture(tmp_path)) == ["service.db"]


def test_whoever_commits_first_has_won(rig: Rig) -> None:
    put(rig.db, "running")
    store.complete_task(rig.db, "t", {"text": "hi"}, attempt=1, now_ms=200)
    with rig.unchanged():
        assert store.cancel_in_file(rig.path, "t", now_ms=199).outcome == "already_finished"
    put(rig.db, "running", task_id="u")
    store.cancel_in_file(rig.path, "u", now_ms=200)
    with rig.unchanged(), pytest.raises(store.Refused):
        store.complete_task(rig.db, "u", {"text": "hi"}, attempt=1, now_ms=199)


@pytest.mark.parametrize(
    ("event_type", "status", "outcome"),
    [
        ("response.output_text.delta", "running", CancelOutcome.CANCELLING),
        ("response.completed", "completed", CancelOutcome.REFUSED),
    ],
)
def test_a_cancel_beside_an_event_that_moved_nothing_answers(
    odd_rig: Rig, event_type: str, status: str, outcome: CancelOutcome
) -> None:
    put(odd_rig.db, "running")
    odd_rig.db.conn.execute(
        """
        INSERT INTO task_events (task_id, seq, type, status, attempt, created_at, data)
        SELECT id, last_seq + 1, ?, ?, 1, 1, '{}' FROM tasks WHERE id = 't'""",
        (event_type, status),
    )
    result = store.cancel_task(odd_rig.db, "t", now_ms=5000)
    assert result.outcome is outcome
    assert (result.reason is not None) == (outcome is CancelOutcome.REFUSED)
    assert odd_rig.task("t")["status"] == ("running" if outcome is CancelOutcome.REFUSED else "cancelling")


@pytest.mark.parametrize(("lost", "outcome"), [(1, CancelOutcome.CANCELLING), (2, CancelOutcome.REFUSED)])
def test_a_cancel_of_a_task_whose_log_was_cut_answers(odd_rig: Rig, lost: int, outcome: CancelOutcome) -> None:
    put(odd_rig.db, "running")
    store.append_events(odd_rig.db, "t", [("x", 1), ("x", 2)], attempt=1, now_ms=200)
    odd_rig.db.conn.execute("DROP TRIGGER task_events_outlive_no_task")
    odd_rig.db.conn.execute("DELETE FROM task_events WHERE seq > ?", (5 - lost,))
    result = store.cancel_task(odd_rig.db, "t", now_ms=5000)
    assert (result.outcome, result.seq) == (outcome, 5 if lost == 1 else None)
    assert odd_rig.task("t")["last_seq"] == 5


@pytest.mark.ours
@pytest.mark.parametrize(("found", "wrote"), [("completed", False), ("running", True)])
def test_a_cancel_takes_in_a_wal_that_was_left_only_where_it_writes(
    rig: Rig, tmp_path: Path, found: str, wrote: bool
) -> None:
    put(rig.db, found)
    path = tmp_path / "crashed" / "service.db"
    path.parent.mkdir()
    for suffix in ("", "-wal", "-shm"):  # as a service leaves them that was killed
        path.with_name(f"service.db{suffix}").write_bytes(rig.path.with_name(f"service.db{suffix}").read_bytes())
    before = picture(path.parent)
    store.cancel_in_file(path, "t", now_ms=200)
    after = picture(path.parent)
    if wrote:
        assert sorted(after) == ["service.db"]
    else:
        assert (after["service.db"], after["service.db-wal"]) == (before["service.db"], before["service.db-wal"])
