"""What was done to the main file is not lost where the database could not be asked about it."""

import os
import sqlite3
from pathlib import Path

import pytest

from inspector.reading.connecting import connect
from inspector.reading.connection import ReadConnection
from inspector.reading.main_file import CUT, MainFile
from tests.support.reading_databases import add_task, create


def test_a_look_that_could_not_ask_is_taken_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "service.db"
    service = create(path, journal="wal")
    for number in range(50):
        add_task(service, f"t{number}")
    service.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection, _ = connect(str(path), "mode=ro&readonly_shm=1")
    main = MainFile(str(path))
    assert not main.has_moved()
    os.truncate(path, path.stat().st_size // 2)

    with monkeypatch.context() as patched:
        patched.setattr(ReadConnection, "value", _locked)
        with pytest.raises(sqlite3.OperationalError):
            main.look(connection)

    assert main.has_moved()
    assert main.look(connection) == (CUT, True)
    assert not main.has_moved()
    connection.close()
    main.close()
    service.close()


def _locked(_connection: ReadConnection, _sql: str) -> None:
    raise sqlite3.OperationalError("database is locked")
