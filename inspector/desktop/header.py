"""The line over all views: which file, how it was opened and why, of when what is shown is, live or paused."""

from datetime import tzinfo
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from inspector.desktop.widgets.elided import ElidedLabel
from inspector.desktop.widgets.fonts import small_font, ui_font
from inspector.desktop.widgets.icons import icon_pixmap
from inspector.desktop.widgets.palette import tokens_of
from inspector.desktop.widgets.tools import HeaderButton, ModeBadge
from inspector.desktop.widgets.words import age, clock_time, short_time
from inspector.layout.opened import Mode, Opened
from inspector.layout.visible import visible

HEIGHT = 40


class FileHeader(QWidget):
    """Says what is open. The folder and the sentence give way when it is narrow; file, badge and age never do.

    Signals:
        pause_requested: carries whether reading should stop.
        drawer_requested: more is to be said of how the file was opened, or no more.
    """

    pause_requested = Signal(bool)
    drawer_requested = Signal()

    def __init__(self, zone: tzinfo, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._zone = zone
        self.setObjectName("fileHeader")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setMinimumHeight(HEIGHT)
        self._how: Opened | None = None
        self._paused = False
        self._lost = False
        self._locked = False
        self._moved_at_ms: int | None = None
        self._read_at_ms: int | None = None
        self._icon = QLabel(self)
        self._name = ElidedLabel(face=partial(ui_font, bold=True), middle=True, parent=self)
        self._name.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self._folder = ElidedLabel(tone="text3", face=small_font, middle=True, parent=self)
        self._folder.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self._badge = ModeBadge(self)
        self._badge.clicked.connect(self.drawer_requested)
        self._why = ElidedLabel(tone="text2", face=small_font, parent=self)
        self._age = QLabel(self)
        self._age.setTextFormat(Qt.TextFormat.PlainText)
        self._age.setFont(small_font())
        self._age.setProperty("tone", "text2")
        self._pause = HeaderButton("", "pause", parent=self)
        self._pause.clicked.connect(lambda: self.pause_requested.emit(not self._paused))

        row = QHBoxLayout(self)
        row.setContentsMargins(12, 0, 12, 0)
        row.setSpacing(8)
        row.addWidget(self._icon)
        row.addWidget(self._name)
        row.addWidget(self._folder)
        row.addWidget(self._badge)
        row.addWidget(self._why, 1)
        row.addStretch(0)
        row.addWidget(self._age)
        row.addWidget(self._pause)
        self.show_nothing()

    @property
    def shown(self) -> Opened | None:
        """How the file on show was opened, or None."""
        return self._how

    @property
    def moved_at_ms(self) -> int | None:
        """The moment of the last change that was read, in Unix milliseconds, or None before one."""
        return self._moved_at_ms

    def show_nothing(self, path: Path | None = None) -> None:
        """Say that no file is open, or that this one could not be."""
        self._how = None
        self._lost = self._locked = False
        self._moved_at_ms = self._read_at_ms = None
        self._name.setText(self.tr("No file open") if path is None else visible(path.name))
        self._folder.setText("" if path is None else _short_folder(path.absolute().parent))
        for part in (self._badge, self._why, self._age, self._pause):
            part.hide()
        self._draw_icons()

    def show_opening(self, path: Path) -> None:
        """Say which file is being opened: nothing is known of it yet."""
        self.show_nothing(path)
        self._why.setText(self.tr("Being opened…"))
        self._why.show()

    def show_opened(self, how: Opened) -> None:
        """Say which file is open, how and why."""
        path = Path(how.path)
        self._how = how
        self._lost = False
        self._name.setText(visible(path.name))
        self._folder.setText(_short_folder(path.parent))
        self._show_how(how)
        for part in (self._badge, self._why, self._age):
            part.show()
        self._pause.setVisible(how.mode is Mode.LIVE or self._paused)
        self._draw_icons()

    def show_paused(self, paused: bool) -> None:
        """Say whether reading is paused."""
        self._paused = paused
        self._draw_icons()

    def show_locked(self, locked: bool) -> None:
        """Say whether what is shown, or what is being opened, waits for another process that keeps the file locked."""
        self._locked = locked
        if self._how is None:
            waiting = self.tr("Waiting for another process to unlock it…")
            self._why.setText(waiting if locked else self.tr("Being opened…"))

    def show_lost(self, at_ms: int) -> None:
        """Say that what is shown is the last that could be read, and that the file was open so until then."""
        self._lost = True
        self._read_at_ms = at_ms
        self._pause.hide()
        if self._how is not None:
            self._show_how(self._how)

    def forget_moments(self) -> None:
        """Know of no change and no read: what is shown next is of another file."""
        self._moved_at_ms = self._read_at_ms = None

    def show_moved(self, at_ms: int) -> None:
        """Take note of the moment, in Unix milliseconds, of the last change that was read."""
        self._moved_at_ms = at_ms

    def set_now(self, now_ms: int, read_at_ms: int | None) -> None:
        """Tell the age of what is shown, at ``now_ms``; it was last read at ``read_at_ms``."""
        if self._how is None:
            return
        if read_at_ms is not None and not self._lost:
            self._read_at_ms = read_at_ms
        read = "" if self._read_at_ms is None else clock_time(self._read_at_ms, now_ms, self._zone)
        if self._locked:
            text = self.tr("locked, read %s") % read
        elif self._lost or self._how.mode is not Mode.LIVE:
            ends_ms = self._how.last_moment_ms
            ends = "" if ends_ms is None else self.tr("ends %s, ") % short_time(ends_ms, now_ms, self._zone)
            text = ends + self.tr("read %s") % read
        elif self._paused:
            text = self.tr("paused at %s") % read
        elif self._moved_at_ms is None:
            text = self.tr("no change yet")
        else:
            since = now_ms - self._moved_at_ms
            text = (self.tr("changed %s ago") if since < 60_000 else self.tr("no change for %s")) % age(since)
        if text != self._age.text():
            self._age.setText(text)

    def set_sentence_shown(self, shown: bool) -> None:
        """Leave the sentence out where the window is narrow; the badge's tooltip keeps it."""
        self._why.setVisible(shown and self._how is not None)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._draw_icons()

    def _show_how(self, how: Opened) -> None:
        sentences = visible(" ".join([how.why, *how.notes]))
        if self._lost:
            sentences = self.tr("Until the last read: %s") % sentences
        self._badge.set_mode(how.mode, sentences, is_past=self._lost)
        self._why.setText(sentences)

    def _draw_icons(self) -> None:
        tokens = tokens_of(self.palette())
        self._icon.setPixmap(icon_pixmap("file", tokens.text2, 16, self.devicePixelRatioF()))
        self._pause.set_word(self.tr("Resume") if self._paused else self.tr("Pause"))
        self._pause.set_icon_name("play" if self._paused else "pause")


def _short_folder(folder: Path) -> str:
    try:
        return visible(str(Path("~") / folder.relative_to(Path.home())))
    except (ValueError, RuntimeError):
        return visible(str(folder))
