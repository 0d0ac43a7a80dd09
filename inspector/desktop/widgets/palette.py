"""The colours, as tokens: light, dark, and taken from a system palette that wants more contrast.

Contrast was computed by the WCAG formula: text reaches 4.5 on every background it stands on, state shapes reach 3 on
base, window, selection and the fade colour. Whoever changes a colour computes these again (the tests do).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from PySide6.QtGui import QColor, QPalette

from inspector.lmsp.statuses import Status

_GROUP = QPalette.ColorGroup
_ROLE = QPalette.ColorRole


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """Every colour that the window uses, by what it is for. The colours are not to be changed in place."""

    window: QColor
    """Menu, header, navigation, bars, status bar."""
    base: QColor
    """Tables, panes, inputs, buttons."""
    header: QColor
    """Headers of tables, captions of panes."""
    hover: QColor
    """The row under the pointer."""
    select: QColor
    """The selected row, the checked chip, the current view."""
    select_in: QColor
    """A selection in a list without focus; the paused bar."""
    flash: QColor
    """A cell that just changed; it fades out."""
    line: QColor
    """Hairlines, grids, axes."""
    edge: QColor
    """Frames of controls, borders between panes. Decoration: a control is known by its text as well."""
    text: QColor
    text2: QColor
    """Captions, words of headers, ticks."""
    text3: QColor
    """The least text: units, paths, "none"."""
    accent: QColor
    """Focus, links, the time cursor, a span."""
    warn_bg: QColor
    warn_fg: QColor
    error_bg: QColor
    info_bg: QColor
    dark: bool
    states: Mapping[str, QColor]
    unknown: QColor
    """The shape of a status that is none of the seven."""

    def state(self, status: str) -> QColor:
        """Return the colour of a status' shape; never used for running text."""
        return self.states.get(status, self.unknown)

    def tone(self, name: str) -> QColor:
        """Return the colour called ``name``: a status, or one of the fields above ("text2", "warn_fg")."""
        if name in self.states:
            return self.states[name]
        color = getattr(self, name)
        if not isinstance(color, QColor):
            raise KeyError(name)
        return color


def _states(
    queued: str, loading: str, running: str, cancelling: str, completed: str, failed: str, cancelled: str
) -> dict[str, QColor]:
    return {
        Status.QUEUED: QColor(queued),
        Status.LOADING: QColor(loading),
        Status.RUNNING: QColor(running),
        Status.CANCELLING: QColor(cancelling),
        Status.COMPLETED: QColor(completed),
        Status.FAILED: QColor(failed),
        Status.CANCELLED: QColor(cancelled),
    }


LIGHT = Tokens(
    window=QColor("#F3F4F5"),
    base=QColor("#FFFFFF"),
    header=QColor("#F8F9FA"),
    hover=QColor("#F1F3F5"),
    select=QColor("#DDE6F2"),
    select_in=QColor("#E6E8EB"),
    flash=QColor("#FFF3C9"),
    line=QColor("#E2E5E8"),
    edge=QColor("#BFC5CC"),
    text=QColor("#1C2024"),
    text2=QColor("#50575F"),
    text3=QColor("#5F666F"),
    accent=QColor("#34578C"),
    warn_bg=QColor("#FFF6DD"),
    warn_fg=QColor("#7A4A00"),
    error_bg=QColor("#FDECEA"),
    info_bg=QColor("#EAF0F8"),
    dark=False,
    states=_states("#4B525B", "#6C2BC8", "#0C66AE", "#BD6800", "#0F8A72", "#B51C0F", "#7F6448"),
    unknown=QColor("#B8158F"),
)

DARK = Tokens(
    window=QColor("#212428"),
    base=QColor("#191B1E"),
    header=QColor("#1F2225"),
    hover=QColor("#23272B"),
    select=QColor("#2B3A50"),
    select_in=QColor("#2E3236"),
    flash=QColor("#3D3720"),
    line=QColor("#303439"),
    edge=QColor("#4C525A"),
    text=QColor("#E2E5E8"),
    text2=QColor("#AEB5BD"),
    text3=QColor("#9DA5AE"),
    accent=QColor("#8FB2E8"),
    warn_bg=QColor("#3A3119"),
    warn_fg=QColor("#F2C46B"),
    error_bg=QColor("#3D2322"),
    info_bg=QColor("#243044"),
    dark=True,
    states=_states("#C4CAD1", "#A87DEE", "#70B6F8", "#FFB04A", "#2BCB99", "#F56A50", "#AE8E76"),
    unknown=QColor("#DD70B6"),
)


