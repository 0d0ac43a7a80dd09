"""The simulated service: one life of it, from a start to its end or its death."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sqlite_utils import Database

from inspector import store
from inspector.demo.chance import chance
from inspector.demo.clients import Wish, wish_of
from inspector.demo.happenings import Happening, HappeningKind, Report
from inspector.demo.playing import Loop, Play
from inspector.demo.scenarios import Scenario
from inspector.demo.scripts import Script, script_of
from inspector.lmsp.cancelling import CancelOutcome
from inspector.lmsp.statuses import Status

_WARM_MODELS = 5
"""So many models are in memory at once; loading one more puts out the one that was used longest ago."""


@dataclass(frozen=True, slots=True)
class Staging:
    """What is the same in all lives of one demo."""

    path: Path
    """The database."""
    scenario: Scenario
    seed: int
    report: Report


@dataclass(slots=True)
class Held:
    """One task in a worker's hands, as the service remembers it."""

    wish: Wish
    attempt: int
    status: Status
    script: Script
    stop_ms: float
    """What the worker needs to stop once it has seen that the task is being cancelled."""
    tokens_done: int = 0
    has_snapshot: bool = False


class Service:
    """What the clients and workers of one life share: the database, the models in memory, the tasks in hand.

    A worker is hired for a task that came in and leaves when nothing is queued, so nobody has to look again and again.
    """

    def __init__(
        self,
        db: Database,
        staging: Staging,
        loop: Loop,
        work: Callable[["Service"], Play],
        *,
        life: int,
        past: bool,
    ) -> None:
        self.db = db
        self.staging = staging
        self.loop = loop
        self.life = life
        """The number of this life among all that the database has seen; it keeps their task ids apart."""
        self.past = past
        """Whether this plays in the past: then tokens are written in large batches."""
        self.held: dict[str, Held] = {}
        self.clients_wait = False
        """Whether clients send nothing for now: a scene is being set, or the service is about to go down in order."""
        self.waiting = 0
        """About the number of queued tasks; another process may have cancelled some."""
        self.ended: Callable[[Held], float] = _at_once
        """Asked when a worker has all tokens; says how long it waits before it completes the task."""
        self._work = work
        self._workers = 0
        self._resumed: list[Held] = []
        self._warm: list[str] = []
        self._hired = 0
        self._ids: Counter[str] = Counter()

    @property
    def now_ms(self) -> int:
        """The time to write."""
        return int(self.loop.clock.now_ms())

    def tell(self, kind: HappeningKind, sentence: str, **details: object) -> None:
        """Report a happening, now."""
        self.staging.report(Happening(kind, self.now_ms, sentence, details))

    def next_wish(self, actor: str, fits: Callable[[Wish], bool]) -> Wish:
        """Return the next thing that fits for an actor to ask for.

        It is the same for the same seed, life, actor and number of calls, whatever others have asked for meanwhile.
        """
        while True:
            self._ids[actor] += 1
            drawn = chance(self.staging.seed, "id", self.life, actor, self._ids[actor])
            task_id = f"task_{drawn.getrandbits(48):012x}"
            wish = wish_of(self.staging.seed, task_id)
            if fits(wish):
                return wish

    def recover(self) -> None:
        """Do what section 11.3 asks for at startup; the tasks that are resumed are the first in this life."""
        result = store.apply_recovery(self.db, store.plan_recovery(self.db), now_ms=self.now_ms)
        for resumed in result.resumed:
            held = self._hold(resumed.task_id, resumed.attempt, Status.RUNNING)
            held.tokens_done = tokens_in(resumed.snapshot)
            held.has_snapshot = resumed.snapshot is not None
            self._resumed.append(held)
        found = result.applied.counts()
        counts = {status.value: found[status] for status in Status if status in found}
        self.waiting = counts.get(Status.QUEUED, 0)
        self.hire()
        if self.past:
            return
        tasks = sum(counts.values())
        words = ", ".join(f"{number} {status}" for status, number in counts.items())
        sentence = f"{tasks} leftover tasks are now {words}." if tasks else "There were no leftover tasks."
        self.tell(HappeningKind.RECOVERED, sentence, tasks=tasks, **counts)

    def submit(self, wish: Wish) -> None:
        """Accept a task, durably, and see to it that somebody works on it."""
        store.accept_task(
            self.db,
            request=wish.request,
            on_restart=wish.on_restart,
            client_id=wish.client_id,
            model_id=wish.model,
            kind=wish.kind,
            task_id=wish.task_id,
            now_ms=self.now_ms,
        )
        self.waiting += 1
        self.hire()

    def cancel(self, task_id: str) -> store.CancelResult:
        """Cancel a task, as a client asks for it."""
        result = store.cancel_task(self.db, task_id, now_ms=self.now_ms)
        if result.outcome is CancelOutcome.CANCELLED:
            self.waiting -= 1
        elif result.outcome is CancelOutcome.CANCELLING and task_id in self.held:
            self.held[task_id].status = Status.CANCELLING
        return result

    def hire(self) -> None:
        """Let workers begin for what is queued or resumed, as many as there are tasks and as the scenario allows."""
        wanted = len(self._resumed) + self.waiting
        while self._workers < self.staging.scenario.workers and wanted > 0:
            self._workers += 1
            self._hired += 1
            wanted -= 1
            after_ms = chance(self.staging.seed, "hire", self.life, self._hired).uniform(2, 14)
            self.loop.start(self._work(self), after_ms=after_ms)

    def take(self) -> Held | None:
        """Claim the next task for a worker: a resumed one, or the oldest that is queued. None: the worker leaves."""
        if self._resumed:
            held = self._resumed.pop(0)
            self._keep_warm(held.wish.model)
        else:
            claimed = self._claim()
            if claimed is None:
                self._workers -= 1
                self.waiting = 0
                return None
            held = claimed
        self.held[held.wish.task_id] = held
        return held

    def release(self, held: Held) -> None:
        """Take the task out of its worker's hands, unless another attempt has brought it into other hands since."""
        if self.held.get(held.wish.task_id) is held:
            del self.held[held.wish.task_id]

    def loaded(self, held: Held) -> None:
        """Note that the model of this task is in memory now."""
        self._keep_warm(held.wish.model)

    def put_out(self, model: str) -> None:
        """Take a model out of memory: the next task that asks for it has to load it."""
        if model in self._warm:
            self._warm.remove(model)

    def _claim(self) -> Held | None:
        while (task := store.next_queued_task(self.db)) is not None:
            self.waiting = max(0, self.waiting - 1)
            warm = task.model_id in self._warm
            try:
                written = store.start_task(
                    self.db,
                    task.id,
                    status="running" if warm else "loading",
                    attempt=task.attempt,
                    warm=warm,
                    now_ms=self.now_ms,
                )
            except store.Refused:
                # Cancelled by another process since it was looked for: it is not queued any more.
                continue
            held = self._hold(task.id, task.attempt, written.status)
            if warm:
                self._keep_warm(held.wish.model)
            return held
        return None

    def _hold(self, task_id: str, attempt: int, status: Status) -> Held:
        wish = wish_of(self.staging.seed, task_id)
        script = script_of(self.staging.seed, wish, attempt=attempt)
        return Held(wish, attempt, status, script, script.stop_ms)

    def _keep_warm(self, model: str) -> None:
        self.put_out(model)
        self._warm.append(model)
        del self._warm[:-_WARM_MODELS]


def snapshot_of(held: Held) -> dict[str, object]:
    """Return what the task can be continued from."""
    done = held.script.tokens[: held.tokens_done]
    return {"output_tokens": len(done), "output_text": "".join(done), "model": held.wish.model}


def tokens_in(snapshot: object) -> int:
    """Return how many tokens a snapshot covers: none, where it is not one of ours."""
    tokens = snapshot.get("output_tokens") if isinstance(snapshot, dict) else None
    return tokens if isinstance(tokens, int) else 0


def _at_once(_held: Held) -> float:
    return 0.0
