"""Cancels that race a completion: whoever commits first wins, and the other one is told so (section 11.2)."""

from collections import Counter

from inspector.demo.chance import chance
from inspector.demo.clients import Wish
from inspector.demo.happenings import HappeningKind
from inspector.demo.playing import Play
from inspector.demo.scenarios import RacePlan
from inspector.demo.scripts import script_of
from inspector.demo.service import Held, Service
from inspector.lmsp.cancelling import CancelOutcome
from inspector.lmsp.statuses import Status
from inspector.store import CancelResult

CLIENT = "home-assistant"
"""Its answers are short, so that a try is over in a few seconds."""

_BETWEEN_MS = 1_200
_AFTERWARDS_MS = 9_000.0
_LOOK_EVERY_MS = 40


class Race:
    """The tries of a race, one after another; in half of them the cancel comes first, in the others the completion."""

    def __init__(self, service: Service, plan: RacePlan) -> None:
        self._service = service
        self._plan = plan
        self._task_id = ""
        self._cancel_first = True
        self._gap_ms = 0.0
        self._results: list[CancelResult] = []

    def run(self) -> Play:
        """Run all tries and report each, then how many each side has won; after that, ask for plain work for ever."""
        service, tries = self._service, self._plan.tries
        rng = chance(service.staging.seed, "race", service.life)
        cancels_first = [number % 2 == 0 for number in range(tries)]
        rng.shuffle(cancels_first)
        service.ended = self._ended
        for number, cancel_first in enumerate(cancels_first, start=1):
            yield _BETWEEN_MS
            self._cancel_first, self._gap_ms = cancel_first, rng.uniform(1, self._plan.within_ms)
            wish = _plain_wish(service)
            self._task_id = wish.task_id
            service.submit(wish)
            while len(self._results) < number or self._task_id in service.held:
                yield _LOOK_EVERY_MS
            self._tell_try(number, self._results[-1])
        outcomes = Counter(result.outcome for result in self._results)
        cancelled, completed = outcomes[CancelOutcome.CANCELLING], outcomes[CancelOutcome.ALREADY_FINISHED]
        sentence = f"The cancel won {cancelled} of {tries} tries, the completion {completed}."
        service.tell(HappeningKind.RACES_OVER, sentence, cancelled=cancelled, completed=completed)
        self._task_id = ""
        while True:
            # The races are over; the service goes on with plain work.
            yield _AFTERWARDS_MS
            service.submit(_plain_wish(service))

    def _ended(self, held: Held) -> float:
        """Set off both when the worker has its last token: one at once, and the other one after the gap."""
        if held.wish.task_id != self._task_id:
            return 0.0
        self._service.loop.start(self._cancel(), after_ms=0 if self._cancel_first else self._gap_ms)
        return self._gap_ms if self._cancel_first else 0.0

    def _cancel(self) -> Play:
        self._results.append(self._service.cancel(self._task_id))
        yield 0

    def _tell_try(self, number: int, result: CancelResult) -> None:
        gap = f"{self._gap_ms:.0f} ms"
        if result.status == Status.CANCELLING:
            how = f"the cancel came {gap} before the completion, which was refused"
        else:
            how = f"the cancel came {gap} after the completion, and wrote nothing"
        self._service.tell(
            HappeningKind.RACED,
            f"Try {number} of {self._plan.tries}: {how}.",
            number=number,
            task_id=result.task_id,
            outcome=result.outcome,
            status=result.status,
            gap_ms=round(self._gap_ms, 3),
        )


def _plain_wish(service: Service) -> Wish:
    def fits(wish: Wish) -> bool:
        return wish.client_id == CLIENT and script_of(service.staging.seed, wish, attempt=1).is_plain

    return service.next_wish("race", fits)
