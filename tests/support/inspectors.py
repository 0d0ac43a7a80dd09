"""The whole window in a test, on whatever file the test opens in it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from PySide6.QtWidgets import QApplication

from inspector.desktop.composition import Inspector
from inspector.desktop.settings import Settings


@asynccontextmanager
async def an_inspector() -> AsyncIterator[Inspector]:
    """Give a window that is neither shown nor on a file, with no settings of anybody; take it apart at the end."""
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    app.setQuitOnLastWindowClosed(False)
    inspector = Inspector(app, Settings(None))
    try:
        yield inspector
    finally:
        inspector.window.close()
        await inspector.ended()
        inspector.window.deleteLater()
