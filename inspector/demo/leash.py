"""A process on a leash: it ends when its standard input is closed, and so when the one that holds it ends somehow."""

import subprocess
from collections.abc import Sequence
from typing import IO


class LeashedProcess:
    """A process that was started here, its output, and the leash."""

    def __init__(self, command: Sequence[str]) -> None:
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._leash = _pipe(self.process.stdin)
        self.output = _pipe(self.process.stdout)
        """What it writes to its standard output."""

    @property
    def pid(self) -> int:
        """The process's id."""
        return self.process.pid

    def end(self, *, within_s: float) -> int:
        """Let the process end by itself, or kill it when that takes longer, and return its exit status; also twice."""
        self._leash.close()
        try:
            return self.process.wait(within_s)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()
        finally:
            self.output.close()


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise ValueError("the process was started without its pipes")
    return pipe
