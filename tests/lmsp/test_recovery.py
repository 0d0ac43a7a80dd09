"""The table of section 11.3, written out, and the plan that is made from it."""

import json
from dataclasses import replace

import pytest

from inspector.lmsp.events import implied_status
from inspector.lmsp.recovery import (
    Leftover,
    Number,
    Outcome,
    Policy,
    effective_policy,
    plan_recovery,
    plan_step,
    recovery_event,
    recovery_target,
)
from inspector.lmsp.recovery import (
    Warning as RecoveryWarning,
)
from inspector.lmsp.statuses import FINAL, UNFINISHED, Status, may_move

TABLE = [
    # found, policy, the status afterwards, its event, the error code, how much the attempt rises
    ("queued", "fail", "failed", "response.failed", "server_restarted", 0),
    ("queued", "retry", "queued", None, None, 0),
    ("queued", "resume", "queued", None, None, 0),
    ("loading", "fail", "failed", "response.failed", "server_restarted", 0),
    ("loading", "retry", "queued", "response.queued", None, 1),
    ("loading", "resume", "queued", "response.queued", None, 1),
    ("running", "fail", "failed", "response.failed", "server_restarted", 0),
    ("running", "retry", "queued", "response.queued", None, 1),
    ("running", "resume", "running", "response.resumed", None, 1),
    ("cancelling", "fail", "cancelled", "response.cancelled", None, 0),
    ("cancelling", "retry", "cancelled", "response.cancelled", None, 0),
    ("cancelling", "resume", "cancelled", "response.cancelled", None, 0),
]

CELLS = [pytest.param(*row, id=f"{row[0]}-{row[1]}") for row in TABLE]


def leftover(
    status: str = "running", on_restart: str | None = "retry", *, task_id: str = "t", snapshot_seq: int | None = 5
) -> Leftover:
    return Leftover(task_id, status, on_restart, attempt=3, last_seq=7, snapshot_seq=snapshot_seq)


def test_the_table_has_twelve_cells() -> None:
    assert {(found, policy) for found, policy, *_ in TABLE} == {(s, p) for s in UNFINISHED for p in Policy}
    assert len(TABLE) == 12


@pytest.mark.parametrize(("found", "policy", "target", "event", "code", "rise"), CELLS)
def test_a_leftover_goes_where_the_table_says(
    found: str, policy: str, target: str, event: str | None, code: str | None, rise: int
) -> None:
    step = plan_step(leftover(found, policy))
    assert (step.found, step.policy, step.effective) == (found, policy, policy)
    assert (step.target, step.event, step.error_code) == (target, event, code)
    assert (step.attempt, step.next_attempt) == (3, 3 + rise)
    assert (step.last_seq, step.next_seq) == (7, 7 if event is None else 8)
    assert (step.task_id, step.snapshot_seq, step.warnings) == ("t", 5, ())


@pytest.mark.parametrize(("found", "policy", "target", "event", "code", "rise"), CELLS)
def test_the_moves_of_the_table_are_moves_that_recovery_may_make(
    found: str, policy: str, target: str, event: str | None, code: str | None, rise: int
) -> None:
    assert (code is not None) == (target == "failed")
    assert recovery_target(Status(found), Policy(policy)) == target
    assert recovery_event(Status(found), Status(target)) == event
    if event is not None:
        assert may_move(Status(found), Status(target), recovering=True)
        assert implied_status(event) == target
    # The fence: whoever held the task before the restart holds it no longer, unless it has ended.
    assert rise == (target in UNFINISHED and event is not None)


@pytest.mark.parametrize("policy", Policy)
@pytest.mark.parametrize("final", sorted(FINAL))
def test_a_finished_task_is_no_leftover(final: Status, policy: Policy) -> None:
    with pytest.raises(KeyError):
        recovery_target(final, policy)
    assert plan_recovery([leftover(final, policy)]).steps == ()
    step = plan_step(leftover(final, policy))
    assert (step.target, step.event, step.effective, step.next_attempt, step.warnings) == (final, None, None, 3, ())


@pytest.mark.parametrize("found", sorted(UNFINISHED))
def test_a_missing_policy_counts_as_fail_and_says_so(found: Status) -> None:
    step = plan_step(leftover(found, None))
    assert step.target == plan_step(leftover(found, "fail")).target
    assert (step.policy, step.effective, step.warnings) == (None, Policy.FAIL, (RecoveryWarning.NO_POLICY,))


@pytest.mark.parametrize("stored", ["", "restart", "FAIL", "retry ", "resume\0"])
@pytest.mark.parametrize("found", sorted(UNFINISHED))
def test_an_unknown_policy_counts_as_fail_and_says_so(found: Status, stored: str) -> None:
    step = plan_step(leftover(found, stored))
    assert step.target == plan_step(leftover(found, "fail")).target
    assert (step.policy, step.effective, step.warnings) == (stored, Policy.FAIL, (RecoveryWarning.UNKNOWN_POLICY,))


