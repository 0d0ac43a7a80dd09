"""A command whose standard error is a terminal."""

import os
import subprocess
import sys
from pathlib import Path


def on_a_terminal(*words: str | Path) -> tuple[int, bytes]:
    """Run the command, and return its exit status and what the terminal was shown."""
    terminal, end = os.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "inspector", *words],
            stdout=subprocess.PIPE,
            stderr=end,
            stdin=subprocess.DEVNULL,
            timeout=50,
            check=False,
        )
        return done.returncode, os.read(terminal, 10_000)
    finally:
        os.close(terminal)
        os.close(end)
