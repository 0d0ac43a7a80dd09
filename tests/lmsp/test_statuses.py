"""The moves between the seven statuses, as a literal table."""

import pytest

from inspector.lmsp.statuses import FINAL, UNFINISHED, Status, known_status, may_move

MOVES = {
    "queued": "loading running failed cancelled",
    "loading": "running cancelling failed",
    "running": "cancelling completed failed",
    "cancelling": "cancelled",
    "completed": "",
    "failed": "",
    "cancelled": "",
}

RECOVERY_MOVES = {
    "queued": "loading running failed cancelled",
    "loading": "running cancelling failed queued",
    "running": "cancelling completed failed queued running",
    "cancelling": "cancelled",
    "completed": "",
    "failed": "",
    "cancelled": "",
}


def test_the_seven_are_unfinished_or_final() -> None:
    assert {"queued", "loading", "running", "cancelling"} == UNFINISHED
    assert {"completed", "failed", "cancelled"} == FINAL
    assert set(Status) == UNFINISHED | FINAL
    assert not UNFINISHED & FINAL


@pytest.mark.parametrize("to", Status)
@pytest.mark.parametrize("found", Status)
def test_a_move_is_as_the_table_says(found: Status, to: Status) -> None:
    assert may_move(found, to) is (to in MOVES[found].split())
    assert may_move(found, to, recovering=True) is (to in RECOVERY_MOVES[found].split())


@pytest.mark.parametrize("to", sorted(FINAL - {Status.CANCELLED}))
def test_a_task_that_is_being_cancelled_never_ends_otherwise(to: Status) -> None:
    assert not may_move(Status.CANCELLING, to)
    assert not may_move(Status.CANCELLING, to, recovering=True)


@pytest.mark.parametrize("status", Status)
def test_a_status_is_known_by_its_spelling(status: Status) -> None:
    assert known_status(str(status)) is status
    assert known_status(f"response.{status}") is None
    assert known_status(status.upper()) is None


@pytest.mark.parametrize("text", ["", "paused", "queued\0", " queued", None, 7, b"queued", ["queued"], 1.5])
def test_anything_else_is_no_status(text: object) -> None:
    assert known_status(text) is None
