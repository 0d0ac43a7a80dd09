"""Steps are short, and between them is a rest while a service writes."""

from pathlib import Path

import pytest

from inspector.reading.connecting import connect
from inspector.reading.steps import REST_S, Rests, rest_s
from tests.support.reading_databases import add_task, create, make


def test_a_rest_is_longer_than_its_step_and_never_none() -> None:
    assert rest_s(1.0) > 1.0
    assert rest_s(0.0) == REST_S > 0


def test_a_question_rests_after_each_step_in_which_a_service_wrote(tmp_path: Path) -> None:
    service = create(tmp_path / "service.db")
    connection, _ = connect(str(tmp_path / "service.db"), "mode=ro")
    waited: list[float] = []
    rests = Rests(connection, waited.append)

    rests.after(0.5)
    assert waited == []
    add_task(service, "a")
    rests.after(0.5)
    assert waited == [rest_s(0.5)]
    rests.after(0.5)
    assert waited == [rest_s(0.5)]

    connection.close()
    service.close()


def test_what_nobody_can_write_is_read_without_a_rest_and_without_a_transaction(
    tmp_path: Path, statements: list[str]
) -> None:
    path = make(tmp_path / "service.db", "a")
    connection, _ = connect(str(path), "mode=ro&immutable=1")
    statements.clear()

    Rests(connection, lambda _seconds: pytest.fail("it waited")).after(0.5)
    with connection.one_moment():
        connection.value("SELECT 1")

    assert statements == ["SELECT 1"]
    connection.close()
