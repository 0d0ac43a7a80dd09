"""The Recovery view on a session: the plan, made anew whenever an unfinished task moved."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from inspector.desktop.recovery.view import RecoveryView
from inspector.desktop.session.latest_only import OneAtATime
from inspector.desktop.session.session import Session
from inspector.desktop.widgets.words import counted, grouped
from inspector.desktop.wiring.first_read import FirstRead
from inspector.layout.pages import Leftovers
from inspector.lmsp.recovery import RecoveryPlan, plan_recovery
from inspector.reading.requests import LeftoversRequest

_MOST_LISTED: Final = 5_000
"""The others are counted: to plan and to list each of many takes the window longer than one turn may last."""


class RecoveryWiring:
    """Shows the plan that the store would apply: the same function, on rows that the reader read.

    It asks only while the view is on screen, and once more when the view comes back.
    """

    def __init__(
        self, view: RecoveryView, session: Session, damaged: Callable[[str], None], said: Callable[[], None]
    ) -> None:
        """Keep ``view`` on the session; ``damaged`` hears what of the leftovers cannot be read.

        ``said`` is called when :meth:`summary` says something else.
        """
        self._damaged = damaged
        self._said = said
        self._view = view
        self._session = session
        self._leftovers = OneAtATime()
        self._on_screen = False
        self._plan: RecoveryPlan | None = None
        self._first = FirstRead(session, view.show_unread)
        session.opened.connect(self._update)
        session.moved.connect(self._update)

    def set_on_screen(self, on_screen: bool) -> None:
        """Say whether the view can be seen."""
        self._on_screen = on_screen
        if on_screen:
            self._update()

    def forget(self) -> None:
        """Leave nothing of the file that was open, neither here nor in the view."""
        self._leftovers.forget()
        self._first.forget()
        self._plan = None
        self._view.clear()
        self._said()

    def summary(self) -> str:
        """Return what the plan on screen comes to, for the status bar."""
        if self._plan is None:
            return ""
        outcomes = self._plan.outcomes()
        moves = sum(many for outcome, many in outcomes.items() if outcome.writes_event)
        stays = outcomes.total() - moves
        return f"{counted(outcomes.total(), 'leftover task')}: {grouped(moves)} would move, {grouped(stays)} stay"

    def _update(self, _message: object = None) -> None:
        if self._on_screen:
            self._session.spawn(self._show_plan())

    async def _show_plan(self) -> None:
        def show(leftovers: Leftovers) -> None:
            self._first.take()
            self._damaged(leftovers.damage)
            self._plan = replace(plan_recovery(leftovers.tasks), more=leftovers.more)
            self._view.show_plan(self._plan, self._session.read_at_ms or 0)
            self._said()

        await self._first.awaited(
            self._leftovers.refresh(lambda: self._session.ask(LeftoversRequest(_MOST_LISTED)), show)
        )
