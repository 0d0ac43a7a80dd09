"""What the tests of the commands share."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def common_folder() -> Iterator[Path]:
    """A folder that a process without rights may look into; pytest's own is for its user alone."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
        folder.chmod(0o755)
