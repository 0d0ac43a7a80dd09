import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from inspector import store
from inspector.demo.happenings import Happening, HappeningKind
from inspector.demo.model_files import models_folder
from inspector.demo.scenarios import find_scenario
from inspector.demo.setting_up import hold_alone
from inspector.demo.texts import CODE, DOCUMENTS, HOME, NOTES, SHELL
from inspector.lmsp.cancelling import CancelOutcome
from tests.support.demo_lives import BEGAN_MS, FAST, StageClock, live_for, one_of, rows, scenario, status_of_tasks
from tests.support.store_invariants import broken_invariants

EVERYTHING = """
    SELECT t.id, t.client_id, t.model_id, t.on_restart, t.request, e.seq, e.type, e.status, e.created_at, e.data
    FROM tasks AS t JOIN task_events AS e ON e.task_id = t.id
    ORDER BY e.id"""
ANSWERS = {subject.prompt: subject.answer for subject in (*NOTES, *CODE, *DOCUMENTS, *HOME, *SHELL)}


def broken(path: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(path)) as conn:
        return broken_invariants(conn)


@pytest.mark.parametrize("name", ["work", "quiet", "race"])
def test_whatever_a_scenario_plays_the_database_holds_what_section_11_asks_for(tmp_path: Path, name: str) -> None:
    path = tmp_path / "lmspd.db"

    live_for(60, path, replace(find_scenario(name), history_minutes=2))

    assert broken(path) == []
    ((finished,),) = rows(path, "SELECT count(*) FROM tasks WHERE finished_at IS NOT NULL")
    assert int(str(finished)) >= 3


def test_the_same_seed_gives_the_same_life_to_the_last_event(tmp_path: Path) -> None:
    lives = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        path = tmp_path / name / "lmspd.db"
        path.parent.mkdir()
        live_for(60, path, scenario(history_minutes="1"), seed=seed)
        lives.append(rows(path, EVERYTHING))

    assert lives[0] == lives[1]
    assert not {row[0] for row in lives[0]} & {row[0] for row in lives[2]}


def test_work_brings_every_ending_and_every_policy(tmp_path: Path) -> None:
    path = tmp_path / "lmspd.db"
    live_for(1, path, scenario(history_minutes="10"))

    assert {status for (status,) in rows(path, "SELECT status FROM tasks")} >= {"completed", "failed", "cancelled"}
    assert {policy for (policy,) in rows(path, "SELECT on_restart FROM tasks")} == {"fail", "retry", "resume"}
    assert {kind for (kind,) in rows(path, "SELECT kind FROM tasks")} == {"response", "embedding"}
    codes = {code for (code,) in rows(path, "SELECT error_code FROM tasks WHERE error_code IS NOT NULL")}
    assert codes >= {"context_length_exceeded", "timeout", "tool_call_invalid"}
    assert {client_id for (client_id,) in rows(path, "SELECT client_id FROM tasks")} == set(scenario().clients)


def test_a_completed_response_is_the_answer_to_its_request_and_all_of_its_deltas(tmp_path: Path) -> None:
    path = tmp_path / "lmspd.db"
    live_for(60, path, scenario(FAST))

    completed = rows(
        path,
        """
        SELECT t.request ->> '$.input[#-1].content', r.body ->> '$.output[0].content[0].text',
               (SELECT group_concat(data ->> '$.delta', '') FROM
                (SELECT data FROM task_events WHERE task_id = t.id AND type LIKE '%delta' ORDER BY seq))
        FROM tasks AS t JOIN responses AS r ON r.task_id = t.id WHERE t.kind = 'response'""",
    )

    assert len(completed) > 5
    for prompt, text, deltas in completed:
        assert text == deltas == ANSWERS[str(prompt)]


