"""What holds of a task's row, of the row against its log, and of what belongs to the task."""

import json
from collections.abc import Iterator
from typing import Final

from inspector.checks.rule import quoted
from inspector.checks.values import Ended, Model, Owned, Restarted, Task
from inspector.lmsp.digests import is_digest
from inspector.lmsp.events import EventType
from inspector.lmsp.recovery import SERVER_RESTARTED, effective_policy, recovery_target
from inspector.lmsp.statuses import FINAL, Status, known_status

_CLAIMED: Final = frozenset({Status.LOADING, Status.RUNNING, Status.CANCELLING, Status.COMPLETED})
"""What a task becomes only by way of a worker."""


def status_is_known(task: Task) -> Iterator[str]:
    """The status is one of the seven."""
    if known_status(task.status) is None:
        yield f"Its status is {quoted(task.status)}, which is none of the seven."


def failures_have_their_code(task: Task) -> Iterator[str]:
    """A failed task has an error code, and no other has."""
    if task.status == Status.FAILED and not task.error_code:
        yield "It failed, and has no error code."
    if task.status != Status.FAILED and task.error_code is not None and known_status(task.status) is not None:
        yield f"It is {task.status}, and has the error code {quoted(task.error_code)}."


def finished_at_fits_the_status(task: Task) -> Iterator[str]:
    """``finished_at`` is set exactly in final states."""
    status = known_status(task.status)
    if status in FINAL and task.finished_at is None:
        yield f"It is {task.status}, and has no finished_at."
    if status is not None and status not in FINAL and task.finished_at is not None:
        yield f"It is {task.status}, and has a finished_at ({task.finished_at})."


def times_are_in_order(task: Task) -> Iterator[str]:
    """Created, started, finished, in this order; updated no earlier than any of them."""
    times = [
        ("created_at", task.created_at),
        ("started_at", task.started_at),
        ("finished_at", task.finished_at),
        ("updated_at", task.updated_at),
    ]
    known = [(name, at) for name, at in times if at is not None]
    for number, (later, later_at) in enumerate(known):
        for earlier, earlier_at in known[:number]:
            if later_at < earlier_at:
                yield f"Its {later} ({later_at}) is before its {earlier} ({earlier_at})."


def snapshot_fits(task: Task) -> Iterator[str]:
    """A snapshot has the number of the event that it stands at, which the log has reached."""
    if task.has_snapshot and task.snapshot_seq is None:
        yield "It has a snapshot that stands at no event."
    elif not task.has_snapshot and task.snapshot_seq is not None:
        yield f"It has no snapshot, but a snapshot_seq ({task.snapshot_seq})."
    elif task.snapshot_seq is not None and not 0 <= task.snapshot_seq <= task.last_seq:
        yield f"Its snapshot stands at event {task.snapshot_seq}, and its last event is {task.last_seq}."


def claims_have_a_start(task: Task) -> Iterator[str]:
    """``started_at`` is the moment of a worker's claim, which a queued task has not."""
    if task.status in _CLAIMED and task.started_at is None:
        yield f"It is {task.status}, and has no started_at."
    if task.status == Status.QUEUED and task.started_at is not None:
        yield f"It is queued, and has a started_at ({task.started_at})."


def log_starts_with_created(ended: Ended) -> Iterator[str]:
    """``response.created`` comes with the task."""
    if ended.first is None:
        yield "It has no events."
    elif ended.first.type != EventType.CREATED:
        yield f"Its first event is {quoted(ended.first.type)}, not {EventType.CREATED}."


def last_seq_is_that_of_the_log(ended: Ended) -> Iterator[str]:
    """Sequence numbers of row and log move in one transaction."""
    stands_at = ended.task.last_seq
    goes_to = 0 if ended.last is None else ended.last.seq
    if goes_to > stands_at:
        yield f"Its log goes on to event {goes_to}, but its row stands at {stands_at}: it was not moved with its event."
    elif goes_to < stands_at:
        yield f"Its row stands at event {stands_at}, but its log ends at {goes_to}."


def status_is_that_of_the_log(ended: Ended) -> Iterator[str]:
    """The status of row and log move in one transaction."""
    last = ended.last
    if last is not None and last.status != ended.task.status:
        yield f"It is {quoted(ended.task.status)}, but its last event ({last.seq}) says {quoted(last.status)}."


def final_event_is_the_only_one(ended: Ended) -> Iterator[str]:
    """A finished task has one final event, an unfinished one has none."""
    status = known_status(ended.task.status)
    if status is not None and ended.finals != (status in FINAL):
        yield f"It is {status}, and has {ended.finals:,} final events."


