"""A worker of the simulated service: takes a task, loads its model, streams its tokens, and ends it somehow."""

import math
import random
import zlib
from collections.abc import Generator, Sequence
from contextlib import suppress

from inspector import store
from inspector.demo.chance import chance
from inspector.demo.clients import EMBEDDING
from inspector.demo.playing import Play
from inspector.demo.scripts import Failure
from inspector.demo.service import Held, Service, snapshot_of
from inspector.lmsp.events import OUTPUT_TEXT_DELTA
from inspector.lmsp.recovery import Policy
from inspector.lmsp.statuses import Status

_SNAPSHOT_EVERY = 40
_BATCHES_IN_THE_PAST = 3
_BATCH_SIZES = (1, 1, 1, 1, 1, 2, 3)
_TOOL_CALL: tuple[str, dict[str, object]] = (
    "response.function_call.done",
    {"name": "read_sensor", "arguments": {"room": "living_room"}},
)
_SENTENCE_ENDS = frozenset(".:?!\n")


class _Cancelled(Exception):
    """The worker has seen that its task is being cancelled."""


def work(service: Service) -> Play:
    """Work on one task after another until nothing is queued."""
    while (held := service.take()) is not None:
        try:
            yield from _serve(service, held)
        except _Cancelled:
            yield from _stop(service, held)
        except store.Refused as refused:
            # The write came too late: the task is being cancelled, or is in other hands by now (attempts are a fence).
            if refused.found == Status.CANCELLING:
                yield from _stop(service, held)
        service.release(held)


def _serve(service: Service, held: Held) -> Play:
    script = held.script
    if held.status is Status.LOADING:
        yield script.load_ms
        if script.failure is not None and script.failure.at_token is None:
            _fail(service, held, script.failure)
            return
        task_id, now_ms = held.wish.task_id, service.now_ms
        _see(held, store.start_task(service.db, task_id, status="running", attempt=held.attempt, now_ms=now_ms))
        service.loaded(held)
    yield script.think_ms
    if held.wish.kind == EMBEDDING:
        _append(service, held, [("response.output_embedding.done", {"dimensions": 768})])
        yield 4
        _complete(service, held)
        return
    failure = yield from _stream(service, held)
    if failure is not None:
        _fail(service, held, failure)
        return
    yield service.ended(held)
    _complete(service, held)


def _stream(service: Service, held: Held) -> Generator[float, None, Failure | None]:
    """Write the tokens that are left, and return the failure that comes before the last of them, if any."""
    script = held.script
    rng = chance(service.staging.seed, "stream", held.wish.task_id, held.attempt)
    fails_at = None if script.failure is None else script.failure.at_token
    stops = [at for at in (len(script.tokens), script.stall_at, fails_at) if at is not None]
    if script.calls_tool and held.tokens_done == 0:
        _append(service, held, [_TOOL_CALL])
        yield rng.uniform(80, 600)
    while True:
        at = held.tokens_done
        if script.failure is not None and at == fails_at:
            yield script.failure.after_ms
            return script.failure
        if at >= len(script.tokens):
            return None
        if at == script.stall_at:
            yield script.stall_ms
        size = math.ceil(len(script.tokens) / _BATCHES_IN_THE_PAST) if service.past else rng.choice(_BATCH_SIZES)
        end = min(at + size, *(stop for stop in stops if stop > at))
        yield sum(script.token_ms * rng.uniform(0.9, 1.15) + _pause(token, rng) for token in script.tokens[at:end])
        events = [_delta(script.tokens, i, rng) for i in range(at, end)]
        if end == len(script.tokens):
            events.append(("response.output_text.done", {"text": "".join(script.tokens)}))
        _append(service, held, events)
        held.tokens_done = end
        if held.wish.on_restart is Policy.RESUME and end // _SNAPSHOT_EVERY > at // _SNAPSHOT_EVERY:
            task_id, now_ms, snapshot = held.wish.task_id, service.now_ms, snapshot_of(held)
            _see(held, store.save_snapshot(service.db, task_id, snapshot, attempt=held.attempt, now_ms=now_ms))
            held.has_snapshot = True


def _pause(token: str, rng: random.Random) -> float:
    return rng.uniform(60, 420) if token[-1] in _SENTENCE_ENDS else 0.0


def _delta(tokens: Sequence[str], i: int, rng: random.Random) -> tuple[str, dict[str, object]]:
    data: dict[str, object] = {"delta": tokens[i], "token": zlib.crc32(tokens[i].encode()) % 128_000}
    if i % 8 == 5:
        data["logprob"] = -round(rng.expovariate(3), 6)
    return OUTPUT_TEXT_DELTA, data


def _see(held: Held, written: store.Written) -> None:
    """Note where the task is now; a worker that sees it being cancelled goes no further."""
    held.status = written.status
    if written.status is Status.CANCELLING:
        raise _Cancelled


def _append(service: Service, held: Held, events: list[tuple[str, dict[str, object]]]) -> None:
    _see(held, store.append_events(service.db, held.wish.task_id, events, attempt=held.attempt, now_ms=service.now_ms))


def _fail(service: Service, held: Held, failure: Failure) -> None:
    store.fail_task(
        service.db,
        held.wish.task_id,
        code=failure.code,
        message=failure.message,
        attempt=held.attempt,
        now_ms=service.now_ms,
    )


def _complete(service: Service, held: Held) -> None:
    response = {
        "object": "response",
        "model": held.wish.model,
        "output": _output(held),
        "usage": {"input_tokens": 24 + len(held.wish.task_id), "output_tokens": len(held.script.tokens)},
    }
    store.complete_task(service.db, held.wish.task_id, response, attempt=held.attempt, now_ms=service.now_ms)


def _output(held: Held) -> list[dict[str, object]]:
    if held.wish.kind == EMBEDDING:
        return [{"type": "embedding", "dimensions": 768}]
    text = {"type": "output_text", "text": "".join(held.script.tokens)}
    return [{"type": "message", "role": "assistant", "content": [text]}]


def _stop(service: Service, held: Held) -> Play:
    held.status = Status.CANCELLING
    yield held.stop_ms
    with suppress(store.Refused):
        # Refused where another attempt has it by now: then the task is not this worker's to end.
        store.finish_cancel(service.db, held.wish.task_id, attempt=held.attempt, now_ms=service.now_ms)
