"""Living through a task: its course, as far as the workers and the restarts of the service let it go."""

from typing import Final

from inspector.demo.clients import EMBEDDING
from inspector.demo.simulating.course import Course, Ending, step_for
from inspector.demo.simulating.life import CANCELLED, CANCELLING, LOADING, QUEUED, RUNNING, Life
from inspector.demo.simulating.workers import ServiceLife
from inspector.lmsp.events import EventType
from inspector.lmsp.recovery import Policy

_RESUME: Final = Policy.RESUME.value
_SNAPSHOT_EVERY: Final = 4
"""So many pieces of text are between two snapshots."""
_GOES_ON: Final = (QUEUED, RUNNING)
"""What recovery makes of a task that has not ended."""
_CLAIM_MS: Final = 5
_PLAIN_STEP_MS: Final = 2_400.0
_TOOL_CALL: Final = '{"name":"read_sensor","arguments":{"room":"living_room"}}'


class Work:
    """What living through a task takes of the service: it counts when it is noted, and not where it was a try."""

    def __init__(self) -> None:
        self._worked: list[tuple[ServiceLife, int, str]] = []
        self._recovered: list[tuple[ServiceLife, str]] = []

    def hold(self, service: ServiceLife, until_ms: int, model: str) -> None:
        """A worker has the task until then."""
        self._worked.append((service, until_ms, model))

    def left_over(self, service: ServiceLife, target: str) -> None:
        """The service died with the task unfinished, and recovery made it ``target``."""
        self._recovered.append((service, target))

    def note(self) -> None:
        """Let it count."""
        for service, until_ms, model in self._worked:
            service.work(until_ms, model)
        for service, target in self._recovered:
            service.recover(target)


def live_through(life: Life, course: Course, services: list[ServiceLife]) -> Work:
    """Lead the task to its end, in the service's life in which it came in and in those after it."""
    work = Work()
    ready_ms = life.created_at
    for service in services:
        until_ms = _live(life, course, ready_ms, service)
        if until_ms is not None and life.started_at is not None:
            work.hold(service, until_ms, life.asked.ask.model)
        if life.is_finished:
            break
        if life.started_at is not None:
            work.hold(service, service.back_ms, life.asked.ask.model)
        target = life.recover(service.back_ms)
        work.left_over(service, target)
        if target not in _GOES_ON:
            break
        ready_ms = service.back_ms
    return work


def live_plainly(life: Life, pieces: int, services: list[ServiceLife]) -> Work:
    """Let the task run with a warm model and complete with so many pieces, before the service dies.

    It has three events more than that.
    """
    service = services[0]
    step_ms = step_for(pieces, _PLAIN_STEP_MS)
    at = max(life.created_at + _CLAIM_MS, service.free_ms)
    if at + (pieces + 1) * step_ms >= service.crash_ms:
        at = life.created_at
        step_ms = min(step_ms, (service.crash_ms - 1 - at) / (pieces + 1))
    life.started_at = at
    life.move(at, EventType.IN_PROGRESS.value, RUNNING)
    life.stream(pieces, at, step_ms)
    life.complete(int(at + (pieces + 1) * step_ms))
    work = Work()
    work.hold(service, life.updated_at, life.asked.ask.model)
    return work


def _live(life: Life, course: Course, ready_ms: int, service: ServiceLife) -> int | None:
    """Go on within one life of the service; return when the worker is free, None where the service died before."""
    crash_ms = service.crash_ms
    if life.status == RUNNING:
        return _answer(life, course, ready_ms + course.think_ms, crash_ms)
    claim_ms = max(ready_ms + _CLAIM_MS, service.free_ms)
    withdrawn_ms = life.created_at + course.patience_ms
    if course.ending is Ending.WITHDRAWN and ready_ms <= withdrawn_ms < min(claim_ms, crash_ms):
        life.move(withdrawn_ms, EventType.CANCELLED.value, CANCELLED)
        return withdrawn_ms
    if claim_ms >= crash_ms:
        return None
    life.started_at = at = claim_ms
    if not service.is_warm(life.asked.ask.model):
        life.move(at, EventType.LOADING.value, LOADING)
        at += course.load_ms
        if at >= crash_ms:
            return None
        if course.failure is not None and course.failure.loading:
            life.fail(at, course.failure.code, course.failure.message)
            return at
    life.move(at, EventType.IN_PROGRESS.value, RUNNING)
    return _answer(life, course, at + course.think_ms, crash_ms)


def _answer(life: Life, course: Course, at: int, crash_ms: float) -> int | None:
    """Write what is left of the answer, and the end."""
    if life.asked.ask.kind == EMBEDDING:
        if at + 4 >= crash_ms:
            return None
        life.move(at, "response.output_embedding.done", RUNNING, '{"dimensions":768}')
        life.complete(at + 4)
        return at + 4
    if life.asked.ask.calls_tool and life.pieces == 0:
        if at >= crash_ms:
            return None
        life.move(at, "response.function_call.done", RUNNING, _TOOL_CALL)
    spares = course.failure is not None and course.failure.loading
    stops_at = course.pieces if spares else course.stops_at
    middle = stops_at // 2 if course.stall_ms else stops_at
    for upto, pause_ms in ((middle, course.stall_ms), (stops_at, 0)):
        streamed_ms = _stream(life, upto - life.pieces, at, course.step_ms, crash_ms)
        if streamed_ms is None:
            return None
        at = streamed_ms + pause_ms
    return _end(life, course, at, crash_ms)


def _stream(life: Life, pieces: int, at: int, step_ms: float, crash_ms: float) -> int | None:
    """Write so many pieces, as far as they come; return when the next one would come."""
    possible = pieces
    if at + pieces * step_ms >= crash_ms:
        possible = max(0, int((crash_ms - at) / step_ms))
    life.stream(min(pieces, possible), at, step_ms)
    if life.asked.policy == _RESUME:
        ago = life.pieces % _SNAPSHOT_EVERY
        # Not of what an earlier stream has written: there the snapshot is from then.
        if life.pieces - ago > life.saved_pieces:
            life.save(ago)
    return None if possible < pieces else int(at + max(0, pieces) * step_ms)


def _end(life: Life, course: Course, at: int, crash_ms: float) -> int | None:
    failure = course.failure
    if course.ending is Ending.CANCELLED:
        if at >= crash_ms:
            return None
        life.move(at, EventType.CANCELLING.value, CANCELLING)
        # What was on its way when the cancel came.
        if course.stops_at % 2 and at + course.stop_ms < crash_ms:
            life.stream(1, at, course.stop_ms)
        at += course.stop_ms
        if at >= crash_ms:
            return None
        life.move(at, EventType.CANCELLED.value, CANCELLED)
        return at
    if failure is not None and not failure.loading:
        at += failure.after_ms
        if at >= crash_ms:
            return None
        life.fail(at, failure.code, failure.message)
        return at
    if at >= crash_ms:
        return None
    life.complete(at)
    return at
