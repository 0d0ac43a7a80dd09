"""Questions that walk over many rows, as jobs: each step is one short read, and says how far it came."""

import time
from collections import Counter
from collections.abc import Callable
from typing import Final

from inspector.layout.pages import PAGE_ROWS, Counts, Progress, TaskFilter, TaskKey, TaskPage, TaskPlaces
from inspector.layout.rows import TaskRow
from inspector.reading.connection import ReadConnection, Row
from inspector.reading.counts import StatusCount, counts, how_many_models, stored_statuses
from inspector.reading.errors import TookTooLong
from inspector.reading.event_search import event_search
from inspector.reading.recognising import Shape
from inspector.reading.requests import (
    CountsRequest,
    EventSearchRequest,
    Request,
    TaskPageRequest,
    TaskPlacesRequest,
)
from inspector.reading.steps import Ask, Job
from inspector.reading.task_list import Bound, task_list
from inspector.reading.task_walk import TaskWalk
from inspector.reading.values import integer, text

PAGE_WALK_S: Final = 0.25
"""How long a page walks in the background until it says what it found so far."""

_COUNT_MS: Final = 20


def job_of(request: Request, ask: Ask, now_ms: Callable[[], int]) -> Job | None:
    """Return the job that answers ``request``, or None where one short read does.

    A job returns the answer at its end. Closed before that it leaves nothing behind.
    """
    match request:
        case TaskPlacesRequest():
            return _places(request, ask, now_ms())
        case CountsRequest():
            return _counts(request, ask, now_ms())
        case TaskPageRequest():
            return _page(request, ask, now_ms())
        case EventSearchRequest():
            return event_search(request, ask, now_ms())
        case _:
            return None


def answer_at_once(job: Job | None) -> object:
    """Take all the steps of ``job``, and return the answer."""
    if job is None:
        raise ValueError("one short read answers this")
    while True:
        try:
            next(job)
        except StopIteration as ended:
            return ended.value


def _walk(ask: Ask, wanted: TaskFilter, bound: Bound | None = None) -> TaskWalk:
    return ask(lambda connection, shape: TaskWalk(task_list(connection, shape, wanted, bound), bound))


def _step(ask: Ask, walk: TaskWalk, names: str = "") -> list[Row]:
    return ask(lambda connection, _shape: walk.columns(connection, names))


def _rows(ask: Ask, walk: TaskWalk, limit: int) -> list[TaskRow]:
    return ask(lambda connection, _shape: walk.rows(connection, limit))


def _tasks(ask: Ask) -> int | None:
    """Return how many tasks there are, where an index tells at once."""

    def count(connection: ReadConnection, _shape: Shape) -> int:
        with connection.within(_COUNT_MS):
            return integer(connection.value("SELECT count(*) FROM tasks"))

    try:
        return ask(count)
    except TookTooLong:
        return None


def _places(request: TaskPlacesRequest, ask: Ask, read_at_ms: int) -> Job:
    every = max(1, request.every)
    total = 0
    starts: list[TaskKey] = []
    of = _tasks(ask)
    walk = _walk(ask, request.wanted)
    while not walk.has_ended:
        rows = _step(ask, walk)
        starts += map(walk.key_of, rows[-total % every :: every])
        total += len(rows)
        yield Progress(walk.walked, of)
    return TaskPlaces(total, every, tuple(starts), read_at_ms)


def _counts(request: CountsRequest, ask: Ask, read_at_ms: int) -> Job:
    wanted = request.wanted

    def at_once(connection: ReadConnection, shape: Shape) -> Counts:
        with connection.within(_COUNT_MS):
            return counts(connection, shape, wanted, read_at_ms)

    try:
        return ask(at_once)
    except TookTooLong:
        yield Progress(0, None)
    models = ask(how_many_models)
    of = _tasks(ask)
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
