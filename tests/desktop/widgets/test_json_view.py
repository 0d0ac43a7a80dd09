from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QFontInfo, QTextOption
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPlainTextEdit
from pytestqt.qtbot import QtBot

from inspector.desktop.widgets.json_text import LONGEST
from inspector.desktop.widgets.json_view import JsonView
from inspector.desktop.widgets.palette import DARK, LIGHT, tokens_of
from inspector.desktop.widgets.theme import Theme, apply_theme
from tests.desktop.widgets.pictures import has_color, seen

EVENT = '{"delta":" reads","logprob":-0.2345678901234568,"trace":1254071346418286654}'
DEEP = "[" * 20_000 + "]" * 20_000


def shown(qtbot: QtBot, text: str, *, length: int | None = None) -> JsonView:
    view = JsonView()
    qtbot.addWidget(view)
    view.resize(420, 300)
    with qtbot.waitExposed(view):
        view.show()
    view.show_text(text, length=length)
    return view


def editor(view: JsonView) -> QPlainTextEdit:
    found = view.findChild(QPlainTextEdit)
    assert found is not None
    return found


@pytest.mark.usefixtures("app")
def test_json_is_laid_out_and_keeps_every_digit(qtbot: QtBot) -> None:
    view = shown(qtbot, EVENT)

    assert view.shown_text().splitlines() == [
        "{",
        '  "delta": " reads",',
        '  "logprob": -0.2345678901234568,',
        '  "trace": 1254071346418286654',
        "}",
    ]
    assert view.note() == ""
    view.set_pretty(False)
    assert view.shown_text() == EVENT
    view.set_pretty(True)
    assert "1254071346418286654" in view.shown_text()


@pytest.mark.usefixtures("app")
@pytest.mark.parametrize("text", ["", '{"a":', DEEP, "<b>bold</b><img src=x>", "a\tb\x00c", '{"a":' * 5_000])
def test_what_is_no_json_is_shown_as_stored(qtbot: QtBot, text: str) -> None:
    view = shown(qtbot, text)

    assert view.shown_text() == text
    assert view.note() == ""
    assert not view.grab().isNull()


@pytest.mark.usefixtures("app")
def test_a_text_that_was_cut_says_so_below_and_is_shown_as_stored(qtbot: QtBot) -> None:
    view = shown(qtbot, "[1]", length=1_048_576)
    assert view.shown_text() == "[1]"
    assert view.note() == "Cut: 3 of 1,048,576 characters are shown."

    view.show_text("[" + "1," * 100_000 + "1]")
    assert len(view.shown_text()) == LONGEST
    assert "200,003" in view.note()

    view.show_text("[1]")
    assert view.note() == ""
    assert view.shown_text() == "[\n  1\n]"


@pytest.mark.usefixtures("app")
@pytest.mark.parametrize(
    ("text", "anywhere"), [("1,\n" * 3_000, False), ("word " * 700, False), ("1," * 3_000, True), ("x" * 70_000, True)]
)
def test_a_long_line_is_broken_anywhere_since_looking_for_words_takes_too_long(
    qtbot: QtBot, text: str, anywhere: bool
) -> None:
    view = shown(qtbot, text)

    mode = editor(view).wordWrapMode()
    assert (mode is QTextOption.WrapMode.WrapAnywhere) is anywhere
    assert mode is not QTextOption.WrapMode.NoWrap


@pytest.mark.usefixtures("app")
def test_keys_are_accented_numbers_are_bold_and_nothing_else(qtbot: QtBot) -> None:
    view = shown(qtbot, '{"key": "no key", "n": [12, true, "3: 4"], "\U0001f600": 5}')
    document = editor(view).document()
    accented: list[str] = []
    bold: list[str] = []
    block = document.begin()
    while block.isValid():
        text = block.text().encode("utf-16-le")
        for found in block.layout().formats():
            word = text[2 * found.start : 2 * (found.start + found.length)].decode("utf-16-le")
            if found.format.foreground().color() == LIGHT.accent:
                accented.append(word)
            if found.format.fontWeight() >= 600:
                bold.append(word)
        block = block.next()

    assert accented == ['"key"', '"n"', '"\U0001f600"']
    assert bold == ["12", "5"]


def test_the_theme_recolours_keys(app: QApplication, qtbot: QtBot) -> None:
    view = shown(qtbot, '{"a key that is long enough": 1}')
    assert has_color(seen(editor(view).viewport()), LIGHT.accent)

    apply_theme(app, Theme.DARK)

    image = seen(editor(view).viewport())
    assert has_color(image, DARK.accent)
    assert not has_color(image, LIGHT.accent)
    assert has_color(image, tokens_of(app.palette()).base)


@pytest.mark.usefixtures("app")
def test_lines_are_numbered_in_the_margin(qtbot: QtBot) -> None:
    view = shown(qtbot, "\n".join("x" for _ in range(200)))
    edit = editor(view)
    margin = edit.viewport().x()
    image = seen(edit)

    assert has_color(image.copy(0, 0, margin, edit.height()), LIGHT.text3)
    before = image.copy(0, 0, margin, edit.height())
    edit.verticalScrollBar().setValue(150)
    assert seen(edit).copy(0, 0, margin, edit.height()) != before


@pytest.mark.usefixtures("app")
def test_a_view_may_go_without_numbers(qtbot: QtBot) -> None:
    view = JsonView(numbered=False)
    qtbot.addWidget(view)
    view.resize(300, 200)
    view.show_text("[1]")
    edit = editor(view)

    assert edit.viewport().x() < 10
    assert not has_color(seen(edit).copy(0, 0, edit.viewport().x(), 200), LIGHT.text3)


@pytest.mark.usefixtures("app")
def test_it_can_be_read_selected_and_copied_but_not_changed(qtbot: QtBot) -> None:
    view = shown(qtbot, EVENT)
    edit = editor(view)
    before = view.shown_text()
    edit.setFocus()
    QTest.keyClicks(edit, "x")
    QTest.keyClick(edit, Qt.Key.Key_Delete)
    edit.selectAll()
    edit.copy()

    assert view.shown_text() == before
    assert edit.isReadOnly()
    assert not edit.acceptDrops()
    assert QApplication.clipboard().text() == before
    assert not edit.isUndoRedoEnabled()


@pytest.mark.usefixtures("app")
def test_the_same_text_again_keeps_the_place(qtbot: QtBot) -> None:
    view = shown(qtbot, json_of_lines(300))
    bar = editor(view).verticalScrollBar()
    bar.setValue(40)

    view.show_text(json_of_lines(300))
    assert bar.value() == 40

    view.show_text(json_of_lines(301))
    assert bar.value() == 0


def json_of_lines(lines: int) -> str:
    return "[" + ",".join(str(line) for line in range(lines)) + "]"


def test_the_font_follows_the_user_s(qtbot: QtBot, larger_font: Callable[[int], None]) -> None:
    view = shown(qtbot, EVENT)
    assert QFontInfo(editor(view).font()).pixelSize() == 12

    larger_font(26)

    qtbot.waitUntil(lambda: QFontInfo(editor(view).font()).pixelSize() == 24)


@pytest.mark.usefixtures("app")
def test_its_name_is_told_to_screen_readers(qtbot: QtBot) -> None:
    view = shown(qtbot, EVENT)
    view.setAccessibleName("Data of event 206")

    assert QAccessible.queryAccessibleInterface(editor(view)).text(QAccessible.Text.Name) == "Data of event 206"
    view.clear()
    assert view.shown_text() == ""
