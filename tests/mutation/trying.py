"""Trying mutants: each in a copy of the checkout, by the tests that must notice it."""

import json
import os
import queue
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from tests.mutation.mutants import ROOT, Mutant

_COPIED: Final = ("inspector", "tests", "resources", "pyproject.toml")
_TAKES_AT_MOST_S: Final = 300
_ALL_TAKE_AT_MOST_S: Final = 1800
_TESTS_FAILED: Final = 1
_LAST_LINES: Final = 15
_OPTIONS: Final = (
    *("-x", "-q", "-p", "no:cacheprovider", "--no-header", "--tb=short", "--basetemp=made by the tests"),
    # The libraries were imported before pytest could have rewritten their assertions.
    "-Wignore::pytest.PytestAssertRewriteWarning",
)
_ANOTHER_TIME_NS: Final = 10_000_000_000


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
    """A copy of the checkout, in which one file at a time is broken; ``with`` it, tests are run in it."""

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

    def __enter__(self) -> Self:
        """Start the process that runs the tests. Raises ValueError where it has the program from elsewhere."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("LMSP_")}
        environment.pop("PYTHONPATH", None)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.mutation.forking"],
            cwd=self.folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        imported_from = Path(self._answer())
        if imported_from != self.folder / "inspector" / "__init__.py":
            self.__exit__(None, None, None)
            raise ValueError(f"the program would be imported from {imported_from}")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the process."""
        self._process.communicate()

    def _answer(self) -> Any:  # noqa: ANN401 # JSON
        """Return the next answer. Raises RuntimeError where the process has ended."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the process that runs the tests has ended with {self._process.wait()}")
        return json.loads(line)

    def run(self, tests: Iterable[str], *, unbroken: bool = False) -> Run:
        """Run these tests up to the first that fails. Bytecode is written only where the program is ``unbroken``."""
        assert self._process.stdin is not None
        asked = {
            "arguments": [*_OPTIONS, *tests],
            "write_bytecode": unbroken,
            "takes_at_most_s": _ALL_TAKE_AT_MOST_S if unbroken else _TAKES_AT_MOST_S,
        }
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        return Run(**self._answer())

    def try_out(self, mutant: Mutant) -> Run:
        """Break the file, run the tests, and make it whole again."""
        file = self.folder / mutant.path
        whole = file.read_text(encoding="utf-8")
        found = file.stat()
        file.write_text(mutant.applied_to(whole), encoding="utf-8")
        # Bytecode belongs to a text of the same length and time: the broken text has another time.
        os.utime(file, ns=(found.st_atime_ns, found.st_mtime_ns + _ANOTHER_TIME_NS))
        try:
            return self.run(mutant.tests)
        finally:
            file.write_text(whole, encoding="utf-8")
            os.utime(file, ns=(found.st_atime_ns, found.st_mtime_ns))


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
