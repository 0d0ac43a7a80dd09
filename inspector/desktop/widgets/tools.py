"""Buttons of headers and filter bars, the badge of the mode, the pill over a table, links."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from inspector.desktop.widgets.drawing import small_face, ui_face
from inspector.desktop.widgets.palette import Tokens, mixed
from inspector.desktop.widgets.row_button import Icon, Part, RowButton, Word
from inspector.desktop.widgets.tips import tip
from inspector.desktop.widgets.words import grouped

_bold_small = partial(small_face, bold=True)
_bold_ui = partial(ui_face, bold=True)


class HeaderButton(RowButton):
    """A framed button of a bar: an icon, a word, and an arrow down where it opens something."""

    framed = True

    def __init__(
        self,
        word: str = "",
        icon: str | None = None,
        *,
        opens: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        """Say ``word`` after ``icon``; a button without a word needs an accessible name from its maker."""
        super().__init__(parent)
        self._word = word
        self._strong = ""
        self._icon = icon
        self._opens = opens
        self._is_default = False
        self.refresh()

    def set_word(self, word: str, strong: str = "") -> None:
        """Replace the word; ``strong`` stands after it, bold: the number of filters that are on."""
        if (word, strong) != (self._word, self._strong):
            self._word, self._strong = word, strong
            self.refresh()

    def set_icon_name(self, icon: str | None) -> None:
        """Replace the icon."""
        if icon != self._icon:
            self._icon = icon
            self.refresh()

    def set_default(self, is_default: bool) -> None:
        """Frame the button as the one that Enter presses."""
        self._is_default = is_default
        self.update()

    def parts(self) -> Sequence[Part]:
        tone = "text" if self.framed else "text2"
        parts: list[Part] = [] if self._icon is None else [Icon(self._icon, 14 if self._word else 16, tone)]
        if self._word:
            parts.append(Word(self._word, tone))
        if self._strong:
            parts.append(Word(self._strong, tone, _bold_ui))
        if self._opens:
            parts.append(Icon("chevron-down", 14, tone))
        return parts

    def pad(self) -> int:
        return 10 if self._word else 5

    def ground(self, tokens: Tokens) -> QColor | None:
        if not self.framed:
            return super().ground(tokens)
        return (super().ground(tokens) or tokens.base) if self.isEnabled() else tokens.select_in

    def edge(self, tokens: Tokens) -> QColor | None:
        if self.isChecked() or self._is_default:
            return tokens.accent
        if self.framed:
            return tokens.edge if self.isEnabled() else tokens.line
        return tokens.edge if self._is_hovered() else None


class FlatTool(HeaderButton):
    """A tool without a frame until it is hovered: add a filter, choose columns, copy, close."""

    framed = False


class ModeBadge(RowButton):
    """How the file is read: icon and word. It has no colour, since a mode is no fault. A click says more."""

    _ICONS = ("live", "resting", "crashed", "copy", "as-of")

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._mode = ""
        self._is_past = False
        self.refresh()

    def set_mode(self, mode: str, why: str, *, is_past: bool = False) -> None:
        """Show ``mode`` ("live", "resting", "crashed", "copy", "as-of"); ``why`` is the sentence of its tooltip.

        ``is_past``: it was read so, and is not read any more.
        """
        self._mode = mode
        self._is_past = is_past
        self.setToolTip(tip(why))
        self.setAccessibleDescription(why)
        self.refresh()

    def parts(self) -> Sequence[Part]:
        word = self._mode.replace("-", " ")
        if self._is_past:
            return [Word(self.tr("was %s") % word, "text", _bold_small)]
        icon: list[Part] = [Icon(f"mode-{self._mode}", 12)] if self._mode in self._ICONS else []
        return [*icon, Word(word, "text", _bold_small)]

    def plain_height(self) -> int:
        return 22

    def pad(self) -> int:
        return 8

    def ground(self, tokens: Tokens) -> QColor | None:
        return super().ground(tokens) or tokens.base

    def edge(self, tokens: Tokens) -> QColor | None:
        return super().edge(tokens) or tokens.edge


class PillButton(RowButton):
    """Says "3 new above": rows that came in while the reader was elsewhere. It lies over the top of a table.

    It keeps itself in the middle of a viewport, 6 px below its top, and is hidden while there is nothing.
    """

    def __init__(self, viewport: QWidget) -> None:
        # Not in the viewport itself: scrolling would carry it away with the rows.
        super().__init__(viewport.parentWidget() or viewport)
        self._viewport = viewport
        self._words = ""
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        viewport.installEventFilter(self)
        self.hide()

    def set_count(self, count: int, *, sorted_in: bool = True) -> None:
        """Say that ``count`` rows came in: above, or, under another order, not yet ``sorted_in``. None hides it."""
        words = self.tr("{count} new above") if sorted_in else self.tr("{count} new, not yet sorted in")
        self._words = words.format(count=grouped(count))
        self.refresh()
        self.setVisible(count > 0)
        self._place()
        self.raise_()

    def parts(self) -> Sequence[Part]:
        return [Icon("arrow-up", 12, "base"), Word(self._words, "base", _bold_small)]

    def plain_height(self) -> int:
        return 24

    def pad(self) -> int:
        return 12

    def gap(self) -> int:
        return 8

    def radius(self) -> float:
        return self.height() / 2

    def ground(self, tokens: Tokens) -> QColor:
        if self.isDown() or self._is_hovered():
            return mixed(tokens.text, tokens.accent, 0.2)
        return tokens.accent

    def edge(self, tokens: Tokens) -> QColor | None:
        return None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move):
            self._place()
        return super().eventFilter(watched, event)

    def _place(self) -> None:
        hint, viewport = self.sizeHint(), self._viewport
        origin = viewport.pos() if self.parentWidget() is not viewport else QPoint(0, 0)
        left = origin.x() + (viewport.width() - hint.width()) // 2
        self.setGeometry(left, origin.y() + 6, hint.width(), hint.height())


class LinkButton(QPushButton):
    """A link within a pane or a bar: accent text, underlined under the pointer, reached with Tab."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("link", True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAutoDefault(False)
        self.set_text(text)

    def set_text(self, text: str) -> None:
        """Replace the text."""
        self.setText(text.replace("&", "&&"))
        self.setAccessibleName(text)
