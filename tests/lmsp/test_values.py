import copy
import pickle
from collections.abc import Mapping
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, replace
from typing import Any

import pytest

from inspector.lmsp.values import extended, maker, row, value


@value
class Place:
    """A value with every kind of field."""

    name: str
    row: int = 7
    notes: Mapping[str, int] = field(default_factory=dict)


@value
class Nothing:
    """A value without a field."""


@value
class Alone:
    """A value with one field."""

    name: str


@value
class Stranger:
    """Another class with the fields of :class:`Place`."""

    name: str
    row: int = 7
    notes: Mapping[str, int] = field(default_factory=dict)


@value
class Checked:
    """A value that looks at itself when it is made."""

    row: int

    def __post_init__(self) -> None:
        if self.row < 0:
            raise ValueError("above the first row")


@row
class Seat:
    """A value that is a tuple underneath."""

    name: str
    number: int

    @property
    def is_first(self) -> bool:
        """Whether there is none before it."""
        return self.number == 1


@row
class Chair:
    """Another class with the fields of :class:`Seat`."""

    name: str
    number: int


@row
class Throne(Seat):
    """A row with a field more."""

    king: str

    @property
    def is_first(self) -> bool:
        """Whether there is none before it: always."""
        return True


@dataclass(frozen=True, slots=True)
class AsDataclassHasIt:
    name: str
    row: int = 7


VALUES = (Place("a"), Place("a", 1, {"x": 1}), Nothing(), Alone("a"), Checked(3), Seat("a", 1), Throne("a", 2, "k"))


def test_fields_are_given_by_place_and_by_name_and_defaults_fill_up() -> None:
    made = Place("a", notes={"x": 1})
    assert (made.name, made.row, made.notes) == ("a", 7, {"x": 1})


def test_a_default_that_is_made_is_made_for_each() -> None:
    assert Place("a").notes is not Place("a").notes


@pytest.mark.parametrize("given", [{}, {"name": "a", "column": 1}])
def test_a_field_too_few_or_too_many_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        Place(**given)


@pytest.mark.parametrize("made", VALUES, ids=repr)
def test_equal_fields_are_equal_values_with_one_hash(made: object) -> None:
    again = copy.deepcopy(made)
    assert again is not made
    assert again == made
    if not isinstance(made, Place):
        assert hash(again) == hash(made)


def test_values_differ_by_a_field_and_by_their_class() -> None:
    others: tuple[object, ...] = (Place("b"), Stranger("a"), Alone("a"), Nothing(), "a", ("a", 7, {}))
    for other in others:
        assert Place("a") != other


def test_nothing_of_a_value_changes() -> None:
    made = Place("a")
    with pytest.raises(FrozenInstanceError):
        made.row = 8  # type: ignore[misc]  # what is refused
    with pytest.raises(FrozenInstanceError):
        del made.row
    with pytest.raises(FrozenInstanceError):
        made.column = 8  # type: ignore[attr-defined]  # what is refused
    assert made == Place("a")
    assert not hasattr(made, "__dict__")


@pytest.mark.parametrize("made", VALUES, ids=repr)
@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_gives_the_value_back(made: object, protocol: int) -> None:
    assert pickle.loads(pickle.dumps(made, protocol)) == made  # noqa: S301  written one line before


def test_what_is_known_of_dataclasses_is_known_of_values() -> None:
    made = Place("a", 1)
    assert [each.name for each in fields(made)] == ["name", "row", "notes"]
    assert asdict(made) == {"name": "a", "row": 1, "notes": {}}
    assert replace(made, row=2) == Place("a", 2)
    match made:
        case Place(name, row):
            assert (name, row) == ("a", 1)


def test_a_value_looks_at_itself_when_it_is_made() -> None:
    with pytest.raises(ValueError, match="above the first row"):
        Checked(-1)


def test_it_is_told_as_a_dataclass_tells_it() -> None:
    assert repr(Place("a")) == "Place(name='a', row=7, notes={})"
    assert repr(Nothing()) == "Nothing()"
    assert repr(Alone("a")) == "Alone(name='a')"
    assert repr(AsDataclassHasIt("a")).partition("(")[2] == "name='a', row=7)"


def test_many_rows_that_are_made_at_once_are_like_those_that_are_made_one_by_one() -> None:
    made = maker(Seat)([("a", 1), ("b", 2)])
    assert made == [Seat("a", 1), Seat(number=2, name="b")]
    assert [(each.name, each.number, each.is_first) for each in made] == [("a", 1, True), ("b", 2, False)]
    assert {type(each) for each in made} == {Seat}


def test_a_row_is_no_other_row_and_no_tuple() -> None:
    others: tuple[object, ...] = (Seat("a", 2), Chair("a", 1), ("a", 1), "a")
    for other in others:
        assert Seat("a", 1) != other
        assert other != Seat("a", 1)
        assert not Seat("a", 1) == other  # noqa: SIM201  both are defined


def test_a_row_that_extends_another_is_one_with_more_and_equals_none_without() -> None:
    made = extended(Throne, Seat("a", 2), "k")
    assert made == Throne("a", 2, "k") == Throne(name="a", number=2, king="k")
    assert isinstance(made, Seat)
    assert (made.name, made.number, made.king, made.is_first) == ("a", 2, "k", True)
    assert repr(made) == "Throne(name='a', number=2, king='k')"
    assert replace(made, number=3) == Throne("a", 3, "k")
    assert made != Seat("a", 2)
    assert Seat("a", 2) != made
    assert not hasattr(made, "__dict__")
    with pytest.raises(TypeError, match="Throne is made of name, number, king"):
        extended(Throne, Seat("a", 2))


def test_nothing_of_a_row_changes() -> None:
    made = Seat("a", 1)
    for name in ("number", "column"):
        with pytest.raises(FrozenInstanceError):
            setattr(made, name, 8)
    with pytest.raises(FrozenInstanceError):
        del made.number
    assert made == Seat("a", 1)


@pytest.mark.parametrize(
    ("given", "named"), [(("a",), {}), (("a", 1, 2), {}), (("a",), {"name": "b"}), (("a",), {"number": 1, "column": 2})]
)
def test_a_row_is_made_of_all_its_fields(given: tuple[Any, ...], named: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="Seat is made of name, number"):
        Seat(*given, **named)


def test_what_is_known_of_dataclasses_is_known_of_rows() -> None:
    made = Seat("a", 1)
    assert [each.name for each in fields(made)] == ["name", "number"]
    assert asdict(made) == {"name": "a", "number": 1}
    assert replace(made, number=2) == Seat("a", 2)
    assert repr(made) == "Seat(name='a', number=1)"
    match made:
        case Seat(name, number):
            assert (name, number) == ("a", 1)
