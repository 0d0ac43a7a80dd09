import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.desktop.widgets.json_text import LONGEST, MOST_LINES, cut, laid_out

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def read(text: str) -> Any:  # noqa: ANN401 # any JSON
    """Read JSON with every number as it was written and every pair in its place."""
    return json.loads(text, parse_int=str, parse_float=str, object_pairs_hook=list)


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("{}", "{}"),
        ("[ ]", "[]"),
        ('{"a":1}', '{\n  "a": 1\n}'),
        ('{"a":[1,{"b":[]}],"c":null}', '{\n  "a": [\n    1,\n    {\n      "b": []\n    }\n  ],\n  "c": null\n}'),
        ('"a: {b}, [c]"', '"a: {b}, [c]"'),
        (" \n true ", "true"),
    ],
)
def test_members_stand_on_lines_of_their_own(stored: str, shown: str) -> None:
    assert laid_out(stored) == shown


@pytest.mark.parametrize(
    "token",
    [
        "1254071346418286654",
        "0.2345678901234568",
        "-0.2345678901234568000",
        "1e400",
        "1E+2",
        "-0",
        "1.0",
        "9" * 6_000,
        r'"\u202e\ud800\/\t"',
        '"\u00e9\U0001f600"',
        r'"a \" : 1, b"',
    ],
)
def test_every_token_stays_as_it_was_written(token: str) -> None:
    shown = laid_out(f'{{"k":{token},"k":[{token}]}}')

    assert shown == f'{{\n  "k": {token},\n  "k": [\n    {token}\n  ]\n}}'


@given(JSON)
def test_it_says_the_same_as_what_is_stored(value: object) -> None:
    for stored in (json.dumps(value), json.dumps(value, ensure_ascii=False, indent=3)):
        shown = laid_out(stored)
        assert shown is not None
        assert read(shown) == read(stored)
        assert laid_out(shown) == shown


@pytest.mark.parametrize(
    "stored",
    [
        "",
        "{",
        '{"a":1,}',
        "{'a':1}",
        '{"a":1} x',
        "NaN",
        "[Infinity]",
        '"line\nbreak"',
        '"\\',
        "\ud800",
        "plain words",
        "[" * 20_000 + "]" * 20_000,
        '{"a":' * 20_000 + "1" + "}" * 20_000,
        "[" * 900 + "1" + "]" * 900,
    ],
)
def test_what_is_no_json_or_too_deep_is_left_as_stored(stored: str) -> None:
    assert laid_out(stored) is None


@given(st.text())
def test_no_text_raises(text: str) -> None:
    laid_out(text)
    cut(text)


def test_short_text_is_shown_whole_and_without_a_note() -> None:
    assert cut("a\nb") == ("a\nb", "")
    assert cut("a", 1) == ("a", "")
    assert cut("") == ("", "")


@pytest.mark.parametrize(
    ("text", "length", "characters", "whole"),
    [
        ("x" * 200_000, None, LONGEST, "200,000"),
        ("x" * 1_000, 1_048_576, 1_000, "1,048,576"),
        ("x\n" * 6_000, None, 2 * MOST_LINES - 1, "12,000"),
    ],
)
def test_a_text_that_was_cut_says_so(text: str, length: int | None, characters: int, whole: str) -> None:
    shown, note = cut(text, length)

    assert len(shown) == characters
    assert text.startswith(shown)
    assert note == f"Cut: {characters:,} of {whole} characters are shown."


def test_a_length_that_is_too_small_is_not_believed() -> None:
    assert cut("abc", 1) == ("abc", "")
