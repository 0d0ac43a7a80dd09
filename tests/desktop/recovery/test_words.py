import json
from dataclasses import replace

import pytest

from inspector.desktop.recovery.grouping import FOUND, POLICIES, Kind, Narrowing, Place, Tally
from inspector.desktop.recovery.words import (
    FieldChange,
    after_note,
    attempt_words,
    cell_target,
    cell_words,
    event_text,
    field_changes,
    no_event_words,
    nothing_words,
    one_line,
    policy_words,
    preview_words,
    seq_words,
    summary,
    warning_words,
)
from inspector.lmsp.recovery import Policy, RecoveryPlan, outcomes_of, plan_step, recovery_event, recovery_target
from inspector.lmsp.statuses import Status
from tests.desktop.recovery.plans import HOSTILE, every_combination, leftover, plan, step


def test_the_preview_counts_leftovers_and_strangers_apart() -> None:
    words = preview_words(plan(*(leftover(f"t{nth}") for nth in range(14)), leftover("x", "archived")), "14:02:11.417")

    assert words == (
        "This is what a service does with these 14 leftover tasks when it starts on this file, "
        "as read at 14:02:11.417. One more task has a status it does not know."
    )


def test_the_preview_of_one_task_speaks_of_one() -> None:
    assert "with this 1 leftover task when" in preview_words(plan(leftover("a")), "14:02:11.417")


def test_the_preview_without_leftovers_says_so() -> None:
    assert (
        preview_words(plan(), "14:02") == "As read at 14:02, this file has no leftover task that a restart would move."
    )
    assert preview_words(plan(leftover("x", "archived"), leftover("y", "odd")), "14:02").endswith(
        "2 tasks have a status it does not know."
    )


def test_the_summary_says_what_is_left_behind() -> None:
    rows = [
        *(leftover(f"f{nth}", "running", "fail") for nth in range(3)),
        *(leftover(f"q{nth}", "queued", "retry") for nth in range(5)),
        *(leftover(f"l{nth}", "loading", "retry") for nth in range(2)),
        leftover("r1", snapshot_seq=None),
        leftover("r2"),
        leftover("c1", "cancelling"),
        leftover("c2", "cancelling", None),
        leftover("x", "archived"),
    ]

    assert [(line.tasks, line.status, line.words) for line in summary(plan(*rows))] == [
        (3, "failed", "failed with server_restarted"),
        (7, "queued", "queued: 5 stay, 2 go back"),
        (2, "running", "running again, 1 without a snapshot"),
        (2, "cancelled", "cancelled"),
        (1, "", "left alone: status is none of the seven"),
    ]


def test_the_summary_of_nothing_keeps_its_four_lines() -> None:
    assert [(line.tasks, line.words) for line in summary(RecoveryPlan(()))] == [
        (0, "failed with server_restarted"),
        (0, "queued"),
        (0, "running again"),
        (0, "cancelled"),
    ]


def test_one_task_stays_and_one_goes_back() -> None:
    both = plan(leftover("a", "queued", "retry"), leftover("b", "loading", "retry"))

    assert summary(both)[1].words == "queued: 1 stays, 1 goes back"


def test_the_summary_adds_up_to_the_plan() -> None:
    everything = every_combination()

    assert sum(line.tasks for line in summary(everything)) == len(everything.steps)
    assert {line.status: line.tasks for line in summary(everything) if line.status} == {
        target: count
        for target, count in everything.counts().items()
        if target in ("failed", "queued", "running", "cancelled")
    }


@pytest.mark.parametrize("found", FOUND)
@pytest.mark.parametrize("policy", POLICIES)
def test_a_cell_says_what_the_rule_says(found: Status, policy: Policy) -> None:
    target = recovery_target(found, policy)

    assert cell_target(Place(found, policy)) == (target, recovery_event(found, target))


def test_a_cell_as_it_is_heard() -> None:
    assert (
        cell_words(Place(Status.RUNNING, Policy.RESUME), Tally(2, 1))
        == "running under resume: 2 tasks, running, response.resumed, 1 with a warning"
    )
    assert (
        cell_words(Place(Status.QUEUED, Policy.RETRY), Tally(1, 0))
        == "queued under retry: 1 task, stays queued, no event"
    )


