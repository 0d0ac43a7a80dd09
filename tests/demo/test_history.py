import itertools
import json
from pathlib import Path

from inspector.demo.history import BUDGET_S
from tests.demo.test_living import broken
from tests.support.demo_lives import BEGAN_MS, live_for, rows, scenario

MINUTE_MS = 60_000


def test_the_first_look_finds_a_past_that_reaches_as_far_back_as_wanted(tmp_path: Path) -> None:
    path = tmp_path / "lmspd.db"

    live_for(1, path, scenario(history_minutes="3"))

    ((first, last, finished),) = rows(path, "SELECT min(created_at), max(created_at), count(finished_at) FROM tasks")
    assert BEGAN_MS - 3 * MINUTE_MS <= float(str(first)) < BEGAN_MS - 2 * MINUTE_MS
    assert BEGAN_MS - MINUTE_MS < float(str(last)) <= BEGAN_MS + 1_000
    assert int(str(finished)) > 20
    assert broken(path) == []


def test_events_are_written_in_the_order_of_their_times_and_none_in_the_future(tmp_path: Path) -> None:
    path = tmp_path / "lmspd.db"

    live_for(1, path, scenario(history_minutes="2"))

    times = [int(str(at)) for (at,) in rows(path, "SELECT created_at FROM task_events ORDER BY id")]
    assert times == sorted(times)
    assert times[-1] <= BEGAN_MS + 1_000


def test_the_past_flows_into_the_present_without_a_break(tmp_path: Path) -> None:
    path = tmp_path / "lmspd.db"

    live_for(30, path, scenario(history_minutes="2"))

    over = rows(
        path, "SELECT attempt FROM tasks WHERE started_at < ? AND finished_at > ?", BEGAN_MS - 1_000, BEGAN_MS + 1_000
    )
    assert over
    assert {attempt for (attempt,) in over} == {1}
    assert rows(path, "SELECT count(*) FROM tasks WHERE error_code = 'server_restarted'") == [(0,)]


def test_a_restart_of_the_past_recovers_what_was_in_hand(tmp_path: Path) -> None:
    path = tmp_path / "lmspd.db"

    live_for(1, path, scenario(history_minutes="3", history_restarts="2"))

    ((starts,),) = rows(path, "SELECT value FROM service_config WHERE key = 'service.starts'")
    assert len(json.loads(str(starts))) == 3
    assert rows(path, "SELECT max(attempt) FROM tasks") >= [(2,)]
    assert broken(path) == []


def test_a_second_start_makes_no_history_again(tmp_path: Path) -> None:
    path = tmp_path / "lmspd.db"
    live_for(1, path, scenario(history_minutes="3"))
    before = rows(path, "SELECT count(*) FROM tasks")

    live_for(0.001, path, scenario(history_minutes="3"), at_ms=BEGAN_MS + MINUTE_MS)

    assert rows(path, "SELECT count(*) FROM tasks") == before


def test_a_slow_disk_gets_a_shorter_history_that_still_reaches_the_present(tmp_path: Path) -> None:
    path = tmp_path / "lmspd.db"
    seconds = itertools.count(0, BUDGET_S / 8)

    live_for(20, path, scenario(history_minutes="60"), stopwatch=lambda: next(seconds))

    created = [int(str(at)) for (at,) in rows(path, "SELECT created_at FROM tasks ORDER BY created_at")]
    gaps = sorted(end - begin for begin, end in itertools.pairwise(created))
    assert created[0] < BEGAN_MS - 59 * MINUTE_MS
    assert gaps[-1] > 40 * MINUTE_MS
    assert gaps[-2] < 2 * MINUTE_MS
    assert rows(path, "SELECT count(*) FROM tasks WHERE finished_at < ?", BEGAN_MS) > [(20,)]
    assert rows(path, "SELECT count(*) FROM tasks WHERE finished_at - started_at > ?", 5 * MINUTE_MS) == [(0,)]
    assert broken(path) == []
