"""Whatever a file holds becomes a field of ours, and never an exception."""

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.layout.rows import StoredText
from inspector.reading.values import integer, integer_or_none, stored_text, text, text_or_none

VALUES = st.one_of(st.none(), st.text(), st.integers(), st.floats(), st.binary())


@given(VALUES)
def test_every_value_becomes_a_field(value: str | float | bytes | None) -> None:
    assert isinstance(text(value), str)
    assert isinstance(integer(value), int)
    assert text_or_none(value) is None or value is not None
    assert integer_or_none(value) in (None, value)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, ""),
        (9007199254740993, "9007199254740993"),
        (2**63 - 1, "9223372036854775807"),
        (b"queued", "x'717565756564'"),
        (bytes(40), f"x'{'00' * 32}…'"),
        (float("inf"), "Inf"),
        (-float("inf"), "-Inf"),
        ("a\0b", "a\0b"),
    ],
)
def test_a_value_is_shown_as_it_is_stored(value: str | float | bytes | None, shown: str) -> None:
    assert text(value) == shown


@given(
    st.one_of(st.integers(-(10**9), 10**9).map(lambda n: n / 1_000), st.sampled_from([1e300, -1e15, 1e16, 1e-5, 1e-9]))
)
def test_a_real_is_shown_as_sqlite_writes_it(number: float) -> None:
    db = sqlite3.connect(":memory:")
    (stored,) = db.execute("SELECT CAST(? AS TEXT)", [number]).fetchone()
    db.close()

    assert text(number) == stored


def test_what_is_no_integer_is_none() -> None:
    assert [integer_or_none(value) for value in (1, 1.0, "1", b"1", None)] == [1, None, None, None, None]
    assert [integer(value) for value in (7, "7", None)] == [7, 0, 0]


@given(st.text(), st.integers(min_value=0, max_value=40))
def test_a_text_that_is_cut_ends_with_a_whole_character(stored: str, most: int) -> None:
    whole = stored.encode("utf-8", "replace")

    cut = stored_text(whole[:most], len(whole))

    assert cut is not None
    assert whole.decode().startswith(cut.text)
    assert cut.is_cut is (len(whole) > most)


def test_a_text_that_is_whole_tells_its_length_in_characters() -> None:
    assert stored_text("äö\0ü".encode(), 7) == StoredText("äö\0ü", 4)
    assert stored_text(None, None) is None
    assert stored_text(5, None) == StoredText("5", 1)
    assert stored_text(b"\xff\xfe", 2) == StoredText(r"\xff\xfe", 8)