@pytest.mark.parametrize("policy", Policy)
def test_a_known_policy_counts_as_itself(policy: Policy) -> None:
    assert effective_policy(str(policy)) == (policy, None)


@pytest.mark.parametrize("policy", [*Policy, None, "odd"])
@pytest.mark.parametrize("found", ["", "paused", "Running", "queued "])
def test_an_unknown_status_is_left_alone_and_says_so(found: str, policy: str | None) -> None:
    step = plan_step(leftover(found, policy))
    assert (step.found, step.target, step.event, step.error_code) == (found, found, None, None)
    assert (step.next_attempt, step.next_seq, step.effective) == (3, 7, None)
    assert step.warnings == (RecoveryWarning.UNKNOWN_STATUS,)


@pytest.mark.parametrize(("found", "policy", "target", "event", "code", "rise"), CELLS)
def test_only_a_task_that_is_resumed_misses_its_snapshot(
    found: str, policy: str, target: str, event: str | None, code: str | None, rise: int
) -> None:
    bare = plan_step(leftover(found, policy, snapshot_seq=None))
    assert (bare.target, bare.event, bare.error_code, bare.next_attempt) == (target, event, code, 3 + rise)
    assert bare.warnings == ((RecoveryWarning.NO_SNAPSHOT,) if event == "response.resumed" else ())


EVENT_DATA = [
    (
        "running",
        "fail",
        {
            "reason": "server_restarted",
            "error": {
                "code": "server_restarted",
                "message": "The service restarted before this task had finished.",
            },
        },
    ),
    ("running", "retry", {"reason": "server_restarted", "attempt": 4}),
    ("loading", "resume", {"reason": "server_restarted", "attempt": 4}),
    ("running", "resume", {"reason": "server_restarted", "attempt": 4, "snapshot_seq": 5}),
    ("cancelling", "retry", {"reason": "server_restarted"}),
]


@pytest.mark.parametrize(("found", "policy", "data"), EVENT_DATA)
def test_an_event_of_recovery_says_why_it_is_there(found: str, policy: str, data: dict[str, object]) -> None:
    written = plan_step(leftover(found, policy)).event_data()
    assert written == data
    assert json.loads(json.dumps(written, allow_nan=False)) == data


def test_a_plan_keeps_the_order_of_the_rows_and_counts_where_they_go() -> None:
    rows = [
        leftover("running", "resume", task_id="b"),
        leftover("completed", "retry", task_id="x"),
        leftover("queued", "retry", task_id="a"),
        leftover("odd", "retry", task_id="d"),
        leftover("loading", "retry", task_id="c"),
    ]
    plan = plan_recovery(rows)
    assert [step.task_id for step in plan.steps] == ["b", "a", "d", "c"]
    assert plan.counts() == {"running": 1, "queued": 2, "odd": 1}
    assert plan_recovery([]).counts() == {}


@pytest.mark.parametrize("warning", RecoveryWarning)
def test_every_warning_is_a_sentence(warning: RecoveryWarning) -> None:
    assert warning.sentence.strip() == warning.sentence
    assert len(warning.sentence) > len(warning)


@pytest.mark.parametrize(("found", "policy", "target", "event", "code", "rise"), CELLS)
def test_a_second_recovery_changes_nothing_but_the_resumed_ones(
    found: str, policy: str, target: str, event: str | None, code: str | None, rise: int
) -> None:
    first = plan_step(leftover(found, policy))
    again = plan_recovery(
        [Leftover("t", first.target, policy, first.next_attempt, first.next_seq, first.snapshot_seq)]
    ).steps
    if target in FINAL:
        assert again == ()
    elif event == "response.resumed":
        assert [(step.event, step.next_attempt) for step in again] == [("response.resumed", 3 + 2 * rise)]
    else:
        assert [(step.event, step.target) for step in again] == [(None, target)]
        assert code is None


@pytest.mark.parametrize("log_seq", [6, 7, 9])
def test_what_is_written_goes_on_from_the_end_of_the_log(log_seq: int) -> None:
    step = plan_step(replace(leftover("running", "retry"), log_seq=log_seq))
    assert (step.event, step.next_seq) == ("response.queued", log_seq + 1)
    assert step.warnings == (() if log_seq == 7 else (RecoveryWarning.LOG_AHEAD,))


@pytest.mark.parametrize(("log_seq", "log_ended"), [(5, False), (0, False), (7, True), (9, True)])
def test_a_task_whose_log_does_not_fit_its_row_is_left_alone_and_says_so(log_seq: int, log_ended: bool) -> None:
    step = plan_step(replace(leftover("running", "retry"), log_seq=log_seq, log_ended=log_ended))
    assert (step.target, step.event, step.next_attempt, step.next_seq) == ("running", None, 3, 7)
    assert (step.effective, step.warnings) == (None, (RecoveryWarning.LOG_BROKEN,))


