"""Columns of caption and value, as at the top of a pane."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QRect, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from inspector.desktop.widgets.elided import ElidedLabel
from inspector.desktop.widgets.fonts import at_least, fixed_font, ui_font

_BETWEEN_COLUMNS = 16
_CAPTION_GAP = 8
_ROW = 20
_NARROWEST = 150
"""A column that would become narrower than this goes below the others."""


@dataclass(frozen=True, slots=True)
class KeyValue:
    """One caption with its value; ``fixed``: in the fixed font and cut in the middle, for ids and digests."""

    caption: str
    value: str
    fixed: bool = False
    tone: str = "text"


class KeyValues(QWidget):
    """Columns of captions and values that stand still: their places follow from the width, never from the values."""

    def __init__(self, parent: QWidget | None = None, *, weights: Sequence[float] = (1.55, 1.0, 1.0)) -> None:
        """Share the width between columns by ``weights``; columns beyond them weigh 1."""
        super().__init__(parent)
        self._weights = tuple(weights)
        self._columns: list[list[KeyValue]] = []
        self._labels: list[list[tuple[ElidedLabel, ElidedLabel]]] = []
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def show_columns(self, columns: Sequence[Sequence[KeyValue]]) -> None:
        """Show ``columns``. Labels are kept where captions stay, so that a value changes in its place."""
        new = [list(column) for column in columns]
        before, self._columns = self._columns, new
        if _shape(new) == _shape(before):
            for labels, pairs, olds in zip(self._labels, new, before, strict=True):
                for (_, value), pair, old in zip(labels, pairs, olds, strict=True):
                    if pair != old:
                        _show(value, pair)
            return
        self._make_labels(before)
        self.updateGeometry()
        self._place()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return sum(max((len(column) for column in band), default=0) for band in self._bands(width)) * at_least(
            _ROW, room=4
        )

    def sizeHint(self) -> QSize:
        width = max(1, len(self._columns)) * 180
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        return QSize(_NARROWEST, self.heightForWidth(max(self.width(), _NARROWEST)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.heightForWidth(event.size().width()) != self.heightForWidth(event.oldSize().width()):
            self.updateGeometry()
        self._place()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            self.updateGeometry()
            self._place()

    def _make_labels(self, before: list[list[KeyValue]]) -> None:
        """Give every pair its labels: those that stood in its place, where they have its face, or new ones."""
        spare = {
            (column, row, item.fixed): labels
            for column, (items, pairs) in enumerate(zip(before, self._labels, strict=True))
            for row, (item, labels) in enumerate(zip(items, pairs, strict=True))
        }
        self._labels = [
            [self._pair(item, spare.pop((column, row, item.fixed), None)) for row, item in enumerate(items)]
            for column, items in enumerate(self._columns)
        ]
        for label in (label for pair in spare.values() for label in pair):
            label.hide()
            label.deleteLater()

    def _pair(self, item: KeyValue, there: tuple[ElidedLabel, ElidedLabel] | None) -> tuple[ElidedLabel, ElidedLabel]:
        if there is not None:
            there[0].setText(item.caption)
            _show(there[1], item)
            return there
        caption = ElidedLabel(item.caption, tone="text2", parent=self)
        face = fixed_font if item.fixed else ui_font
        value = ElidedLabel(item.value, tone=item.tone, face=face, middle=item.fixed, parent=self)
        value.setAccessibleName(f"{item.caption}: {item.value}")
        for label in (caption, value):
            label.setVisible(True)
        return caption, value

    def _weight(self, column: int) -> float:
        return self._weights[column] if column < len(self._weights) else 1.0

    def _bands(self, width: int) -> list[list[list[KeyValue]]]:
        """Return the columns in the groups that stand beside one another at ``width``."""
        count = len(self._columns)
        beside = count
        while beside > 1 and (width - (beside - 1) * _BETWEEN_COLUMNS) / beside < _NARROWEST:
            beside -= 1
        return [self._columns[at : at + beside] for at in range(0, count, max(1, beside))]

    def _place(self) -> None:
        row = at_least(_ROW, room=4)
        bands = self._bands(self.width())
        captions = self._caption_widths(len(bands[0]) if bands else 1)
        top, first = 0, 0
        for band in bands:
            members = range(first, first + len(band))
            free = self.width() - (len(band) - 1) * _BETWEEN_COLUMNS
            total = sum(self._weight(column) for column in members)
            left = 0.0
            for column, caption in zip(members, captions, strict=False):
                width = free * self._weight(column) / total
                self._place_column(self._labels[column], QRect(int(left), top, int(width), row), caption)
                left += width + _BETWEEN_COLUMNS
            top += max(len(column) for column in band) * row
            first += len(band)

    def _caption_widths(self, beside: int) -> list[int]:
        """Return the width of the captions at each place of a band: columns below one another keep one line."""
        widths = [0] * beside
        for column, labels in enumerate(self._labels):
            widest = max((caption.sizeHint().width() for caption, _ in labels), default=0)
            widths[column % beside] = max(widths[column % beside], widest)
        return widths

    @staticmethod
    def _place_column(labels: list[tuple[ElidedLabel, ElidedLabel]], place: QRect, captions: int) -> None:
        """Place a column whose first row is ``place``."""
        captions = min(captions, place.width() // 2)
        start = place.left() + captions + _CAPTION_GAP
        for at, (caption, value) in enumerate(labels):
            top = place.top() + at * place.height()
            caption.setGeometry(place.left(), top, captions, place.height())
            value.setGeometry(start, top, max(0, place.right() + 1 - start), place.height())


def _show(label: ElidedLabel, pair: KeyValue) -> None:
    label.setText(pair.value)
    label.set_tone(pair.tone)
    label.setAccessibleName(f"{pair.caption}: {pair.value}")


def _shape(columns: list[list[KeyValue]]) -> list[list[tuple[str, bool]]]:
    return [[(item.caption, item.fixed) for item in column] for column in columns]
