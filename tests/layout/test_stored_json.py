import json
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.layout.stored_json import DEEPEST, spliced

AS_THEY_STAND = [
    "null",
    "true",
    '""',
    "{}",
    "[ ]",
    "1254071346418286654",
    "0.2345678901234568",
    "3544790567247868102",
    "18446744073709551615",
    "1e400",
    "-0.0",
    "1.000000000000000000000000000001",
    '{"b": 1, "a": 2, "b": 3}',
    '{"text": "déjà vu \u65e5\u672c"}',
    '{\n  "pretty": [\n    1\n  ]\n}\n',
    '"\\ud800 alone, \\u0000 and \\u202e escaped"',
    '["[[[[{{{{", "\\"", "]"]',
]

NOT_JSON = [
    "",
    " ",
    "NaN",
    "Infinity",
    "-Infinity",
    '{"a": NaN}',
    "{'a': 1}",
    '{"a": 1',
    "[1,]",
    "01",
    "+1",
    "1 2",
    "text",
    '"a\nb"',
    '"\x1b"',
    '"\\xff"',
    "\ufeff{}",
    "9" * 5000,
]


@pytest.mark.parametrize("text", AS_THEY_STAND)
def test_valid_json_is_put_in_as_it_stands(text: str) -> None:
    assert spliced(text) == text


@pytest.mark.parametrize("text", NOT_JSON)
def test_what_is_no_json_is_not_put_in(text: str) -> None:
    assert spliced(text) is None


@pytest.mark.parametrize(("opening", "closing", "cost"), [("[", "]", 1), ('{"a":', "}", 2)])
def test_nesting_is_put_in_as_far_as_jq_reads_it(opening: str, closing: str, cost: int) -> None:
    def nested(levels: int) -> str:
        return opening * levels + "1" + closing * levels

    deepest = DEEPEST // cost
    assert spliced(nested(deepest)) == nested(deepest)
    assert spliced(nested(deepest + 1)) is None
    assert spliced(nested(20_000)) is None


@pytest.mark.parametrize(
    "levels", ["[" * DEEPEST + "]" * DEEPEST, '{"a":' * (DEEPEST // 2) + "1" + "}" * (DEEPEST // 2)]
)
def test_the_deepest_text_is_read_inside_the_document_of_a_task(levels: str) -> None:
    document = f'{{"task_id": "t", "events": [{{"seq": 1, "data": {levels}}}]}}'
    json.loads(document)
    try:
        subprocess.run(["jq", "."], input=document.encode(), check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("no jq here")


def test_many_brackets_that_do_not_nest_are_put_in() -> None:
    text = "[" + "{}," * 20_000 + "[]]"
    assert spliced(text) == text
    text = json.dumps(["[" * 20_000, '\\"{' * 300])
    assert spliced(text) == text


@pytest.mark.parametrize("hidden", ["\x7f", "\x9b", "\u202e", "\u2028", "\u200b", "\ue000", "\U000e0001"])
def test_what_a_terminal_acts_on_or_hides_is_escaped_and_means_the_same(hidden: str) -> None:
    text = f'{{"a{hidden}": ["é{hidden}"]}}'
    written = spliced(text)
    assert written is not None
    assert hidden not in written
    assert "é" in written
    assert json.loads(written) == json.loads(text)


def test_a_carriage_return_between_values_does_not_reach_a_terminal() -> None:
    assert spliced('{\r\n"a":\r1}') == '{ \n"a": 1}'


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists, max_leaves=20))
def test_any_value_is_put_in_with_its_meaning_or_not_at_all(value: object) -> None:
    text = json.dumps(value, ensure_ascii=False)
    written = spliced(text)
    if "NaN" in text or "Infinity" in text:
        assert written is None or json.loads(written) == value
    else:
        assert written is not None
        assert json.loads(written) == value
