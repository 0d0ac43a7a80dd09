"""The value of the chosen cell, whole up to 64 KiB, as stored."""

from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from inspector.desktop.tables.words import is_content, kind_words
from inspector.desktop.widgets.empty import EmptySentence
from inspector.desktop.widgets.json_view import JsonView
from inspector.desktop.widgets.strips import CaptionStrip
from inspector.desktop.widgets.tools import FlatTool
from inspector.desktop.widgets.words import byte_size
from inspector.layout.tables import Storage, StoredCell
from inspector.layout.visible import visible

_LINES: Final = "\n\r\t"
_WITHOUT_TEXT: Final = (Storage.NULL, Storage.HIDDEN, Storage.LEFT_OUT, Storage.UNREAD)


class ValuePane(QWidget):
    """Shows one value as plain text. Copying gives the stored value, as far as it is here.

    Signals:
        uncover_wanted: the value is covered and the reader wants to see it.
        beginning_copied: only the beginning was copied, since no more is here; carries a sentence that says so.
    """

    uncover_wanted = Signal()
    beginning_copied = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._column = ""
        self._why_not: str | None = None
        self._cell: StoredCell | None = None
        self._is_covered = False
        self._strip = CaptionStrip(parent=self, above=True)
        self._copy = FlatTool(icon="copy", parent=self)
        self._copy.setAccessibleName(self.tr("Copy the stored value"))
        self._copy.setToolTip(self.tr("Copy the stored value"))
        self._strip.add_control(self._copy)
        self._view = JsonView(self, numbered=False)
        self._view.set_pretty(False)
        self._view.setAccessibleName(self.tr("Value of the chosen cell"))
        self._sentence = EmptySentence(parent=self)
        self._pages = QStackedWidget(self)
        self._pages.addWidget(self._view)
        self._pages.addWidget(self._sentence)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self._strip)
        whole.addWidget(self._pages, 1)
        self._copy.clicked.connect(self.copy)
        self._sentence.link_clicked.connect(self.uncover_wanted)
        self._refresh()

    @property
    def text(self) -> str:
        """What is shown of the value."""
        return self._view.shown_text() if self._pages.currentIndex() == 0 else ""

    @property
    def caption(self) -> str:
        """The column and what the value is."""
        return self._strip.accessibleName()

    def show_cell(self, column: str, cell: StoredCell | None, why_not: str | None = None) -> None:
        """Show a value of ``column``, or that none is chosen; ``why_not``: why the column is not read."""
        self._column, self._cell, self._why_not = column, cell, why_not
        self._refresh()

    def set_covered(self, covered: bool) -> None:
        """Cover what can hold prompts and outputs, or uncover it."""
        self._is_covered = covered
        self._refresh()

    def copy(self) -> None:
        """Copy the value as it is stored: all the digits, all the characters, the bytes of a blob as digits."""
        if self._cell is not None and self._copy.isEnabled():
            QGuiApplication.clipboard().setText(self._cell.text)
            if self._cell.is_cut:
                whole = byte_size(self._cell.length)
                self.beginning_copied.emit(self.tr("Copied only the beginning of the value, which has %s.") % whole)

    def _refresh(self) -> None:
        cell = self._cell
        has_text = cell is not None and cell.storage not in _WITHOUT_TEXT
        is_covered = cell is not None and self._is_covered and is_content(cell)
        self._copy.setEnabled(has_text and not is_covered)
        if cell is None:
            self._strip.set_caption(self.tr("Value"))
            self._sentence.set_sentence(self.tr("No cell chosen."))
        elif is_covered:
            self._strip.set_caption(visible(self._column), kind_words(cell))
            sentence = self.tr("Covered: it can hold prompts and outputs.")
            self._sentence.set_sentence(sentence, self.tr("Show the content of this file"))
        else:
            cut = self.tr(", only its beginning is here") if cell.is_cut else ""
            self._strip.set_caption(visible(self._column), kind_words(cell) + cut)
            self._sentence.set_sentence(self._why_not or kind_words(cell))
            self._view.show_text(visible(cell.text, keep=_LINES), length=cell.length if cell.is_cut else None)
        if is_covered or not has_text:
            self._view.clear()
        self._pages.setCurrentIndex(0 if has_text and not is_covered else 1)
