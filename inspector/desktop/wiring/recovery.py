"""The Recovery view on a session: the plan, made anew whenever an unfinished task moved."""

from collections.abc import Callable

from inspector.desktop.recovery.view import RecoveryView
from inspector.desktop.session.latest_only import OneAtATime
from inspector.desktop.session.session import Session
from inspector.desktop.widgets.words import counted, grouped
from inspector.layout.pages import Leftovers
from inspector.lmsp.recovery import RecoveryPlan, plan_recovery
from inspector.reading.requests import LeftoversRequest


class RecoveryWiring:
    """Shows the plan that the store would apply: the same function, on rows that the reader read.

    It asks only while the view is on screen, and once more when the view comes back.
    """

    def __init__(self, view: RecoveryView, session: Session, damaged: Callable[[str], None]) -> None:
        """Keep ``view`` on the session; ``damaged`` hears what of the leftovers cannot be read."""
        self._damaged = damaged
        self._view = view
        self._session = session
        self._leftovers = OneAtATime()
        self._on_screen = False
        self._plan: RecoveryPlan | None = None
        session.opened.connect(self._update)
        session.moved.connect(self._update)

    def set_on_screen(self, on_screen: bool) -> None:
        """Say whether the view can be seen."""
        self._on_screen = on_screen
        if on_screen:
            self._update()

    def summary(self) -> str:
        """Return what the plan on screen comes to, for the status bar."""
        if self._plan is None:
            return ""
        moves = sum(step.event is not None for step in self._plan.steps)
        stays = len(self._plan.steps) - moves
        return f"{counted(len(self._plan.steps), 'leftover task')}: {grouped(moves)} would move, {grouped(stays)} stay"

    def _update(self, _message: object = None) -> None:
        if self._on_screen:
            self._session.spawn(self._show_plan())

    async def _show_plan(self) -> None:
        def show(leftovers: Leftovers) -> None:
            self._damaged(leftovers.damage)
            self._plan = plan_recovery(leftovers.tasks)
            self._view.show_plan(self._plan, self._session.read_at_ms or 0)

        await self._leftovers.refresh(lambda: self._session.ask(LeftoversRequest()), show)
