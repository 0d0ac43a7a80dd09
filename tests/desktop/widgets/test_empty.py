from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from inspector.desktop.widgets.empty import EmptySentence
from inspector.desktop.widgets.palette import LIGHT
from tests.desktop.widgets.pages import Pages
from tests.desktop.widgets.pictures import has_color, seen

SENTENCE = "No task matches. 14 do without the status filter."


def parts(empty: EmptySentence) -> tuple[QLabel, QPushButton]:
    label, link = empty.findChild(QLabel), empty.findChild(QPushButton)
    assert label is not None
    assert link is not None
    return label, link


def test_a_sentence_stands_at_the_left_with_its_link_under_it(pages: Pages) -> None:
    empty = pages.show(EmptySentence(SENTENCE, "Clear status filter"))
    image = seen(empty)

    def left_of_ink(top: int, bottom: int) -> int:
        return min(
            x for x in range(image.width()) if any(image.pixelColor(x, y) != LIGHT.base for y in range(top, bottom))
        )

    label, link = parts(empty)
    sentence = left_of_ink(label.y(), label.geometry().bottom())
    word = left_of_ink(link.y() + 4, link.geometry().bottom() - 4)
    assert 11 <= sentence <= 15
    assert abs(sentence - word) <= 2
    assert has_color(image, LIGHT.text2)
    assert has_color(image, LIGHT.accent)


def test_the_link_tells_that_it_was_clicked(pages: Pages, qtbot: QtBot) -> None:
    empty = pages.show(EmptySentence(SENTENCE, "Clear status filter"))

    with qtbot.waitSignal(empty.link_clicked):
        QTest.mouseClick(parts(empty)[1], Qt.MouseButton.LeftButton)


def test_without_something_to_do_there_is_no_link(pages: Pages) -> None:
    empty = pages.show(EmptySentence(SENTENCE, "Clear"))
    empty.set_sentence("No tasks yet.")

    label, link = parts(empty)
    assert link.isHidden()
    assert label.text() == "No tasks yet."
    assert empty.accessibleName() == "No tasks yet."
    assert label.textFormat() is Qt.TextFormat.PlainText


def test_a_long_sentence_wraps(pages: Pages) -> None:
    empty = pages.show(EmptySentence(SENTENCE * 3, "Clear"), 200)

    label, link = parts(empty)
    assert label.height() > 4 * label.fontMetrics().height()
    assert link.y() > label.geometry().bottom()
