"""Sets the scene for a crash, so that the recovery preview afterwards has something to tell in each of its rows."""

from collections import Counter

from inspector.demo.clients import Wish
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

_CHOICES = 5


def set_scenes(service: Service, plan: CrashPlan, after_s: float) -> Play:
    """Let the wanted mix run ``after_s`` seconds from now, and stand still to be killed; again later, if nobody did."""
    while True:
        # The clients stop sending for the second half: from then on what comes in is for the scene.
        yield after_s * 500
        service.clients_wait = True
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
        service.clients_wait = False
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
    resumable = [each for each in running if each.has_snapshot and each.wish.on_restart is Policy.RESUME]
    if {each.wish.on_restart for each in running} != set(Policy) or not resumable:
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
    counts = Counter(each.wish.on_restart for each in held)
    return min(Policy, key=lambda policy: counts[policy])


def _cancel_one(service: Service, running: list[Held], resumable: list[Held]) -> None:
    """Cancel a running task whose policy others have too, and let its worker be slow to stop."""
    counts = Counter(each.wish.on_restart for each in running)
    for each in running:
        if counts[each.wish.on_restart] > 1 and resumable != [each]:
            service.cancel(each.wish.task_id)
            each.stop_ms = STOP_MS
            return


def _submit(service: Service, policy: Policy, *, cold: bool = False) -> None:
    """Submit a long task to which nothing special happens; ``cold`` for one that has to load its model."""

    def fits(wish: Wish) -> bool:
        if wish.on_restart is not policy:
            return False
        script = script_of(service.staging.seed, wish, attempt=1)
        return script.is_plain and len(script.tokens) >= LEAST_TOKENS

    wish = service.next_wish("scene", fits)
    if cold:
        # Rather a model that nobody uses now.
        users = Counter(held.wish.model for held in service.held.values())
        others = (service.next_wish("scene", fits) for _ in range(_CHOICES))
        wish = min((wish, *others), key=lambda wish: users[wish.model])
        service.put_out(wish.model)
    service.submit(wish)
