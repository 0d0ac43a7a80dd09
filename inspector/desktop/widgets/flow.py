"""A layout that goes on in the next line where a line is full."""

from PySide6.QtCore import QMargins, QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget


class FlowLayout(QLayout):
    """Places its widgets from left to right at their wanted size, and wraps. Each line is as high as its highest."""

    def __init__(self, parent: QWidget | None = None, *, gap: int = 8, line_gap: int = 6) -> None:
        super().__init__()
        self._items: list[QLayoutItem] = []
        self._gap = gap
        self._line_gap = line_gap
        self._heights: dict[int, int] = {}
        self._width = 0  # of our own: Qt forgets the geometry of a layout that is to be laid out again
        self.setContentsMargins(QMargins())
        if parent is not None:
            parent.setLayout(self)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        # Qt asks a dozen times for each time that something changes.
        if width not in self._heights:
            self._heights[width] = self._arrange(QRect(0, 0, width, 0), move=False)
        return self._heights[width]

    def invalidate(self) -> None:
        self._heights.clear()
        super().invalidate()

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._arrange(rect, move=True)
        before, self._width = self._width, rect.width()
        owner = self.parentWidget()
        if owner is not None and self.heightForWidth(before) != self.heightForWidth(rect.width()):
            # The least height follows from the width, which those around it have to ask for again.
            owner.updateGeometry()

    def sizeHint(self) -> QSize:
        """Return the size of one line of all widgets."""
        shown = [item.sizeHint() for item in self._items if not item.isEmpty()]
        margins = self.contentsMargins()
        width = sum(size.width() for size in shown) + self._gap * max(0, len(shown) - 1)
        height = max((size.height() for size in shown), default=0)
        return QSize(width + margins.left() + margins.right(), height + margins.top() + margins.bottom())

    def minimumSize(self) -> QSize:
        """Return the width of the widest widget, and the height at the width that there is."""
        size = QSize()
        for item in self._items:
            if not item.isEmpty():
                size = size.expandedTo(item.minimumSize())
        margins = self.contentsMargins()
        narrowest = size.width() + margins.left() + margins.right()
        return QSize(narrowest, self.heightForWidth(max(self._width, narrowest)))

    def _arrange(self, rect: QRect, *, move: bool) -> int:
        """Place the widgets in ``rect`` if ``move``; return the height that they need."""
        margins = self.contentsMargins()
        room = rect.marginsRemoved(margins)
        x, y, right = room.x(), room.y(), room.x() + room.width()
        line: list[tuple[QLayoutItem, int]] = []
        height = 0
        for item in (item for item in self._items if not item.isEmpty()):
            size = item.sizeHint()
            if line and x + size.width() > right:
                self._place(line, y, height, move=move)
                line, x, y, height = [], room.x(), y + height + self._line_gap, 0
            line.append((item, x))
            x += size.width() + self._gap
            height = max(height, size.height())
        self._place(line, y, height, move=move)
        return y + height - rect.y() + margins.bottom()

    @staticmethod
    def _place(line: list[tuple[QLayoutItem, int]], y: int, height: int, *, move: bool) -> None:
        if move:
            for item, x in line:
                size = item.sizeHint()
                item.setGeometry(QRect(QPoint(x, y + (height - size.height()) // 2), size))
