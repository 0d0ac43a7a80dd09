"""What is said of a search."""

from dataclasses import replace
from datetime import UTC

import pytest

from inspector.desktop.search.standing import Standing, State, line, sentence
from inspector.layout.pages import Progress

GOING = Standing(State.SEARCHING, "needle", hits=41, done=3_240_000, of=10_000_000, read_at_ms=1_796_000_100_000)
SMALL = replace(GOING, hits=1, done=4_120, of=12_000)
UNKNOWN = replace(GOING, hits=0, done=0, of=None)


@pytest.mark.parametrize(
    ("standing", "words"),
    [
        (Standing(), ""),
        (GOING, "Searched 3.2 of 10.0 million events, 41 hits"),
        (SMALL, "Searched 4,120 of 12,000 events, 1 hit"),
        (UNKNOWN, "Searching, 0 hits"),
        (replace(GOING, state=State.ENDED), "Searched all 10.0 million events, 41 hits, as of 00:55:00"),
        (replace(SMALL, state=State.ENDED), "Searched all 12,000 events, 1 hit, as of 00:55:00"),
        (replace(UNKNOWN, state=State.ENDED), "Searched all events, 0 hits, as of 00:55:00"),
        (
            replace(GOING, state=State.FULL, hits=1_000),
            "The newest 1,000 hits, in 3.2 of 10.0 million events, as of 00:55:00",
        ),
        (replace(UNKNOWN, state=State.FULL, hits=1_000), "The newest 1,000 hits, as of 00:55:00"),
        (replace(GOING, state=State.STOPPED), "Stopped after 3.2 of 10.0 million events, 41 hits"),
        (replace(UNKNOWN, state=State.STOPPED), "Stopped, 0 hits"),
        (
            replace(GOING, state=State.STOPPED_BY_PAUSE),
            "Stopped by the pause after 3.2 of 10.0 million events, 41 hits",
        ),
        (replace(GOING, state=State.LOST), "The file cannot be read any more. 41 hits of “needle” until then."),
        (replace(GOING, state=State.FAILED, why="It holds no data."), "It holds no data."),
    ],
)
def test_the_line_says_how_far_a_search_is_or_why_it_ended(standing: Standing, words: str) -> None:
    assert line(standing, UTC) == words


@pytest.mark.parametrize(
    ("state", "begins"),
    [
        (State.NONE, "Type a text and press Return:"),
        (State.SEARCHING, "No event holds “needle” so far."),
        (State.ENDED, "No event holds “needle”."),
        (State.STOPPED, "Stopped before an event was found"),
        (State.STOPPED_BY_PAUSE, "Stopped before an event was found"),
        (State.LOST, "The file cannot be read any more"),
        (State.FAILED, "It holds no data."),
    ],
)
def test_where_there_is_no_hit_a_sentence_says_why(state: State, begins: str) -> None:
    assert sentence(replace(UNKNOWN, state=state, why="It holds no data."), is_paused=False).startswith(begins)


def test_a_pause_is_told_before_a_search_is_asked_for() -> None:
    assert "Paused: a search still reads the file" in sentence(Standing(), is_paused=True)
    assert "Paused" not in sentence(Standing(), is_paused=False)


def test_a_text_in_a_sentence_is_short_and_acts_on_nothing() -> None:
    words = sentence(replace(UNKNOWN, text="\u202e<b>\n" + "x" * 500), is_paused=False)
    assert "\\u202e<b>\\u000a" in words
    assert len(words) < 120


def test_progress_counts_to_the_end_of_the_file_also_when_a_search_goes_on() -> None:
    standing = Standing(State.SEARCHING, "x").come_to(Progress(1_000, 9_000))
    assert (standing.done, standing.of, standing.fraction) == (1_000, 9_000, 1_000 / 9_000)

    # The second part begins where the first one had found enough, and counts from there.
    standing = standing.come_to(Progress(500, 7_500))
    assert (standing.done, standing.of) == (2_000, 9_000)
    standing = standing.come_to(Progress(7_500, 7_500))
    assert standing.fraction == 1.0


def test_a_part_that_was_over_before_it_told_anything_counts_as_its_hits() -> None:
    standing = replace(Standing(State.FULL, "x"), hits=1_000).come_to(Progress(100, 8_000))
    assert (standing.done, standing.of) == (1_100, 9_000)


@pytest.mark.parametrize("told", [Progress(5, None), Progress(0, 0), Progress(-(1 << 63), 1), Progress(1 << 63, 1)])
def test_a_hostile_progress_gives_words(told: Progress) -> None:
    standing = Standing(State.SEARCHING, "x").come_to(told)
    assert 0.0 <= standing.fraction <= 1.0
    assert line(standing, UTC)