def test_tokens_come_a_few_at_a_time_as_from_a_model(tmp_path: Path) -> None:
    path = tmp_path / "lmspd.db"
    live_for(40, path, scenario())

    sizes = rows(
        path,
        """
        SELECT count(*), created_at - lag(created_at) OVER (PARTITION BY task_id ORDER BY created_at)
        FROM task_events WHERE type = 'response.output_text.delta' GROUP BY task_id, created_at""",
    )

    assert {size for size, _ in sizes} == {1, 2, 3}
    gaps = sorted(float(str(gap)) for _, gap in sizes if gap is not None)
    assert 55 < gaps[len(gaps) // 2] < 130


def test_a_task_that_resumes_is_saved_on_its_way(tmp_path: Path) -> None:
    path = tmp_path / "lmspd.db"
    live_for(60, path, scenario())

    saved = {on_restart for (on_restart,) in rows(path, "SELECT on_restart FROM tasks WHERE snapshot IS NOT NULL")}

    assert saved == {"resume"}


def test_what_another_process_cancels_is_let_go_by_its_worker(tmp_path: Path) -> None:
    path = tmp_path / "lmspd.db"
    played = scenario(damage='[{ model = "whisper-small-en", how = "removed", after_s = 9 }]')
    outcomes: dict[str, CancelOutcome] = {}

    def cancel_all(happening: Happening) -> None:
        if happening.kind is HappeningKind.MODEL_DAMAGED:
            for (task_id,) in rows(path, "SELECT id FROM tasks WHERE finished_at IS NULL"):
                result = store.cancel_in_file(path, str(task_id), now_ms=happening.at_ms)
                outcomes[str(task_id)] = result.outcome

    live_for(60, path, played, watch=cancel_all)

    assert CancelOutcome.CANCELLING in outcomes.values()
    after = status_of_tasks(path)
    assert {after[task_id] for task_id in outcomes} == {"cancelled"}
    late = rows(
        path,
        """
        SELECT count(*) FROM task_events AS c JOIN task_events AS d ON d.task_id = c.task_id AND d.seq > c.seq
        WHERE c.type = 'response.cancelling' AND d.type = 'response.output_text.delta' GROUP BY c.task_id""",
    )
    assert late, "a worker sees a cancel when it has written once more"
    assert all(int(str(deltas)) <= 3 for (deltas,) in late)
    assert broken(path) == []
    ((later,),) = rows(
        path, "SELECT count(*) FROM tasks WHERE status = 'completed' AND created_at > ?", BEGAN_MS + 9500
    )
    assert int(str(later)) > 3


def test_a_worker_whose_task_another_start_took_away_finishes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "lmspd.db"
    played = scenario(damage='[{ model = "whisper-small-en", how = "removed", after_s = 9 }]')
    moved: dict[str, int] = {}

    def recover(happening: Happening) -> None:
        if happening.kind is HappeningKind.MODEL_DAMAGED:
            db = store.open_service_database(path)
            plan = store.plan_recovery(db)
            store.apply_recovery(db, plan, now_ms=happening.at_ms)
            db.close()
            moved.update((step.task_id, step.next_seq) for step in plan.steps if step.next_attempt > step.attempt)

    live_for(60, path, played, watch=recover)

    assert moved
    for task_id, seq in moved.items():
        later = rows(path, "SELECT attempt FROM task_events WHERE task_id = ? AND seq >= ?", task_id, seq)
        assert {attempt for (attempt,) in later} == {2}
    assert broken(path) == []


def test_a_database_that_the_demo_did_not_make_is_refused_and_not_changed(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    db = store.open_service_database(path)
    store.accept_task(db, request={"model": "m"}, on_restart="fail", now_ms=1)
    db.close()
    before = path.read_bytes()

    with pytest.raises(store.Unusable, match="not made by the demo"):
        live_for(10, path, scenario())

    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["service.db"]


def test_a_second_demo_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "lmspd.db"
    live_for(5, path, scenario())
    events = rows(path, "SELECT count(*) FROM task_events")

    with hold_alone(models_folder(path)), pytest.raises(store.Unusable, match="Another demo"):
        live_for(5, path, scenario())

    assert rows(path, "SELECT count(*) FROM task_events") == events
    live_for(5, path, scenario())
    assert rows(path, "SELECT count(*) FROM task_events") > events


def test_a_setting_up_that_was_stopped_half_way_is_completed(tmp_path: Path) -> None:
    path = tmp_path / "lmspd.db"
    live_for(1, path, scenario())
    db = store.open_service_database(path)
    db.conn.execute("DELETE FROM service_config WHERE key <> 'demo.scenario'")
    db.conn.execute("DELETE FROM models WHERE id LIKE 'm%' OR id LIKE 'q%'")
    db.close()
    (models_folder(path) / "gemma-2-2b-it-q6_k.gguf").unlink()

    live_for(1, path, scenario())

    assert rows(path, "SELECT count(*) FROM models") == [(7,)]
    assert rows(path, "SELECT value FROM service_config WHERE key = 'service.name'") == [('"lmspd (simulated)"',)]
    assert (models_folder(path) / "gemma-2-2b-it-q6_k.gguf").exists()


def test_a_start_says_that_it_works_and_what_it_found(tmp_path: Path) -> None:
    path = tmp_path / "lmspd.db"
    first = live_for(20, path, scenario())
    leftovers = rows(path, "SELECT count(*) FROM tasks WHERE finished_at IS NULL")

    second = live_for(20, path, scenario())

    assert [each.kind for each in first] == ["ready"]
    assert [each.kind for each in second] == ["recovered", "ready"]
    assert [(one_of(second, HappeningKind.RECOVERED).details["tasks"],)] == leftovers
    assert one_of(second, HappeningKind.READY).details["life"] == 2


def test_a_service_with_nothing_to_do_stays(tmp_path: Path) -> None:
    path = tmp_path / "lmspd.db"
    clock = StageClock(0, 1)
    assert not clock.wait(5)

    live_for(500, path, scenario('title = "T"\ndescription = "D."\nworkers = 1\n'))

    assert rows(path, "SELECT count(*) FROM tasks") == [(0,)]
