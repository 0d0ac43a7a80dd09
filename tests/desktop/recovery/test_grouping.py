import pytest

from inspector.desktop.recovery.grouping import (
    FOUND,
    POLICIES,
    Kind,
    Narrowing,
    Place,
    kind_counts,
    narrowed,
    place_of,
    tallies,
)
from inspector.lmsp.recovery import Policy, RecoveryPlan, outcomes_of
from inspector.lmsp.statuses import Status
from tests.desktop.recovery.plans import every_combination, leftover, plan, step

PLACES = [Place(found, policy) for found in FOUND for policy in POLICIES]


@pytest.mark.parametrize("place", PLACES, ids=lambda place: f"{place.found}-{place.policy}")
def test_each_of_the_twelve_cells_counts_the_tasks_that_the_rule_puts_there(place: Place) -> None:
    everything = every_combination()

    expected = [one for one in everything.steps if one.found == place.found and one.effective == place.policy]

    assert tallies(everything)[place].tasks == len(expected) > 0
    assert tallies(everything)[place].warnings == sum(bool(one.warnings) for one in expected)


def test_missing_and_unknown_policies_count_under_fail_with_a_warning() -> None:
    counted = tallies(
        plan(leftover("a", "queued", None), leftover("b", "queued", "always"), leftover("c", "queued", "fail"))
    )

    assert counted[Place(Status.QUEUED, Policy.FAIL)].tasks == 3
    assert counted[Place(Status.QUEUED, Policy.FAIL)].warnings == 2


def test_a_resumed_task_without_a_snapshot_is_a_warning_of_its_cell() -> None:
    counted = tallies(plan(leftover("a", snapshot_seq=None), leftover("b", snapshot_seq=3)))

    assert counted[Place(Status.RUNNING, Policy.RESUME)].tasks == 2
    assert counted[Place(Status.RUNNING, Policy.RESUME)].warnings == 1


def test_an_empty_plan_has_twelve_cells_of_nothing() -> None:
    assert list(tallies(RecoveryPlan(()))) == PLACES
    assert all(tally.tasks == tally.warnings == 0 for tally in tallies(RecoveryPlan(())).values())


def test_a_status_that_is_none_of_the_seven_stands_outside() -> None:
    strange = plan(leftover("a", "archived"))

    assert place_of(strange.steps[0]) is None
    assert sum(tally.tasks for tally in tallies(strange).values()) == 0
    assert kind_counts(strange, None) == {"all": 1, "moves": 0, "stays": 0, "warnings": 1, "left_alone": 1}


def test_all_tasks_move_or_stay_or_are_left_alone() -> None:
    everything = every_combination()

    counts = kind_counts(everything, None)

    assert counts[Kind.ALL] == len(everything.steps)
    assert counts[Kind.MOVES] + counts[Kind.STAYS] + counts[Kind.LEFT_ALONE] == counts[Kind.ALL]
    assert counts[Kind.MOVES] == sum(one.event is not None for one in everything.steps)


def test_a_running_task_that_is_resumed_counts_as_moved_since_its_event_is_written() -> None:
    assert kind_counts(plan(leftover("a")), None)[Kind.MOVES] == 1


@pytest.mark.parametrize("place", PLACES, ids=lambda place: f"{place.found}-{place.policy}")
def test_a_cell_lists_its_own_tasks_in_the_order_of_the_plan(place: Place) -> None:
    everything = every_combination()

    listed = narrowed(everything, Narrowing(place=place))

    assert listed == tuple(one for one in everything.steps if place_of(one) == place)
    assert len(listed) == tallies(everything)[place].tasks


def test_cell_and_chip_narrow_together_and_the_counts_on_chips_say_so() -> None:
    place = Place(Status.RUNNING, Policy.RESUME)
    two = plan(leftover("a", snapshot_seq=None), leftover("b"), leftover("c", "queued", None))

    assert [one.task_id for one in narrowed(two, Narrowing(Kind.WARNINGS, place))] == ["a"]
    assert kind_counts(two, place) == {"all": 2, "moves": 2, "stays": 0, "warnings": 1, "left_alone": 0}


def test_a_step_alone_tells_its_cell() -> None:
    assert place_of(step("loading", None)) == Place(Status.LOADING, Policy.FAIL)


def test_tasks_behind_the_steps_are_counted_in_cells_and_on_chips_as_if_they_were_steps() -> None:
    everything = every_combination()
    part = RecoveryPlan(everything.steps[:7], tuple(outcomes_of(everything.steps[7:]).items()))

    assert tallies(part) == tallies(everything)
    for place in (None, *PLACES):
        assert kind_counts(part, place) == kind_counts(everything, place)
