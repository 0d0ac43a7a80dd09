import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from inspector.desktop.widgets.chip import Chip
from inspector.desktop.widgets.message_bar import MessageBar
from inspector.desktop.widgets.navigation import Destination, NavigationList
from inspector.desktop.widgets.palette import DARK, LIGHT, tokens_of
from inspector.desktop.widgets.style_sheet import style_sheet
from inspector.desktop.widgets.tabs import UnderlineTabs
from inspector.desktop.widgets.theme import Theme, apply_theme
from inspector.desktop.widgets.tools import FlatTool, HeaderButton, ModeBadge
from tests.desktop.widgets.pictures import has_color, seen


def test_a_theme_gives_style_palette_and_style_sheet(app: QApplication) -> None:
    apply_theme(app, Theme.DARK)

    assert app.palette().color(QPalette.ColorRole.Window) == DARK.window
    assert tokens_of(app.palette()) is DARK
    assert app.styleSheet() == style_sheet(DARK)

    apply_theme(app, Theme.LIGHT)

    assert tokens_of(app.palette()) is LIGHT
    assert app.styleSheet() == style_sheet(LIGHT)


@pytest.mark.parametrize(
    ("scheme", "tokens"),
    [(Qt.ColorScheme.Dark, DARK), (Qt.ColorScheme.Light, LIGHT), (Qt.ColorScheme.Unknown, LIGHT)],
)
def test_the_system_s_colour_scheme_is_followed(
    app: QApplication, monkeypatch: pytest.MonkeyPatch, scheme: Qt.ColorScheme, tokens: object
) -> None:
    monkeypatch.setattr(type(app.styleHints()), "colorScheme", lambda _: scheme)

    apply_theme(app, Theme.SYSTEM)

    assert tokens_of(app.palette()) is tokens


def test_a_desktop_that_wants_more_contrast_keeps_its_palette(
    app: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Wanting:
        def contrastPreference(self) -> Qt.ContrastPreference:  # noqa: N802 # Qt's own
            return Qt.ContrastPreference.HighContrast

    monkeypatch.setattr(type(app.styleHints()), "accessibility", lambda _: Wanting(), raising=False)

    apply_theme(app, Theme.SYSTEM)

    assert tokens_of(app.palette()) not in (LIGHT, DARK)
    assert tokens_of(app.palette()).window == app.palette().color(QPalette.ColorRole.Window)


def test_every_colour_of_the_style_sheet_is_a_token_s() -> None:
    assert "$" not in style_sheet(LIGHT)
    assert style_sheet(LIGHT).lower() != style_sheet(DARK).lower()
    assert LIGHT.accent.name() in style_sheet(LIGHT)
    assert LIGHT.accent.name() not in style_sheet(DARK)


def widgets() -> list[QWidget]:
    badge = ModeBadge()
    badge.set_mode("crashed", "why")
    chip = Chip("queued", icon="clock")
    bar = MessageBar("warn", "A fact.", "A consequence.")
    navigation = NavigationList([Destination("tasks", "Tasks", "tasks"), Destination("models", "Models", "models")])
    navigation.set_current("models")
    return [badge, chip, bar, navigation, HeaderButton("Pause", "pause"), FlatTool("Filter", "plus")]


@pytest.mark.parametrize("number", range(6))
def test_a_change_of_theme_recolours_icons_and_words(app: QApplication, qtbot: QtBot, number: int) -> None:
    widget = widgets()[number]
    qtbot.addWidget(widget)
    with qtbot.waitExposed(widget):
        widget.show()
    light = seen(widget)

    apply_theme(app, Theme.DARK)
    dark = seen(widget)

    lightest = max(light.pixelColor(x, y).lightness() for x in range(light.width()) for y in range(light.height()))
    assert lightest > 200
    # What is left of the light theme would be as bright as its grounds, or as dark as its words.
    assert not any(
        has_color(dark, color) for color in (LIGHT.window, LIGHT.base, LIGHT.text, LIGHT.text2, LIGHT.accent)
    )
    # The words and the icons are drawn in the new colours.
    assert any(has_color(dark, color) for color in (DARK.text, DARK.text2, DARK.accent, DARK.warn_fg))


def test_plain_widgets_follow_as_well(app: QApplication, qtbot: QtBot) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    layout = QVBoxLayout(page)
    button, label, tabs = QPushButton("Verify again"), QLabel("none"), UnderlineTabs()
    label.setProperty("tone", "text3")
    tabs.add_tab("Events", 212)
    for widget in (button, label, tabs):
        layout.addWidget(widget)
    with qtbot.waitExposed(page):
        page.show()
    assert has_color(seen(button), LIGHT.text)
    assert has_color(seen(label), LIGHT.text3)

    apply_theme(app, Theme.DARK)

    assert has_color(seen(button), DARK.base)
    assert has_color(seen(button), DARK.text)
    assert has_color(seen(label), DARK.text3)
    assert has_color(seen(tabs), DARK.accent)


@pytest.mark.parametrize("theme", [Theme.LIGHT, Theme.DARK])
@pytest.mark.parametrize("size", [13, 24])
def test_a_button_keeps_its_size_when_it_has_the_focus(
    app: QApplication, qtbot: QtBot, theme: Theme, size: int
) -> None:
    font = app.font()
    font.setPixelSize(size)
    app.setFont(font)
    apply_theme(app, theme)
    button, default = QPushButton("Cancel task…"), QPushButton("Cancel task…")
    default.setDefault(True)
    for widget in (button, default):
        qtbot.addWidget(widget)
        widget.ensurePolished()

    assert button.sizeHint() == default.sizeHint()
    if size == 13:
        assert button.sizeHint().height() == 26
    assert button.sizeHint().height() >= button.fontMetrics().height() + 6
    assert QColor(app.palette().color(QPalette.ColorRole.Accent)) == tokens_of(app.palette()).accent
