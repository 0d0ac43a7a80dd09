"""Frozen values, made quickly: the class of one, and one from a pickle.

``dataclass(frozen=True, slots=True)`` compiles six functions for each class, a millisecond in all. With some fifty
values that is a good part of what a command, a reader process or the first page of a window takes to start. Here one
function is compiled for a class, when the first value of it is made, and the others are shared by all.
"""

from collections.abc import Callable, Iterable
from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields
from itertools import repeat
from operator import attrgetter, itemgetter
from typing import Any, ClassVar, NoReturn, Self, TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def value(cls: type[T]) -> type[T]:
    """Make ``cls`` what ``dataclass(frozen=True, slots=True)`` makes of it: its fields are its annotations.

    A default comes as it is or from ``field(default_factory=...)``; ``__post_init__`` is called. Two of one class are
    equal where all their fields are. A pickle holds the fields in their order, and makes the value by its class.
    """
    made = dataclass(init=False, repr=False, eq=False, slots=True)(cls)
    for name in ("__eq__", "__hash__", "__repr__", "__setattr__", "__delattr__", "__reduce__"):
        setattr(made, name, _Shared.__dict__[name])
    # The class twice: of one name alone an attrgetter would make no tuple.
    all_of = attrgetter("__class__", "__class__", *(each.name for each in fields(made)))  # type: ignore[arg-type]
    type.__setattr__(made, "_all_of", all_of)
    type.__setattr__(made, "__init__", _first_initialiser(made))
    return made


def _first_initialiser(made: type) -> Callable[..., None]:
    """Return what stands in for the initialiser until the first value is made: most classes see none for long."""

    def initialise(self: object, *given: object, **named: object) -> None:
        compiled = _initialiser(made)
        type.__setattr__(made, "__init__", compiled)
        compiled(self, *given, **named)

    return initialise


def _initialiser(made: type) -> Callable[..., None]:
    """Compile the one function that differs from class to class."""
    known: dict[str, Any] = {"_absent": MISSING}
    parameters, lines = [], []
    for each in fields(made):
        name = each.name
        # The slot's own: setting by name is refused.
        known[f"_set_{name}"] = getattr(made, name).__set__
        given = name
        if each.default is not MISSING:
            known[f"_default_{name}"] = each.default
            parameters.append(f"{name}=_default_{name}")
        elif each.default_factory is not MISSING:
            known[f"_make_{name}"] = each.default_factory
            parameters.append(f"{name}=_absent")
            given = f"_make_{name}() if {name} is _absent else {name}"
        else:
            parameters.append(name)
        lines.append(f"_set_{name}(self, {given})")
    if hasattr(made, "__post_init__"):
        lines.append("self.__post_init__()")
    body = "\n ".join(lines or ["pass"])
    source = f"def __init__(self, {', '.join(parameters)}):\n {body}"
    exec(source, known)  # noqa: S102  names of our own fields, as dataclasses does it
    made_function: Callable[..., None] = known["__init__"]
    made_function.__qualname__ = f"{made.__qualname__}.__init__"
    return made_function


class _Shared:
    """What every value does in the same way; its class knows how to get all fields at once."""

    __slots__ = ()

    _all_of: ClassVar["attrgetter[tuple[Any, ...]]"]

    def __eq__(self, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return bool(self._all_of(self) == self._all_of(other))

    def __hash__(self) -> int:
        return hash(self._all_of(self))

    def __repr__(self) -> str:
        return _told(self, self._all_of(self)[2:])

    def __setattr__(self, name: str, to: object) -> NoReturn:
        raise FrozenInstanceError(_REFUSAL.format(self.__class__.__qualname__, name))

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenInstanceError(_REFUSAL.format(self.__class__.__qualname__, name))

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        return self.__class__, self._all_of(self)[2:]


def _told(made: object, held: Iterable[object]) -> str:
    names = (each.name for each in fields(made.__class__))  # type: ignore[arg-type]  # it is of a value
    told = (f"{name}={is_!r}" for name, is_ in zip(names, held, strict=True))
    return f"{made.__class__.__qualname__}({', '.join(told)})"


_REFUSAL = "{}.{} is set once, when the value is made"


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def row(cls: type[T]) -> type[T]:
    """Make ``cls`` a value, without defaults, that is a tuple underneath: what databases hold many of.

    It does what any value does, and is no equal of another tuple; :func:`maker` makes many at once. A class that
    extends a row has its fields first.
    """
    described = dataclass(init=False, repr=False, eq=False)(cls)
    members = {name: member for name, member in vars(described).items() if name not in ("__dict__", "__weakref__")}
    for at, each in enumerate(fields(described)):  # type: ignore[arg-type]  # it was made one
        members[each.name] = property(itemgetter(at))
    for name in ("__new__", "__eq__", "__ne__", "__hash__", "__repr__", "__reduce__"):
        members[name] = _Row.__dict__[name]
    for name in ("__setattr__", "__delattr__"):
        members[name] = _Shared.__dict__[name]
    bases = tuple(tuple if base is object else base for base in cls.__bases__)
    return type(cls.__name__, bases, {**members, "__slots__": ()})


class _Row(tuple[Any, ...]):
    """What every row does in the same way."""

    __slots__ = ()

    __match_args__: ClassVar[tuple[str, ...]]

    def __new__(cls, *given: object, **named: object) -> Self:
        names = cls.__match_args__
        if named:
            given += tuple(named.pop(name) for name in names[len(given) :] if name in named)
        if named or len(given) != len(names):
            raise TypeError(f"{cls.__qualname__} is made of {', '.join(names)}")
        return tuple.__new__(cls, given)

    def __eq__(self, other: object) -> bool:
        return other.__class__ is self.__class__ and tuple.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return tuple.__hash__(self)

    def __repr__(self) -> str:
        return _told(self, self)

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        return self.__class__, tuple(self)


def extended(cls: type[T], made: object, *more: object) -> T:
    """Return a row of ``cls``, whose class extends that of the row ``made``, of its fields and of ``more``."""
    return cls(*made, *more)  # type: ignore[misc]  # a row is a tuple


def maker(cls: type[T]) -> Callable[[Iterable[tuple[Any, ...]]], list[T]]:
    """Return what makes rows of ``cls``, a :func:`row`, of all their fields in their order, without a look at them."""
    return lambda rows: list(map(tuple.__new__, repeat(cls), rows))  # type: ignore[arg-type]  # a row is a tuple
