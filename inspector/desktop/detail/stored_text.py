"""One stored text in a pane: its caption and size, as stored or laid out, and a button that copies it."""

from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QButtonGroup, QStackedWidget, QVBoxLayout, QWidget

from inspector.desktop.widgets.chip import Chip
from inspector.desktop.widgets.empty import EmptySentence
from inspector.desktop.widgets.json_text import LONGEST
from inspector.desktop.widgets.json_view import JsonView
from inspector.desktop.widgets.strips import CaptionStrip
from inspector.desktop.widgets.tools import FlatTool
from inspector.desktop.widgets.words import NOTHING, byte_size, counted
from inspector.layout.rows import EventRow, StoredText
from inspector.layout.visible import number_words, visible

_LINES: Final = "\n\r\t"
WHOLE_BELOW: Final = 16 << 20
"""A text of fewer bytes as stored is whole in what the commands give; of a longer one they give so much."""


class StoredTextPanel(QWidget):
    """Shows a text of the database as plain text. Copying gives the stored text, unchanged.

    Signals:
        uncover_wanted: the text is hidden and the reader wants to see it.
        beginning_copied: only the beginning was copied, since no more is here; carries a sentence that says so.
    """

    uncover_wanted = Signal()
    beginning_copied = Signal(str)
    command = "export DB --format ndjson --out FILE --with-secrets"
    """What gives all of the text."""

    def __init__(self, parent: QWidget | None = None, *, is_json: bool = True) -> None:
        """Offer to lay the text out, unless it is no JSON."""
        super().__init__(parent)
        self._caption = ""
        self._absent = ""
        self._stored: StoredText | None = None
        self._is_covered = False
        self._strip = CaptionStrip(parent=self, above=True)
        self._laid_out = Chip(self.tr("Laid out"), in_pane=True, parent=self)
        self._as_stored = Chip(self.tr("As stored"), in_pane=True, parent=self)
        group = QButtonGroup(self)
        for chip in (self._laid_out, self._as_stored):
            group.addButton(chip)
            self._strip.add_control(chip)
            chip.setVisible(is_json)
        self._laid_out.setChecked(True)
        self._copy = FlatTool(icon="copy", parent=self)
        self._strip.add_control(self._copy)
        self._view = JsonView(self)
        self._view.set_pretty(is_json)
        self._sentence = EmptySentence(parent=self)
        self._pages = QStackedWidget(self)
        self._pages.addWidget(self._view)
        self._pages.addWidget(self._sentence)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self._strip)
        whole.addWidget(self._pages, 1)
        self._as_stored.toggled.connect(self._on_as_stored)
        self._copy.clicked.connect(self.copy)
        self._sentence.link_clicked.connect(self.uncover_wanted)
        self._refresh()

    @property
    def view(self) -> JsonView:
        """What shows the text."""
        return self._view

    @property
    def caption(self) -> CaptionStrip:
        """The strip above it."""
        return self._strip

    def show_stored(self, caption: str, stored: StoredText | None, *, absent: str) -> None:
        """Show ``stored`` under ``caption``; where there is none, the sentence ``absent``."""
        if (caption, stored, absent) != (self._caption, self._stored, self._absent):
            self._caption, self._stored, self._absent = caption, stored, absent
            self._refresh()

    def set_covered(self, covered: bool) -> None:
        """Hide the text, of which only the size is told then, or show it."""
        if covered != self._is_covered:
            self._is_covered = covered
            self._refresh()

    def copy(self) -> None:
        """Copy the text as it is stored, as far as it is here; where that is not all, tell of it."""
        if self._stored is None or self._is_covered:
            return
        QGuiApplication.clipboard().setText(self._stored.text)
        if self._stored.is_cut:
            self.beginning_copied.emit(beginning_words(self._stored, self.command))

    def _on_as_stored(self, as_stored: bool) -> None:
        self._view.set_pretty(not as_stored)
        self._refresh()

    def _refresh(self) -> None:
        stored = self._stored
        is_shown = stored is not None and not self._is_covered
        for control in (self._laid_out, self._as_stored, self._copy):
            control.setEnabled(is_shown)
        if stored is None:
            self._sentence.set_sentence(self._absent)
            self._view.clear()
        elif self._is_covered:
            sentence = self.tr("Hidden: it can hold prompts and outputs.")
            self._sentence.set_sentence(sentence, self.tr("Show the content of this file"))
            self._view.clear()
        else:
            is_cut = stored.is_cut or len(stored.text) > LONGEST
            # Cut first: making a megabyte visible takes longer than anybody reads.
            shown = visible(stored.text[:LONGEST], keep=_LINES)
            self._view.show_text(shown, length=stored.length if is_cut else None)
        self._pages.setCurrentIndex(0 if is_shown else 1)
        words = self.tr("Copy the stored text")
        if stored is not None and stored.is_cut:
            words = self.tr("Copy the beginning of the stored text: no more of it is here")
        self._copy.setAccessibleName(words)
        self._copy.setToolTip(words)
        self._strip.set_caption(self._caption, "" if stored is None else self._size(stored))

    def _size(self, stored: StoredText) -> str:
        if stored.is_cut:
            return self.tr("{size}, only its beginning is here").format(size=byte_size(stored.length))
        size = byte_size(len(stored.text.encode(errors="surrogatepass")))
        if self._is_covered:
            return self.tr("{size}, hidden").format(size=size)
        is_as_stored = self._view.shown_text() == visible(stored.text[:LONGEST], keep=_LINES)
        return f"{size}, {self.tr('as stored') if is_as_stored else self.tr('laid out')}"


def beginning_words(stored: StoredText, command: str) -> str:
    """Say how much of a text that is cut was copied, and how to have all of it, or the most that can be had."""
    copied = f"Copied only the beginning: {counted(len(stored.text), 'character')} of {byte_size(stored.length)}."
    most = "All of it" if stored.length < WHOLE_BELOW else f"The first {WHOLE_BELOW >> 20} MiB"
    return f"{copied} {most}: lmsp-inspector {command}"


class EventDataPanel(StoredTextPanel):
    """The data of the chosen event. Of a long one only the beginning comes with the list; the whole is asked for.

    Signals:
        whole_wanted: the whole data of an event is wanted; carries its number.
    """

    whole_wanted = Signal(int)
    command = "events DB TASK --json"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._seq: int | None = None
        self._words = ""
        self._none()

    def show_event(self, event: EventRow | None) -> None:
        """Show the data of an event, or that none is chosen."""
        if event is None:
            self._seq = None
            self._none()
            return
        if event.seq != self._seq:
            self._seq = event.seq
            told = number_words(event.told("seq"), str, NOTHING)
            self._words = self.tr("Data of event {seq}").format(seq=told)
            self.show_stored(self._words, event.data, absent="")
            if event.data.is_cut:
                self.whole_wanted.emit(event.seq)

    def show_whole(self, seq: int, data: StoredText) -> None:
        """Show the whole data of event ``seq``, if it is still the one that is shown."""
        if seq == self._seq:
            self.show_stored(self._words, data, absent="")

    def _none(self) -> None:
        self.show_stored(self.tr("Data of the event"), None, absent=self.tr("No event chosen."))
