"""A process that runs pytest again and again, each time in a child of its own: the libraries are imported once.

``python -m tests.mutation.forking``, in the root of a copy of the checkout. It first says where it would import the
program from. Then it takes one run a line, as JSON, and answers each with its exit status and what pytest said.
"""

import importlib
import importlib.util
import json
import os
import select
import signal
import sys
import tempfile
from typing import Any, Final

import pytest

_LIBRARIES: Final = ("hypothesis.stateful", "sqlite_utils")
"""What each run of tests needs, and nothing of the program: that is what is broken meanwhile."""


def main() -> None:
    """Answer until nobody asks any more."""
    for name in _LIBRARIES:
        importlib.import_module(name)
    assert "inspector" not in sys.modules
    found = importlib.util.find_spec("inspector")
    assert found is not None
    _say(found.origin)
    for line in sys.stdin:
        _say(_run(**json.loads(line)))


def _say(answer: object) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def _run(arguments: list[str], *, write_bytecode: bool, takes_at_most_s: float) -> dict[str, Any]:
    with tempfile.TemporaryFile() as said:
        child = os.fork()
        if child == 0:
            _be_pytest(arguments, said.fileno(), write_bytecode=write_bytecode)
        status = _status_of(child, takes_at_most_s)
        said.seek(0)
        return {"status": status, "output": said.read().decode("utf-8", "replace")}


def _be_pytest(arguments: list[str], output: int, *, write_bytecode: bool) -> None:
    status: int = pytest.ExitCode.INTERNAL_ERROR
    try:
        os.setsid()
        for descriptor in (1, 2):
            os.dup2(output, descriptor)
        if not write_bytecode:
            sys.dont_write_bytecode = True
            os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        status = pytest.main(arguments)
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(status)


def _status_of(child: int, takes_at_most_s: float) -> int | None:
    ended = os.pidfd_open(child)
    try:
        if not select.select([ended], [], [], takes_at_most_s)[0]:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return None
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    finally:
        os.close(ended)


if __name__ == "__main__":
    main()
