from pathlib import Path

from inspector.demo.happenings import HappeningKind
from inspector.demo.scenarios import find_scenario
from tests.demo.test_living import broken
from tests.support.demo_lives import live_for, one_of, rows, status_of_tasks


def test_ten_cancels_race_ten_completions_and_each_side_wins_half(tmp_path: Path) -> None:
    path = tmp_path / "lmspd.db"

    happenings = live_for(200, path, find_scenario("race"))

    tries = [each.details for each in happenings if each.kind is HappeningKind.RACED]
    assert [each["number"] for each in tries] == list(range(1, 11))
    over = one_of(happenings, HappeningKind.RACES_OVER)
    assert over.details == {"cancelled": 5, "completed": 5}
    assert over.sentence == "The cancel won 5 of 10 tries, the completion 5."
    ends = status_of_tasks(path)
    for each in tries:
        wanted = {"cancelling": "cancelled", "already_finished": "completed"}[str(each["outcome"])]
        assert ends[each["task_id"]] == wanted
    assert broken(path) == []


def test_the_loser_of_a_race_wrote_nothing(tmp_path: Path) -> None:
    path = tmp_path / "lmspd.db"

    happenings = live_for(200, path, find_scenario("race"))

    raced = [str(each.details["task_id"]) for each in happenings if each.kind is HappeningKind.RACED]
    both = rows(
        path,
        """
        SELECT task_id FROM task_events GROUP BY task_id
        HAVING sum(type = 'response.completed') = 1 AND sum(type LIKE 'response.cancel%') > 0""",
    )
    assert both == []
    answered = {task_id for (task_id,) in rows(path, "SELECT task_id FROM responses")}
    assert len(answered & set(raced)) == 5
    assert answered - set(raced), "after the races the service goes on with plain work"
    assert rows(path, "SELECT count(*) FROM task_events WHERE type = 'response.cancelling'") == [(5,)]


def test_cancel_and_completion_are_close_to_each_other(tmp_path: Path) -> None:
    path = tmp_path / "lmspd.db"

    happenings = live_for(200, path, find_scenario("race"))

    gaps = [float(str(each.details["gap_ms"])) for each in happenings if each.kind is HappeningKind.RACED]
    assert all(1 <= gap <= 60 for gap in gaps)
    won = rows(
        path,
        """
        SELECT c.created_at - d.created_at FROM task_events AS c
        JOIN task_events AS d ON d.task_id = c.task_id AND d.seq = c.seq - 1
        WHERE c.type = 'response.cancelling'""",
    )
    assert len(won) == 5
    assert all(float(str(after_ms)) < 5 for (after_ms,) in won)
