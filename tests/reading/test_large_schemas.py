"""A schema is parsed under the limits of the connection: a large one that SQLite itself takes is no damage."""

import sqlite3
from pathlib import Path

import pytest

from inspector.layout.health import Health
from inspector.layout.pages import TaskPage
from inspector.reading.health import health_steps
from inspector.reading.jobs import answer_at_once
from inspector.reading.reader import open_reader
from inspector.reading.requests import HealthRequest, TaskPageRequest
from tests.support.reading_databases import make, read_at

LARGE = {
    "a deep expression": f"CREATE TABLE more (a CHECK ({'||'.join(['a'] * 900)} <> ''))",
    "many alternatives": f"CREATE TABLE more (a CHECK ({' OR '.join(['a = 1'] * 900)}))",
    "an index of many alternatives": f"CREATE INDEX more ON tasks (id) WHERE {' OR '.join(['id = 1'] * 900)}",
    "a long comment": f"CREATE TABLE more (a /* {'x' * 2_000_000} */)",
    "a long name": f'CREATE TABLE "{"n" * 1_000_000}" (a)',
    "a long trigger": f"CREATE TRIGGER more AFTER INSERT ON tasks BEGIN SELECT '{'x' * 200_000}'; END",
    "a view of many": f"CREATE VIEW more AS {' UNION ALL '.join(['SELECT 1'] * 400)}",
    "many arguments": f"CREATE TABLE more (a CHECK (max({', '.join(['a'] * 100)}) > 0))",
    "many columns": f"CREATE TABLE more ({', '.join(f'c{number}' for number in range(2_000))})",
}


@pytest.mark.threat(id="T22")
@pytest.mark.parametrize("statement", LARGE.values(), ids=LARGE)
def test_a_large_schema_is_no_damage(tmp_path: Path, statement: str) -> None:
    path = make(tmp_path / "service.db", "a", "b", journal="delete")
    db = sqlite3.connect(path)
    db.execute(statement)
    db.commit()
    assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    db.close()

    with open_reader(path, now_ms=read_at) as reader:
        assert reader.opened.notes == ()
        assert not reader.opened.faulty
        page = reader.answer(TaskPageRequest())
        assert isinstance(page, TaskPage)
        assert len(page.tasks) == 2
        health = answer_at_once(health_steps(HealthRequest(full=True), reader, 0), lambda _seconds: None)
        assert isinstance(health, Health)
        assert not health.is_damaged
