"""Histories that nobody thought of: any order of the store's functions, against a model in plain Python."""

import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule

from inspector.lmsp.cancelling import cancel_target
from inspector.lmsp.recovery import Policy, recovery_event, recovery_target
from inspector.lmsp.statuses import FINAL, Status
from tests.support.store_invariants import broken_invariants
from tests.support.subject import store


@dataclass
class Task:
    """What the model knows of one task."""

    created: int
    policy: Policy
    request: int
    status: Status = Status.QUEUED
    attempt: int = 1
    events: int = 1
    updated: int = field(init=False)
    finished: int | None = None
    response_ends: int | None = None
    """When its response expires; None for never, where it has one."""
    response_is_there: bool = False

    def __post_init__(self) -> None:
        self.updated = self.created

    def at(self, now: int) -> int:
        """Return the moment of a write: clocks step back, a task does not."""
        self.updated = max(now, self.updated)
        return self.updated

    def move(self, to: Status, now: int, events: int = 1) -> None:
        """Move it, with its events."""
        self.status = to
        self.events += events
        at = self.at(now)
        if to in FINAL and self.finished is None:
            self.finished = at


@dataclass
class Key:
    """What the model knows of one idempotency key."""

    task_id: str
    request: int
    ends: int | None


class Histories(RuleBasedStateMachine):
    """What each call should say and leave, told from the model alone."""

    tasks = Bundle("tasks")
    tokens = Bundle("tokens")

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "service.db"
        self.db = store.open_service_database(self.path)
        self.now_ms = 1000
        self.accepted = 0
        self.model: dict[str, Task] = {}
        self.keys: dict[tuple[str, str], Key] = {}
        self.clients: dict[str, bool] = {}
        """Each token's client, and whether it was revoked."""

    def teardown(self) -> None:
        self.db.close()
        self.folder.cleanup()
        super().teardown()

    @rule(step=st.sampled_from([-50, 1, 99, 100, 101, 200, 300, 500, 1001]))
    def time_passes(self, step: int) -> None:
        self.now_ms += step

    def new_id(self) -> str:
        self.accepted += 1
        return f"t{self.accepted:03}"

    @rule(target=tasks, policy=st.sampled_from(Policy))
    def accept(self, policy: Policy) -> str:
        task_id = self.new_id()
        accepted = store.accept_task(self.db, request={"n": 0}, on_restart=policy, task_id=task_id, now_ms=self.now_ms)
        assert (accepted.task.id, accepted.task.status, accepted.replayed) == (task_id, "queued", False)
        self.model[task_id] = Task(self.now_ms, policy, 0)
        return task_id

    @rule(
        target=tasks,
        client=st.sampled_from([None, "c"]),
        key=st.sampled_from(["k", "l"]),
        request=st.sampled_from([0, 0, 1]),
        keep=st.sampled_from([None, 300]),
    )
    def accept_with_a_key(self, client: str | None, key: str, request: int, keep: int | None) -> str:
        task_id = self.new_id()
        first = self.keys.get((client or "", key))
        if first is not None and first.ends is not None and first.ends <= self.now_ms:
            first = None

        def accept() -> store.Accepted:
            return store.accept_task(
                self.db,
                request={"n": request},
                on_restart="retry",
                client_id=client,
                task_id=task_id,
                idempotency_key=key,
                keep_key_ms=keep,
                now_ms=self.now_ms,
            )

        if first is not None and first.request != request:
            with pytest.raises(store.Refused) as refused:
                accept()
            assert (refused.value.task_id, refused.value.found) == (first.task_id, self.model[first.task_id].status)
            return first.task_id
        accepted = accept()
        assert accepted.replayed is (first is not None)
        assert (accepted.task.status, accepted.task.attempt, accepted.task.last_seq) == ("queued", 1, 1)
        if first is not None:
            assert accepted.task.id == first.task_id
            assert accepted.task.created_at == self.model[first.task_id].created
            return first.task_id
        assert accepted.task.id == task_id
        self.model[task_id] = Task(self.now_ms, Policy.RETRY, request)
        self.keys[client or "", key] = Key(task_id, request, None if keep is None else self.now_ms + keep)
        return task_id

    def expect(
        self,
        task_id: str,
        off: int,
        allowed: dict[Status, Status],
        events: int,
        call: Callable[[int], store.Written],
    ) -> bool:
        """Check that the call is taken exactly where ``allowed`` has the status and the attempt is the task's own."""
        task = self.model.get(task_id)
        if task is None:
            with pytest.raises(store.Refused) as refused:
                call(1 + off)
            assert refused.value.found is None
            return False
        before = task.status
        if off or before not in allowed:
            with pytest.raises(store.Refused) as refused:
                call(task.attempt + off)
            assert (refused.value.task_id, refused.value.found) == (task_id, before)
            return False
        seqs = tuple(range(task.events + 1, task.events + 1 + events))
        assert call(task.attempt) == store.Written(task_id, seqs, allowed[before], task.attempt)
        task.move(allowed[before], self.now_ms, events)
        return True

    attempts = st.sampled_from([0, 0, 0, 0, -1, 1])

    @rule(task_id=tasks, off=attempts, status=st.sampled_from(["loading", "running"]), warm=st.booleans())
    def start(self, task_id: str, off: int, status: Any, warm: bool) -> None:  # noqa: ANN401
        allowed = {Status.QUEUED: Status.LOADING}
        if status == "running":
            allowed = {Status.QUEUED if warm else Status.LOADING: Status.RUNNING}
        self.expect(
            task_id,
            off,
            allowed,
            1,
            lambda n: store.start_task(self.db, task_id, status=status, attempt=n, now_ms=self.now_ms, warm=warm),
        )

    @rule(warm=st.booleans())
    def claim(self, warm: bool) -> None:
        queued = sorted((task.created, task_id) for task_id, task in self.model.items() if task.status == "queued")
        next_task = store.next_queued_task(self.db)
        claimed = store.claim_next_task(self.db, now_ms=self.now_ms, warm=warm)
        if not queued:
            assert (next_task, claimed) == (None, None)
            return
        task = self.model[queued[0][1]]
        task.move(Status.RUNNING if warm else Status.LOADING, self.now_ms)
        assert next_task is not None
        assert claimed is not None
        assert next_task.id == claimed.id == queued[0][1]
        assert (claimed.status, claimed.attempt, claimed.last_seq) == (task.status, task.attempt, task.events)
        assert claimed == store.find_task(self.db, claimed.id)

    @rule(task_id=tasks, off=attempts, number=st.integers(0, 3))
    def append(self, task_id: str, off: int, number: int) -> None:
        events = [("response.output_text.delta", {"n": n}) for n in range(number)]
        task = self.model.get(task_id)
        before = task.updated if task else 0
        held = (Status.LOADING, Status.RUNNING, Status.CANCELLING)
        self.expect(
            task_id,
            off,
            {status: status for status in held},
            number,
            lambda n: store.append_events(self.db, task_id, events, attempt=n, now_ms=self.now_ms),
        )
        if task and not number:
            task.updated = before

    @rule(task_id=tasks, off=attempts)
    def snapshot(self, task_id: str, off: int) -> None:
        self.expect(
            task_id,
            off,
            {Status.RUNNING: Status.RUNNING},
            0,
            lambda n: store.save_snapshot(self.db, task_id, {"n": 1}, attempt=n, now_ms=self.now_ms),
        )

    @rule(task_id=tasks, off=attempts, keep=st.sampled_from([None, 200]))
    def complete(self, task_id: str, off: int, keep: int | None) -> None:
        taken = self.expect(
            task_id,
            off,
            {Status.RUNNING: Status.COMPLETED},
            1,
            lambda n: store.complete_task(
                self.db, task_id, {"of": task_id}, attempt=n, now_ms=self.now_ms, keep_response_ms=keep
            ),
        )
        if taken:
            self.model[task_id].response_is_there = True
        if taken and keep is not None:
            self.model[task_id].response_ends = self.model[task_id].updated + keep

    @rule(task_id=tasks)
    def work_off(self, task_id: str) -> None:
        """Start and complete a task at once: step by step few tasks would come to a response that expires."""
        self.start(task_id, 0, "running", warm=True)
        self.complete(task_id, 0, 200)

    @rule(steps=st.sampled_from([200, 300]))
    def clean_up_later(self, steps: int) -> None:
        self.time_passes(steps)
        self.clean_up(1000)

    @rule(task_id=tasks, off=attempts)
    def fail(self, task_id: str, off: int) -> None:
        allowed = dict.fromkeys((Status.QUEUED, Status.LOADING, Status.RUNNING), Status.FAILED)
        self.expect(
            task_id,
            off,
            {**allowed, Status.CANCELLING: Status.CANCELLED},
            1,
            lambda n: store.fail_task(self.db, task_id, code="c", message="m", attempt=n, now_ms=self.now_ms),
        )

    @rule(task_id=tasks, off=attempts)
    def finish_cancel(self, task_id: str, off: int) -> None:
        self.expect(
            task_id,
            off,
            {Status.CANCELLING: Status.CANCELLED},
            1,
            lambda n: store.finish_cancel(self.db, task_id, attempt=n, now_ms=self.now_ms),
        )

    @rule(task_id=tasks, in_file=st.booleans())
    def cancel(self, task_id: str, in_file: bool) -> None:
        if in_file:
            result = store.cancel_in_file(self.path, task_id, now_ms=self.now_ms)
        else:
            result = store.cancel_task(self.db, task_id, now_ms=self.now_ms)
        task = self.model.get(task_id)
        if task is None:
            assert (result.outcome, result.status) == ("not_found", None)
            return
        outcome, target = cancel_target(task.status)
        if target is not None:
            task.move(target, self.now_ms)
            assert result.seq == task.events
        assert (result.outcome, result.status) == (outcome, task.status)

    @rule()
    def the_service_restarts(self) -> None:
        self.db.close()
        self.db = store.open_service_database(self.path)
        plan = store.plan_recovery(self.db)
        result = store.apply_recovery(self.db, plan, now_ms=self.now_ms)
        assert result.applied == plan
        assert {step.task_id for step in plan.steps} == {i for i, t in self.model.items() if t.status not in FINAL}
        for step in plan.steps:
            task = self.model[step.task_id]
            target = recovery_target(task.status, task.policy)
            event = recovery_event(task.status, target)
            if event is not None:
                task.move(target, self.now_ms)
            task.attempt += event in ("response.queued", "response.resumed")

    @rule(keep=st.sampled_from([0, 100, 1000]))
    def clean_up(self, keep: int) -> None:
        plan = store.plan_retention(self.db, keep_ms=keep, now_ms=self.now_ms)
        result = store.apply_retention(self.db, plan, now_ms=self.now_ms, pause=lambda _: None)
        old = {i for i, t in self.model.items() if t.finished is not None and t.finished < self.now_ms - keep}
        self.keys = {at: key for at, key in self.keys.items() if key.task_id not in old}
        events = sum(self.model.pop(task_id).events for task_id in old)
        expired = [at for at, key in self.keys.items() if key.ends is not None and key.ends <= self.now_ms]
        for at in expired:
            del self.keys[at]
        overdue = [
            task
            for task in self.model.values()
            if task.response_is_there and task.response_ends is not None and task.response_ends <= self.now_ms
        ]
        for task in overdue:
            task.response_is_there = False
        assert (result.tasks, result.events, result.expired_keys) == (len(old), events, len(expired))
        assert (plan.expired_responses, result.expired_responses) == (len(overdue), len(overdue))
        assert (plan.tasks, plan.events) == (len(old), events)
        unfinished = sum(task.status not in FINAL for task in self.model.values())
        assert plan.kept_unfinished == unfinished

    @rule(target=tokens, scopes=st.sets(st.sampled_from(["tasks:read", "tasks:write"])))
    def pair(self, scopes: set[str]) -> str:
        paired = store.pair_client(self.db, name="c", scopes=sorted(scopes), now_ms=self.now_ms)
        self.clients[paired.token] = False
        for scope in ("tasks:read", "tasks:write"):
            with suppress(store.Refused):
                store.require_scope(paired.client, scope)
                assert scope in scopes
        return paired.token

    @rule(token=tokens)
    def authenticate(self, token: str) -> None:
        if self.clients[token]:
            with pytest.raises(store.Refused):
                store.authenticate(self.db, token, now_ms=self.now_ms)
        else:
            client = store.authenticate(self.db, token, now_ms=self.now_ms)
            assert client.revoked_at is None

    @rule(token=consumes(tokens))
    def revoke(self, token: str) -> None:
        if not self.clients[token]:
            client = store.authenticate(self.db, token, now_ms=self.now_ms)
            assert store.revoke_client(self.db, client.id, now_ms=self.now_ms).revoked_at is not None
            self.clients[token] = True
        with pytest.raises(store.Refused):
            store.authenticate(self.db, token, now_ms=self.now_ms)

    @invariant()
    def the_database_is_as_the_model_says(self) -> None:
        rows = self.db.conn.execute(
            "SELECT id, status, attempt, last_seq, created_at, updated_at, finished_at FROM tasks"
        ).fetchall()
        assert {row[0]: row[1:] for row in rows} == {
            task_id: (task.status, task.attempt, task.events, task.created, task.updated, task.finished)
            for task_id, task in self.model.items()
        }
        responses = self.db.conn.execute("SELECT task_id FROM responses").fetchall()
        assert {row[0] for row in responses} == {i for i, task in self.model.items() if task.response_is_there}
        keys = self.db.conn.execute("SELECT client_id, key, task_id, expires_at FROM idempotency_keys").fetchall()
        assert {row[:2]: row[2:] for row in keys} == {at: (key.task_id, key.ends) for at, key in self.keys.items()}

    @invariant()
    def every_response_is_there_until_it_expires(self) -> None:
        for task_id, task in self.model.items():
            response = store.stored_response(self.db, task_id, now_ms=self.now_ms)
            expired = task.response_ends is not None and task.response_ends <= self.now_ms
            if task.status is not Status.COMPLETED or expired:
                assert response is None
            elif task.response_ends is None:
                assert response is not None
                assert task_id in response.body.text

    @invariant()
    def every_invariant_holds_and_nothing_is_open(self) -> None:
        assert broken_invariants(self.db.conn) == []
        assert not self.db.conn.in_transaction


TestHistories = Histories.TestCase
TestHistories.settings = settings(max_examples=40, stateful_step_count=50, deadline=None)
