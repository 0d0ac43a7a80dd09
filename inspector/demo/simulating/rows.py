"""The rows of a simulated history, table by table."""

import random
from collections.abc import Iterable
from typing import Final

from inspector import __version__
from inspector.demo.model_files import MODELS, DemoModel
from inspector.demo.simulating.asks import Asking
from inspector.demo.simulating.life import COMPLETED, QUEUED, Event, Life
from inspector.demo.simulating.pieces import answer_from
from inspector.demo.simulating.sizes import Size
from inspector.demo.simulating.workers import Lives
from inspector.store.bulk_loading import Rows, Value
from inspector.store.recovery import STARTS_KEPT, STARTS_KEY
from inspector.store.stored_json import to_json

_TASKS: Final = (
    *("id", "client_id", "model_id", "kind", "status", "on_restart", "snapshot_seq", "last_seq", "attempt"),
    *("error_code", "created_at", "started_at", "finished_at", "updated_at", "error_message", "request", "snapshot"),
)
_EVENTS: Final = ("created_at", "task_id", "seq", "type", "status", "attempt", "data")
_RESPONSES: Final = ("id", "task_id", "client_id", "model_id", "status", "body", "created_at", "expires_at")
_KEYS: Final = (
    *("client_id", "key", "request_digest", "task_id", "status_code", "result", "created_at", "expires_at"),
)
_MODELS: Final = ("id", "name", "digest", "size_bytes", "path", "format", "metadata", "added_at")
_CLIENTS: Final = ("id", "name", "token_hash", "scopes", "paired_at", "last_seen_at", "revoked_at")
_CONFIG: Final = ("key", "value", "updated_at")

_MODELS_FOLDER: Final = "/var/lib/lmspd/models"
"""No file is there: a history is of a service that ran elsewhere."""
_BYTES_A_PARAMETER: Final = {"Q4_K_M": 0.6, "Q5_K_M": 0.71, "Q6_K": 0.82, "Q8_0": 1.06, "F16": 2.0}
_DAY_MS: Final = 86_400_000
_KEY_KEPT_MS: Final = _DAY_MS
_RETENTION_MS: Final = 30 * _DAY_MS
_ACCEPTED: Final = 202
_TOKENS_A_PIECE: Final = 36
_SET_UP_MS: Final = 600_000
"""So long before its first task the service was set up."""


def task_rows(lives: Iterable[Life]) -> Rows:
    """Return the rows of ``tasks``."""
    return Rows("tasks", _TASKS, [_task(life) for life in lives])


def event_rows(events: list[Event]) -> Rows:
    """Return the rows of ``task_events``, which get their ids in this order."""
    return Rows("task_events", _EVENTS, events)


def response_rows(lives: Iterable[Life]) -> Rows:
    """Return the rows of ``responses``: of the tasks that were completed."""
    return Rows("responses", _RESPONSES, [_response(life) for life in lives if life.status == COMPLETED])


def key_rows(lives: Iterable[Life], rng: random.Random) -> Rows:
    """Return the rows of ``idempotency_keys``: of the tasks that came with one."""
    return Rows("idempotency_keys", _KEYS, [_key(life, rng) for life in lives if life.asked.has_key])


def model_rows(rng: random.Random, start_ms: int) -> Rows:
    """Return the rows of ``models``, with digests of files that were never there."""
    return Rows("models", _MODELS, [_model(model, rng, start_ms - _SET_UP_MS) for model in MODELS])


def client_rows(asking: Asking, seen: dict[str, int], rng: random.Random, start_ms: int) -> Rows:
    """Return the rows of ``clients``; ``seen`` is when each sent its last request. Their hashes are of no token."""
    paired_ms = start_ms - _SET_UP_MS
    scopes = '["tasks:write","tasks:read","models:read"]'
    rows: list[tuple[Value, ...]] = [
        (client, client, f"{rng.getrandbits(256):064x}", scopes, paired_ms + at * 1_000, seen.get(client), None)
        for at, client in enumerate(asking.clients)
    ]
    gone_ms = start_ms - _SET_UP_MS // 2
    rows.append(("old-laptop", "old-laptop", f"{rng.getrandbits(256):064x}", scopes, paired_ms, gone_ms, gone_ms))
    return Rows("clients", _CLIENTS, rows)


