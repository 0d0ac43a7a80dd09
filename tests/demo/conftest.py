"""A life of the simulated service makes thousands of durable commits: its tests keep them off the disk."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

_MEMORY = "/dev/shm"


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Return a folder in memory where the system has such a place, and else an ordinary one."""
    with tempfile.TemporaryDirectory(prefix="lmsp-", dir=_MEMORY if os.access(_MEMORY, os.W_OK) else None) as folder:
        yield Path(folder)
