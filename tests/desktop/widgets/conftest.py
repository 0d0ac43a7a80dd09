"""An application in one of the two themes, put back as it was, and pages to show a widget on."""

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from inspector.desktop.widgets.theme import Theme, apply_theme
from tests.desktop.widgets.pages import Pages


@pytest.fixture
def app(qapp: QApplication) -> Iterator[QApplication]:
    """The application in the light theme; the test may switch."""
    font = qapp.font()
    apply_theme(qapp, Theme.LIGHT)
    yield qapp
    qapp.setStyleSheet("")
    qapp.setPalette(QPalette())
    qapp.setFont(font)


@pytest.fixture
def pages(app: QApplication, qtbot: QtBot) -> Iterator[Pages]:  # noqa: ARG001 # the theme has to be there
    """Pages to show a widget on, in the light theme."""
    made = Pages(qtbot)
    yield made
    made.close()


@pytest.fixture
def larger_font(app: QApplication) -> Callable[[int], None]:
    """Set the application's font to a size in pixels, as a desktop does while the program runs."""

    def set_size(pixels: int) -> None:
        font = app.font()
        font.setPixelSize(pixels)
        app.setFont(font)
        apply_theme(app, Theme.LIGHT)

    return set_size
