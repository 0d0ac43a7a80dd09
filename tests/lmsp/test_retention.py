"""Which tasks cleanup may delete, and how a period is written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.lmsp.retention import (
    DELETABLE,
    LONGEST_MS,
    InvalidPeriod,
    cutoff_of,
    is_period,
    parse_period,
    period_text,
    stored_period,
)
from inspector.lmsp.statuses import FINAL


def test_only_final_statuses_may_be_deleted() -> None:
    assert set(DELETABLE) == FINAL


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("30d", 2_592_000_000),
        ("2w", 1_209_600_000),
        ("12h", 43_200_000),
        ("45m", 2_700_000),
        ("90s", 90_000),
        ("250ms", 250),
        ("0s", 0),
        ("0d", 0),
        ("007d", 604_800_000),
        ("9223372036854775807ms", LONGEST_MS),
        (f"{'0' * 5000}1s", 1_000),
    ],
)
def test_a_period_is_a_whole_number_and_a_unit(text: str, ms: int) -> None:
    assert parse_period(text) == ms


@pytest.mark.parametrize(
    "text",
    [
        *("", "30", "d", "-1d", "+1d", "1.5h", "1e3s", "nan", "NaNd", "infd", "30 d", " 30d", "30d ", "30d\n", "30D"),
        *("1h30m", "30y", "٣d", "0x1s", "1_000s", "--", "30d\0", "💥"),
    ],
)
def test_anything_else_is_said_in_one_sentence(text: str) -> None:
    with pytest.raises(InvalidPeriod) as raised:
        parse_period(text)
    assert raised.value.sentence.endswith("such as 30d.")
    assert "\n" not in raised.value.sentence


@pytest.mark.parametrize("text", ["9223372036854775808ms", "9223372036854775807s", f"{'9' * 5000}w"])
def test_a_period_beyond_64_bits_is_refused(text: str) -> None:
    with pytest.raises(InvalidPeriod, match="64 bits"):
        parse_period(text)


@given(st.integers(0, LONGEST_MS))
def test_a_period_is_read_as_it_is_written(ms: int) -> None:
    assert parse_period(period_text(ms)) == ms


@pytest.mark.parametrize(("ms", "text"), [(2_592_000_000, "30d"), (1_209_600_000, "2w"), (90_000, "90s"), (0, "0s")])
def test_a_period_is_written_in_its_largest_whole_unit(ms: int, text: str) -> None:
    assert period_text(ms) == text


@pytest.mark.parametrize("value", [0, 1, LONGEST_MS])
def test_a_period_is_a_whole_number_from_zero(value: int) -> None:
    assert is_period(value)
    assert stored_period(str(value)) == value
    assert stored_period(f" {value}\n") == value


@pytest.mark.parametrize("value", [-1, LONGEST_MS + 1, True, False, 1.0, float("nan"), "1", None, b"1"])
def test_nothing_else_is_a_period(value: object) -> None:
    assert not is_period(value)


@pytest.mark.parametrize(
    "text",
    [
        *("", "-1", "1.0", "1e3", "NaN", "true", "null", '"30d"', "[1]", "01", "-0", "+1", "1 2", str(LONGEST_MS + 1)),
        *("9" * 5000, "[" * 100_000, b"1", 1, None, 1.0),
    ],
)
def test_what_is_stored_as_anything_else_is_no_period(text: object) -> None:
    assert stored_period(text) is None


def test_the_cutoff_is_one_period_ago() -> None:
    assert cutoff_of(1_000, 300) == 700
    assert cutoff_of(1_000, 0) == 1_000
    assert cutoff_of(-LONGEST_MS, LONGEST_MS) == cutoff_of(-2, LONGEST_MS) == -LONGEST_MS


@given(st.integers(-LONGEST_MS, LONGEST_MS), st.integers(0, LONGEST_MS))
def test_a_cutoff_never_leaves_64_bits(now_ms: int, keep_ms: int) -> None:
    assert -LONGEST_MS <= cutoff_of(now_ms, keep_ms) <= now_ms
