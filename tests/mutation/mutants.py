"""Mutants: small breaks of the program, each with the tests that must notice it.

``tests/mutation/ROOM/MODULE.toml`` lists those of ``inspector/ROOM/MODULE.py``. Its ``tests`` are what is run for each,
unless a mutant names its own; a claim says what is true of the broken program::

    tests = ["tests/store/test_fence.py"]

    [[mutant]]
    claim = "a worker of an older attempt may write"
    old = "if attempt != current:"
    new = "if attempt > current:"

The old text stands in the module once. A mutant that no test could ever notice is no mutant: change the program.
"""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
ROOMS: Final = ("store", "lmsp", "checks")
"""The rooms whose modules have a list each."""
LISTED: Final = (*ROOMS, "layout")
"""Those with lists at all: of the layout, the modules that tell whether a file is one of ours."""


@dataclass(frozen=True)
class Mutant:
    """One break of one file."""

    claim: str
    path: str
    """The file, from the root of the checkout."""
    old: str
    new: str
    tests: tuple[str, ...]
    """What to run, as pytest takes it."""

    @property
    def name(self) -> str:
        """What stands for the mutant in a list: the file, and the claim."""
        return f"{self.path}: {self.claim}"

    def applied_to(self, text: str) -> str:
        """Return the broken text of the file. Raises ValueError where the old text does not stand there once."""
        if (count := text.count(self.old)) != 1:
            raise ValueError(f"{self.name}: the old text stands there {count} times: {self.old!r}")
        return text.replace(self.old, self.new)

    def lines_in(self, text: str) -> range:
        """Return the numbers of the lines of the file that the old text covers."""
        first = text[: text.index(self.old)].count("\n") + 1
        return range(first, first + self.old.strip("\n").count("\n") + 1)


def source_of(path: str) -> str:
    """Return the text of a file of the checkout."""
    return (ROOT / path).read_text(encoding="utf-8")


def modules() -> list[str]:
    """Return the modules that have a list each."""
    found = [path for room in ROOMS for path in sorted((ROOT / "inspector" / room).glob("*.py"))]
    return [path.relative_to(ROOT).as_posix() for path in found if path.name != "__init__.py"]


def written_mutants() -> Iterator[Mutant]:
    """Give the mutants of all lists."""
    for room in LISTED:
        for listed in sorted((Path(__file__).parent / room).glob("*.toml")):
            told = tomllib.loads(listed.read_text(encoding="utf-8"))
            for mutant in told["mutant"]:
                yield Mutant(
                    claim=mutant["claim"],
                    path=f"inspector/{room}/{listed.stem}.py",
                    old=mutant["old"],
                    new=mutant["new"],
                    tests=tuple(mutant.get("tests", told["tests"])),
                )
