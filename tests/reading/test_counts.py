"""Counts by status, honest for every status, and the models with who names them."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector.layout.pages import Counts, ModelPage, TaskFilter
from inspector.layout.rows import ModelRow
from inspector.reading.answers import answer_of
from inspector.reading.connecting import connect
from inspector.reading.connection import ReadConnection, Row
from inspector.reading.counts import counts
from inspector.reading.recognising import Shape, recognise
from inspector.reading.requests import CountsRequest, ModelsRequest
from inspector.reading.steps import REST_S
from tests.support.reading_databases import START_MS, add_task, create, move_task

DIGEST = f"sha256:{'a' * 64}"


def models(connection: ReadConnection, shape: Shape, *, counted: bool = True) -> object:
    return answer_of(ModelsRequest(counted), connection, shape, START_MS)


@pytest.fixture
def service(tmp_path: Path) -> sqlite3.Connection:
    return create(tmp_path / "service.db")


@pytest.fixture
def reading(service: sqlite3.Connection) -> Iterator[tuple[ReadConnection, Shape]]:
    connection, _ = connect(service.execute("PRAGMA database_list").fetchone()[2], "mode=ro")
    yield connection, recognise(connection, "service.db")
    connection.close()


def test_every_status_is_counted_and_the_sum_is_all(
    service: sqlite3.Connection, reading: tuple[ReadConnection, Shape]
) -> None:
    for task_id in ("a", "b", "c", "d"):
        add_task(service, task_id)
    move_task(service, "b", "running")
    move_task(service, "c", "running")
    move_task(service, "c", "cancelling")

    found = counts(*reading, TaskFilter(), START_MS)

    assert found == Counts({"queued": 2, "running": 1, "cancelling": 1}, models=0, read_at_ms=START_MS)
    assert found.tasks == 4


def test_counts_are_of_what_passes_the_filter(
    service: sqlite3.Connection, reading: tuple[ReadConnection, Shape]
) -> None:
    add_task(service, "a", model_id="m")
    add_task(service, "b", model_id="n")
    move_task(service, "b", "running")

    assert counts(*reading, TaskFilter(model_id="m"), 0).by_status == {"queued": 1}
    assert counts(*reading, TaskFilter(text="B"), 0).by_status == {"running": 1}
    assert counts(*reading, TaskFilter(statuses=frozenset({"failed"})), 0).by_status == {}


def test_odd_statuses_are_counted_by_what_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    db = sqlite3.connect(path, isolation_level=None)
    db.executescript("CREATE TABLE tasks (id, status); CREATE TABLE task_events (task_id, seq);")
    db.executemany(
        "INSERT INTO tasks (status) VALUES (?)", [(None,), ("",), (5,), ("5",), (b"queued",), ("queued",), ("odd\0",)]
    )
    db.close()
    connection, _ = connect(str(path), "mode=ro&immutable=1")

    found = counts(connection, recognise(connection, "other.db"), TaskFilter(), 0)

    connection.close()
    assert found.by_status == {"": 2, "5": 2, "x'717565756564'": 1, "queued": 1, "odd\0": 1}


def test_models_come_by_name_with_the_tasks_that_name_them(
    service: sqlite3.Connection, reading: tuple[ReadConnection, Shape]
) -> None:
    for model_id, name, kind in (("m2", "alpha", None), ("m1", "beta", "gguf")):
        service.execute(
            "INSERT INTO models (id, name, digest, size_bytes, path, format, metadata, added_at) "
            "VALUES (?, ?, ?, 9007199254740993, '/models/x', ?, '{\"a\": 1}', 5)",
            [model_id, name, DIGEST, kind],
        )
    for task_id in ("a", "b", "c"):
        add_task(service, task_id, model_id="m1")
    move_task(service, "b", "running")
    move_task(service, "c", "failed")
    add_task(service, "d", model_id="unknown")

    assert models(*reading) == ModelPage(
        (
            ModelRow("m2", "alpha", DIGEST, 9007199254740993, "/models/x", None, '{"a": 1}', 5, 0, 0),
            ModelRow("m1", "beta", DIGEST, 9007199254740993, "/models/x", "gguf", '{"a": 1}', 5, 3, 2),
        ),
        START_MS,
    )
    named = models(*reading, counted=False)
    assert isinstance(named, ModelPage)
    assert [(model.id, model.tasks, model.unfinished) for model in named.models] == [("m2", 0, 0), ("m1", 0, 0)]
    assert counts(*reading, TaskFilter(), 0).models == 2


def test_the_tasks_of_a_model_are_counted_in_steps_that_leave_out_none(
    service: sqlite3.Connection, reading: tuple[ReadConnection, Shape], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.reading.steps._FIRST", 8)
    monkeypatch.setattr("inspector.reading.steps._MOST", 8)
    service.execute("INSERT INTO models VALUES ('m', 'm', ?, 1, '/m', NULL, '{}', 1)", [DIGEST])
    for number in range(33):
        add_task(service, f"t{number}", model_id="n" if number % 11 == 0 else "m")

    counted = models(*reading)

    assert isinstance(counted, ModelPage)
    assert [(model.tasks, model.unfinished) for model in counted.models] == [(30, 30)]


def test_many_tasks_that_a_service_may_be_writing_are_counted_in_short_reads_with_rests_between(
    service: sqlite3.Connection, reading: tuple[ReadConnection, Shape], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.reading.jobs._COUNTED_AT_ONCE", 3)
    monkeypatch.setattr("inspector.reading.steps._FIRST", 2)
    monkeypatch.setattr("inspector.reading.steps._MOST", 2)
    for number in range(9):
        add_task(service, f"t{number}", created_at=START_MS + number)
    statements: list[str] = []
    rests: list[float] = []
    rows = ReadConnection.rows

    def noted(self: ReadConnection, sql: str, *given: Any, **named: Any) -> list[Row]:  # noqa: ANN401
        statements.append(sql)
        if len(statements) == 2:
            move_task(service, "t0", "running")
        return rows(self, sql, *given, **named)

    monkeypatch.setattr(ReadConnection, "rows", noted)

    found = answer_of(CountsRequest(), *reading, START_MS, rests.append)

    assert isinstance(found, Counts)
    assert found.by_status == {"queued": 8, "running": 1}
    assert "SELECT count(*) FROM tasks" not in statements
    assert len(rests) == 1  # one transaction, one rest
    assert rests[0] >= REST_S


def test_completed_tasks_are_what_is_left_of_all(
    service: sqlite3.Connection, reading: tuple[ReadConnection, Shape]
) -> None:
    for number in range(5):
        add_task(service, f"t{number}")
    for number in range(3):
        move_task(service, f"t{number}", "running")
        move_task(service, f"t{number}", "completed")
    move_task(service, "t3", "failed")

    assert counts(*reading, TaskFilter(), 0).by_status == {"completed": 3, "failed": 1, "queued": 1}
    assert counts(*reading, TaskFilter(frozenset({"completed", "failed"})), 0).by_status == {
        "completed": 3,
        "failed": 1,
    }


def test_all_tasks_are_counted_by_the_index_on_their_status(
    service: sqlite3.Connection, reading: tuple[ReadConnection, Shape], statements: list[str]
) -> None:
    for status in ("running", "completed"):
        add_task(service, status)
        move_task(service, status, "running")
    move_task(service, "completed", "completed")
    connection, _ = connect(service.execute("PRAGMA database_list").fetchone()[2], "mode=ro")

    counts(connection, reading[1], TaskFilter(), 0)

    connection.close()
    asked = [statement for statement in statements if "WHERE status" in statement]
    assert any("count(*)" in statement for statement in asked)
    for statement in asked:
        (step,) = service.execute(f"EXPLAIN QUERY PLAN {statement}").fetchall()
        assert step[3].startswith("SEARCH tasks USING COVERING INDEX tasks_by_status")
