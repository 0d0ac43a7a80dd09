import pytest

from inspector.desktop.detail.cancel_words import Times, ending, finished_meanwhile, question, short_id
from inspector.lmsp.cancelling import CancelOutcome
from tests.desktop.detail.pages import Answer
from tests.desktop.timeline.histories import T0, task


def test_a_question_says_what_will_happen() -> None:
    said = question(task("running", started_at=T0), T0 + 17_000)
    assert said.fact == "Cancel task_9f3c…e0b4?"
    assert said.meaning == "It is running since 17 s. Its worker stops at its next write; what it has written stays."
    waiting = question(task("queued"), T0 + 3_200)
    assert waiting.meaning == "It is queued since 3.2 s. No worker holds it, so it ends at once."


def test_a_question_where_no_moment_is_known_leaves_it_out() -> None:
    assert "It is running." in question(task("running", started_at=T0), None).meaning
    assert "It is loading." in question(task("loading", started_at=T0 + 9), T0).meaning


def test_a_question_about_one_that_is_being_cancelled_says_so() -> None:
    assert "already being cancelled" in question(task("cancelling"), T0).meaning


def test_an_id_is_named_by_its_ends_and_harmless() -> None:
    assert short_id("short") == "short"
    assert "\u202e" not in short_id("task_\u202e" * 40)


@pytest.mark.parametrize("outcome", CancelOutcome)
def test_every_outcome_has_its_words(outcome: CancelOutcome) -> None:
    said = ending(Answer(outcome), Times())
    assert said.fact.endswith(".")
    assert said.meaning.endswith(".")


def test_the_outcomes_are_told_apart() -> None:
    assert len({ending(Answer(outcome), Times()).fact for outcome in CancelOutcome}) == len(CancelOutcome)


def test_a_cancel_that_came_too_late_says_when_the_task_finished() -> None:
    said = ending(Answer(CancelOutcome.ALREADY_FINISHED, "completed", 268), Times(finished="14:03:01.118"))
    assert said.fact == "Not cancelled: it finished first."
    assert said.meaning == "Completed at 14:03:01.118. Nothing was written."
    assert finished_meanwhile("failed", Times()).meaning == "Failed. Nothing was written."


def test_cancelling_becomes_cancelled_with_the_time_it_took() -> None:
    answer = Answer(CancelOutcome.CANCELLING, "cancelling", 7)
    assert ending(answer, Times()).fact == "Cancelling."
    assert ending(answer, Times(took_ms=1_400), status="cancelled").fact == "Cancelled 1.4 s after you asked."
    assert ending(answer, Times(took_ms=-5), status="cancelled").fact == "Cancelled."


def test_already_cancelling_says_since_when() -> None:
    said = ending(Answer(CancelOutcome.ALREADY_CANCELLING), Times(cancelling_since="14:02:16.000"))
    assert said.fact == "Already being cancelled since 14:02:16.000."


def test_reasons_of_data_are_harmless() -> None:
    said = ending(Answer(CancelOutcome.REFUSED, reason="A trigger \u202eevil."), Times())
    assert said.warns
    assert said.meaning == "A trigger \\u202eevil."
