"""One model: the state of its file, what that means, both digests, sizes, times, path, and the stored metadata."""

from datetime import tzinfo
from typing import Final

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QGuiApplication, QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from inspector.desktop.digests.comparison import DigestComparison
from inspector.desktop.digests.standing import Standing
from inspector.desktop.digests.words import (
    digest_groups,
    found_words,
    meaning,
    one_line,
    size_words,
    standing_icon,
    standing_words,
)
from inspector.desktop.widgets.elided import ElidedLabel
from inspector.desktop.widgets.fonts import fixed_font, line_height, title_font, ui_font
from inspector.desktop.widgets.icons import icon_pixmap
from inspector.desktop.widgets.json_view import JsonView
from inspector.desktop.widgets.key_values import KeyValue, KeyValues
from inspector.desktop.widgets.lines import PaneSplitter
from inspector.desktop.widgets.palette import tokens_of
from inspector.desktop.widgets.strips import CaptionStrip, plain_label
from inspector.desktop.widgets.tools import FlatTool, LinkButton
from inspector.desktop.widgets.words import clock_time
from inspector.layout.files import FileState
from inspector.layout.visible import or_as_stored, visible

_PADDING: Final = 12
_ICON: Final = 16
_AFTER_CAPTION: Final = 10
"""What ``KeyValues`` leaves between its captions and its values."""
_BETWEEN_COLUMNS: Final = 16
_SHARE: Final = 100
_SIDE_BY_SIDE_FROM: Final = 100
"""In widths of an average character: below it the metadata stand under the facts."""


class ModelDetail(QWidget):
    """Everything about one model.

    Signals:
        verify_requested: its file is to be verified; carries the model's id.
        tasks_requested: the tasks that use it are wanted; carries the model's id.
    """

    verify_requested = Signal(str)
    tasks_requested = Signal(str)

    def __init__(self, zone: tzinfo, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._standing: Standing | None = None
        self._facts = _Facts(zone)
        self._facts.verify.clicked.connect(self._on_verify)
        self._facts.tasks.clicked.connect(self._on_tasks)
        self._metadata = JsonView()
        self._metadata.setAccessibleName(self.tr("Metadata"))
        self._caption = CaptionStrip(self.tr("Metadata"), self.tr("every token as stored"))
        right = QWidget()
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._caption)
        column.addWidget(self._metadata, 1)
        self._splitter = PaneSplitter(Qt.Orientation.Horizontal)
        self._splitter.addWidget(self._facts)
        self._splitter.addWidget(right)
        self._splitter.setSizes([58 * _SHARE, 42 * _SHARE])
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self._splitter)

    def show_standing(self, standing: Standing | None, *, now_ms: int | None) -> None:
        """Show this model, in the place of the one before; None hides the pane."""
        self._standing = standing
        self._splitter.setVisible(standing is not None)
        if standing is not None:
            self._facts.show_standing(standing, now_ms)
            self._metadata.show_text(visible(standing.model.metadata, keep="\n\t"))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide = event.size().width() >= _SIDE_BY_SIDE_FROM * self.fontMetrics().averageCharWidth()
        self._splitter.setOrientation(Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical)

    def _on_verify(self) -> None:
        if self._standing is not None:
            self.verify_requested.emit(self._standing.model.id)

    def _on_tasks(self) -> None:
        if self._standing is not None:
            self.tasks_requested.emit(self._standing.model.id)


