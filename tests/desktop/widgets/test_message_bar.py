from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from inspector.desktop.widgets.fact_text import LONGEST, FactText
from inspector.desktop.widgets.message_bar import MessageBar
from inspector.desktop.widgets.message_kind import MessageKind
from inspector.desktop.widgets.palette import DARK, LIGHT, Tokens
from inspector.desktop.widgets.theme import Theme, apply_theme
from tests.desktop.widgets.pages import Pages
from tests.desktop.widgets.pictures import has_color, seen

FACT = "Part of the event log cannot be read."
CONSEQUENCE = (
    "1,204 of about 41,877 events are missing from every view, in 31 tasks. Tasks, models and clients are complete."
)


def text_of(bar: MessageBar) -> FactText:
    text = bar.findChild(FactText)
    assert text is not None
    return text


@pytest.mark.parametrize("kind", MessageKind)
def test_one_line_is_as_high_as_the_design_says(pages: Pages, kind: MessageKind) -> None:
    assert pages.show(MessageBar(kind, "Paused.", "This shows 14:02:17.4.")).height() == 36
    assert pages.show(MessageBar(kind, "Paused.", verbs=("Resume",))).height() == 36


@pytest.mark.parametrize("width", [1200, 800, 560, 420, 300, 200])
@pytest.mark.parametrize("verbs", [(), ("Show the 31 tasks",), ("Open the new file", "Close")])
def test_the_bar_grows_where_it_is_narrow_and_cuts_nothing(pages: Pages, width: int, verbs: tuple[str, ...]) -> None:
    bar = pages.show(MessageBar("warn", FACT, CONSEQUENCE, verbs=verbs), width)
    text = text_of(bar)

    assert bar.height() == bar.heightForWidth(bar.width())
    assert text.height() >= text.heightForWidth(text.width())
    parts = [text, *(part for part in bar.findChildren(QWidget) if part.parent() is bar and part is not text)]
    areas = [part.geometry() for part in parts]
    if width > 250:
        assert all(bar.rect().contains(area) for area in areas)
    assert not any(one.intersects(other) for at, one in enumerate(areas) for other in areas[at + 1 :])
    for button in bar.findChildren(QPushButton):
        assert button.width() >= button.sizeHint().width()


@pytest.mark.usefixtures("app")
def test_narrower_is_never_lower(qtbot: QtBot) -> None:
    bar = MessageBar("error", FACT, CONSEQUENCE, verbs=("Open…",))
    qtbot.addWidget(bar)
    heights = [bar.heightForWidth(width) for width in range(1_400, 150, -10)]

    assert heights == sorted(heights)
    assert heights[0] == 36
    assert heights[-1] > 100


def test_a_bar_that_is_made_narrower_grows_at_once(qtbot: QtBot, pages: Pages) -> None:
    bar = pages.show(MessageBar("warn", FACT, CONSEQUENCE), 1200)
    assert bar.height() == 36

    bar.window().resize(400, 700)

    qtbot.waitUntil(lambda: bar.width() == 400)
    qtbot.waitUntil(lambda: bar.height() == bar.heightForWidth(400) > 56)


@pytest.mark.usefixtures("app")
def test_one_long_word_is_wrapped_as_well(qtbot: QtBot) -> None:
    text = FactText("x" * 200)
    qtbot.addWidget(text)

    assert text.heightForWidth(100) > 5 * text.heightForWidth(5_000)


def test_the_bar_grows_with_the_font(qtbot: QtBot, pages: Pages, larger_font: Callable[[int], None]) -> None:
    bar = pages.show(MessageBar("info", FACT, CONSEQUENCE, verbs=("Show",)), 900)
    before = bar.height()

    larger_font(26)

    qtbot.waitUntil(lambda: bar.height() == bar.heightForWidth(bar.width()) > before)


