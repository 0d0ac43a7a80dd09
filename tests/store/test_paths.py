"""What a path leads to, while others make and remove files there."""

import os
from pathlib import Path

import pytest

from inspector.store.paths import check_path

pytestmark = pytest.mark.ours


@pytest.mark.parametrize("suffix", ["-wal", "-shm"])
def test_a_file_that_comes_between_two_questions_is_none_that_may_not_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    path = tmp_path / "service.db"
    path.write_bytes(b"")
    beside = tmp_path / f"service.db{suffix}"
    asked = os.access

    def access(file: Path, mode: int, *, effective_ids: bool = False) -> bool:  # noqa: ARG001  as os has it
        allowed = asked(file, mode)
        if file == beside:
            # Another process opens the database at this moment.
            beside.touch()
        return allowed

    monkeypatch.setattr(os, "access", access)
    check_path(path, may_create=True)
    assert beside.exists()
