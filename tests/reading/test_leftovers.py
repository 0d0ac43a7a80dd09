"""Of many leftovers the oldest are told, and the others counted by what a restart does to them."""

from pathlib import Path

from inspector.layout.pages import Leftovers
from inspector.lmsp.recovery import RecoveryPlan, plan_recovery
from inspector.reading.messages import Answer
from inspector.reading.reader import open_reader
from inspector.reading.requests import LeftoversRequest
from inspector.reading.wire import Decoder, encode
from tests.support.reading_databases import add_task, create, move_task, read_at


def test_those_behind_the_first_are_planned_and_counted_and_come_over_the_wire(tmp_path: Path) -> None:
    db = create(tmp_path / "service.db", journal="delete")
    for number in range(9):
        add_task(db, f"task {number}", created_at=read_at() + number)
        if number > 4:
            move_task(db, f"task {number}", "running")
    db.close()
    with open_reader(tmp_path / "service.db", now_ms=read_at) as reader:
        every = reader.answer(LeftoversRequest())
        first = reader.answer(LeftoversRequest(4))
        assert reader.answer(LeftoversRequest(9)) == every

    assert isinstance(every, Leftovers)
    assert isinstance(first, Leftovers)
    assert (first.tasks, every.more) == (every.tasks[:4], ())
    plan = plan_recovery(every.tasks)
    assert RecoveryPlan(plan.steps[:4], first.more).outcomes() == plan.outcomes()
    [answer] = Decoder().feed(encode(Answer(1, first)))
    assert isinstance(answer, Answer)
    assert answer.value == first
