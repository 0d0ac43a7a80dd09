"""A whole simulated history: its numbers, its rules, what is in it, and that it is the same each time."""

import hashlib
import json
import random
import sqlite3
import tempfile
import tracemalloc
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from inspector.cli import command_line
from inspector.demo.simulating import Impossible, simulate
from inspector.demo.simulating.arrivals import END_MS
from inspector.demo.simulating.history import History
from inspector.demo.simulating.sizes import LARGE_EVENTS, Size
from inspector.layout import native
from inspector.lmsp.recovery import Policy
from inspector.lmsp.statuses import UNFINISHED, Status
from inspector.store import open_service_database, plan_recovery
from tests.demo.conftest import MEMORY_FOLDER

TASKS, EVENTS = 2_000, 20_000


@pytest.fixture(scope="module")
def made() -> Iterator[Path]:
    """Give a history of the usual proportions; nobody changes it."""
    with tempfile.TemporaryDirectory(dir=MEMORY_FOLDER) as folder:
        path = Path(folder, "lmsp.db")
        simulate(path, tasks=TASKS, events=EVENTS, seed=1)
        yield path


def rows(path: Path, sql: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(f"file:{path}?immutable=1", uri=True)) as db:
        return db.execute(sql).fetchall()


def numbers(path: Path) -> tuple[object, object]:
    (found,) = rows(path, "SELECT (SELECT count(*) FROM tasks), (SELECT count(*) FROM task_events)")
    return found[0], found[1]


def checked(path: Path) -> str:
    result = CliRunner().invoke(command_line, ["check", str(path)])
    assert result.exit_code == 0, result.stdout
    return result.stdout


def content(path: Path) -> str:
    digest = hashlib.sha256()
    for table in native.TABLES:
        for row in rows(path, f"SELECT rowid, * FROM {table} ORDER BY rowid"):
            digest.update(repr(row).encode())
    return digest.hexdigest()


@pytest.mark.parametrize(
    ("tasks", "events"),
    [(1, 4), (1, 5_000), (2, 9), (9, 36), (10, 40), (33, 700), (100, 400), (300, 1_290), (400, 1_900), (300, 20_000)],
)
@pytest.mark.parametrize("seed", [1, 2])
def test_there_are_as_many_as_asked_for_and_no_rule_is_broken(
    tmp_path: Path, tasks: int, events: int, seed: int
) -> None:
    path = tmp_path / "lmsp.db"
    simulate(path, tasks=tasks, events=events, seed=seed)
    assert numbers(path) == (tasks, events)
    assert checked(path).splitlines()[-1].startswith("No findings: ")


def test_a_history_of_the_usual_proportions_breaks_no_rule(made: Path) -> None:
    assert numbers(made) == (TASKS, EVENTS)
    said = checked(made)
    assert "Not checked" not in said
    assert " rules asked about 2,000 tasks, 20,000 events" in said


def test_ten_events_a_task_is_what_one_gets(tmp_path: Path) -> None:
    simulate(tmp_path / "lmsp.db", tasks=30)
    assert numbers(tmp_path / "lmsp.db") == (30, 300)


@pytest.mark.parametrize(
    ("tasks", "events", "says"),
    [
        (0, 10, "1 to 100,000,000 tasks"),
        (-5, 10, "1 to 100,000,000 tasks"),
        (100_000_001, 1_000_000_000, "1 to 100,000,000 tasks"),
        (1, 3, "A history of 1 task has 4 to 1,000,000 events."),
        (1_000, 3_999, "A history of 1,000 tasks has 4,000 to 1,000,000,000 events."),
        (2, 2_000_001, "A history of 2 tasks has 8 to 2,000,000 events."),
        (1, -1, "4 to"),
    ],
)
def test_what_is_impossible_is_said_with_what_is_possible(tmp_path: Path, tasks: int, events: int, says: str) -> None:
    with pytest.raises(Impossible, match=says):
        simulate(tmp_path / "lmsp.db", tasks=tasks, events=events)
    assert list(tmp_path.iterdir()) == []


