"""What a filter lets through, and what an answer says of itself."""

import pytest

from inspector.layout.pages import Counts, TaskFilter, ascii_lower
from inspector.layout.rows import StoredText, TaskRow

TASK = TaskRow(
    id="task_Ab12",
    client_id="Desk",
    model_id="llama-3",
    kind="response",
    status="failed",
    on_restart="retry",
    snapshot_seq=None,
    last_seq=4,
    attempt=1,
    error_code="out_of_memory",
    created_at=1,
    started_at=None,
    finished_at=9,
    updated_at=9,
)


@pytest.mark.parametrize(
    ("wanted", "passes"),
    [
        (TaskFilter(), True),
        (TaskFilter(statuses=frozenset({"failed", "queued"})), True),
        (TaskFilter(statuses=frozenset({"queued"})), False),
        (TaskFilter(text="AB1"), True),
        (TaskFilter(text="LLAMA"), True),
        (TaskFilter(text="desk"), True),
        (TaskFilter(text="memory"), True),
        (TaskFilter(text="retry"), False),
        (TaskFilter(text="%"), False),
        (TaskFilter(model_id="llama-3"), True),
        (TaskFilter(model_id="llama"), False),
        (TaskFilter(model_id=""), False),
        (TaskFilter(statuses=frozenset({"failed"}), text="ab", model_id="llama-3"), True),
        (TaskFilter(statuses=frozenset({"failed"}), text="zz", model_id="llama-3"), False),
    ],
)
def test_all_that_is_given_must_hold(wanted: TaskFilter, passes: bool) -> None:
    assert wanted.passes(TASK) is passes
    assert wanted.is_empty is (wanted == TaskFilter())


def test_lower_case_is_that_of_sqlite() -> None:
    assert ascii_lower("AZ[@ÄÉİ") == "az[@ÄÉİ"


def test_a_text_that_was_cut_says_so() -> None:
    assert StoredText("abc", 9).is_cut
    assert not StoredText("abc", 3).is_cut


def test_all_tasks_are_the_sum_of_every_status() -> None:
    assert Counts({"queued": 2, "paused": 1}).tasks == 3
    assert Counts().tasks == 0
