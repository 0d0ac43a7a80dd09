"""Which models there are: offered in the filter of the tasks, and named in the pane."""

from PySide6.QtCore import QObject, Signal

from inspector.desktop.session.session import Session
from inspector.desktop.wiring.settling import Settling
from inspector.layout.pages import ModelPage
from inspector.reading.requests import ModelsRequest


class ModelNames(QObject):
    """Asks for the models of each file once, and hears of them again from whoever has them newer.

    Signals:
        changed: carries the ``ModelPage``.
    """

    changed = Signal(object)

    def __init__(self, session: Session, settling: Settling) -> None:
        super().__init__()
        self._session = session
        settling.file_settled.connect(lambda: session.spawn(self._read()))

    def forget(self) -> None:
        """Tell that no model is known: another file is read from now on."""
        self.take(ModelPage((), 0))

    def take(self, page: ModelPage) -> None:
        """Tell of the models as they were just read."""
        self.changed.emit(page)

    async def _read(self) -> None:
        self.take(await self._session.ask(ModelsRequest(counted=False)))
