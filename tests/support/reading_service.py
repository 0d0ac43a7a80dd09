"""A service in a process of its own that runs what a test says, and that a test can close or kill.

``python -m tests.support.reading_service PATH PRAGMA...`` takes statements as lines of JSON and answers each with one.
"""

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
HANG_S = 20.0


class Service:
    """The writing process. Use it through :func:`service_on`."""

    def __init__(self, path: Path, *pragmas: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.reading_service", os.fsdecode(path), *pragmas],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.pid = self._process.pid
        self._answer()

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> list[list[Any]]:
        """Run one statement there, and return its rows."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([sql, list(parameters)]).encode() + b"\n")
        self._process.stdin.flush()
        return self._answer()

    def close(self) -> None:
        """Let it close its database and end, as a service that stops."""
        self._end()

    def kill(self) -> None:
        """End it at once, as a crash does."""
        self._process.kill()
        self._end()

    def _end(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._process.wait(HANG_S)

    def _answer(self) -> list[list[Any]]:
        assert self._process.stdout is not None
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        if "error" in answer:
            raise AssertionError(answer["error"])
        rows: list[list[Any]] = answer["rows"]
        return rows


@contextmanager
def service_on(path: Path, *pragmas: str) -> Iterator[Service]:
    """Let a service open the database at ``path``; it is closed at the end, if the test did not end it before."""
    service = Service(path, *pragmas)
    try:
        yield service
    finally:
        service.close()


def main(path: str, *pragmas: str) -> None:
    """Be the service."""
    db = sqlite3.connect(path, isolation_level=None, timeout=10)
    for pragma in pragmas:
        db.execute(f"PRAGMA {pragma}").fetchall()
    db.execute("SELECT count(*) FROM sqlite_schema").fetchall()  # only now it holds its locks
    sys.stdout.write('{"rows": []}\n')
    sys.stdout.flush()
    for line in sys.stdin:
        sql, parameters = json.loads(line)
        try:
            answer: dict[str, Any] = {"rows": db.execute(sql, parameters).fetchall()}
        except sqlite3.Error as error:
            answer = {"error": str(error)}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
    db.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