class _Facts(QScrollArea):
    """What is known of the file, from the state at the top to the path at the bottom."""

    def __init__(self, zone: tzinfo) -> None:
        super().__init__()
        self._zone = zone
        self._path_text = ""
        self._pairs: tuple[KeyValue, ...] = ()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._mark = _StateMark()
        self._state = ElidedLabel(face=title_font)
        self._state.setSizePolicy(
            QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed
        )  # the name is cut, never the state
        self._name = ElidedLabel(face=title_font, tone="text2")
        self.tasks = LinkButton(self.tr("Show its tasks"))
        self.verify = QPushButton()
        self.verify.setAutoDefault(False)
        self._meaning = plain_label(wraps=True)
        self._digests = DigestComparison()
        self._figures = KeyValues(weights=(1.0, 1.0))
        self._path = ElidedLabel(face=fixed_font, middle=True)
        self._copy = FlatTool(icon="copy")
        self._copy.setAccessibleName(self.tr("Copy the path"))
        self._copy.setToolTip(self.tr("Copy the path"))
        self._copy.clicked.connect(self._on_copy)
        title = QHBoxLayout()
        title.setSpacing(8)
        title.addWidget(self._mark)
        title.addWidget(self._state)
        title.addWidget(self._name)
        title.addStretch(1)
        title.addWidget(self.tasks)
        title.addWidget(self.verify)
        self._path_caption = plain_label(self.tr("Path"), tone="text2")
        path = QHBoxLayout()
        path.setSpacing(_AFTER_CAPTION)
        path.addWidget(self._path_caption)
        path.addWidget(self._path)
        path.addWidget(self._copy)
        path.addStretch(1)
        page = QWidget()
        page.setBackgroundRole(QPalette.ColorRole.Base)
        page.setAutoFillBackground(True)
        column = QVBoxLayout(page)
        column.setContentsMargins(_PADDING, 8, _PADDING, 8)
        column.setSpacing(12)
        column.addLayout(title)
        column.addWidget(self._meaning)
        column.addWidget(self._digests)
        column.addWidget(self._figures)
        column.addLayout(path)
        column.addStretch(1)
        self.setWidget(page)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.ApplicationFontChange):
            self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_figures()

    def show_standing(self, standing: Standing, now_ms: int | None) -> None:
        model, check = standing.model, standing.check
        busy = standing.progress is not None or standing.waits
        self._mark.show_icon(*standing_icon(standing))
        self._state.setText(standing_words(standing))
        self._name.setText(one_line(model.name))
        self._meaning.setText(meaning(standing))
        self.verify.setText(self.tr("Verify") if standing.state is FileState.UNCHECKED else self.tr("Verify again"))
        self.verify.setEnabled(not busy)
        found = None if check is None else check.found_digest
        self._digests.show_digests(
            digest_groups(model.digest),
            () if found is None else digest_groups(found),
            stored_words=one_line(model.digest),
            found_words=found_words(check),
        )
        self._pairs = (
            KeyValue(self.tr("Size stored"), or_as_stored(size_words(model.size_bytes), model.as_stored("size_bytes"))),
            KeyValue(self.tr("Size found"), size_words(None if check is None else check.found_size)),
            KeyValue(
                self.tr("Added"),
                or_as_stored(clock_time(model.added_at, now_ms, self._zone, digits=0), model.as_stored("added_at")),
            ),
            KeyValue(
                self.tr("Modified"),
                clock_time(None if check is None else check.modified_at_ms, now_ms, self._zone, digits=0),
            ),
        )
        self._show_figures()
        self._path_text = model.path
        self._path.setText(one_line(model.path))

    def _fit(self) -> None:
        """Let digests, figures and path begin on one line from top to bottom."""
        captions = QFontMetrics(ui_font()).horizontalAdvance(self.tr("Size stored")) + 1
        self._path_caption.setMinimumWidth(captions)
        self._digests.set_caption_width(captions + _AFTER_CAPTION)

    def _show_figures(self) -> None:
        """Show sizes and times in two columns where every digit fits, otherwise below one another."""
        metrics = QFontMetrics(ui_font())
        widest = max(
            (metrics.horizontalAdvance(pair.caption) + metrics.horizontalAdvance(pair.value) for pair in self._pairs),
            default=0,
        )
        two = 2 * (widest + 2 * _AFTER_CAPTION) + _BETWEEN_COLUMNS <= self.viewport().width() - 2 * _PADDING
        self._figures.show_columns((self._pairs[::2], self._pairs[1::2]) if two else (self._pairs,))

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self._path_text)


class _StateMark(QWidget):
    """The icon of a file's state; the word beside it says the same."""

    def __init__(self) -> None:
        super().__init__()
        self._icon = ("file-unchecked", "text2")
        self._fit()

    def show_icon(self, name: str, tone: str) -> None:
        if (name, tone) != self._icon:
            self._icon = (name, tone)
            self.update()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.ApplicationFontChange):
            self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        name, tone = self._icon
        painter = QPainter(self)
        pixmap = icon_pixmap(name, tokens_of(self.palette()).tone(tone), _ICON, self.devicePixelRatio())
        painter.drawPixmap(QRectF(0, (self.height() - _ICON) // 2, _ICON, _ICON).toRect(), pixmap)
        painter.end()

    def _fit(self) -> None:
        self.setFixedSize(QSize(_ICON, max(_ICON, line_height(title_font()))))
