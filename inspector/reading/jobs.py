"""Questions that walk over many rows, as jobs: each step is one short read, and says how far it came."""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from inspector.layout.pages import PAGE_ROWS, Counts, ModelPage, Progress, TaskFilter, TaskKey, TaskPage, TaskPlaces
from inspector.layout.rows import TaskRow
from inspector.lmsp.statuses import UNFINISHED
from inspector.reading.connection import ReadConnection, Row
from inspector.reading.counts import StatusCount, about_how_many_tasks, counts, how_many_models, stored_statuses
from inspector.reading.damaged import damaged_task_page
from inspector.reading.damaged_counts import damaged_counts, damaged_models, damaged_places
from inspector.reading.errors import Damaged, SqliteTrouble, TookTooLong, is_damage
from inspector.reading.event_search import event_search
from inspector.reading.model_list import ModelCount, listed_models
from inspector.reading.recognising import Shape
from inspector.reading.requests import (
    CountsRequest,
    EventSearchRequest,
    ModelsRequest,
    Request,
    TaskPageRequest,
    TaskPlacesRequest,
)
from inspector.reading.steps import Ask, Job
from inspector.reading.task_list import Bound, task_list
from inspector.reading.task_walk import TaskWalk
from inspector.reading.values import text

PAGE_WALK_S: Final = 0.25
"""How long a page walks in the background until it says what it found so far."""

_COUNT_MS: Final = 20

_UNFINISHED: Final = frozenset(status.value for status in UNFINISHED)

_COUNTED_AT_ONCE: Final = 20_000
"""So many tasks are counted by one read even where a checkpoint may wait for it."""


def job_of(request: Request, ask: Ask, now_ms: Callable[[], int]) -> Job | None:
    """Return the job that answers ``request``, or None where one short read does.

    A job returns the answer at its end. Closed before that it leaves nothing behind.
    """
    at_ms = now_ms()
    match request:
        case TaskPlacesRequest(wanted, every):
            every = max(1, every)
            return _around_damage(
                _places(request, ask, at_ms),
                ask,
                lambda connection, shape: damaged_places(connection, shape, wanted, every, at_ms),
            )
        case CountsRequest(wanted):
            return _around_damage(
                _counts(request, ask, at_ms),
                ask,
                lambda connection, shape: damaged_counts(connection, shape, wanted, at_ms),
            )
        case TaskPageRequest(wanted, after, limit, start):
            return _around_damage(
                _page(request, ask, at_ms),
                ask,
                lambda connection, shape: damaged_task_page(
                    connection, shape, wanted, after, limit, at_ms, start=start
                ),
            )
        case ModelsRequest(counted):
            return _around_damage(
                _models(request, ask, at_ms),
                ask,
                lambda connection, shape: damaged_models(connection, shape, counted, at_ms),
            )
        case EventSearchRequest():
            return event_search(request, ask, at_ms)
        case _:
            return None


def _around_damage(job: Job, ask: Ask, instead: Callable[[ReadConnection, Shape], object]) -> Job:
    """Take the steps of ``job``; where they come upon damage the answer is what ``instead`` reads in one."""
    try:
        return (yield from job)
    except (Damaged, *SqliteTrouble) as error:
        if not is_damage(error):
            raise
    return ask(instead)


def answer_at_once(job: Job | None, rest: Callable[[float], None]) -> object:
    """Take all the steps of ``job``, and return the answer. After each ``rest`` is told how many seconds it took."""
    if job is None:
        raise ValueError("one short read answers this")
    while True:
        began = time.monotonic()
        try:
            next(job)
        except StopIteration as ended:
            return ended.value
        rest(time.monotonic() - began)


def _walk(ask: Ask, wanted: TaskFilter, bound: Bound | None = None) -> TaskWalk:
    return ask(lambda connection, shape: TaskWalk(task_list(connection, shape, wanted, bound), bound))


def _step(ask: Ask, walk: TaskWalk, names: str = "") -> list[Row]:
    return ask(lambda connection, _shape: walk.columns(connection, names))


