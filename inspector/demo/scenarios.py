"""The demo's scenarios: one TOML file each in ``resources/scenarios``, read and checked here."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Final

from inspector.demo.clients import CLIENTS
from inspector.demo.model_files import MODELS

DEFAULT_SCENARIO: Final = "crash"
"""What ``demo`` plays when no name is given."""


class InvalidScenario(Exception):
    """A scenario cannot be played: there is none of this name, or its file is wrong. One sentence says which."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


class DamageKind(StrEnum):
    """What happens to a model's file behind the service's back."""

    REMOVED = "removed"
    REPLACED = "replaced"
    """The same size, other content."""
    TRUNCATED = "truncated"


@dataclass(frozen=True, slots=True)
class Damage:
    """One model file that is damaged while the service runs."""

    model: str
    how: DamageKind
    after_s: float


@dataclass(frozen=True, slots=True)
class CrashPlan:
    """When the service is killed, and in the middle of what."""

    first_after_s: float
    again_after_s: float
    """After a restart, until the next kill."""
    dead_for_s: float
    tasks: int
    """At least this many tasks run or load when it is killed; a cancelling one comes on top."""


@dataclass(frozen=True, slots=True)
class RacePlan:
    """Tasks that are cancelled at about the moment they complete."""

    tries: int
    within_ms: float
    """The longest time between the two."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """One scenario: what is said about it, and what the service and its supervisor do. Times are at speed 1."""

    name: str
    title: str
    description: str
    workers: int
    history_minutes: float
    """How far back the database reaches when the demo starts on a new file."""
    history_restarts: int
    clients: Mapping[str, float]
    """Client id to the mean number of seconds between two of its requests."""
    crash: CrashPlan | None
    race: RacePlan | None
    damages: tuple[Damage, ...]


class _Table:
    """One table of a scenario's file, taken apart key by key, so that a key that nobody takes is noticed."""

    def __init__(self, where: str, prefix: str, values: Mapping[str, object]) -> None:
        self._where = where
        self._prefix = prefix
        self._left = dict(values)

    def wrong(self, key: str, needed: str, found: object) -> InvalidScenario:
        shown = "missing" if found is None else f"not {found!r}"
        return InvalidScenario(f"{self._where}: {self._prefix}{key} must be {needed}; it is {shown}.")

    def text(self, key: str) -> str:
        value = self._left.pop(key, None)
        if not isinstance(value, str) or not value.strip() or "\n" in value:
            raise self.wrong(key, "one line of text", value)
        return value

    def number(self, key: str, *, least: float, default: float | None = None) -> float:
        value = self._left.pop(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value < float("inf"):
            raise self.wrong(key, f"a number, {least:g} or more", value)
        return value

    def count(self, key: str, *, least: int, default: int | None = None) -> int:
        value = self._left.pop(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise self.wrong(key, f"a whole number, {least} or more", value)
        return value

    def choice(self, key: str, choices: tuple[str, ...]) -> str:
        value = self._left.pop(key, None)
        if value not in choices:
            raise self.wrong(key, f"one of {', '.join(choices)}", value)
        return str(value)

    def table(self, key: str) -> "_Table | None":
        value = self._left.pop(key, None)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise self.wrong(key, "a table", value)
        return _Table(self._where, f"{self._prefix}{key}.", value)

    def tables(self, key: str) -> "tuple[_Table, ...]":
        value = self._left.pop(key, [])
        if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
            raise self.wrong(key, "a list of tables", value)
        return tuple(_Table(self._where, f"{self._prefix}{key}[{i}].", each) for i, each in enumerate(value))

    def __contains__(self, key: str) -> bool:
        return key in self._left

    def end(self) -> None:
        """Refuse what is left: a key that is misspelt would otherwise just do nothing."""
        if self._left:
            key = next(iter(self._left))
            raise InvalidScenario(f"{self._where}: {self._prefix}{key} is nothing a scenario knows.")


def _crash(table: _Table, workers: int) -> CrashPlan:
    tasks = table.count("tasks", least=3)
    if tasks >= workers:
        raise table.wrong("tasks", f"less than the {workers} workers, since one more is being cancelled", tasks)
    plan = CrashPlan(
        first_after_s=table.number("first_after_s", least=0),
        again_after_s=table.number("again_after_s", least=0),
        dead_for_s=table.number("dead_for_s", least=0),
        tasks=tasks,
    )
    table.end()
    return plan


def _race(table: _Table) -> RacePlan:
    plan = RacePlan(tries=table.count("tries", least=2), within_ms=table.number("within_ms", least=1))
    table.end()
    return plan


def _damage(table: _Table) -> Damage:
    damage = Damage(
        model=table.choice("model", tuple(model.name for model in MODELS)),
        how=DamageKind(table.choice("how", tuple(DamageKind))),
        after_s=table.number("after_s", least=0),
    )
    table.end()
    return damage


def _clients(table: _Table | None) -> Mapping[str, float]:
    if table is None:
        return MappingProxyType({})
    means = {client_id: table.number(client_id, least=0.05) for client_id in CLIENTS if client_id in table}
    table.end()
    return MappingProxyType(means)


def parse_scenario(name: str, text: str) -> Scenario:
    """Return the scenario that ``text`` (TOML) describes. Raises InvalidScenario, which names the key that is wrong."""
    where = f"Scenario {name}"
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidScenario(f"{where}: this is not TOML: {error}.") from error
    table = _Table(where, "", values)
    workers = table.count("workers", least=1)
    crash = table.table("crash")
    race = table.table("race")
    scenario = Scenario(
        name=name,
        title=table.text("title"),
        description=table.text("description"),
        workers=workers,
        history_minutes=table.number("history_minutes", least=0, default=0),
        history_restarts=table.count("history_restarts", least=0, default=0),
        clients=_clients(table.table("clients")),
        crash=None if crash is None else _crash(crash, workers),
        race=None if race is None else _race(race),
        damages=tuple(_damage(each) for each in table.tables("damage")),
    )
    table.end()
    return scenario


def scenarios_folder(package: Path = Path(__file__).parents[1]) -> Path:
    """Return the folder of the scenarios: ``package`` is the folder of this program's package.

    A wheel and a frozen program carry ``resources`` inside the package, a checkout (and a frozen program made from one
    without the wheel's mapping) beside it.
    """
    inside, beside = package / "resources" / "scenarios", package.parent / "resources" / "scenarios"
    return inside if inside.is_dir() else beside


def load_scenarios(folder: Path | None = None) -> Mapping[str, Scenario]:
    """Return all scenarios by name, the default first. InvalidScenario for a wrong file, or where is none."""
    folder = scenarios_folder() if folder is None else folder
    names = sorted((path.stem for path in folder.glob("*.toml")), key=lambda name: (name != DEFAULT_SCENARIO, name))
    if not names:
        raise InvalidScenario(f"There are no scenarios in {folder}: this program is not installed completely.")
    return MappingProxyType(
        {name: parse_scenario(name, (folder / f"{name}.toml").read_text(encoding="utf-8")) for name in names}
    )


def find_scenario(name: str) -> Scenario:
    """Return the scenario called ``name``. Raises InvalidScenario, which lists the names that there are."""
    scenarios = load_scenarios()
    if name not in scenarios:
        raise InvalidScenario(f"There is no scenario {name!r}; there are {', '.join(scenarios)}.")
    return scenarios[name]
