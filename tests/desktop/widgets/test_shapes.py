from itertools import combinations

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter, QPixmap
from PySide6.QtWidgets import QApplication

from inspector.desktop.widgets.palette import DARK, LIGHT, Tokens
from inspector.desktop.widgets.shapes import SHAPE, paint_state, paint_warning, state_pixmap, warning_pixmap
from inspector.lmsp.statuses import Status
from tests.desktop.widgets.pictures import blank, grey

THEMES = pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
WORDS = (*Status, "paused")


@THEMES
@pytest.mark.parametrize("ground", ["base", "window", "select", "flash"])
@pytest.mark.parametrize("ratio", [1.0, 1.25, 2.0])
@pytest.mark.usefixtures("app")
def test_every_two_states_look_different_without_colour(tokens: Tokens, ground: str, ratio: float) -> None:
    pictures = {word: grey(state_pixmap(word, SHAPE, tokens, ratio), tokens.tone(ground)) for word in WORDS}
    pictures["warning"] = grey(warning_pixmap(SHAPE, tokens, ratio), tokens.tone(ground))

    for (one, first), (other, second) in combinations(pictures.items(), 2):
        # Not only a shade: a good part of the pixels differs by more than a faint step.
        differing = sum(abs(a - b) > 24 for a, b in zip(first, second, strict=True))
        assert differing >= len(first) * 0.05, f"{one} and {other}"


@pytest.mark.usefixtures("app")
@pytest.mark.parametrize("ratio", [1.0, 2.0])
def test_every_two_states_have_another_outline_or_filling(ratio: float) -> None:
    covered = {word: _coverage(state_pixmap(word, SHAPE, LIGHT, ratio)) for word in WORDS}

    for (one, first), (other, second) in combinations(covered.items(), 2):
        differing = sum(abs(a - b) > 100 for a, b in zip(first, second, strict=True))
        assert differing >= len(first) * 0.1, f"{one} and {other}"


def _coverage(pixmap: QPixmap) -> list[int]:
    image = pixmap.toImage()
    return [image.pixelColor(x, y).alpha() for y in range(image.height()) for x in range(image.width())]


@pytest.mark.usefixtures("app")
def test_every_status_that_is_none_of_the_seven_has_the_same_shape() -> None:
    pictures = [grey(state_pixmap(word, SHAPE, LIGHT, 1.0), LIGHT.base) for word in ("paused", "", "\u202e", "QUEUED")]

    assert all(picture == pictures[0] for picture in pictures)


@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0])
@pytest.mark.usefixtures("app")
def test_a_pixmap_is_made_for_its_scale_and_kept(ratio: float) -> None:
    pixmap = state_pixmap("running", 14, LIGHT, ratio)

    assert pixmap.width() == round(14 * ratio)
    assert pixmap.devicePixelRatio() == ratio
    assert state_pixmap("running", 14, LIGHT, ratio).cacheKey() == pixmap.cacheKey()
    assert state_pixmap("running", 14, DARK, ratio).cacheKey() != pixmap.cacheKey()


@pytest.mark.usefixtures("app")
def test_what_a_shape_leaves_out_shows_the_ground() -> None:
    pixmap = state_pixmap("completed", 16, LIGHT, 4.0).toImage()

    assert pixmap.pixelColor(29, 41).alpha() == 0, "the tick's lower corner"
    assert pixmap.pixelColor(32, 20).name() == LIGHT.state("completed").name()


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.usefixtures("app")
def test_a_painted_shape_stays_in_its_box(word: str) -> None:
    picture = blank(40, 40)
    painter = QPainter(picture)
    paint_state(painter, QRectF(12, 12, 16, 16), word, LIGHT, QColor("white"))
    painter.end()
    image = picture.toImage()

    drawn = [(x, y) for x in range(40) for y in range(40) if image.pixelColor(x, y) != QColor("white")]
    assert drawn
    assert all(12 <= x < 28 and 12 <= y < 28 for x, y in drawn)


@pytest.mark.usefixtures("app")
def test_a_shape_leaves_the_painter_as_it_was() -> None:
    picture = blank(40, 40)
    painter = QPainter(picture)
    painter.setPen(QColor("red"))
    before = painter.transform(), painter.pen(), painter.brush(), painter.renderHints()
    for word in WORDS:
        paint_state(painter, QRectF(2, 2, 14, 14), word, LIGHT, LIGHT.base)
    paint_warning(painter, QRectF(2, 2, 14, 14), LIGHT)
    paint_state(painter, QRectF(), "queued", LIGHT, LIGHT.base)

    assert (painter.transform(), painter.pen(), painter.brush(), painter.renderHints()) == before
    painter.end()


def test_a_tick_painted_on_a_ground_has_its_colour(app: QApplication) -> None:
    picture = blank(64, 64)
    painter = QPainter(picture)
    paint_state(painter, QRectF(0, 0, 64, 64), "completed", LIGHT, LIGHT.flash)
    painter.end()

    assert picture.toImage().pixelColor(29, 41).name() == LIGHT.flash.name()
    assert app.palette() is not None
