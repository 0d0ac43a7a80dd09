"""The stored and the found digest, one below the other in groups, so that a difference is seen at once."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from PySide6.QtCore import QEvent, QRect, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from inspector.desktop.digests.words import GROUP_DIGITS
from inspector.desktop.widgets.drawing import draw_left, fixed_face, ui_face
from inspector.desktop.widgets.palette import Tokens, tokens_of

_PREFIX: Final = "sha256:"
_AFTER_CAPTION: Final = 12
_BETWEEN_GROUPS: Final = 9
_BETWEEN_LINES: Final = 6
_BETWEEN_PAIRS: Final = 14
# A pair of lines holds all eight groups, or a half of them, or less where it is narrower still.
_GROUPS_A_LINE: Final = (8, 4, 2, 1)


class _Line(NamedTuple):
    """One line of groups, of the stored digest (side 0) or of the found one."""

    top: int
    side: int
    part: range


class DigestComparison(QWidget):
    """Two digests in eight groups of digits each. Where a line cannot hold them, both are broken at the same group.

    Groups that are the same in two digests that differ are dim. Text that is not a digest stands as it is.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._captions = (self.tr("Stored"), self.tr("Found"))
        self._groups: tuple[Sequence[str], Sequence[str]] = ((), ())
        self._instead = ("", "")
        self._caption_width = 0
        # Not Fixed: a fixed height would be that of a line wide enough for all groups.
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def show_digests(self, stored: Sequence[str], found: Sequence[str], *, stored_words: str, found_words: str) -> None:
        """Show the groups of both digests; where one has none, its words."""
        shown = (tuple(stored), tuple(found)), (stored_words, found_words)
        if shown == (self._groups, self._instead):
            return
        self._groups, self._instead = shown
        told = (
            f"{caption}: {_PREFIX} {' '.join(groups)}" if groups else f"{caption}: {words}"
            for caption, groups, words in zip(self._captions, self._groups, self._instead, strict=True)
        )
        self.setAccessibleName("; ".join(told))
        self.updateGeometry()
        self.update()

    def set_caption_width(self, width: int) -> None:
        """Let the digests begin at ``width``, in line with what stands below; at least the captions keep their room."""
        if width != self._caption_width:
            self._caption_width = width
            self.updateGeometry()
            self.update()

    @property
    def differing(self) -> tuple[int, ...]:
        """The groups, from 0, in which two digests differ; none where one of them is missing."""
        stored, found = self._groups
        if not stored or not found:
            return ()
        return tuple(at for at, (a, b) in enumerate(zip(stored, found, strict=True)) if a != b)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._laid_out(width)[-1].top + self._line_height()

    def sizeHint(self) -> QSize:
        width = self._indent() + _GROUPS_A_LINE[0] * self._group_width()
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        return QSize(self._indent() + 2 * self._group_width(), 2 * self._line_height() + _BETWEEN_LINES)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.ApplicationFontChange):
            self.updateGeometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        tokens = tokens_of(self.palette())
        for line in self._laid_out(self.width()):
            box = QRect(0, line.top, self.width(), self._line_height())
            self._paint_line(painter, box, line.side, line.part, tokens)
        painter.end()

    def _paint_line(self, painter: QPainter, box: QRect, side: int, part: range, tokens: Tokens) -> None:
        begins = part.start == 0
        if begins:
            draw_left(painter, box, self._captions[side], ui_face(), tokens.text2)
        groups = self._groups[side]
        rest = box.adjusted(self._beside_caption(), 0, 0, 0)
        if not groups:
            if begins:
                draw_left(painter, rest, self._instead[side], fixed_face(), tokens.text3)
            return
        if begins:
            draw_left(painter, rest, _PREFIX, fixed_face(), tokens.text2)
        differing = self.differing
        at = self._indent()
        for group in part:
            color = tokens.text3 if differing and group not in differing else tokens.text
            draw_left(
                painter, QRect(at, box.top(), self._group_width(), box.height()), groups[group], fixed_face(), color
            )
            at += self._group_width()

    def _laid_out(self, width: int) -> list[_Line]:
        """Return the lines that ``width`` takes; two digests are broken at the same group."""
        a_line = self._groups_a_line(width)
        parts = [range(at, at + a_line) for at in range(0, _GROUPS_A_LINE[0], a_line)]
        first = parts[:1]
        if all(self._groups):
            order = [(side, part, side == 0 and part.start > 0) for part in parts for side in (0, 1)]
        else:
            order = [(side, part, False) for side in (0, 1) for part in (parts if self._groups[side] else first)]
        lines = []
        top = 0
        for side, part, begins_pair in order:
            top += _BETWEEN_PAIRS - _BETWEEN_LINES if begins_pair else 0
            lines.append(_Line(top, side, part))
            top += self._line_height() + _BETWEEN_LINES
        return lines

    def _groups_a_line(self, width: int) -> int:
        room = width - self._indent() + _BETWEEN_GROUPS
        return next((count for count in _GROUPS_A_LINE if count * self._group_width() <= room), _GROUPS_A_LINE[-1])

    @staticmethod
    def _line_height() -> int:
        return max(fixed_face().metrics.height(), ui_face().metrics.height())

    def _beside_caption(self) -> int:
        captions = max(ui_face().metrics.horizontalAdvance(caption) for caption in self._captions) + _AFTER_CAPTION
        return max(captions, self._caption_width)

    def _indent(self) -> int:
        return self._beside_caption() + fixed_face().metrics.horizontalAdvance(_PREFIX) + _BETWEEN_GROUPS

    def _group_width(self) -> int:
        return fixed_face().metrics.horizontalAdvance("0") * GROUP_DIGITS + _BETWEEN_GROUPS
