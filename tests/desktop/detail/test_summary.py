from dataclasses import replace
from datetime import UTC

from inspector.desktop.detail.summary import Clock, Names, summary
from inspector.desktop.moment import Moment
from inspector.layout.rows import OddTaskRow, TaskRow
from inspector.lmsp.values import extended
from tests.desktop.timeline.histories import T0, task


def told(row: TaskRow, clock: Clock | None = None, names: Names | None = None) -> dict[str, str]:
    columns = summary(
        row, Clock(UTC, Moment(T0 + 19_200)) if clock is None else clock, Names() if names is None else names
    )
    return {item.caption: item.value for each in columns for item in each}


def test_an_unfinished_task_waits_and_runs_up_to_now() -> None:
    row = task("running", started_at=T0 + 1_900, last_seq=212)
    assert told(row)["Wait"] == "1.9 s"
    assert told(row)["Run"] == "17.3 s"
    assert told(task("queued"))["Wait"] == "19.2 s"
    assert told(task("queued"))["Run"] == "–"


def test_in_a_file_at_rest_what_is_unfinished_lasts_to_the_file_s_last_moment_which_stands_there() -> None:
    month = 30 * 86_400_000
    clock = Clock(UTC, Moment(None, T0 + month, T0 + 61_000))
    row = task("running", started_at=T0 + 1_000, updated_at=T0 + 4_000)
    assert told(row, clock)["Run"] == "1:00 min to 30 Nov 00:54"
    assert told(row, clock)["Wait"] == "1.0 s"
    assert told(task("queued", updated_at=T0 + 4_000), clock)["Wait"] == "1:01 min to 30 Nov 00:54"
    assert told(task("completed", started_at=T0, finished_at=T0 + 500), clock)["Run"] == "500 ms"


def test_a_task_outlives_the_last_moment_that_is_known_of_its_file() -> None:
    row = task("running", started_at=T0 + 1_000, updated_at=T0 + 4_000)
    assert told(row, Clock(UTC, Moment(None, T0, T0 + 2_000)))["Run"] == "3.0 s to 00:53:24"
    assert told(row, Clock(UTC, Moment(None, T0)))["Run"] == "3.0 s to 00:53:24"
    assert told(task("running", started_at=T0), Clock(UTC))["Run"] == "–"


def test_a_finished_task_stands_still() -> None:
    row = task("failed", started_at=T0 + 41, finished_at=T0 + 6_041)
    much_later = Clock(UTC, Moment(T0 + 10**9))
    assert told(row, much_later)["Run"] == "6.0 s"
    assert told(task("cancelled", finished_at=T0 + 500), much_later)["Wait"] == "500 ms"
    assert told(task("completed", started_at=T0), much_later)["Run"] == "–", "nobody stored when it ended"
    assert told(row)["Ended"] == "00:53:26.041"
    assert "Started" not in told(row)


def test_a_clock_that_is_behind_gives_no_negative_time() -> None:
    behind = Clock(UTC, Moment(T0))
    assert told(task("running", started_at=T0 + 50), behind)["Run"] == "0 ms"
    stored = told(task("running", created_at=T0, started_at=T0 - 5), behind)["Wait"]
    assert stored == "−5 ms", "what is stored is told as it is"


def test_a_task_without_times_says_so() -> None:
    row = task("running", created_at=None)
    assert told(row)["Created"] == "–"
    assert told(row)["Wait"] == "–"


def test_what_is_no_number_is_told_as_it_is_stored() -> None:
    odd = (("created_at", "yesterday\u202e"), ("finished_at", "2024-02-30"), ("attempt", "1.5"), ("last_seq", ""))
    row = extended(OddTaskRow, task("completed", created_at=None, finished_at=None), odd)
    found = told(row)
    assert [found[name] for name in ("Created", "Ended", "Attempt", "Last seq")] == [
        "yesterday\\u202e",
        "2024-02-30",
        "1.5",
        "(empty text)",
    ]
    assert told(extended(OddTaskRow, task("running"), (("started_at", "soon"),)))["Started"] == "soon"


def test_a_failed_task_tells_its_error_where_others_tell_their_policy() -> None:
    row = replace(task("failed", finished_at=T0), error_code="server_restarted")
    assert told(row)["Error"] == "server_restarted"
    assert told(task())["On restart"] == "resume"
    assert told(replace(task(), on_restart=None))["On restart"] == "none"


def test_names_stand_for_ids_where_they_are_known() -> None:
    names = Names(models={"llama-3.2-3b-instruct-q4": "Llama"}, clients={})
    assert told(task(), names=names)["Model"] == "Llama"
    assert told(task(), names=names)["Client"] == "notes-desktop"


def test_a_date_stands_where_it_is_not_todays() -> None:
    assert told(task(), Clock(UTC, Moment(None, T0 + 3 * 86_400_000)))["Created"] == "30 Nov 00:53:20.000"
    assert told(task(), Clock(UTC))["Created"] == "30 Nov 2026 00:53:20.000"


def test_texts_of_data_are_harmless_and_short() -> None:
    row = replace(task(), model_id="\u202e" * 1_000, client_id="a\nb")
    assert "\u202e" not in told(row)["Model"]
    assert told(row)["Client"] == "a\\u000ab"