@pytest.mark.parametrize(("theme", "tokens"), [(Theme.LIGHT, LIGHT), (Theme.DARK, DARK)], ids=["light", "dark"])
@pytest.mark.parametrize(
    ("kind", "ground", "tone"),
    [
        ("info", "info_bg", "accent"),
        ("warn", "warn_bg", "warn_fg"),
        ("error", "error_bg", "failed"),
        ("paused", "select_in", "text"),
    ],
)
def test_each_kind_has_its_ground_and_its_icon(
    app: QApplication, pages: Pages, theme: Theme, tokens: Tokens, kind: str, ground: str, tone: str
) -> None:
    apply_theme(app, theme)
    image = seen(pages.show(MessageBar(kind, "A fact.")))

    assert image.pixelColor(2, 5) == tokens.tone(ground)
    assert has_color(image.copy(12, 8, 17, 20), tokens.tone(tone))
    assert image.pixelColor(2, 35) == tokens.line


@pytest.mark.usefixtures("app")
def test_the_fact_is_bold_and_markup_is_text(qtbot: QtBot) -> None:
    bold, plain = FactText("<b>x</b> &amp; y"), FactText("", "<b>x</b> &amp; y")
    qtbot.addWidget(bold)
    qtbot.addWidget(plain)

    assert bold.one_line_width() > plain.one_line_width() > 60
    assert bold.text() == plain.text() == "<b>x</b> &amp; y"
    assert bold.accessibleName() == bold.text()


@pytest.mark.usefixtures("app")
def test_bold_ends_with_the_fact_also_after_characters_of_two_units(qtbot: QtBot) -> None:
    texts = [
        FactText("\U0001f600" * 4, "WWWW"),
        FactText("\U0001f600" * 4 + " WWWW"),
        FactText("", "\U0001f600" * 4 + " WWWW"),
    ]
    for text in texts:
        qtbot.addWidget(text)
    mixed, bold, plain = (text.one_line_width() for text in texts)

    assert plain <= mixed < bold


def test_a_verb_tells_which_it_was(qtbot: QtBot, pages: Pages) -> None:
    bar = pages.show(MessageBar("error", "The file is gone.", verbs=("Open the new file", "R&D"), links=("Event 268",)))

    for name in ("Open the new file", "R&D", "Event 268"):
        button = next(button for button in bar.findChildren(QPushButton) if button.accessibleName() == name)
        with qtbot.waitSignal(bar.verb_clicked) as clicked:
            QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        assert clicked.args == [name]


def test_closing_hides_the_bar_and_tells(qtbot: QtBot, pages: Pages) -> None:
    bar = pages.show(MessageBar("info", "Cancelled."))
    close = next(child for child in bar.findChildren(QWidget) if child.accessibleName() == "Close")

    with qtbot.waitSignal(bar.closed):
        QTest.mouseClick(close, Qt.MouseButton.LeftButton)

    assert bar.isHidden()


def test_a_bar_that_cannot_be_closed_has_no_cross(pages: Pages) -> None:
    bar = pages.show(MessageBar("paused", "Paused.", closable=False))

    assert not any(child.isVisible() for child in bar.findChildren(QWidget) if child.accessibleName() == "Close")


def test_a_replaced_message_keeps_its_buttons_and_the_focus_in_them(pages: Pages) -> None:
    bar = pages.show(MessageBar("info", "Cancelling.", verbs=("Details",)))
    button = bar.findChildren(QPushButton)[0]
    bar.window().activateWindow()
    button.setFocus()

    bar.set_message("info", "Cancelled", "1.4 s after you asked.", verbs=("Details",))

    assert bar.findChildren(QPushButton) == [button]
    assert bar.window().focusWidget() is button
    assert bar.text() == "Cancelled 1.4 s after you asked."


def test_a_screen_reader_reads_the_message(pages: Pages) -> None:
    bar = pages.show(MessageBar("warn", FACT, CONSEQUENCE))

    assert QAccessible.queryAccessibleInterface(bar).text(QAccessible.Text.Name) == f"{FACT} {CONSEQUENCE}"


@pytest.mark.parametrize("kind", ["", "fatal", "INFO"])
def test_an_unknown_kind_is_a_mistake_of_ours(app: QApplication, kind: str) -> None:
    with pytest.raises(ValueError, match="not a valid MessageKind"):
        MessageBar(kind, "x")
    assert app.topLevelWidgets() is not None


def test_a_sentence_with_a_name_that_nobody_would_read_is_cut(pages: Pages) -> None:
    bar = pages.show(MessageBar(MessageKind.WARN, "x" * 200_000, "Short."), 400)

    assert text_of(bar).text() == "x" * LONGEST + "… Short."