def _rows(ask: Ask, walk: TaskWalk, limit: int) -> list[TaskRow]:
    return ask(lambda connection, _shape: walk.rows(connection, limit))


def _places(request: TaskPlacesRequest, ask: Ask, read_at_ms: int) -> Job:
    every = max(1, request.every)
    total = 0
    starts: list[TaskKey] = []
    of = ask(about_how_many_tasks)
    walk = _walk(ask, request.wanted)
    while not walk.has_ended:
        rows = _step(ask, walk)
        starts += map(walk.key_of, rows[-total % every :: every])
        total += len(rows)
        yield Progress(walk.walked, of)
    return TaskPlaces(total, every, tuple(starts), read_at_ms)


def _counts(request: CountsRequest, ask: Ask, read_at_ms: int) -> Job:
    wanted = request.wanted
    of = ask(about_how_many_tasks)

    def at_once(connection: ReadConnection, shape: Shape) -> Counts | None:
        if connection.holds_back and (of is None or of > _COUNTED_AT_ONCE):
            return None
        with connection.within(_COUNT_MS):
            return counts(connection, shape, wanted, read_at_ms)

    try:
        found = ask(at_once)
    except TookTooLong:
        found = None
    if found is not None:
        return found
    yield Progress(0, of)
    models = ask(how_many_models)
    by_status: Counter[str] = Counter()
    by_index = ask(lambda _connection, shape: shape.tasks.is_ours and shape.orders.by_status)
    if by_index and not wanted.text and wanted.model_id is None:
        for status in sorted(wanted.statuses) or ask(lambda connection, _shape: stored_statuses(connection)):
            count = StatusCount(status)
            while not count.has_ended:
                by_status[status] += _counted(ask, count)
                yield Progress(by_status.total(), of)
    else:
        walk = _walk(ask, wanted)
        while not walk.has_ended:
            by_status.update(text(status) for *_, status in _step(ask, walk, "status"))
            yield Progress(walk.walked, of)
    return Counts({status: count for status, count in by_status.items() if count}, models, read_at_ms)


def _counted(ask: Ask, count: StatusCount) -> int:
    return ask(lambda connection, _shape: count.step(connection))


def _models(request: ModelsRequest, ask: Ask, read_at_ms: int) -> Job:
    models = ask(listed_models)
    if not request.counted:
        return ModelPage(tuple(model.row for model in models), read_at_ms)
    unfinished: Counter[str] = Counter()
    walk = _walk(ask, TaskFilter(_UNFINISHED))
    while models and not walk.has_ended:
        unfinished.update(text(model_id) for *_, model_id in _step(ask, walk, "model_id"))
        yield Progress(walk.walked, None)
    found = []
    for model_id, row in models:
        tasks, count = 0, ModelCount(model_id)
        while not count.has_ended:
            tasks += _named(ask, count)
            yield Progress(tasks, None)
        found.append(replace(row, tasks=tasks, unfinished=unfinished[row.id]))
    return ModelPage(tuple(found), read_at_ms)


def _named(ask: Ask, count: ModelCount) -> int:
    return ask(count.step)


def _page(request: TaskPageRequest, ask: Ask, read_at_ms: int) -> Job:
    limit = max(1, min(request.limit, PAGE_ROWS))
    key = request.after or request.start
    bound = None if key is None else Bound(key, inclusive=request.after is None)
    walk = _walk(ask, request.wanted, bound)
    ends_at = time.monotonic() + PAGE_WALK_S
    found: list[TaskRow] = []
    while not walk.has_ended and len(found) <= limit:
        if walk.at is not None and walk.walked and time.monotonic() > ends_at:
            return TaskPage(tuple(found), True, read_at_ms, walk.at)
        found += _rows(ask, walk, limit + 1 - len(found))
        yield Progress(walk.walked, None)
    return TaskPage(tuple(found[:limit]), len(found) > limit, read_at_ms)
