import pytest
from PySide6.QtGui import QFont, QFontInfo, QFontMetrics
from PySide6.QtWidgets import QApplication

from inspector.desktop.widgets import fonts
from inspector.desktop.widgets.fonts import (
    at_least,
    counter_font,
    fixed_font,
    header_height,
    hero_font,
    is_nobodys,
    line_height,
    row_height,
    scaled,
    small_font,
    tiny_font,
    title_font,
    ui_font,
)

SIZES = {ui_font: 13, small_font: 12, tiny_font: 11, title_font: 15, counter_font: 19, hero_font: 20, fixed_font: 12}


@pytest.mark.usefixtures("app")
@pytest.mark.parametrize(("font", "size"), SIZES.items())
def test_without_a_size_of_the_system_s_own_the_sizes_are_those_of_the_design(font: object, size: int) -> None:
    assert callable(font)
    assert QFontInfo(font()).pixelSize() == size


@pytest.mark.parametrize("times", [1, 2, 3])
def test_a_larger_font_of_the_user_s_scales_all(app: QApplication, times: int) -> None:
    font = app.font()
    font.setPixelSize(13 * times)
    app.setFont(font)

    for made, size in SIZES.items():
        assert QFontInfo(made()).pixelSize() == size * times
    assert scaled(100) == 100 * times


@pytest.mark.usefixtures("app")
def test_digits_have_equal_width_and_the_fixed_font_no_ligatures() -> None:
    for made in (ui_font, small_font, tiny_font, title_font, counter_font):
        assert made().featureValue(QFont.Tag("tnum")) == 1
        assert len({QFontMetrics(made()).horizontalAdvance(digit * 8) for digit in "0123456789"}) == 1
    assert fixed_font().featureValue(QFont.Tag("liga")) == 0
    assert fixed_font().isFeatureSet(QFont.Tag("liga"))


@pytest.mark.usefixtures("app")
def test_rows_have_the_height_of_the_design() -> None:
    assert (row_height(), row_height(dense=True), header_height(), header_height(dense=True)) == (25, 24, 26, 24)


def test_rows_grow_with_the_font(app: QApplication) -> None:
    font = app.font()
    font.setPixelSize(30)
    app.setFont(font)

    assert row_height() == row_height(dense=True) == line_height(ui_font()) + 9 > 30
    assert header_height() == line_height(small_font()) + 9
    assert at_least(26) == line_height(ui_font()) + 9


def test_a_font_that_somebody_chose_is_kept(app: QApplication) -> None:
    chosen = QFont(app.font().family(), 17)

    assert not is_nobodys(chosen)
    assert is_nobodys(QFont("Sans Serif", 9))
    assert not is_nobodys(fonts.system_font())