def test_the_same_numbers_give_the_same_rows_whoever_has_drawn_before(made: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.db"
    random.seed(99)
    simulate(again, tasks=TASKS, events=EVENTS, seed=1)
    assert content(again) == content(made)


def test_another_seed_gives_other_rows(made: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    simulate(other, tasks=TASKS, events=EVENTS, seed=2)
    ids = {task_id for path in (made, other) for (task_id,) in rows(path, "SELECT id FROM tasks")}
    assert len(ids) == 2 * TASKS


def test_every_status_and_every_policy_occurs_and_nearly_all_is_finished(made: Path) -> None:
    counts = dict(rows(made, "SELECT status, count(*) FROM tasks GROUP BY status"))
    assert counts.keys() == {status.value for status in Status}
    assert sum(counts[status.value] for status in UNFINISHED) == 10
    assert counts["completed"] > 0.8 * TASKS
    assert {policy for (policy,) in rows(made, "SELECT DISTINCT on_restart FROM tasks")} == {*Policy}


def test_what_is_unfinished_came_last_and_says_something_to_the_recovery_preview(made: Path, tmp_path: Path) -> None:
    newest = rows(made, "SELECT status FROM tasks ORDER BY created_at DESC, id DESC LIMIT 10")
    assert {status for (status,) in newest} == {status.value for status in UNFINISHED}
    copy = tmp_path / "copy.db"
    copy.write_bytes(made.read_bytes())
    with closing(open_service_database(copy)) as db:
        plan = plan_recovery(db)
    assert plan.counts() == {"running": 2, "failed": 3, "queued": 4, "cancelled": 1}
    assert [step.snapshot_seq is None for step in plan.steps if step.target == "running"] == [False, True]


def test_what_is_unfinished_did_not_pass_those_that_waited(tmp_path: Path) -> None:
    path = tmp_path / "lmsp.db"
    simulate(path, tasks=300, events=20_000)
    ((done, came_in),) = rows(
        path, "SELECT max(finished_at), (SELECT min(created_at) FROM tasks WHERE finished_at IS NULL) FROM tasks"
    )
    assert came_in > done - 60_000


def test_the_last_task_comes_in_at_a_fixed_moment_and_nothing_is_later_by_much(made: Path) -> None:
    ((came_in, last),) = rows(made, "SELECT max(created_at), (SELECT max(created_at) FROM task_events) FROM tasks")
    assert END_MS - 60_000 < came_in <= last < END_MS + 300_000


def test_events_of_tasks_that_run_side_by_side_come_in_turn_by_their_time(made: Path) -> None:
    found = rows(made, "SELECT id, task_id, created_at FROM task_events ORDER BY id")
    times = [at for _, _, at in found]
    assert times == sorted(times)
    assert [event_id for event_id, _, _ in found] == list(range(1, EVENTS + 1))
    changes = sum(one[1] != other[1] for one, other in pairwise(found))
    assert changes > EVENTS / 4


def test_tasks_are_stored_in_the_order_in_which_they_came_in(made: Path) -> None:
    found = rows(made, "SELECT id, created_at FROM tasks ORDER BY rowid")
    assert [at for _, at in found] == sorted(at for _, at in found)
    assert all(task_id.startswith(f"task_{at:012x}") for task_id, at in found)


def test_tasks_wait_load_fail_and_are_cancelled(made: Path) -> None:
    ((waited, loaded, failures, cancels),) = rows(
        made,
        """
        SELECT (SELECT count(*) FROM tasks WHERE started_at > created_at + 1000),
               (SELECT count(*) FROM task_events WHERE type = 'response.loading'),
               (SELECT count(DISTINCT error_code) FROM tasks),
               (SELECT count(DISTINCT last_seq) FROM tasks WHERE status = 'cancelled')""",
    )
    assert TASKS / 50 < waited < TASKS / 2
    assert TASKS / 50 < loaded < TASKS / 2
    assert failures >= 5
    assert cancels >= 5


def test_each_restart_is_remembered_with_what_it_recovered(tmp_path: Path) -> None:
    path = tmp_path / "lmsp.db"
    simulate(path, tasks=12_000, events=70_000, seed=3)
    ((stored,),) = rows(path, "SELECT value FROM service_config WHERE key = 'service.starts'")
    first, *restarts = json.loads(stored)
    assert first == {"at": first["at"], "counts": {}}
    recovered = 0
    for restart in restarts:
        for status, kind in (("failed", "response.failed"), ("running", "response.resumed")):
            ((found,),) = rows(
                path,
                f"SELECT count(*) FROM task_events WHERE created_at = {restart['at']} AND type = '{kind}'",
            )
            assert found == restart["counts"].get(status, 0)
            recovered += found
    assert recovered > 0
    ((attempts, during),) = rows(
        path,
        f"""
        SELECT (SELECT count(*) FROM tasks WHERE attempt > 1),
               (SELECT count(*) FROM task_events WHERE created_at > {restarts[0]["at"] - 3_000}
                                                   AND created_at < {restarts[0]["at"]})""",
    )
    assert attempts > 0
    assert during == 0, "a service that is down writes nothing"


def test_a_large_history_has_one_long_log(tmp_path: Path) -> None:
    path = tmp_path / "lmsp.db"
    simulate(path, tasks=2_000, events=1_000_000, seed=5)
    assert numbers(path) == (2_000, 1_000_000)
    longest = rows(path, "SELECT last_seq FROM tasks ORDER BY last_seq DESC LIMIT 2")
    assert longest[0] == (LARGE_EVENTS,)
    assert longest[1][0] < LARGE_EVENTS / 10


def test_responses_keys_models_and_clients_are_there_and_no_secret(made: Path) -> None:
    ((completed, responses),) = rows(
        made, "SELECT (SELECT count(*) FROM tasks WHERE status = 'completed'), (SELECT count(*) FROM responses)"
    )
    assert completed == responses
    ((keys,),) = rows(made, "SELECT count(*) FROM idempotency_keys")
    assert TASKS / 20 < keys < TASKS / 3
    models = {model for (model,) in rows(made, "SELECT id FROM models")}
    assert models >= {model for (model,) in rows(made, "SELECT DISTINCT model_id FROM tasks")}
    clients = {client for (client,) in rows(made, "SELECT id FROM clients")}
    assert clients > {client for (client,) in rows(made, "SELECT DISTINCT client_id FROM tasks") if client is not None}
    for client, seen in rows(made, "SELECT id, last_seen_at FROM clients WHERE revoked_at IS NULL"):
        assert rows(made, f"SELECT max(created_at) FROM tasks WHERE client_id = '{client}'") == [(seen,)]
    ((nobody,),) = rows(made, "SELECT count(*) FROM tasks WHERE client_id IS NULL")
    assert nobody > 0


def test_the_first_answer_of_a_key_is_given_again(made: Path, tmp_path: Path) -> None:
    from inspector.store import accept_task  # noqa: PLC0415  the other tests read

    copy = tmp_path / "copy.db"
    copy.write_bytes(made.read_bytes())
    ((client, key, task_id, kind, model, policy, request),) = rows(
        copy,
        """
        SELECT k.client_id, k.key, t.id, t.kind, t.model_id, t.on_restart, t.request
        FROM idempotency_keys AS k JOIN tasks AS t ON t.id = k.task_id WHERE k.expires_at IS NULL LIMIT 1""",
    )
    with closing(open_service_database(copy)) as db:
        accepted = accept_task(
            db,
            request=json.loads(request),
            on_restart=policy,
            client_id=client or None,
            model_id=model,
            kind=kind,
            idempotency_key=key,
            now_ms=END_MS,
        )
    assert (accepted.replayed, accepted.task.id) == (True, task_id)


def test_pieces_of_text_have_about_two_hundred_bytes(made: Path) -> None:
    ((mean,),) = rows(made, "SELECT avg(length(data)) FROM task_events WHERE type = 'response.output_text.delta'")
    assert 150 < mean < 250


def test_an_answer_stands_in_its_response_as_in_its_events(made: Path) -> None:
    for task_id, body in rows(
        made,
        """
        SELECT t.id, r.body FROM tasks AS t JOIN responses AS r ON r.task_id = t.id
        WHERE t.kind = 'response' AND t.attempt = 1 LIMIT 50""",
    ):
        deltas = rows(
            made,
            f"SELECT data FROM task_events WHERE task_id = '{task_id}' AND type = 'response.output_text.delta' "
            "ORDER BY seq",
        )
        pieces = [json.loads(data) for (data,) in deltas]
        assert [piece["index"] for piece in pieces] == list(range(len(pieces)))
        (message,) = json.loads(body)["output"]
        said = "".join(piece["delta"] for piece in pieces)
        assert said.startswith(message["content"][0]["text"])


def test_what_is_held_does_not_grow_with_the_history() -> None:
    def peak(tasks: int) -> int:
        tracemalloc.start()
        try:
            for _ in History(Size(tasks, 10 * tasks), 1).rows(lambda _: None):
                pass
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(1_500)
    assert peak(6_000) < 1.5 * peak(1_500)


def test_progress_tells_how_many_events_are_written(tmp_path: Path) -> None:
    told: list[int] = []
    simulate(tmp_path / "lmsp.db", tasks=1_200, events=40_000, progress=told.append)
    assert told == sorted(set(told))
    assert told[-1] == 40_000
    assert len(told) > 3
