import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from inspector.demo.happenings import HappeningKind
from inspector.demo.scenarios import find_scenario
from inspector.lmsp.recovery import Policy
from tests.demo.test_living import broken
from tests.support.demo_lives import BEGAN_MS, live_for, one_of, rows, status_of_tasks

LEFT = "SELECT id, status, on_restart, snapshot IS NOT NULL FROM tasks WHERE finished_at IS NULL"


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """Return a database whose service was killed in its scene."""
    path = tmp_path / "lmspd.db"
    live_for(60, path, replace(find_scenario("crash"), history_minutes=1), dies=True)
    return path


@pytest.mark.parametrize("seed", range(1, 5))
def test_the_service_dies_in_the_middle_of_the_mix_that_the_scenario_wants(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "lmspd.db"
    crash = replace(find_scenario("crash"), history_minutes=1)
    assert crash.crash is not None

    happenings = live_for(60, path, crash, seed=seed, dies=True)

    scene = one_of(happenings, HappeningKind.READY_TO_DIE)
    assert 6_000 <= scene.at_ms - BEGAN_MS < 25_000
    left = rows(path, LEFT)
    statuses = Counter(status for _, status, _, _ in left)
    assert statuses["running"] + statuses["loading"] >= crash.crash.tasks
    assert statuses["loading"] >= 1
    assert statuses["cancelling"] >= 1
    assert {policy for _, status, policy, _ in left if status == "running"} == set(Policy)
    assert {policy for _, status, policy, _ in left if status == "queued"} == set(Policy)
    assert ("running", "resume", 1) in {row[1:] for row in left}
    assert {kind: count for kind, count in scene.details.items() if count} == statuses
    assert broken(path) == []


def test_the_mix_is_waited_for_also_where_no_client_ever_asks_for_fail(tmp_path: Path) -> None:
    path = tmp_path / "lmspd.db"
    crash = replace(find_scenario("crash"), history_minutes=1, clients={"notes-desktop": 1})

    live_for(90, path, crash, dies=True)

    assert {policy for _, status, policy, _ in rows(path, LEFT) if status == "running"} == set(Policy)


def test_a_restart_recovers_all_three_policies_as_the_table_says(killed: Path) -> None:
    left = {task_id: (status, policy) for task_id, status, policy, _ in rows(killed, LEFT)}

    happenings = live_for(0.001, killed, find_scenario("crash"), at_ms=BEGAN_MS + 60_000, first=False)

    table = {
        ("queued", "fail"): "failed",
        ("loading", "fail"): "failed",
        ("running", "fail"): "failed",
        ("queued", "retry"): "queued",
        ("loading", "retry"): "queued",
        ("running", "retry"): "queued",
        ("queued", "resume"): "queued",
        ("loading", "resume"): "queued",
        ("running", "resume"): "running",
    }
    after = status_of_tasks(killed)
    for task_id, (status, policy) in left.items():
        wanted = "cancelled" if status == "cancelling" else table[str(status), str(policy)]
        assert after[task_id] == wanted
    recovered = one_of(happenings, HappeningKind.RECOVERED)
    assert recovered.details == {"tasks": len(left), **Counter(after[task_id] for task_id in left)}


def test_a_resumed_task_goes_on_from_its_snapshot_under_a_new_attempt(killed: Path) -> None:
    saved = {
        task_id: json.loads(str(snapshot))["output_text"]
        for task_id, snapshot in rows(
            killed, "SELECT id, snapshot FROM tasks WHERE status = 'running' AND snapshot <> ''"
        )
    }

    # The seed of the database counts, not the one that a later start is given.
    live_for(38, killed, find_scenario("crash"), seed=9, at_ms=BEGAN_MS + 60_000, first=False)

    assert saved
    for task_id, text in saved.items():
        ((status, attempt, body),) = rows(
            killed,
            """
            SELECT t.status, t.attempt, r.body ->> '$.output[0].content[0].text'
            FROM tasks AS t LEFT JOIN responses AS r ON r.task_id = t.id WHERE t.id = ?""",
            task_id,
        )
        assert (status, attempt) == ("completed", 2)
        deltas = rows(
            killed,
            "SELECT data ->> '$.delta' FROM task_events WHERE task_id = ? AND attempt = 2 AND type LIKE '%delta' "
            "ORDER BY seq",
            task_id,
        )
        assert text + "".join(str(delta) for (delta,) in deltas) == body
    assert broken(killed) == []


def test_the_restarted_service_dies_again_after_its_time(killed: Path) -> None:

    happenings = live_for(80, killed, find_scenario("crash"), at_ms=BEGAN_MS + 60_000, first=False, dies=True)

    assert one_of(happenings, HappeningKind.READY_TO_DIE).at_ms >= BEGAN_MS + 100_000
    assert broken(killed) == []


def test_a_service_that_nobody_kills_goes_on_with_its_work(tmp_path: Path) -> None:
    path = tmp_path / "lmspd.db"

    happenings = live_for(70, path, replace(find_scenario("crash"), history_minutes=0))

    scenes = [each.at_ms for each in happenings if each.kind is HappeningKind.READY_TO_DIE]
    assert len(scenes) >= 2
    later = rows(path, "SELECT DISTINCT client_id FROM tasks WHERE created_at > ?", scenes[0])
    assert {client_id for (client_id,) in later} >= {"batch-indexer", "home-assistant"}
    assert broken(path) == []
