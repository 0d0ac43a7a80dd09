"""The content of a view; as long as nothing was read for it, one sentence in its place, or nothing yet."""

from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from inspector.desktop.widgets.empty import EmptySentence


class UntilRead(QStackedWidget):
    """Shows its content once something was read for it: before that its counts would be zeros of nothing."""

    def __init__(self, *parts: QWidget) -> None:
        """Show ``parts`` one below another; the last one takes the room that is left."""
        super().__init__()
        self._content = QWidget()
        column = QVBoxLayout(self._content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for part in parts:
            column.addWidget(part)
        column.setStretchFactor(parts[-1], 1)
        self._sentence = EmptySentence(parent=self)
        self.addWidget(self._sentence)
        self.addWidget(self._content)

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
