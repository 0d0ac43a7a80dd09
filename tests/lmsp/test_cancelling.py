"""What a cancel does, as a literal table."""

import pytest

from inspector.lmsp.cancelling import cancel_target
from inspector.lmsp.statuses import Status, may_move

CANCEL = [
    ("queued", "cancelled", "cancelled"),
    ("loading", "cancelling", "cancelling"),
    ("running", "cancelling", "cancelling"),
    ("cancelling", "already_cancelling", None),
    ("completed", "already_finished", None),
    ("failed", "already_finished", None),
    ("cancelled", "already_finished", None),
]


@pytest.mark.parametrize(("found", "outcome", "target"), CANCEL)
def test_a_cancel_ends_as_the_table_says(found: str, outcome: str, target: str | None) -> None:
    assert cancel_target(Status(found)) == (outcome, target)


def test_the_table_has_every_status() -> None:
    assert [found for found, _, _ in CANCEL] == list(Status)


@pytest.mark.parametrize("found", Status)
def test_a_cancel_writes_only_moves_that_a_task_may_make(found: Status) -> None:
    _, target = cancel_target(found)
    assert target is None or may_move(found, target)
