"""The content of a view; as long as nothing was read for it, one sentence in its place, or nothing yet."""

from PySide6.QtWidgets import QStackedWidget, QWidget

from inspector.desktop.widgets.empty import EmptySentence


class UntilRead(QStackedWidget):
    """Shows ``content`` once something was read for it: before that its counts would be zeros of nothing."""

    def __init__(self, content: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._content = content
        self._sentence = EmptySentence(parent=self)
        self.addWidget(self._sentence)
        self.addWidget(content)

    @property
    def is_read(self) -> bool:
        """Whether the content is shown."""
        return self.currentWidget() is self._content

    def show_content(self) -> None:
        """Show the content: something was read."""
        self.setCurrentWidget(self._content)

    def show_unread(self, sentence: str) -> None:
        """Show no content, and in one visible sentence why nothing is read; empty where it still may be."""
        self._sentence.set_sentence(sentence)
        self.setCurrentWidget(self._sentence)
