"""What stands where there is nothing: one sentence, and at most one link."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from inspector.desktop.widgets.tools import LinkButton


class EmptySentence(QWidget):
    """A sentence at the top left of an empty table, never a picture.

    Signals:
        link_clicked: the link was clicked.
    """

    link_clicked = Signal()

    def __init__(self, sentence: str = "", link: str | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self._label = QLabel(self)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._label.setWordWrap(True)
        self._label.setProperty("tone", "text2")
        self._label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._link = LinkButton(parent=self)
        self._link.clicked.connect(self.link_clicked)
        line = QHBoxLayout()
        line.addWidget(self._link)
        line.addStretch(1)
        layout = QVBoxLayout(self)
        # A link keeps room for its focus frame; this puts its word under the sentence.
        layout.setContentsMargins(8, 12, 12, 12)
        self._label.setContentsMargins(4, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(self._label)
        layout.addLayout(line)
        layout.addStretch(1)
        self.set_sentence(sentence, link)

    def set_sentence(self, sentence: str, link: str | None = None) -> None:
        """Replace the sentence; ``link`` is what can be done about it."""
        self._label.setText(sentence)
        self._link.set_text(link or "")
        self._link.setVisible(link is not None)
        self.setAccessibleName(sentence)