def attempt_is_that_of_the_log(ended: Ended) -> Iterator[str]:
    """The attempt of the row is that of its last event."""
    if ended.last is not None and ended.last.attempt != ended.task.attempt:
        yield (
            f"It is at attempt {ended.task.attempt}, but its last event ({ended.last.seq}) is of "
            f"attempt {ended.last.attempt}."
        )


def times_are_those_of_the_log(ended: Ended) -> Iterator[str]:
    """The row was last changed, and finished, no earlier than its last event; it was created no later than its first.

    Nothing is said of a row that was not moved with its last event: that is told elsewhere.
    """
    task, first, last = ended.task, ended.first, ended.last
    if first is not None and task.created_at > first.created_at:
        yield f"Its created_at ({task.created_at}) is after its first event ({first.created_at})."
    if last is None or last.seq != task.last_seq:
        return
    for name, at in (("updated_at", task.updated_at), ("finished_at", task.finished_at)):
        if at is not None and at < last.created_at:
            yield f"Its {name} ({at}) is before its last event ({last.created_at})."


def code_is_that_of_the_event(ended: Ended) -> Iterator[str]:
    """What its event says of a failure is what its row says; failed at a restart means ``server_restarted``."""
    last = ended.last
    if ended.task.status != Status.FAILED or last is None or last.error is None:
        return
    try:
        data = json.loads(last.error)
    except (ValueError, RecursionError):
        return
    if not isinstance(data, dict):
        return
    code = ended.task.error_code
    error = data.get("error")
    said = error.get("code") if isinstance(error, dict) else None
    if data.get("reason") == SERVER_RESTARTED and code != SERVER_RESTARTED:
        yield f"It failed at a restart, and its error code is {quoted(code)}, not {SERVER_RESTARTED}."
    elif isinstance(said, str) and said != code:
        yield f"Its event {last.seq} says that it failed with {quoted(said)}, its row says {quoted(code)}."


def responses_are_of_completed_tasks(owned: Owned) -> Iterator[str]:
    """A response is stored with the completion. One may be gone again: responses expire."""
    if owned.responses and owned.task.status != Status.COMPLETED:
        yield f"It is {quoted(owned.task.status)}, and has a response."


def task_has_one_response(owned: Owned) -> Iterator[str]:
    """A task has at most one response."""
    if len(owned.responses) > 1:
        yield f"It has {len(owned.responses):,} responses."


def responses_carry_their_task(owned: Owned) -> Iterator[str]:
    """A response names the client and the model of its task, and its status."""
    for response in owned.responses:
        for name, stored, wanted in (
            ("client_id", response.client_id, owned.task.client_id),
            ("model_id", response.model_id, owned.task.model_id),
            ("status", response.status, Status.COMPLETED.value),
        ):
            if stored != wanted:
                yield f"Its response has the {name} {quoted(stored)}, not {quoted(wanted)}."


def task_has_one_key(owned: Owned) -> Iterator[str]:
    """A task was accepted with one idempotency key or none."""
    if len(owned.keys) > 1:
        yield f"It has {len(owned.keys):,} idempotency keys; a task is accepted with one."


def keys_are_of_their_client(owned: Owned) -> Iterator[str]:
    """A key belongs to the client that the task was accepted for."""
    wanted = owned.task.client_id or ""
    for key in owned.keys:
        if key.client_id != wanted:
            yield f"Its idempotency key is of the client {quoted(key.client_id)}, it is of {quoted(wanted)}."


def nothing_is_left_of_a_restart(restarted: Restarted) -> Iterator[str]:
    """What recovery at startup moves is not found unmoved after it (the table of 11.3)."""
    task = restarted.task
    status = known_status(task.status)
    if status is None or status in FINAL or task.updated_at >= restarted.started_at:
        return
    target = recovery_target(status, effective_policy(task.on_restart)[0])
    if target is not status:
        yield (
            f"It is {status} since {task.updated_at}, before the service's last start ({restarted.started_at}), "
            f"which should have made it {target}."
        )


def digests_are_well_formed(model: Model) -> Iterator[str]:
    """A model has a content digest."""
    if model.digest is None or not is_digest(model.digest):
        yield f"Model {quoted(model.id)} has no digest of the form sha256: and 64 hex digits: {quoted(model.digest)}."


def models_have_a_path(model: Model) -> Iterator[str]:
    """A model's file is outside, at a path."""
    if not model.path:
        yield f"Model {quoted(model.id)} has no path."


def models_hold_no_bytes(model: Model) -> Iterator[str]:
    """Model files stay outside the database."""
    for column in model.blobs:
        yield f"Model {quoted(model.id)} has a BLOB in {quoted(column)}: model files stay outside the database."
    for column in model.large:
        yield f"Model {quoted(model.id)} has a text in {quoted(column)} that is too large for metadata."
