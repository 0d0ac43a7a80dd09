"""The line over the list of events: a text to look for, all or changes of status only, follow."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QSizePolicy, QWidget

from inspector.desktop.widgets.chip import Chip
from inspector.desktop.widgets.flow import FlowLayout
from inspector.desktop.widgets.icons import icon
from inspector.desktop.widgets.palette import tokens_of

_CHARACTERS = 17
_LONGEST = 200


class _SearchField(QLineEdit):
    """A search field with its glass; Esc empties it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._glass = QAction(self)
        self.addAction(self._glass, QLineEdit.ActionPosition.LeadingPosition)
        self.setClearButtonEnabled(True)
        self.setMaxLength(_LONGEST)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._fit_to_looks()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self._fit_to_looks()

    def _fit_to_looks(self) -> None:
        self._glass.setIcon(icon("find", tokens_of(self.palette()).text2))
        self.setFixedWidth(self.fontMetrics().averageCharWidth() * _CHARACTERS + 30)


class EventFilterLine(QWidget):
    """What of the log is shown. It wraps where it is narrow.

    Signals:
        changed: another text, or another choice; carries the text and whether only changes of status are wanted.
        follow_clicked: the reader wants the list to follow its log, or to let go; carries which.
    """

    changed = Signal(str, bool)
    follow_clicked = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = _SearchField(self)
        self._text.setPlaceholderText(self.tr("Type or data"))
        self._text.setAccessibleName(self.tr("Filter the events by type or data"))
        self._all = Chip(self.tr("All"), in_pane=True, parent=self)
        self._all.setChecked(True)
        self._changes = Chip(self.tr("Status changes"), in_pane=True, parent=self)
        self._follow = Chip(self.tr("Follow"), icon="check", in_pane=True, parent=self)
        self._follow.setChecked(True)
        self._follow.setToolTip(self.tr("Stay at the last event as events arrive (End)"))
        flow = FlowLayout(self)
        flow.setContentsMargins(8, 4, 8, 4)
        for widget in (self._text, self._all, self._changes, self._follow):
            flow.addWidget(widget)
        self._text.textChanged.connect(self._tell)
        self._all.clicked.connect(lambda: self._choose(changes_only=False))
        self._changes.clicked.connect(lambda: self._choose(changes_only=True))
        self._follow.clicked.connect(self.follow_clicked)

    @property
    def text_field(self) -> QLineEdit:
        """Where the text is typed."""
        return self._text

    @property
    def all_chip(self) -> Chip:
        """The choice of all events."""
        return self._all

    @property
    def changes_chip(self) -> Chip:
        """The choice of changes of status only."""
        return self._changes

    @property
    def follow_chip(self) -> Chip:
        """Whether the list follows."""
        return self._follow

    def show_counts(self, events: int, changes: int) -> None:
        """Show how many events each choice stands for."""
        self._all.set_count(events)
        self._changes.set_count(changes)

    def _choose(self, *, changes_only: bool) -> None:
        self._all.setChecked(not changes_only)
        self._changes.setChecked(changes_only)
        self._tell()

    def _tell(self) -> None:
        self.changed.emit(self._text.text(), self._changes.isChecked())
