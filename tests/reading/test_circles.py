"""SQLite follows a damaged tree also in a circle: each walk over many rows notices, and comes to an end."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from inspector.checks.ranges import Sizes
from inspector.checks.walking import check_database
from inspector.layout.pages import TaskFilter
from inspector.reading import steps
from inspector.reading.connection import Parameters, ReadConnection, Reads, Row
from inspector.reading.jobs import job_of
from inspector.reading.recognising import Shape, recognise
from inspector.reading.requests import (
    CountsRequest,
    EventSearchRequest,
    ModelsRequest,
    Request,
    TaskPageRequest,
    TaskPlacesRequest,
)
from tests.support.damage import many_pages
from tests.support.reading_databases import read_at

_Read = TypeVar("_Read")

pytestmark = pytest.mark.timeout(20)

MOST_STEPS = 2_000


class Circle(ReadConnection):
    """A connection to a file whose rows begin anew behind their end: a walk finds the first of them again."""

    def __init__(self, path: Path) -> None:
        super().__init__(str(path), "mode=ro&immutable=1")
        self._first: dict[str, list[Row]] = {}
        self.goes_round = False

    def rows(self, sql: str, parameters: Parameters = (), **more: object) -> list[Row]:
        found = super().rows(sql, parameters, **more)  # type: ignore[arg-type]
        if not self.goes_round or "EXPLAIN" in sql:
            return found
        return self._first.setdefault(sql, found) if found else self._first.get(sql, found)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "service.db"
    made.write_bytes(many_pages(made, tasks=300))
    with sqlite3.connect(made) as db:
        db.execute("INSERT INTO models VALUES ('m', 'm', ?, 1, '/m', 'gguf', '{}', 1)", [f"sha256:{1:064x}"])
    db.close()
    return made


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_FIRST", "_FEWEST", "_MOST"):
        monkeypatch.setattr(steps, name, 8)


@pytest.mark.usefixtures("small_steps")
@pytest.mark.parametrize("goes_round", [False, True])
@pytest.mark.parametrize(
    "request_",
    [
        CountsRequest(TaskFilter(text="task-")),
        CountsRequest(),
        ModelsRequest(),
        TaskPlacesRequest(TaskFilter(), 10),
        TaskPlacesRequest(TaskFilter(text="task-"), 10),
        TaskPageRequest(TaskFilter(text="is not there")),
        EventSearchRequest("delta", None, 10_000),
    ],
    ids=repr,
)
def test_a_question_of_many_steps_comes_to_its_end(path: Path, request_: Request, *, goes_round: bool) -> None:
    connection = Circle(path)
    connection.holds_back = True  # so that nothing is counted at once
    try:
        shape = recognise(connection, "service.db")
        connection.goes_round = goes_round

        def ask(question: Callable[[ReadConnection, Shape], _Read]) -> _Read:
            return question(connection, shape)

        job = job_of(request_, ask, read_at)
        assert job is not None
        taken = sum(1 for _ in zip(job, range(MOST_STEPS), strict=False))
    finally:
        connection.close()
    assert taken < MOST_STEPS


@pytest.mark.parametrize("goes_round", [False, True])
def test_a_check_comes_to_its_end_and_says_what_cannot_be_read(path: Path, *, goes_round: bool) -> None:
    connection = Circle(path)
    connection.goes_round = goes_round
    try:

        def ask(question: Callable[[Reads], _Read]) -> _Read:
            return question(connection)

        parts = [
            part
            for part, _ in zip(check_database(ask, sizes=Sizes(tasks=8, events=64)), range(MOST_STEPS), strict=False)
        ]
    finally:
        connection.close()
    assert len(parts) < MOST_STEPS
    unread = {finding.rule for part in parts for finding in part.findings if "cannot be read" in finding.message}
    assert bool(unread) is goes_round
