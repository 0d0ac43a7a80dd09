"""An application in one of the two themes, put back as it was."""

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication

from inspector.desktop.widgets.theme import Theme, apply_theme


@pytest.fixture
def app(qapp: QApplication) -> Iterator[QApplication]:
    """The application in the light theme; the test may switch."""
    font = qapp.font()
    apply_theme(qapp, Theme.LIGHT)
    yield qapp
    qapp.setStyleSheet("")
    qapp.setPalette(QPalette())
    qapp.setFont(font)
