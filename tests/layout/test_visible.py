"""Text of others is shown whole, and nothing in it acts."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.layout.visible import some_of, visible

ACTING = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


@pytest.mark.threat(id="T15")
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, with ~ and \\", "plain, with ~ and \\"),
        ("Grüße 東京 ✈️ 👍🏽", "Grüße 東京 ✈️ 👍🏽"),
        ("two\nlines\tand a tab", "two\\u000alines\\u0009and a tab"),
        ("\x1b[2J\x1b]0;title\x07", "\\u001b[2J\\u001b]0;title\\u0007"),
        ("\x9b2J", "\\u009b2J"),
        ("nul\0", "nul\\u0000"),
        ("gpj.\u202eexe", "gpj.\\u202eexe"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("caf\udce9", "caf\\udce9"),
        ("\U000e0041", "\\U000e0041"),
        ("\u2028\u2029", "\\u2028\\u2029"),
        ("\ue000", "\\ue000"),
        ("", ""),
    ],
)
def test_what_acts_is_spelled(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_what_is_kept_stays() -> None:
    assert visible("two\nlines\r\n", keep="\n") == "two\nlines\\u000d\n"


@pytest.mark.threat(id="T15")
@given(st.text() | st.text(st.characters(categories=("Cc", "Cf", "Cs", "Co", "Zl", "Zp"))))
def test_nothing_that_is_shown_acts(text: str) -> None:
    shown = visible(text)
    assert ACTING.search(shown) is None
    assert not {unicodedata.category(character) for character in shown} & {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
    shown.encode()  # every terminal and every file takes it
    assert visible(shown) == shown


@pytest.mark.parametrize(
    ("some", "count", "words"),
    [(["a", "b"], 2, "a, b"), (["a", "b"], 1_202, "a, b and 1,200 more"), (["a"], 2, "a and 1 more"), ([], 0, "")],
)
def test_some_words_of_many_end_with_how_many_more_there_are(some: list[str], count: int, words: str) -> None:
    assert some_of(some, count) == words
