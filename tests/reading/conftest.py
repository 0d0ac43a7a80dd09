"""What tests of the read side share."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.support.reading_crashes import crashed


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The statements that every connection opened from now on runs."""
    seen: list[str] = []
    connect = sqlite3.connect

    def traced(*args: Any, **kwargs: Any) -> sqlite3.Connection:  # noqa: ANN401  sqlite3's own
        db: sqlite3.Connection = connect(*args, **kwargs)
        db.set_trace_callback(seen.append)
        return db

    monkeypatch.setattr(sqlite3, "connect", traced)
    return seen


@pytest.fixture(scope="module")
def left_over(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a service that died leaves: a database with its -wal and -shm."""
    return crashed(tmp_path_factory.mktemp("crashed") / "service.db")
