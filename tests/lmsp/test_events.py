"""Event types, and the status that each one implies."""

import pytest

from inspector.lmsp.events import OUTPUT_TEXT_DELTA, EventType, event_of_move, implied_status
from inspector.lmsp.statuses import FINAL, Status

IMPLIED = {
    "response.created": "queued",
    "response.queued": "queued",
    "response.loading": "loading",
    "response.in_progress": "running",
    "response.resumed": "running",
    "response.cancelling": "cancelling",
    "response.completed": "completed",
    "response.failed": "failed",
    "response.cancelled": "cancelled",
}


@pytest.mark.parametrize("event_type", EventType)
def test_an_event_implies_its_status(event_type: EventType) -> None:
    assert implied_status(event_type) == IMPLIED[event_type]
    assert implied_status(str(event_type)) == IMPLIED[event_type]


@pytest.mark.parametrize(
    "event_type", [OUTPUT_TEXT_DELTA, "response.output_item.added", "", "completed", "RESPONSE.FAILED"]
)
def test_progress_implies_no_status(event_type: str) -> None:
    assert implied_status(event_type) is None


@pytest.mark.parametrize("to", Status)
def test_the_event_of_a_move_implies_where_it_leads(to: Status) -> None:
    assert implied_status(event_of_move(to)) is to


def test_the_ends_have_the_names_of_the_specification() -> None:
    assert {event_of_move(to) for to in FINAL} == {"response.completed", "response.failed", "response.cancelled"}
