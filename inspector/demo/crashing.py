"""Sets the scene for a crash, so that the recovery preview afterwards has something to tell in each of its rows."""

from collections import Counter
from dataclasses import replace

from inspector.demo.clients import CLIENTS, response_wish
from inspector.demo.happenings import HappeningKind
from inspector.demo.playing import Play
from inspector.demo.scenarios import CrashPlan
from inspector.demo.scripts import script_of
from inspector.demo.service import Held, Service
from inspector.lmsp.recovery import Policy
from inspector.lmsp.statuses import Status

LOOK_EVERY_MS = 120
QUEUED = (Policy.FAIL, Policy.RETRY, Policy.RESUME)
"""What waits in the queue at the end."""

LEAST_TOKENS = 90
"""The shortest answer of a task that is part of a scene: it shall not end before the scene is set."""

STOP_MS = 30_000
"""How long the worker of the cancelled task takes to stop, so that it is still being cancelled at the kill."""

DEATH_WAIT_MS = 10_000
"""How long, in real time, the service stands still for the supervisor to kill it."""

_CLIENT_OF = {Policy.FAIL: "vscode-lmsp", Policy.RETRY: "cli", Policy.RESUME: "notes-desktop"}
_MODELS = sorted({model for client in CLIENTS.values() for model in client.models})


def set_scenes(service: Service, plan: CrashPlan, after_s: float) -> Play:
    """Let the wanted mix run ``after_s`` seconds from now, and stand still to be killed; again later, if nobody did."""
    while True:
        # The clients stop sending for the second half: from then on what comes in is for the scene.
        yield after_s * 500
        service.set_scene = True
        ready_ms = service.loop.clock.now_ms() + after_s * 500 / service.loop.clock.pace
        while _add_what_lacks(service, plan) or service.loop.clock.now_ms() < ready_ms:
            yield LOOK_EVERY_MS
        for policy in QUEUED:
            _submit(service, policy)
        counts = Counter(held.status.value for held in service.held.values())
        counts[Status.QUEUED] = service.waiting
        service.tell(HappeningKind.READY_TO_DIE, "The service waits to be killed.", **counts)
        # Not a play's wait: nothing else may happen between the promise and the kill.
        service.loop.clock.wait(DEATH_WAIT_MS)
        service.set_scene = False
        after_s = plan.again_after_s


def _add_what_lacks(service: Service, plan: CrashPlan) -> bool:
    """Do one thing towards the wanted mix; return whether anything is still lacking.

    The last worker is kept free until the rest is right: a task that loads its model does so for a few seconds only.
    """
    held = list(service.held.values())
    running = [each for each in held if each.status is Status.RUNNING]
    loading = [each for each in held if each.status is Status.LOADING]
    cancelling = len(held) - len(running) - len(loading)
    free = service.staging.scenario.workers - len(held) - service.waiting
    if free > 1:
        _submit(service, _rarest(running + loading))
        return True
    resumable = [each for each in running if each.has_snapshot and each.task.on_restart == Policy.RESUME]
    if {each.task.on_restart for each in running} != set(Policy) or not resumable:
        return True
    if not cancelling:
        _cancel_one(service, running, resumable)
        return True
    if not loading:
        if free == 1:
            _submit(service, _rarest(running), cold=True)
        return True
    return len(running) + len(loading) < plan.tasks


def _rarest(held: list[Held]) -> Policy:
    counts = Counter(each.task.on_restart for each in held)
    return min(Policy, key=lambda policy: counts[policy])


def _cancel_one(service: Service, running: list[Held], resumable: list[Held]) -> None:
    """Cancel a running task whose policy others have too, and let its worker be slow to stop."""
    counts = Counter(each.task.on_restart for each in running)
    for each in running:
        if counts[each.task.on_restart] > 1 and resumable != [each]:
            service.cancel(each.task.id)
            each.stop_ms = STOP_MS
            return


def _submit(service: Service, policy: Policy, *, cold: bool = False) -> None:
    """Submit a long task to which nothing special happens; ``cold`` for one that has to load its model."""
    client_id = _CLIENT_OF[policy]
    users = Counter(held.task.model_id for held in service.held.values())
    model = min(_MODELS, key=lambda name: users[name]) if cold else None
    while True:
        task_id = service.new_task_id()
        wish = response_wish(service.staging.seed, task_id, client_id, model=model)
        script = script_of(service.staging.seed, task_id, wish.kind, client_id, wish.model, attempt=1)
        if script.is_plain and len(script.tokens) >= LEAST_TOKENS:
            break
    if cold:
        service.put_out(wish.model)
    service.submit(replace(wish, on_restart=policy), client_id=client_id, task_id=task_id)
