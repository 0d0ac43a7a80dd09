"""A process of its own that uses the store: reads a JSON list of tasks, waits for the start, answers with a JSON list.

Run as ``python -m tests.support.store_racer PATH RULE``; RULE is one of ``RULES``.
"""

import json
import sys
from collections.abc import Callable
from functools import partial
from typing import Final
from unittest.mock import patch

from sqlite_utils import Database

from inspector.store import recovery
from tests.support.subject import store


def _told(call: Callable[[], object]) -> str:
    try:
        return str(call())
    except store.Refused as refused:
        return f"refused, found {refused.found}"


def _cancel(db: Database, task_id: str) -> str:
    return str(store.cancel_task(db, task_id, now_ms=500).outcome)


def _complete(db: Database, task_id: str) -> str:
    return _told(lambda: store.complete_task(db, task_id, {}, attempt=1, now_ms=500).status)


def _fail(db: Database, task_id: str) -> str:
    return _told(lambda: store.fail_task(db, task_id, code="c", message="m", attempt=1, now_ms=500).status)


def _finish_cancel(db: Database, task_id: str) -> str:
    return _told(lambda: store.finish_cancel(db, task_id, attempt=1, now_ms=500).status)


def _claim(db: Database, task_id: str) -> str:
    return _told(lambda: store.start_task(db, task_id, status="loading", attempt=1, now_ms=500).status)


def _claim_warm(db: Database, task_id: str) -> str:
    return _told(lambda: store.start_task(db, task_id, status="running", attempt=1, now_ms=500, warm=True).status)


def _claim_next(db: Database, _: str) -> str:
    task = store.claim_next_task(db, now_ms=500)
    return "none" if task is None else task.id


def _accept_with_key(db: Database, key: str, word: str) -> str:
    try:
        accepted = store.accept_task(
            db, request={"word": word}, on_restart="retry", client_id="c", idempotency_key=key, now_ms=1
        )
    except store.Refused as refused:
        return f"{refused.task_id} refused"
    return f"{accepted.task.id} {'replayed' if accepted.replayed else 'accepted'}"


def _authenticate(db: Database, asked: str) -> str:
    client_id, token = asked.split()
    try:
        client = store.authenticate(db, token, now_ms=500)
    except store.Refused:
        return "refused"
    return "known" if client.id == client_id else f"known as {client.id}"


def _register(db: Database, path: str) -> str:
    return store.register_model(db, path, name="Llama", now_ms=500).id


def _revoke(db: Database, asked: str) -> str:
    return f"revoked at {store.revoke_client(db, asked.split()[0], now_ms=500).revoked_at}"


def _recover(db: Database, _: str) -> str:
    """Recover in batches of a few tasks, so that the others get in between, and tell what was moved."""
    with patch.object(recovery, "BATCH_TASKS", 3):
        applied = store.apply_recovery(db, store.plan_recovery(db), now_ms=500).applied
    return json.dumps([[step.task_id, step.found, step.target] for step in applied.steps if step.event])


def _append(db: Database, task_id: str) -> str:
    events = [("response.output_text.delta", {"n": n}) for n in range(3)]
    return _told(lambda: len(store.append_events(db, task_id, events, attempt=1, now_ms=500).seqs))


RULES: Final[dict[str, Callable[[Database, str], str]]] = {
    "accept once": partial(_accept_with_key, word="same"),
    "accept red": partial(_accept_with_key, word="red"),
    "accept green": partial(_accept_with_key, word="green"),
    "accept blue": partial(_accept_with_key, word="blue"),
    "append": _append,
    "authenticate": _authenticate,
    "cancel": _cancel,
    "claim": _claim,
    "claim next": _claim_next,
    "claim warm": _claim_warm,
    "complete": _complete,
    "fail": _fail,
    "finish cancel": _finish_cancel,
    "recover": _recover,
    "register": _register,
    "revoke": _revoke,
}


def _accept(path: str, task_ids: list[str]) -> list[str]:
    db = store.open_service_database(path)
    answers = [
        store.accept_task(db, request={}, on_restart="retry", task_id=task_id, now_ms=1).task.id for task_id in task_ids
    ]
    db.close()
    return answers


def _main(path: str, rule: str) -> None:
    task_ids = json.loads(sys.stdin.readline())
    db = None if rule == "create" else store.open_service_database(path, wait_ms=30_000)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    if db is None:
        answers = _accept(path, task_ids)
    else:
        answers = [RULES[rule](db, task_id) for task_id in task_ids]
        db.close()
    sys.stdout.write(json.dumps(answers) + "\n")


if __name__ == "__main__":
    _main(*sys.argv[1:])
