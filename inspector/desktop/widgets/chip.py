"""A filter that says how much it would let through: shape, word, count."""

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from inspector.desktop.widgets.drawing import small_face
from inspector.desktop.widgets.row_button import Icon, Part, RowButton, Shape, Word
from inspector.desktop.widgets.words import grouped


class Chip(RowButton):
    """A checkable chip. Checked, it has the selection's fill and an accent frame; otherwise no frame."""

    def __init__(
        self,
        word: str,
        *,
        status: str | None = None,
        icon: str | None = None,
        warns: bool = False,
        in_pane: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        """Say ``word`` after the shape of ``status``, the icon ``icon`` or, if it ``warns``, the triangle in grey.

        ``in_pane``: 22 high instead of 24.
        """
        super().__init__(parent)
        self._word = word
        self._mark: Part | None = None
        if status is not None:
            self._mark = Shape(status)
        elif warns or icon is not None:
            self._mark = Icon("warning" if icon is None else icon, 13)
        self._count: str | None = None
        self._is_late = False
        self._height = 22 if in_pane else 24
        self.setCheckable(True)
        self.refresh()

    @property
    def word(self) -> str:
        """The word on the chip."""
        return self._word

    def set_word(self, word: str) -> None:
        """Replace the word."""
        self._word = word
        self.refresh()

    def set_count(self, count: int | None, *, is_late: bool = False) -> None:
        """Show ``count`` after the word; None for no count. ``is_late``: a new one is on its way."""
        text = None if count is None else grouped(count)
        if (text, is_late) != (self._count, self._is_late):
            self._count, self._is_late = text, is_late
            self.refresh()

    def parts(self) -> Sequence[Part]:
        parts: list[Part] = [] if self._mark is None else [self._mark]
        parts.append(Word(self._word))
        if self._count is not None:
            parts.append(Word(self._count, "text3" if self._is_late else "text2", small_face))
        return parts

    def plain_height(self) -> int:
        return self._height

    def pad(self) -> int:
        return 8
