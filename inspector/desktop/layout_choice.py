"""What the menu of layouts does: the open file is opened again with a layout, or the one that it has is saved."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from inspector.desktop.actions.open_with_layout import OpenWithLayoutAction
from inspector.desktop.actions.save_layout import SaveLayoutAction
from inspector.desktop.layout_actions import LayoutActions
from inspector.desktop.main_window import MainWindow
from inspector.desktop.session.launch import Target
from inspector.desktop.session.session import Session
from inspector.desktop.widgets.message_kind import MessageKind
from inspector.desktop.wiring.frame import NOTICE_MS
from inspector.layout.visible import visible

_NOT_OPENED: Final = "layout not opened"
_NOT_SAVED: Final = "layout not saved"


class LayoutChoice:
    """Keeps the entries on the session, and says in the window what came of them."""

    def __init__(
        self, window: MainWindow, session: Session, actions: LayoutActions, reopen: Callable[[Target], None]
    ) -> None:
        """``reopen`` opens the same file in another way, with the same task selected."""
        self._window = window
        self._session = session
        self._actions = actions
        self._reopen = reopen
        self._opening = OpenWithLayoutAction(window, session)
        self._opening.chosen.connect(reopen)
        self._opening.refused.connect(self._show_not_opened)
        self._saving = SaveLayoutAction(window, session)
        self._saving.saved.connect(self._show_saved)
        self._saving.refused.connect(self._show_not_saved)
        actions.by_itself_wanted.connect(self._find_by_itself)
        actions.chosen_wanted.connect(self._read_again)
        actions.choice_wanted.connect(self._opening.choose)
        actions.saving_wanted.connect(self._saving.choose)
        session.opened.connect(self._show)
        self._show()

    def forget(self) -> None:
        """Leave nothing of the file that was open."""
        self._actions.show_opened(None, None)
        for key in (_NOT_OPENED, _NOT_SAVED):
            self._window.hide_message(key)

    def _show(self) -> None:
        target = self._session.target
        self._actions.show_opened(self._session.how, None if target is None else target.layout)

    def _find_by_itself(self) -> None:
        how, target = self._session.how, self._session.target
        if how is not None and target is not None and target.layout is not None:
            self._reopen(Target(Path(how.place), target.mode))

    def _read_again(self) -> None:
        target = self._session.target
        if target is not None and target.layout is not None:
            self._opening.take(target.layout)

    def _show_not_opened(self, sentence: str) -> None:
        stays = self._window.tr("What is shown stays as it was read.")
        self._window.show_message(_NOT_OPENED, MessageKind.ERROR, visible(sentence), stays)

    def _show_not_saved(self, sentence: str) -> None:
        self._window.show_message(_NOT_SAVED, MessageKind.ERROR, visible(sentence))

    def _show_saved(self, path: str) -> None:
        self._window.show_notice(self._window.tr("Saved as %s.") % visible(path), NOTICE_MS)
