from hypothesis import given
from hypothesis import strategies as st

from inspector.desktop.moment import Moment
from inspector.desktop.timeline.phases import History, at_moment, history_of, same_log
from inspector.layout.pages import TaskTimeline
from inspector.layout.rows import TaskRow
from tests.desktop.timeline.histories import RESTARTED, RUNNING, T0, Step, log, task

STATUSES = ["queued", "loading", "running", "cancelling", "completed", "failed", "cancelled", "paused"]
KINDS = ["created", "queued", "loading", "in_progress", "resumed", "output_text.delta", "completed", "whatever"]


def life(row: TaskRow, timeline: TaskTimeline | None) -> History:
    history = history_of(row, timeline)
    assert history is not None
    return history


def spans(history: History) -> list[tuple[str, int, int]]:
    return [(phase.status, phase.start_ms - T0, phase.end_ms - T0) for phase in history.phases]


def test_each_change_of_status_begins_a_phase() -> None:
    history = at_moment(life(task(), log(RUNNING)), Moment(T0 + 19_200))
    assert spans(history) == [("queued", 0, 1_900), ("loading", 1_900, 6_100), ("running", 6_100, 19_200)]
    assert history.progress == (T0 + 7_000, T0 + 8_000)
    assert [mark.seq for mark in history.marks] == [1, 2, 3]


def test_a_restart_begins_a_phase_of_its_own_and_the_silence_before_it_is_known() -> None:
    history = life(task("completed", finished_at=T0 + 21_000), log(RESTARTED))
    assert spans(history) == [
        ("queued", 0, 100),
        ("running", 100, 12_000),
        ("queued", 12_000, 13_000),
        ("running", 13_000, 20_000),
        ("running", 20_000, 21_000),
    ]
    assert [phase.attempt for phase in history.phases] == [1, 1, 2, 2, 3]
    silent = [phase.silent_from_ms for phase in history.phases]
    assert silent == [None, T0 + 500, None, T0 + 14_000, None]
    assert [mark.seq for mark in history.marks if mark.is_restart] == [4, 7]


def test_without_a_moment_an_unfinished_task_ends_at_the_last_known_one() -> None:
    history = life(task(updated_at=T0 + 9_000), log(RUNNING))
    assert history.is_open
    assert at_moment(history, Moment()).end_ms == T0 + 9_000
    assert at_moment(history, Moment(None, T0 + 10**9, T0 + 12_000)).end_ms == T0 + 12_000
    assert at_moment(history, Moment(T0 + 5)) == history, "a clock that is behind takes nothing away"


def test_a_finished_task_does_not_grow() -> None:
    history = life(task("completed", finished_at=T0 + 21_000), log(RESTARTED))
    assert at_moment(history, Moment(T0 + 999_999)) == history


def test_a_row_that_is_ahead_of_the_log_closes_the_last_phase() -> None:
    history = life(task("failed", finished_at=T0 + 8_100), log(RUNNING))
    assert not history.is_open
    assert spans(history)[-1] == ("running", 6_100, 8_100)
    assert history.marks[-1].seq is None


def test_a_final_row_without_its_time_does_not_grow_either() -> None:
    history = life(task("failed"), log(RUNNING))
    assert at_moment(history, Moment(T0 + 999_999)).end_ms == T0 + 8_000


def test_logs_are_told_apart_by_any_of_their_events() -> None:
    one = log(RUNNING)
    assert same_log(one, log(RUNNING))
    assert same_log(None, None)
    assert not same_log(one, None)
    assert not same_log(one, log(RUNNING[:-1]))
    assert not same_log(one, log([(1, "created", "queued"), *RUNNING[1:]]))


def test_a_log_that_is_ahead_of_the_row_counts() -> None:
    assert not life(task("running"), log(RESTARTED)).is_open


