from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from inspector.desktop.widgets.elided import ElidedLabel
from inspector.desktop.widgets.fonts import title_font
from inspector.desktop.widgets.palette import LIGHT
from tests.desktop.widgets.pages import Pages
from tests.desktop.widgets.pictures import has_color, seen

LONG = "llama-3.2-3b-instruct-q4 in a folder with a long name"


@pytest.fixture
def tips(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What tooltips were given to show."""
    given: list[str] = []
    monkeypatch.setattr(QToolTip, "showText", lambda _at, text, _owner=None: given.append(text))
    return given


def hovered(label: ElidedLabel) -> None:
    QApplication.sendEvent(label, QHelpEvent(QEvent.Type.ToolTip, QPoint(1, 1), QPoint(1, 1)))


@pytest.mark.parametrize("middle", [False, True])
def test_a_text_that_does_not_fit_is_cut_and_stays_whole_for_others(pages: Pages, middle: bool) -> None:
    label = pages.show(ElidedLabel(LONG, middle=middle))
    assert not label.is_cut()
    whole = seen(label)

    label.setFixedWidth(120)

    assert label.is_cut()
    assert label.text() == LONG
    assert seen(label).copy(0, 0, 120, 10) != whole.copy(0, 0, 120, 10) or not middle
    assert label.sizeHint().width() > 120 > label.minimumSizeHint().width()


def test_the_whole_is_a_plain_tooltip_only_where_it_is_cut(pages: Pages, tips: list[str]) -> None:
    label = pages.show(ElidedLabel("<b>x</b> " * 10))
    hovered(label)
    label.setFixedWidth(60)
    hovered(label)

    assert tips == ["", '<p style="white-space:pre-wrap">' + "&lt;b&gt;x&lt;/b&gt; " * 10 + "</p>"]


@pytest.mark.parametrize("text", ["", "a\nb\tc", "\x00\u202e", "x" * 1_000_000, "e\u0301" * 500])
def test_odd_texts_are_one_line(pages: Pages, text: str) -> None:
    label = pages.show(ElidedLabel(text), 300)

    assert label.height() <= 30
    assert not seen(label).isNull()


def test_tones_and_fonts_are_those_asked_for(pages: Pages) -> None:
    label = pages.show(ElidedLabel("IIII", tone="text3"))
    assert has_color(seen(label), LIGHT.text3)

    label.set_tone("accent")
    assert has_color(seen(label), LIGHT.accent)

    assert ElidedLabel("x", face=title_font).sizeHint().height() > label.sizeHint().height()


def test_it_grows_with_the_font(qtbot: QtBot, larger_font: Callable[[int], None]) -> None:
    label = ElidedLabel("x")
    qtbot.addWidget(label)
    before = label.sizeHint().height()

    larger_font(30)

    assert label.sizeHint().height() > before


@pytest.mark.usefixtures("app")
def test_it_holds_plain_text(qtbot: QtBot) -> None:
    label = ElidedLabel("<img src=x>")
    qtbot.addWidget(label)

    assert label.textFormat() is Qt.TextFormat.PlainText