@pytest.mark.parametrize(("log_seq", "log_ended"), [(0, False), (9, False), (7, True)])
def test_a_task_that_stays_stays_whatever_its_log_says(log_seq: int, log_ended: bool) -> None:
    step = plan_step(replace(leftover("queued", "retry"), log_seq=log_seq, log_ended=log_ended))
    assert (step.target, step.event, step.next_seq, step.effective) == ("queued", None, 7, "retry")
    assert step.warnings == ()


BOTH = frozenset({Number.ATTEMPT, Number.LAST_SEQ})


@pytest.mark.parametrize(("found", "policy", "target", "event", "code", "rise"), CELLS)
def test_where_no_numbers_are_known_the_table_is_the_same_and_none_is_made_up(
    found: str, policy: str, target: str, event: str | None, code: str | None, rise: int
) -> None:
    step = plan_step(Leftover("t", found, policy, attempt=0, last_seq=0, snapshot_seq=5, unknown=BOTH))
    assert (step.target, step.event, step.error_code) == (target, event, code)
    assert step.raises_attempt == bool(rise)
    assert (step.known_attempt, step.known_next_attempt) == (None, None)
    assert (step.known_last_seq, step.known_next_seq) == (None, None)
    if step.event is not None:
        assert step.event_data().get("attempt") is None
    assert step.warnings == ()


@pytest.mark.parametrize(("found", "policy", "target", "event", "code", "rise"), CELLS)
def test_numbers_that_are_known_are_known_as_they_are(
    found: str, policy: str, target: str, event: str | None, code: str | None, rise: int
) -> None:
    step = plan_step(leftover(found, policy))
    assert step.unknown == frozenset()
    assert step.raises_attempt == bool(rise)
    assert (step.known_attempt, step.known_next_attempt) == (step.attempt, step.next_attempt) == (3, 3 + rise)
    assert (step.known_last_seq, step.known_next_seq) == (step.last_seq, step.next_seq) == (7, 7 + (event is not None))
    assert (step.target, step.error_code) == (target, code)


@pytest.mark.parametrize("number", [Number.ATTEMPT, Number.LAST_SEQ])
def test_one_number_can_be_known_without_the_other(number: Number) -> None:
    step = plan_step(replace(leftover(), unknown=frozenset({number})))
    attempts, seqs = (step.known_attempt, step.known_next_attempt), (step.known_last_seq, step.known_next_seq)
    assert attempts == ((None, None) if number is Number.ATTEMPT else (3, 4))
    assert seqs == ((None, None) if number is Number.LAST_SEQ else (7, 8))


@pytest.mark.parametrize("log_seq", [0, 5, 12])
def test_a_log_that_was_looked_at_says_which_number_is_next_whatever_the_row_does_not_say(log_seq: int) -> None:
    left = Leftover("t", "running", "retry", 3, log_seq, None, log_seq=log_seq, unknown=frozenset({Number.LAST_SEQ}))
    step = plan_step(left)
    assert (step.known_last_seq, step.known_next_seq) == (None, log_seq + 1)
    assert step.warnings == ()
    stays = plan_step(replace(left, status="queued"))
    assert (stays.event, stays.known_next_seq) == (None, None)


def test_a_task_that_is_left_alone_makes_up_no_number() -> None:
    ended = plan_step(replace(leftover(), log_ended=True, unknown=BOTH))
    stranger = plan_step(replace(leftover("archived"), unknown=BOTH))
    for step in (ended, stranger):
        assert step.effective is None
        assert (step.known_attempt, step.known_next_attempt) == (None, None)
        assert (step.known_last_seq, step.known_next_seq) == (None, None)


def test_steps_are_counted_by_what_they_do_and_so_are_the_tasks_behind_them() -> None:
    steps = plan_recovery(
        [
            leftover("running", "resume", snapshot_seq=None),
            leftover("running", "resume", snapshot_seq=None),
            leftover("queued", "retry"),
            leftover("queued", None),
            leftover("odd", "retry"),
            leftover("odder", "fail"),
        ]
    )
    resumed = Outcome("running", "resume", "running", writes_event=True, has_warnings=True, lacks_snapshot=True)
    stays = Outcome("queued", "retry", "queued", writes_event=False, has_warnings=False, lacks_snapshot=False)
    failed = Outcome("queued", "fail", "failed", writes_event=True, has_warnings=True, lacks_snapshot=False)
    alone = Outcome("", None, "", writes_event=False, has_warnings=True, lacks_snapshot=False)

    assert steps.outcomes() == {resumed: 2, stays: 1, failed: 1, alone: 2}
    assert replace(steps, more=((stays, 7), (alone, 1))).outcomes() == {resumed: 2, stays: 8, failed: 1, alone: 3}