def test_without_a_log_the_row_tells_what_it_knows() -> None:
    done = life(task("completed", started_at=T0 + 10, finished_at=T0 + 30), None)
    assert spans(done) == [("queued", 0, 10), ("running", 10, 30)]
    waiting = life(task("queued"), TaskTimeline("t", (), 0))
    assert spans(at_moment(waiting, Moment(T0 + 7))) == [("queued", 0, 7)]
    assert not waiting.has_log


def test_nothing_known_is_no_history() -> None:
    assert history_of(task(created_at=None), None) is None


def test_a_missing_creation_event_leaves_a_queued_phase_and_a_hole() -> None:
    timeline = TaskTimeline("t", log(RUNNING).ticks[2:], 3)
    history = life(task(), timeline)
    assert spans(history)[0] == ("queued", 0, 6_100)
    assert [(hole.first_seq, hole.last_seq, hole.events) for hole in history.holes] == [(1, 2, 2)]


def test_a_thinned_log_has_no_holes() -> None:
    timeline = TaskTimeline("t", log(RUNNING).ticks[::2], 5)
    assert life(task(), timeline).holes == ()


def test_a_missing_creation_time_counts_from_the_first_event() -> None:
    assert life(task(created_at=None), log(RUNNING)).zero_ms == T0


def test_a_clock_that_runs_backwards_is_named_and_no_phase_is_negative() -> None:
    history = life(
        task("completed", finished_at=T0 + 5),
        log([(0, "created", "queued"), (900, "in_progress", "running"), (5, "completed", "completed")]),
    )
    assert history.backwards_at == 3
    assert spans(history) == [("queued", 0, 900), ("running", 900, 900)]
    assert history.marks[-1].at_ms == T0 + 5, "an event stands at its own time"


def test_an_event_before_the_creation_is_inside_what_is_drawn() -> None:
    history = life(task(), log([(-50, "created", "queued"), (10, "in_progress", "running")]))
    assert history.zero_ms == T0
    assert history.start_ms == T0 - 50
    assert spans(history)[0] == ("queued", -50, 10)


def test_the_snapshot_stands_at_its_event_or_the_nearest_before_it() -> None:
    exact = life(task(snapshot_seq=4), log(RUNNING)).snapshot
    assert exact is not None
    assert exact.at_ms == T0 + 7_000
    thinned = life(task(snapshot_seq=4), TaskTimeline("t", log(RUNNING).ticks[::2], 5)).snapshot
    assert thinned is not None
    assert thinned.at_ms == T0 + 6_100
    assert life(task(snapshot_seq=4), None).snapshot is None


STEPS: st.SearchStrategy[list[Step]] = st.lists(
    st.tuples(st.integers(-(10**6), 10**9), st.sampled_from(KINDS), st.sampled_from(STATUSES)), max_size=30
)
TIME = st.one_of(st.none(), st.integers(T0 - 10**6, T0 + 10**9))


@given(steps=STEPS, status=st.sampled_from(STATUSES), created=TIME, finished=TIME, now=TIME)
def test_phases_follow_one_another_inside_the_history_whatever_the_log_says(
    steps: list[Step], status: str, created: int | None, finished: int | None, now: int | None
) -> None:
    found = history_of(task(status, created_at=created, finished_at=finished), log(steps))
    if found is None:
        assert not steps
        return
    history = at_moment(found, Moment(now))
    end = history.start_ms
    for phase in history.phases:
        assert end <= phase.start_ms <= phase.end_ms <= history.end_ms
        assert phase.silent_from_ms is None or phase.start_ms <= phase.silent_from_ms <= phase.end_ms
        end = phase.end_ms
    assert list(history.progress) == sorted(history.progress)
    assert len(history.progress) + len([mark for mark in history.marks if mark.seq is not None]) == len(steps)
    assert all(history.start_ms <= mark.at_ms <= history.end_ms for mark in history.marks)
    assert all(history.start_ms <= at <= history.end_ms for at in history.progress)
