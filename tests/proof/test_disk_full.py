"""No room on the disk: each rule is refused whole, in a sentence that says what to do, and all acknowledged stands.

Three ways to have no room: a small file system of its own (where the tests may mount one), a limit on the size of
files, and SQLite's own limit on the pages of a database. When there is room again, the same connection goes on.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.support.disk_full import Told, until_it_is_refused, without_room
from tests.support.disk_writes import WRITES, prepare
from tests.support.power_check import findings_in
from tests.support.power_state import state_on
from tests.support.store_leftovers import leave_many
from tests.support.subject import store

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.timeout(300)


@cache
def why_nothing_can_be_mounted() -> str | None:
    if os.geteuid() != 0:
        return "only root mounts a file system"
    if shutil.which("unshare") is None:
        return "unshare is not installed: a mount would be seen by others"
    command = ["unshare", "-m", "mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", "/mnt"]
    tried = subprocess.run(command, capture_output=True, text=True)
    return None if tried.returncode == 0 else f"nothing can be mounted here: {tried.stderr.strip()}"


def in_a_child(way: str, scenario: str, folder: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.support.disk_child", way, scenario, str(folder)]
    if way == "tmpfs":
        if reason := why_nothing_can_be_mounted():
            pytest.skip(reason)
        command = ["unshare", "-m", *command]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=200)
    assert ran.returncode == 0, ran.stderr
    answer: dict[str, Any] = json.loads(ran.stdout)
    return answer


def all_refused_and_all_done_later(told: Told) -> None:
    assert told.written == []
    assert list(told.sentences) == list(WRITES)
    assert told.left_open == []
    assert told.changed == []
    assert told.still_refused == {}
    assert told.integrity == "ok"


@pytest.mark.process
@pytest.mark.parametrize(
    ("way", "code", "says"),
    [("tmpfs", "SQLITE_FULL", "full"), ("limit", "SQLITE_IOERR_WRITE", "limit on the size of files")],
)
def test_each_rule_without_room_for_one_more_page(
    tmp_path: Path, way: str, code: str, says: str, proved: Callable[[str], None]
) -> None:
    told = Told(**in_a_child(way, "each rule", tmp_path))
    all_refused_and_all_done_later(told)
    assert set(told.codes.values()) == {code}
    if code == "SQLITE_FULL":
        assert "deleting needs room too" in told.sentences["clean up"]
    for name, sentence in told.sentences.items():
        assert says in sentence, name
        assert "nothing was changed" in sentence, name
        assert "try again" in sentence or "run this again" in sentence, name
        assert sentence.count(". ") == 0, name
    proved(f"disk full, {way}: {len(told.sentences)} rules refused whole, and written when there was room again")


@pytest.mark.process
@pytest.mark.parametrize("way", ["tmpfs", "limit"])
def test_what_was_acknowledged_before_the_room_ran_out_is_there(
    tmp_path: Path, way: str, proved: Callable[[str], None]
) -> None:
    # Checkpoints run out of room as well: nobody is told, and nothing is lost by it.
    counts = in_a_child(way, "until full", tmp_path)
    assert counts["acknowledged"] > 10
    assert (counts["missing"], counts["refused"]) == (0, 3)
    proved(
        f"disk full, {way}: {counts['acknowledged']} tasks acknowledged until it was full, {counts['missing']} missing"
    )


@pytest.mark.process
def test_a_database_that_is_opened_without_room(tmp_path: Path) -> None:
    told = in_a_child("tmpfs", "opening", tmp_path)
    assert len(told["said"]) == 2
    assert all("room" in sentence and sentence.count(". ") == 0 for sentence in told["said"]), told["said"]
    assert told["unchanged"]


def page_limit(db: Any, leave: int) -> tuple[Callable[[], object], Callable[[], object]]:  # noqa: ANN401 # a Database
    def take() -> None:
        pages = db.conn.execute("PRAGMA page_count").fetchall()[0][0]
        free = db.conn.execute("PRAGMA freelist_count").fetchall()[0][0]
        assert free == 0
        db.conn.execute(f"PRAGMA max_page_count = {pages + leave}").fetchall()

    return take, lambda: db.conn.execute("PRAGMA max_page_count = 1000000").fetchall()


def test_each_rule_that_needs_a_page_more_than_the_database_may_have(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    db = store.open_service_database(path)
    prepare(db)
    take, give_back = page_limit(db, 0)
    # Recovery would move the tasks of the others, in the pages that are there.
    rules = [name for name in WRITES if name != "recover"]
    told = without_room(db, take=take, give_back=give_back, rules=rules)
    db.close()
    assert {"append a large event", "complete with a large response"} <= set(told.sentences)
    assert set(told.codes.values()) == {"SQLITE_FULL"}
    assert (told.left_open, told.changed, told.still_refused, told.integrity) == ([], [], {}, "ok")
    # What finds its place in the pages that are there is written, whatever the limit.
    assert set(told.written) | set(told.sentences) == set(rules)
    assert findings_in(path, ()) == []


def test_what_was_acknowledged_before_the_pages_ran_out_is_there(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    db = store.open_service_database(path)
    take, give_back = page_limit(db, 60)
    counts = until_it_is_refused(db, take=take, give_back=give_back)
    db.close()
    assert counts["acknowledged"] > 10
    assert (counts["missing"], counts["refused"]) == (0, 3)
    assert findings_in(path, ()) == []


def test_recovery_that_needs_more_pages_leaves_each_task_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    db = store.open_service_database(path)
    leave_many(db, 700)
    take, give_back = page_limit(db, 3)
    take()
    before, plan = state_on(db.conn), store.plan_recovery(db)
    with pytest.raises(store.Unusable, match="make room"):
        store.apply_recovery(db, plan, now_ms=10)
    assert not db.conn.in_transaction
    assert state_on(db.conn) == before
    give_back()
    assert len(store.apply_recovery(db, plan, now_ms=10).applied.steps) == 700
    db.close()
    assert findings_in(path, ()) == []