def qpalette(tokens: Tokens) -> QPalette:
    """Return the palette that carries ``tokens`` to Qt's own painting."""
    palette = QPalette(tokens.base, tokens.window)
    for role, color in (
        (_ROLE.Window, tokens.window),
        (_ROLE.Base, tokens.base),
        (_ROLE.Button, tokens.base),
        (_ROLE.AlternateBase, tokens.header),
        (_ROLE.ToolTipBase, tokens.base),
        (_ROLE.Midlight, tokens.line),
        (_ROLE.Mid, tokens.edge),
        (_ROLE.Light, tokens.base),
        (_ROLE.Dark, tokens.edge),
        (_ROLE.Shadow, tokens.edge),
        (_ROLE.WindowText, tokens.text),
        (_ROLE.Text, tokens.text),
        (_ROLE.ButtonText, tokens.text),
        (_ROLE.ToolTipText, tokens.text),
        (_ROLE.BrightText, tokens.text),
        (_ROLE.PlaceholderText, tokens.text3),
        (_ROLE.Highlight, tokens.select),
        (_ROLE.HighlightedText, tokens.text),
        (_ROLE.Link, tokens.accent),
        (_ROLE.LinkVisited, tokens.accent),
        (_ROLE.Accent, tokens.accent),
    ):
        palette.setColor(_GROUP.All, role, color)
    palette.setColor(_GROUP.Inactive, _ROLE.Highlight, tokens.select_in)
    for role in (_ROLE.WindowText, _ROLE.Text, _ROLE.ButtonText, _ROLE.HighlightedText):
        palette.setColor(_GROUP.Disabled, role, mixed(tokens.text3, tokens.window, 0.35))
    return palette


def tokens_of(palette: QPalette) -> Tokens:
    """Return the tokens behind ``palette``; where it is a system's own, tokens made from its colours."""
    # A style sheet replaces Window, Base and Button in the palette of a widget that it styles; it leaves these two.
    marks = palette.color(_GROUP.Active, _ROLE.Mid).rgb(), palette.color(_GROUP.Active, _ROLE.Midlight).rgb()
    known = _KNOWN.get(marks)
    return known if known is not None else _from_system(palette.cacheKey(), _Unkeyed(palette))


def mixed(over: QColor, under: QColor, amount: float) -> QColor:
    """Return ``under`` with ``amount`` (0 to 1) of ``over`` in it."""
    keep = 1.0 - amount
    return QColor.fromRgbF(
        over.redF() * amount + under.redF() * keep,
        over.greenF() * amount + under.greenF() * keep,
        over.blueF() * amount + under.blueF() * keep,
    )


_KNOWN = {(tokens.edge.rgb(), tokens.line.rgb()): tokens for tokens in (LIGHT, DARK)}


class _Unkeyed:
    """Carries a palette past the cache, whose key is the palette's own."""

    __slots__ = ("palette",)

    def __init__(self, palette: QPalette) -> None:
        self.palette = palette

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Unkeyed)

    def __hash__(self) -> int:
        return 0


@lru_cache(maxsize=16)
def _from_system(_key: int, carried: _Unkeyed) -> Tokens:
    palette = carried.palette
    active = _GROUP.Active
    window, base = palette.color(active, _ROLE.Window), palette.color(active, _ROLE.Base)
    text, select = palette.color(active, _ROLE.WindowText), palette.color(active, _ROLE.Highlight)
    nearest = DARK if window.lightnessF() < text.lightnessF() else LIGHT
    # A strong highlight would swallow text and shapes in their plain colours; its hue is kept, its strength is not.
    select = mixed(select, base, 0.3)
    return replace(
        nearest,
        window=window,
        base=base,
        header=window,
        hover=mixed(text, base, 0.06),
        select=select,
        select_in=mixed(text, base, 0.12),
        line=mixed(text, base, 0.35),
        edge=mixed(text, base, 0.6),
        text=text,
        text2=text,
        text3=mixed(text, base, 0.85),
        accent=palette.color(active, _ROLE.Link),
    )
