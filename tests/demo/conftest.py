"""A life of the simulated service makes thousands of durable commits: its tests keep them off the disk."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

_MEMORY = "/dev/shm"
MEMORY_FOLDER = _MEMORY if os.access(_MEMORY, os.W_OK) else None
"""A folder in memory where the system has such a place; None for an ordinary one."""


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Return a folder in memory where the system has such a place, and else an ordinary one."""
    with tempfile.TemporaryDirectory(prefix="lmsp-", dir=MEMORY_FOLDER) as folder:
        yield Path(folder)