@pytest.mark.parametrize(
    ("one", "note", "attempt", "seq"),
    [
        (step("running", "resume"), "from snapshot 5", "1 → 2", "seq 11"),
        (step("running", "resume", snapshot_seq=None), "no snapshot kept", "1 → 2", "seq 11"),
        (step("running", "retry"), "", "1 → 2", "seq 11"),
        (step("running", "fail"), "", "1", "seq 11"),
        (step("queued", "retry"), "stays", "1", ""),
        (step("queued", "fail"), "", "1", "seq 11"),
        (step("cancelling", "resume"), "", "1", "seq 11"),
        (step("archived", "fail"), "left alone", "1", ""),
    ],
    ids=lambda value: value.found + "-" + str(value.policy) if hasattr(value, "found") else "",
)
def test_a_row_in_words(one: object, note: str, attempt: str, seq: str) -> None:
    assert (after_note(one), attempt_words(one), seq_words(one)) == (note, attempt, seq)  # type: ignore[arg-type]


def test_warnings_in_words() -> None:
    assert warning_words(step("running", None)) == "No policy stored: taken as fail"
    assert warning_words(step("running", "always")) == "Policy unknown: taken as fail"
    assert warning_words(step("running", "resume", snapshot_seq=None)) == "No snapshot: resumed without one"
    assert warning_words(step("archived")) == "Status is none of the seven: left alone"
    assert warning_words(step()) == ""


def test_the_policy_is_shown_as_stored() -> None:
    assert policy_words(step("running", "always")) == "always"
    assert policy_words(step("running", None)) == "–"


def test_the_fields_of_a_resumed_task() -> None:
    assert field_changes(step()) == (
        FieldChange("status", "running", None),
        FieldChange("attempt", "1", "2"),
        FieldChange("last_seq", "10", "11"),
        FieldChange("snapshot_seq", "5", None),
        FieldChange("updated_at", "", "time of the restart"),
    )


def test_a_failed_task_gets_its_error_and_its_end() -> None:
    changes = {change.name: change for change in field_changes(step("running", "fail"))}

    assert changes["status"] == FieldChange("status", "running", "failed")
    assert changes["error_code"].after == "server_restarted"
    assert changes["finished_at"].after == "time of the restart"


def test_a_task_that_is_queued_again_has_not_started() -> None:
    assert FieldChange("started_at", "", "–") in field_changes(step("loading", "retry"))


def test_an_event_that_its_row_knows_of_already_changes_no_number() -> None:
    one = plan_step(replace(leftover("t", "running", "fail", last_seq=10), log_seq=9))
    assert FieldChange("last_seq", "10", None) in field_changes(one)


def test_nothing_of_a_task_that_stays_changes() -> None:
    assert all(change.after is None for change in field_changes(step("queued", "retry")))
    assert all(change.after is None for change in field_changes(step("archived", "retry")))


def test_the_event_is_the_one_that_recovery_writes() -> None:
    for one in every_combination().steps:
        text = event_text(one)
        if one.event is None:
            assert text is None
        else:
            assert text is not None
            assert json.loads(text) == {
                "type": one.event,
                "seq": one.last_seq + 1,
                "status": one.target,
                "attempt": one.next_attempt,
                "data": one.event_data(),
            }


def test_where_no_event_is_written_a_sentence_says_why() -> None:
    assert (
        no_event_words(step("queued", "retry")) == "No event: the task stays queued, and nothing of its row is written."
    )
    assert no_event_words(step("archived")).startswith("No event: recovery never touches")


def test_stored_text_is_made_visible_and_cut() -> None:
    assert "\u202e" not in one_line(HOSTILE)
    assert "\\u202e" in one_line(HOSTILE)
    assert len(one_line("x" * 100_000)) == 300


def test_tasks_that_are_only_counted_are_in_every_sentence_and_the_list_says_that_it_is_short() -> None:
    everything = every_combination()
    part = RecoveryPlan(everything.steps[:7], tuple(outcomes_of(everything.steps[7:]).items()))

    assert summary(part) == summary(everything)
    assert preview_words(part, "14:02") == (
        f"{preview_words(everything, '14:02')} The list shows the oldest 7; the command recover lists them all."
    )


def test_an_empty_list_says_whether_there_are_such_tasks_behind_those_that_it_could_show() -> None:
    moving = Narrowing(Kind.MOVES)
    assert nothing_words(moving, 7, 0) == "No task that would move."
    assert nothing_words(moving, 5_000, 1_200) == (
        "1,200 such tasks, but none among the oldest 5,000, which alone are listed."
    )
