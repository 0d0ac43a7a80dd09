from collections.abc import Iterator

import pytest
from PySide6.QtGui import QColor, QPalette

from inspector.desktop.widgets.palette import DARK, LIGHT, Tokens, mixed, qpalette, tokens_of
from inspector.lmsp.statuses import Status
from tests.desktop.widgets.pictures import contrast

THEMES = pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
GROUNDS = ("base", "window", "header", "hover", "select", "select_in", "flash")

# What look.md says was computed: on base, window, select, flash.
COMPUTED = {
    ("light", "text"): (16.4, 14.9, 13.0, 14.8),
    ("light", "text2"): (7.3, 6.7, 5.8, 6.6),
    ("light", "text3"): (5.8, 5.3, 4.6, 5.2),
    ("light", "accent"): (7.3, 6.6, 5.8, 6.6),
    ("dark", "text"): (13.7, 12.3, 9.1, 9.4),
    ("dark", "text2"): (8.3, 7.5, 5.6, 5.7),
    ("dark", "text3"): (6.9, 6.3, 4.6, 4.8),
    ("dark", "accent"): (8.0, 7.2, 5.3, 5.5),
}


def shapes(tokens: Tokens) -> Iterator[QColor]:
    yield from tokens.states.values()
    yield tokens.unknown


@pytest.mark.parametrize(("theme", "name"), COMPUTED)
def test_text_has_the_contrast_that_was_computed_for_it(theme: str, name: str) -> None:
    tokens = LIGHT if theme == "light" else DARK
    figures = COMPUTED[theme, name]

    for ground, figure in zip(("base", "window", "select", "flash"), figures, strict=True):
        assert contrast(tokens.tone(name), tokens.tone(ground)) == pytest.approx(figure, abs=0.06)


@THEMES
@pytest.mark.parametrize("name", ["text", "text2", "text3", "accent"])
def test_text_can_be_read_on_every_ground_it_stands_on(tokens: Tokens, name: str) -> None:
    assert all(contrast(tokens.tone(name), tokens.tone(ground)) >= 4.5 for ground in GROUNDS)


@THEMES
def test_messages_can_be_read_on_their_bars(tokens: Tokens) -> None:
    for ground in (tokens.warn_bg, tokens.error_bg, tokens.info_bg):
        assert contrast(tokens.text, ground) >= 4.5
        assert contrast(tokens.text2, ground) >= 4.5
    assert contrast(tokens.warn_fg, tokens.warn_bg) >= 4.5
    assert contrast(tokens.accent, tokens.info_bg) >= 4.5
    assert contrast(tokens.state(Status.FAILED), tokens.error_bg) >= 3


@THEMES
def test_text_in_the_base_colour_can_be_read_on_an_accent_fill(tokens: Tokens) -> None:
    assert contrast(tokens.base, tokens.accent) >= 4.5


@THEMES
def test_shapes_stand_out_from_every_ground_they_stand_on(tokens: Tokens) -> None:
    for color in shapes(tokens):
        assert all(contrast(color, tokens.tone(ground)) >= 3 for ground in ("base", "window", "select", "flash"))


@THEMES
def test_each_state_has_a_colour_of_its_own(tokens: Tokens) -> None:
    names = {color.name() for color in shapes(tokens)}

    assert set(tokens.states) == set(Status)
    assert len(names) == len(Status) + 1


@THEMES
@pytest.mark.parametrize("word", ["paused", "", "QUEUED", "text", "queued "])
def test_a_status_that_is_none_of_the_seven_has_the_colour_of_the_unknown(tokens: Tokens, word: str) -> None:
    assert tokens.state(word) == tokens.unknown


@THEMES
def test_a_tone_is_a_status_or_a_token(tokens: Tokens) -> None:
    assert tokens.tone("failed") == tokens.state(Status.FAILED)
    assert tokens.tone("text2") == tokens.text2
    with pytest.raises(KeyError):
        tokens.tone("dark")


@THEMES
def test_tokens_are_found_again_in_the_palette_made_from_them(tokens: Tokens) -> None:
    palette = qpalette(tokens)
    assert tokens_of(palette) is tokens

    # As a style sheet does with the palette of a widget that it styles.
    for role in (QPalette.ColorRole.Window, QPalette.ColorRole.Base, QPalette.ColorRole.Button):
        palette.setColor(role, QColor("red"))
    assert tokens_of(palette) is tokens


@THEMES
def test_a_list_without_focus_has_the_quieter_selection(tokens: Tokens) -> None:
    palette = qpalette(tokens)

    highlight = QPalette.ColorRole.Highlight
    assert palette.color(QPalette.ColorGroup.Active, highlight) == tokens.select
    assert palette.color(QPalette.ColorGroup.Inactive, highlight) == tokens.select_in


@pytest.mark.parametrize(("text", "ground", "dark"), [("#ffff00", "#000000", True), ("#000000", "#ffffff", False)])
def test_a_system_palette_with_more_contrast_is_kept(text: str, ground: str, dark: bool) -> None:
    palette = QPalette(QColor(ground))
    for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text):
        palette.setColor(role, QColor(text))
    for role in (QPalette.ColorRole.Window, QPalette.ColorRole.Base):
        palette.setColor(role, QColor(ground))

    tokens = tokens_of(palette)

    assert tokens.dark is dark
    assert tokens.text == QColor(text)
    assert tokens.base == QColor(ground)
    assert contrast(tokens.text3, tokens.base) >= 4.5
    assert tokens_of(palette) is tokens


@pytest.mark.parametrize(("amount", "name"), [(0.0, "#000000"), (1.0, "#ffffff"), (0.5, "#808080")])
def test_mixing_goes_from_one_colour_to_the_other(amount: float, name: str) -> None:
    assert mixed(QColor("white"), QColor("black"), amount).name() == name
