"""Whether columns hold what they hold in any file that is not odd: then rows are made of them as they are, quickly.

A file may hold anything in any column, also one that claims to be STRICT: so each value is looked at, but by the
column, with what C does to all of it at once. For two hundred rows that takes a tenth of a look at each value.
"""

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from inspector.reading.connection import Row, Value

Column: TypeAlias = Sequence[Value]

_TEXT_OR_NONE: Final[frozenset[type]] = frozenset({str, type(None)})
_NUMBER_OR_NONE: Final[frozenset[type]] = frozenset({int, type(None)})


def texts(column: Column) -> bool:
    """Say whether each value is text."""
    try:
        "".join(column)  # type: ignore[arg-type]  # that is the question
    except TypeError:
        return False
    return True


def long_texts(column: Column) -> bool:
    """Say the same of values that would take long to be joined."""
    return set(map(type, column)) <= {str}


def texts_or_none(column: Column) -> bool:
    """Say whether each value is text or None. Best where few differ: only equal texts are equal to a text."""
    return _TEXT_OR_NONE.issuperset(map(type, set(column)))


def numbers(column: Column) -> bool:
    """Say whether each value is an integer."""
    try:
        # One that is no integer makes the sum none, or none at all.
        return type(sum(column)) is int  # type: ignore[arg-type]  # that is the question
    except TypeError:
        return False


def numbers_or_none(column: Column) -> bool:
    """Say whether each value is an integer or None."""
    return numbers(column) or column.count(None) == len(column) or _NUMBER_OR_NONE.issuperset(map(type, column))


Kind: TypeAlias = Callable[[Column], bool]


class Kinds:
    """The kinds of the columns of one statement, and what was found to fit them."""

    def __init__(self, *kinds: Kind) -> None:
        self._kinds = kinds
        self._fit: set[tuple[type, ...]] = set()
        """The types of single rows that did: there are few, and one row is quicker looked at as a whole."""

    def fit_row(self, row: Row) -> bool:
        """Say whether each value of ``row`` is of the kind of its column."""
        types = tuple(map(type, row))
        if types in self._fit:
            return True
        if not self.fit_columns([(each,) for each in row]):
            return False
        self._fit.add(types)
        return True

    def fit_columns(self, columns: Sequence[Column]) -> bool:
        """Say whether each of ``columns`` is of its kind."""
        return all(kind(column) for kind, column in zip(self._kinds, columns, strict=False))
