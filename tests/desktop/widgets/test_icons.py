import re
from itertools import combinations

import pytest
from PySide6.QtGui import QColor, QIcon
from PySide6.QtWidgets import QApplication

from inspector.desktop.widgets.icons import icon, icon_pixmap
from inspector.desktop.widgets.resources import resource
from tests.desktop.widgets.pictures import grey

NAMES = sorted(path.stem for path in resource("icons").glob("*.svg"))
PROMISED = {
    "overview",
    "tasks",
    "timeline",
    "models",
    "recovery",
    "retention",
    "conformance",
    "clients",
    "responses",
    "idempotency",
    "config",
    "tables",
    "find",
    "file",
    "columns",
    "chevron-down",
    "plus",
    "arrow-up",
    "pause",
    "play",
    "clock",
    "close",
    "copy",
    "external",
    "info",
    "warning",
    "restart",
    "folder",
    "check",
    "lock",
    "mode-live",
    "mode-resting",
    "mode-crashed",
    "mode-copy",
    "file-match",
    "file-mismatch",
    "file-missing",
    "file-truncated",
    "file-empty",
    "file-unreadable",
    "file-unchecked",
    "file-waiting",
}
BLACK, WHITE = QColor("black"), QColor("white")


def test_every_promised_icon_is_there() -> None:
    assert set(NAMES) >= PROMISED


@pytest.mark.parametrize("name", NAMES)
def test_an_icon_is_a_drawing_in_a_box_of_16_whose_only_colour_is_replaced(name: str) -> None:
    source = resource("icons", f"{name}.svg").read_text(encoding="utf-8")

    assert 'viewBox="0 0 16 16"' in source
    assert set(re.findall(r'(?:stroke|fill)="([^"]*)"', source)) <= {"currentColor", "none"}
    assert not re.search(r"<(?!/?(svg|path|circle|rect)\b)|href|url\(|#", source.removeprefix("<svg"))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("ratio", [1.0, 2.0])
@pytest.mark.usefixtures("app")
def test_an_icon_is_drawn_in_its_colour_at_its_scale_within_its_box(name: str, ratio: float) -> None:
    pixmap = icon_pixmap(name, QColor("#ff0000"), 16, ratio)
    image = pixmap.toImage()

    assert pixmap.devicePixelRatio() == ratio
    assert image.width() == round(16 * ratio)
    inked = [
        (x, y, image.pixelColor(x, y))
        for x in range(image.width())
        for y in range(image.height())
        if image.pixelColor(x, y).alpha() > 40
    ]
    assert len(inked) >= 8 * ratio
    assert all(color.green() == color.blue() == 0 for *_, color in inked)
    assert max(color.red() for *_, color in inked) > 200
    last = image.width() - 1
    assert not any(x in (0, last) or y in (0, last) for x, y, _ in inked), "it would be cut at its edge"


@pytest.mark.usefixtures("app")
def test_no_two_icons_of_one_place_look_alike() -> None:
    groups = (
        ("overview", "tasks", "timeline", "models", "recovery", "retention", "conformance"),
        ("clients", "responses", "idempotency", "config", "tables"),
        ("mode-live", "mode-resting", "mode-crashed", "mode-copy", "mode-as-of"),
        tuple(name for name in NAMES if name.startswith("file-")),
    )
    for group in groups:
        pictures = {name: grey(icon_pixmap(name, BLACK, 12, 1.0), WHITE) for name in group}
        for (one, first), (other, second) in combinations(pictures.items(), 2):
            differing = sum(abs(a - b) > 40 for a, b in zip(first, second, strict=True))
            assert differing >= 8, f"{one} and {other}"


@pytest.mark.usefixtures("app")
def test_pixmaps_are_kept_for_name_colour_size_and_scale() -> None:
    made = icon_pixmap("tasks", BLACK, 16, 1.0)

    assert icon_pixmap("tasks", QColor("black"), 16, 1.0).cacheKey() == made.cacheKey()
    for other in (("tables", BLACK, 16, 1.0), ("tasks", WHITE, 16, 1.0), ("tasks", BLACK, 12, 1.0)):
        assert icon_pixmap(*other).cacheKey() != made.cacheKey()
    assert icon_pixmap("tasks", BLACK, 16, 2.0).cacheKey() != made.cacheKey()


def test_an_icon_for_qt_has_a_fainter_picture_for_what_is_off(app: QApplication) -> None:
    made = icon("tasks", BLACK)

    on = made.pixmap(16, 16).toImage()
    off = made.pixmap(16, 16, QIcon.Mode.Disabled).toImage()
    darkest = min((on.pixelColor(x, 8) for x in range(16)), key=lambda color: 255 - color.alpha())
    faintest = max((off.pixelColor(x, 8).alpha() for x in range(16)), default=0)
    assert darkest.alpha() > faintest > 0
    assert app.style() is not None


def test_an_unknown_icon_is_a_mistake_of_ours() -> None:
    with pytest.raises(FileNotFoundError, match=r"no-such-icon\.svg"):
        icon_pixmap("no-such-icon", BLACK, 16, 1.0)
