"""What tests of the read side share."""

import sqlite3
from typing import Any

import pytest


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
