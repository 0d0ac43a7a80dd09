"""The Models view on a session: the rows, the state of each file, and the verification of digests."""

from collections.abc import Callable
from pathlib import Path

from inspector.desktop.digests.view import ModelsView
from inspector.desktop.session.file_checks import FileChecks
from inspector.desktop.session.latest_only import OneAtATime
from inspector.desktop.session.session import Session
from inspector.desktop.widgets.words import byte_size, counted
from inspector.desktop.wiring.first_read import FirstRead
from inspector.layout.opened import Opened
from inspector.layout.pages import ModelPage
from inspector.reading.requests import ModelsRequest


class ModelsWiring:
    """Asks for the models while the view is on screen; looks at files cheaply by itself, and hashes them when told."""

    def __init__(
        self,
        view: ModelsView,
        session: Session,
        checks: FileChecks,
        told: Callable[[ModelPage], None],
        damaged: Callable[[str], None],
        said: Callable[[], None],
    ) -> None:
        """Show the models in ``view``; ``told`` hears of them too while they are on screen.

        ``damaged`` hears what of them cannot be read: a sentence, or an empty text. ``said`` is called when
        :meth:`summary` says something else.
        """
        self._said = said
        self._view = view
        self._session = session
        self._checks = checks
        self._pages = OneAtATime()
        self._on_screen = False
        self._page: ModelPage | None = None
        self._told = told
        self._damaged = damaged
        self._first = FirstRead(session, view.show_unread)
        session.opened.connect(self._on_opened)
        session.moved.connect(self._update)
        if session.how is not None:
            self._on_opened(session.how)
        view.verify_requested.connect(self._on_verify_requested)
        view.stop_requested.connect(checks.stop)
        checks.states_changed.connect(view.show_file_states)
        checks.progressed.connect(view.show_progress)
        checks.ended.connect(view.verifying_ended)

    def set_on_screen(self, on_screen: bool) -> None:
        """Say whether the view can be seen."""
        self._on_screen = on_screen
        if on_screen:
            self._update()

    def forget(self) -> None:
        """Leave nothing of the file that was open, neither here nor in the view."""
        self._pages.forget()
        self._first.forget()
        self._page = None
        self._view.clear()
        self._said()

    def summary(self) -> str:
        """Return what the models come to, for the status bar."""
        if self._page is None:
            return ""
        size = sum(model.size_bytes or 0 for model in self._page.models)
        return f"{counted(len(self._page.models), 'model')}, {byte_size(size)}"

    def _on_opened(self, how: Opened) -> None:
        self._checks.set_database(Path(how.path))
        self._update()

    def _update(self, _message: object = None) -> None:
        if self._on_screen:
            self._session.spawn(self._show_models())

    async def _show_models(self) -> None:
        def show(page: ModelPage) -> None:
            self._first.take()
            self._page = page
            self._told(page)
            self._damaged(page.damage)
            self._view.show_models(page)
            self._said()
            if self._on_screen:
                # Not before they are wanted: a path from a database may lie on a disk that is asleep.
                self._checks.look_at(page.models)

        await self._first.awaited(self._pages.refresh(lambda: self._session.ask_in_background(ModelsRequest()), show))

    def _on_verify_requested(self, model_ids: tuple[str, ...]) -> None:
        if self._page is not None:
            wanted = set(model_ids)
            self._checks.verify(tuple(model for model in self._page.models if model.id in wanted))
