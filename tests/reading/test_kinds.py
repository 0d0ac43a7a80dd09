"""A column is looked at as a whole, and one odd value in it is found, whatever it equals."""

import pytest

from inspector.reading.connection import Value
from inspector.reading.kinds import (
    Column,
    Kind,
    Kinds,
    long_texts,
    numbers,
    numbers_or_none,
    texts,
    texts_or_none,
)

VALUES: tuple[Value, ...] = ("a", "", 0, 1, -(1 << 63), (1 << 63) - 1, 0.0, 1.0, float("inf"), b"", b"a", None)

FIT: dict[Kind, frozenset[type]] = {
    texts: frozenset({str}),
    long_texts: frozenset({str}),
    texts_or_none: frozenset({str, type(None)}),
    numbers: frozenset({int}),
    numbers_or_none: frozenset({int, type(None)}),
}


@pytest.mark.parametrize("kind", FIT, ids=lambda kind: kind.__name__)
def test_a_column_fits_where_each_of_its_values_does(kind: Kind) -> None:
    for one in VALUES:
        for other in VALUES:
            column: Column = (one, other, one, *([one] * 10))
            assert kind(column) is FIT[kind].issuperset(map(type, column)), column


def test_a_row_fits_as_its_columns_do_and_again() -> None:
    kinds = Kinds(texts, numbers_or_none)
    for _ in range(2):
        assert kinds.fit_row(("a", 1))
        assert kinds.fit_row(("b", None))
        assert not kinds.fit_row((None, 1))
        assert not kinds.fit_row(("a", 1.0))


def test_columns_fit_where_all_of_them_do() -> None:
    kinds = Kinds(texts, numbers)
    assert kinds.fit_columns([("a", "b"), (1, 2)])
    assert not kinds.fit_columns([("a", "b"), (1, "2")])
    assert not kinds.fit_columns([(b"a", "b"), (1, 2)])
