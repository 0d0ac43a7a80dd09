from collections.abc import Callable

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from inspector.desktop.widgets.chip import Chip
from inspector.desktop.widgets.palette import LIGHT
from inspector.desktop.widgets.strips import CaptionStrip, Strip, plain_label
from tests.desktop.widgets.pages import Pages
from tests.desktop.widgets.pictures import has_color, seen


def test_a_strip_has_its_ground_and_its_lines(pages: Pages) -> None:
    image = seen(pages.show(Strip(ground="header", height=30, above=True), 300))

    assert image.height() == 30
    assert image.pixelColor(10, 0) == image.pixelColor(10, 29) == LIGHT.line
    assert image.pixelColor(10, 1) == image.pixelColor(10, 28) == LIGHT.header
    plain = seen(pages.show(Strip(below=False), 300))
    assert not has_color(plain, LIGHT.line)


def test_a_strip_grows_with_the_font(pages: Pages, qtbot: QtBot, larger_font: Callable[[int], None]) -> None:
    strip = pages.show(Strip(height=30))

    larger_font(40)

    qtbot.waitUntil(lambda: strip.height() > 45)


def test_a_caption_stands_before_its_note_and_its_controls(pages: Pages) -> None:
    strip = CaptionStrip("Data of event 206", "138 bytes, as stored")
    chips = [Chip("Text", in_pane=True), Chip("Tree", in_pane=True)]
    for chip in chips:
        strip.add_control(chip)
    pages.show(strip, 500)

    assert strip.height() == 28
    assert strip.accessibleName() == "Data of event 206, 138 bytes, as stored"
    assert 250 < chips[0].x() < chips[1].x() < 500 - 8
    image = seen(strip)
    assert has_color(image.copy(10, 0, 220, 28), LIGHT.text2)
    strip.set_caption("Metadata")
    assert strip.accessibleName() == "Metadata"


def test_a_plain_label_shows_markup_as_text_in_its_tone(pages: Pages) -> None:
    label = pages.show(plain_label("<b>IIII</b>", tone="text2", wraps=True), 300)

    assert label.textFormat() is Qt.TextFormat.PlainText
    assert label.wordWrap()
    assert has_color(seen(label), LIGHT.text2)
    assert has_color(seen(pages.show(plain_label("IIII"), 300)), LIGHT.text)