def config_rows(size: Size, seed: int, lives: Lives, rng: random.Random) -> Rows:
    """Return the rows of ``service_config``, with the last starts of the service and what each has recovered."""
    start_ms = lives.all[0].start_ms
    recovered: list[dict[str, int]] = [{}, *(life.recovered for life in lives.all[:-1])]
    starts = [{"at": life.start_ms, "counts": counts} for life, counts in zip(lives.all, recovered, strict=True)]
    values: dict[str, object] = {
        "service.id": f"svc_{rng.getrandbits(64):016x}",
        "service.name": "lmspd (simulated)",
        "service.version": __version__,
        "service.protocol": "LMSP 1.0",
        "limits.workers": size.workers,
        "models.folder": _MODELS_FOLDER,
        "retention.keep_ms": _RETENTION_MS,
        "simulate.tasks": size.tasks,
        "simulate.events": size.events,
        "simulate.seed": seed,
    }
    rows: list[tuple[Value, ...]] = [
        (key, to_json(value, "The value"), start_ms - _SET_UP_MS) for key, value in values.items()
    ]
    rows.append((STARTS_KEY, to_json(starts[-STARTS_KEPT:], "The starts"), lives.all[-1].start_ms))
    return Rows("service_config", _CONFIG, rows)


def _task(life: Life) -> tuple[Value, ...]:
    asked = life.asked
    snapshot = None
    if life.snapshot_seq is not None:
        tokens = life.saved_pieces * _TOKENS_A_PIECE
        text = answer_from(asked.ask.first_piece, life.saved_pieces)
        snapshot = f'{{"output_tokens":{tokens},"model":"{asked.ask.model}","output_text":"{text}"}}'
    return (
        life.task_id,
        asked.client_id,
        asked.ask.model,
        asked.ask.kind,
        life.status,
        asked.policy,
        life.snapshot_seq,
        life.seq,
        life.attempt,
        life.error_code,
        life.created_at,
        life.started_at,
        life.finished_at,
        life.updated_at,
        life.error_message,
        asked.ask.request,
        snapshot,
    )


def _response(life: Life) -> tuple[Value, ...]:
    asked = life.asked
    output = '{"type":"embedding","dimensions":768}'
    if life.pieces:
        text = f'{{"type":"output_text","text":"{answer_from(asked.ask.first_piece, life.pieces)}"}}'
        output = f'{{"type":"message","role":"assistant","content":[{text}]}}'
    usage = f'{{"input_tokens":{len(asked.ask.request) // 4},"output_tokens":{life.pieces * _TOKENS_A_PIECE}}}'
    body = f'{{"object":"response","model":"{asked.ask.model}","output":[{output}],"usage":{usage}}}'
    row = (life.response_id, life.task_id, asked.client_id, asked.ask.model, COMPLETED, body, life.updated_at)
    return *row, life.updated_at + _RETENTION_MS if asked.has_key else None


def _key(life: Life, rng: random.Random) -> tuple[Value, ...]:
    asked = life.asked
    result = f'{{"task_id":"{life.task_id}","status":"{QUEUED}","attempt":1,"last_seq":1}}'
    key = f"{life.created_at:012x}-{rng.getrandbits(64):016x}"
    at = life.created_at
    row = (asked.client_id or "", key, asked.ask.digest, life.task_id, _ACCEPTED, result, at)
    return *row, at + _KEY_KEPT_MS if at % 2 else None


def _model(model: DemoModel, rng: random.Random, added_ms: int) -> tuple[Value, ...]:
    parameters, quantization = model.metadata["parameters"], model.metadata["quantization"]
    size = int(float(str(parameters)) * _BYTES_A_PARAMETER[str(quantization)])
    path = f"{_MODELS_FOLDER}/{model.file_name}"
    digest = f"sha256:{rng.getrandbits(256):064x}"
    metadata = to_json(dict(model.metadata), "The metadata")
    return model.name, model.name, digest, size, path, model.format, metadata, added_ms
