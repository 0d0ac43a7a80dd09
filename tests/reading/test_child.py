"""A question in a process of its own is answered, or ended when its time is over, whatever it is busy with."""

import time
from pathlib import Path

import pytest

from inspector.layout.tables import StatementAnswer
from inspector.reading.child import answer_in_child
from inspector.reading.errors import TookTooLong, Unanswered, Unreadable
from inspector.reading.requests import StatementRequest
from tests.support.reading_databases import add_task, make
from tests.support.reading_service import service_on

pytestmark = pytest.mark.timeout(30)

NUMBERS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
ZEROS, NEEDLE = "hex(zeroblob(480000))", "hex(zeroblob(200000)) || '1'"
SLOW = {
    "instr": f"SELECT instr({ZEROS}, {NEEDLE})",
    "replace": f"SELECT replace({ZEROS}, {NEEDLE}, '')",
    "trim": f"SELECT trim({ZEROS}, replace(hex(zeroblob(40000)), '0', '1') || '0')",
    "in an order": f"SELECT 1 FROM tasks ORDER BY instr({ZEROS}, {NEEDLE}) + rowid",
    "endless": f"{NUMBERS} SELECT count(*) FROM n",
    "endless sort": f"{NUMBERS} SELECT i FROM n ORDER BY -i",
    "large values": f"{NUMBERS} SELECT max(length(hex(randomblob(200000)))) FROM n",
    "a join": f"{NUMBERS}, m AS (SELECT i FROM n LIMIT 10000) SELECT count(*) FROM m a, m b, m c",
}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("child") / "service.db", "early", journal="delete")


def test_an_answer_comes_as_from_any_reader(path: Path) -> None:
    found = answer_in_child(str(path), StatementRequest("SELECT id FROM tasks"), within_s=20)

    assert isinstance(found, StatementAnswer)
    assert [cell.text for (cell,) in found.rows] == ["early"]


@pytest.mark.threat(id="T6")
@pytest.mark.parametrize("sql", SLOW.values(), ids=SLOW.keys())
def test_what_is_slow_ends_with_its_time_also_where_nothing_can_interrupt_it(path: Path, sql: str) -> None:
    began = time.monotonic()

    with pytest.raises(TookTooLong, match="stopped"):
        answer_in_child(str(path), StatementRequest(sql), within_s=0.4)

    assert time.monotonic() - began < 10  # a hang, where all of these would run for minutes


def test_a_live_file_is_read_as_it_is_now(tmp_path: Path) -> None:
    live = make(tmp_path / "service.db", "early")
    with service_on(live) as service:
        add_task(service, "late")
        found = answer_in_child(str(live), StatementRequest("SELECT count(*) FROM tasks"), within_s=20)
        assert service.execute("PRAGMA wal_checkpoint(TRUNCATE)") == [[0, 0, 0]]

    assert isinstance(found, StatementAnswer)
    assert found.rows[0][0].text == "2"


def test_a_refusal_comes_as_its_sentence(path: Path) -> None:
    with pytest.raises(Unanswered, match="only reads"):
        answer_in_child(str(path), StatementRequest("DELETE FROM tasks"), within_s=20)


def test_a_file_that_is_none_comes_as_its_sentence(tmp_path: Path) -> None:
    with pytest.raises(Unreadable):
        answer_in_child(str(tmp_path / "none.db"), StatementRequest("SELECT 1"), within_s=20)
