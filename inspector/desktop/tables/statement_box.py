"""Where a statement in SQL is typed, with what runs and stops it."""

from typing import Final

from PySide6.QtCore import QMimeData, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from inspector.desktop.tables.words import not_pasted_words
from inspector.desktop.widgets.elided import ElidedLabel
from inspector.desktop.widgets.fonts import fixed_font
from inspector.desktop.widgets.strips import Strip

_LINES: Final = 3
_LONGEST: Final = 20_000
"""The most characters in the field: Qt breaks a line without a space in a time that grows with its square."""


class StatementBox(Strip):
    """A field for one statement that only reads.

    Signals:
        run_requested: the statement is to be run; carries it.
        stop_requested: what runs is to be stopped.
    """

    run_requested = Signal(str)
    stop_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, height=0)
        self._editor = _Editor(self)
        self._run = QPushButton(self.tr("Run"), self)
        self._stop = QPushButton(self.tr("Stop"), self)
        for button in (self._run, self._stop):
            button.setAutoDefault(False)
        self._run.setToolTip(self.tr("Ctrl+Return"))
        self._words = ElidedLabel(tone="text2", parent=self)
        buttons = QVBoxLayout()
        buttons.setSpacing(6)
        buttons.addWidget(self._run)
        buttons.addWidget(self._stop)
        buttons.addStretch(1)
        fields = QVBoxLayout()
        fields.setSpacing(4)
        fields.addWidget(self._editor)
        fields.addWidget(self._words)
        line = QHBoxLayout(self)
        line.setContentsMargins(12, 8, 12, 6)
        line.setSpacing(8)
        line.addLayout(fields, 1)
        line.addLayout(buttons)
        self._run.clicked.connect(self._on_run)
        self._stop.clicked.connect(self.stop_requested)
        self._editor.run_wanted.connect(self._on_run)
        self._editor.too_long.connect(self._on_too_long)
        self._editor.textChanged.connect(self._on_edited)
        self._is_running = False
        self._tells_of_paste = False
        self.show_words("")
        self._refresh()

    @property
    def editor(self) -> QPlainTextEdit:
        """The field."""
        return self._editor

    @property
    def run_button(self) -> QPushButton:
        """The button that runs the statement."""
        return self._run

    @property
    def stop_button(self) -> QPushButton:
        """The button that stops it."""
        return self._stop

    @property
    def is_running(self) -> bool:
        """Whether a statement runs now."""
        return self._is_running

    @property
    def words(self) -> str:
        """What is said of the statement."""
        return self._words.text()

    def set_running(self, running: bool) -> None:
        """Say whether a statement runs now."""
        had_keyboard = self._stop.hasFocus()
        self._is_running = running
        self._refresh()
        if had_keyboard and not running:
            self._editor.setFocus()

    def show_words(self, words: str, *, warns: bool = False) -> None:
        """Say how the statement stands, in visible words."""
        self._tells_of_paste = False
        self._words.set_tone("warn_fg" if warns else "text2")
        self._words.setText(words or self.tr("One statement that only reads. Secrets are NULL in it."))

    def clear(self) -> None:
        """Forget what was said; what was typed stays."""
        self.show_words("")
        self.set_running(False)

    def _on_run(self) -> None:
        sql = self._editor.toPlainText()
        if sql.strip() and not self._is_running:
            self.run_requested.emit(sql)

    def _on_too_long(self, characters: int) -> None:
        self.show_words(not_pasted_words(characters, _LONGEST), warns=True)
        self._tells_of_paste = True

    def _on_edited(self) -> None:
        if self._tells_of_paste:
            self.show_words("")
        self._refresh()

    def _refresh(self) -> None:
        self._run.setEnabled(not self._is_running and not self._editor.document().isEmpty())
        self._stop.setEnabled(self._is_running)


class _Editor(QPlainTextEdit):
    run_wanted = Signal()
    too_long = Signal(int)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setPlaceholderText(self.tr("SELECT status, count(*) FROM tasks GROUP BY status"))
        self.setAccessibleName(self.tr("Statement in SQL"))
        self.setTabChangesFocus(True)
        self.setFont(fixed_font())
        self.setFixedHeight(QFontMetrics(fixed_font()).lineSpacing() * _LINES + 14)

    def insertFromMimeData(self, source: QMimeData) -> None:
        kept = len(self.toPlainText()) - len(self.textCursor().selectedText())
        characters = kept + len(source.text())
        if characters > _LONGEST:
            self.too_long.emit(characters)
        else:
            super().insertFromMimeData(source)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_return = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if is_return and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.run_wanted.emit()
        else:
            super().keyPressEvent(event)
