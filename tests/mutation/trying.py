"""Trying mutants: each in a copy of the checkout, by the tests that must notice it."""

import os
import queue
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.mutation.mutants import ROOT, Mutant

_COPIED: Final = ("inspector", "tests", "resources", "pyproject.toml")
_TAKES_AT_MOST_S: Final = 300
_TESTS_FAILED: Final = 1
_LAST_LINES: Final = 15


@dataclass(frozen=True)
class Run:
    """How the tests ended."""

    status: int | None
    """pytest's exit status; None where it came to no end."""
    output: str

    @property
    def found(self) -> bool:
        """Whether a test failed. A module that cannot be imported is no test that failed."""
        return self.status == _TESTS_FAILED

    @property
    def tail(self) -> str:
        """The last lines of what pytest said."""
        return "\n".join(self.output.splitlines()[-_LAST_LINES:])


class Copy:
    """A copy of the checkout, in which one file at a time is broken."""

    def __init__(self, folder: Path, *, of: Path = ROOT) -> None:
        self.folder = folder
        folder.mkdir()
        # The bytecode of another copy is good for this one too, that of the checkout may be of another Python.
        passed_over = shutil.ignore_patterns("__pycache__") if of == ROOT else None
        for name in _COPIED:
            if (of / name).is_dir():
                shutil.copytree(of / name, folder / name, ignore=passed_over)
            else:
                shutil.copy2(of / name, folder / name)

    def again(self, folder: Path) -> "Copy":
        """Return a copy of this copy."""
        return Copy(folder, of=self.folder)

    def run(self, tests: Iterable[str], *, write_bytecode: bool = False) -> Run:
        """Run these tests up to the first that fails."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("LMSP_")}
        environment.pop("PYTHONPATH", None)
        if not write_bytecode:
            # Two texts of one length, written within a second, would share one file of bytecode.
            environment["PYTHONDONTWRITEBYTECODE"] = "1"
        options = ["-x", "-q", "-p", "no:cacheprovider", "--no-header", "--tb=short", "--basetemp=made by the tests"]
        try:
            done = subprocess.run(
                [sys.executable, "-m", "pytest", *options, *tests],
                cwd=self.folder,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=_TAKES_AT_MOST_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Run(None, f"The tests did not end within {_TAKES_AT_MOST_S} s.")
        return Run(done.returncode, done.stdout)

    def where_imported(self) -> Path:
        """Return the folder from which the tests of this copy import the program."""
        done = subprocess.run(
            [sys.executable, "-c", "import inspector; print(inspector.__file__)"],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=True,
        )
        return Path(done.stdout.strip()).parents[1]

    def try_out(self, mutant: Mutant) -> Run:
        """Break the file, run the tests, and make it whole again."""
        file = self.folder / mutant.path
        whole = file.read_text(encoding="utf-8")
        for compiled in file.parent.glob(f"__pycache__/{file.stem}.*"):
            compiled.unlink()
        file.write_text(mutant.applied_to(whole), encoding="utf-8")
        try:
            return self.run(mutant.tests)
        finally:
            file.write_text(whole, encoding="utf-8")


def try_all(
    copies: Sequence[Copy], mutants: Iterable[Mutant], tell: Callable[[Mutant, Run], None]
) -> list[tuple[Mutant, Run]]:
    """Try each mutant, one at a time in each copy, and return those that no test has found."""
    free: queue.SimpleQueue[Copy] = queue.SimpleQueue()
    for copy in copies:
        free.put(copy)

    def tried(mutant: Mutant) -> tuple[Mutant, Run]:
        copy = free.get()
        try:
            run = copy.try_out(mutant)
        finally:
            free.put(copy)
        tell(mutant, run)
        return mutant, run

    with ThreadPoolExecutor(len(copies)) as pool:
        return [(mutant, run) for mutant, run in pool.map(tried, mutants) if not run.found]
