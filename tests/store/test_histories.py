"""Histories that nobody thought of: any order of rules, on a few tasks, against a model as simple as the table."""

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule

from inspector.lmsp.cancelling import cancel_target
from inspector.lmsp.recovery import Policy, recovery_event, recovery_target
from inspector.lmsp.statuses import FINAL, Status
from tests.support.store_invariants import broken_invariants
from tests.support.subject import store


class Histories(RuleBasedStateMachine):
    """What each call should say and leave, told from the status, the attempt and the number of events alone."""

    tasks = Bundle("tasks")

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "service.db"
        self.db = store.open_service_database(self.path)
        self.now_ms = 1000
        self.status: dict[str, Status] = {}
        self.attempt: dict[str, int] = {}
        self.events: dict[str, int] = {}
        self.policy: dict[str, Policy] = {}

    def teardown(self) -> None:
        self.db.close()
        self.folder.cleanup()
        super().teardown()

    @rule(step=st.integers(-50, 500))
    def time_passes(self, step: int) -> None:
        self.now_ms += step

    @rule(target=tasks, policy=st.sampled_from(Policy))
    def accept(self, policy: Policy) -> str:
        task_id = f"t{len(self.status)}"
        store.accept_task(self.db, request={}, on_restart=policy, task_id=task_id, now_ms=self.now_ms)
        self.status[task_id], self.attempt[task_id], self.events[task_id] = Status.QUEUED, 1, 1
        self.policy[task_id] = policy
        return task_id

    def expect(self, task_id: str, attempt: int, allowed: dict[Status, Status], events: int, call: Any) -> None:  # noqa: ANN401
        """Check that the call is taken exactly where ``allowed`` has the status and the attempt is the task's own."""
        before = self.status[task_id]
        held = self.attempt[task_id]
        if attempt == held and before in allowed:
            written = call(held)
            self.status[task_id] = allowed[before]
            first = self.events[task_id] + 1
            self.events[task_id] += events
            assert written == store.Written(task_id, tuple(range(first, first + events)), allowed[before], held)
        else:
            with pytest.raises(store.Refused) as refused:
                call(attempt)
            assert refused.value.found == before

    attempts = st.sampled_from([0, 0, 0, 0, -1, 1])

    @rule(task_id=tasks, off=attempts, status=st.sampled_from(["loading", "running"]), warm=st.booleans())
    def start(self, task_id: str, off: int, status: Any, warm: bool) -> None:  # noqa: ANN401
        allowed = {Status.QUEUED: Status.LOADING}
        if status == "running":
            allowed = {Status.QUEUED if warm else Status.LOADING: Status.RUNNING}
        self.expect(
            task_id,
            self.attempt[task_id] + off,
            allowed,
            1,
            lambda n: store.start_task(self.db, task_id, status=status, attempt=n, now_ms=self.now_ms, warm=warm),
        )

    @rule(task_id=tasks, off=attempts, number=st.integers(0, 3))
    def append(self, task_id: str, off: int, number: int) -> None:
        held = (Status.LOADING, Status.RUNNING, Status.CANCELLING)
        events = [("response.output_text.delta", {"n": n}) for n in range(number)]
        self.expect(
            task_id,
            self.attempt[task_id] + off,
            {status: status for status in held},
            number,
            lambda n: store.append_events(self.db, task_id, events, attempt=n, now_ms=self.now_ms),
        )

    @rule(task_id=tasks, off=attempts)
    def snapshot(self, task_id: str, off: int) -> None:
        self.expect(
            task_id,
            self.attempt[task_id] + off,
            {Status.RUNNING: Status.RUNNING},
            0,
            lambda n: store.save_snapshot(self.db, task_id, {"n": 1}, attempt=n, now_ms=self.now_ms),
        )

    @rule(task_id=tasks, off=attempts)
    def complete(self, task_id: str, off: int) -> None:
        self.expect(
            task_id,
            self.attempt[task_id] + off,
            {Status.RUNNING: Status.COMPLETED},
            1,
            lambda n: store.complete_task(self.db, task_id, {}, attempt=n, now_ms=self.now_ms),
        )

    @rule(task_id=tasks, off=attempts)
    def fail(self, task_id: str, off: int) -> None:
        allowed = dict.fromkeys((Status.QUEUED, Status.LOADING, Status.RUNNING), Status.FAILED)
        self.expect(
            task_id,
            self.attempt[task_id] + off,
            {**allowed, Status.CANCELLING: Status.CANCELLED},
            1,
            lambda n: store.fail_task(self.db, task_id, code="c", message="m", attempt=n, now_ms=self.now_ms),
        )

    @rule(task_id=tasks, off=attempts)
    def finish_cancel(self, task_id: str, off: int) -> None:
        self.expect(
            task_id,
            self.attempt[task_id] + off,
            {Status.CANCELLING: Status.CANCELLED},
            1,
            lambda n: store.finish_cancel(self.db, task_id, attempt=n, now_ms=self.now_ms),
        )

    @rule(task_id=tasks, in_file=st.booleans())
    def cancel(self, task_id: str, in_file: bool) -> None:
        outcome, target = cancel_target(self.status[task_id])
        if in_file:
            result = store.cancel_in_file(self.path, task_id, now_ms=self.now_ms)
        else:
            result = store.cancel_task(self.db, task_id, now_ms=self.now_ms)
        if target is not None:
            self.status[task_id] = target
            self.events[task_id] += 1
            assert result.seq == self.events[task_id]
        assert (result.outcome, result.status) == (outcome, self.status[task_id])

    @rule()
    def the_service_restarts(self) -> None:
        self.db.close()
        self.db = store.open_service_database(self.path)
        plan = store.plan_recovery(self.db)
        result = store.apply_recovery(self.db, plan, now_ms=self.now_ms)
        assert result.applied == plan
        assert {step.task_id for step in plan.steps} == {i for i, s in self.status.items() if s not in FINAL}
        for step in plan.steps:
            found = self.status[step.task_id]
            target = recovery_target(found, self.policy[step.task_id])
            event = recovery_event(found, target)
            self.status[step.task_id] = target
            self.events[step.task_id] += event is not None
            self.attempt[step.task_id] += event in ("response.queued", "response.resumed")

    @invariant()
    def the_database_is_as_the_model_says(self) -> None:
        rows = self.db.conn.execute("SELECT id, status, attempt, last_seq FROM tasks").fetchall()
        assert {row[0]: row[1:] for row in rows} == {
            task_id: (self.status[task_id], self.attempt[task_id], self.events[task_id]) for task_id in self.status
        }

    @invariant()
    def every_invariant_holds_and_nothing_is_open(self) -> None:
        assert broken_invariants(self.db.conn) == []
        assert not self.db.conn.in_transaction


TestHistories = Histories.TestCase
TestHistories.settings = settings(max_examples=25, stateful_step_count=40, deadline=None)
