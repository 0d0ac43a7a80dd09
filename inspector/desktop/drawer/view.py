"""The drawer: two columns between the bars and the view."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from inspector.desktop.drawer.content import Check, Facts, Note, Proof, ProofRow
from inspector.desktop.widgets.elided import ElidedLabel
from inspector.desktop.widgets.fact_text import FactText
from inspector.desktop.widgets.fonts import fixed_font, small_font, ui_font
from inspector.desktop.widgets.icons import icon_pixmap
from inspector.desktop.widgets.lines import HairLine
from inspector.desktop.widgets.palette import tokens_of
from inspector.desktop.widgets.shapes import warning_pixmap
from inspector.desktop.widgets.tools import FlatTool

_MARK = 14
_MOST_NOTES = 12
_CAPTIONS = ("File", "Size", "Modified", "SHA-256 before", "now", "")


class Drawer(QFrame):
    """Says how the file was opened, what is wrong with it, and whether anybody touched it.

    Signals:
        look_wanted: the file is to be hashed, or hashed again.
        look_stop_wanted: the hashing is to stop.
        copy_wanted: carries the proof as one line for the clipboard.
        check_wanted: the file is to be checked; carries whether its indexes are to be compared too.
        check_stop_wanted: the check is to stop.
        closed: the user closed it.
    """

    look_wanted = Signal()
    look_stop_wanted = Signal()
    copy_wanted = Signal(str)
    check_wanted = Signal(bool)
    check_stop_wanted = Signal()
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("drawer")
        self.setAccessibleName(self.tr("How this file was opened"))
        self.setAutoFillBackground(True)
        # No more than preferred: as a maximum the height would be that of its text at another width.
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._proof = Proof("", "", ())
        self._facts = {name: FactText(parent=self) for name in ("Mode", "Why", "Layout")}
        self._notes = QVBoxLayout()
        self._notes.setSpacing(4)
        self._note_rows: list[QWidget] = []
        self._shown_notes: tuple[Note, ...] = ()
        self._check_words = FactText(parent=self)
        self._check = self._button(self.tr("Check the file"), lambda: self.check_wanted.emit(False))
        self._check_all = self._button(self.tr("Check its indexes too"), lambda: self.check_wanted.emit(True))
        self._check_stop = self._button(self.tr("Stop"), self.check_stop_wanted.emit)
        self._shield = QLabel(self)
        self._title = FactText(parent=self)
        self._moments = ElidedLabel(tone="text2", face=small_font, parent=self)
        self._table = QGridLayout()
        self._table.setHorizontalSpacing(16)
        self._table.setVerticalSpacing(4)
        self._table_rows: list[QWidget] = []
        self._look = self._button(self.tr("Look again"), self.look_wanted.emit)
        self._look_stop = self._button(self.tr("Stop"), self.look_stop_wanted.emit)
        self._copy = self._button(self.tr("Copy as text"), lambda: self.copy_wanted.emit(self._proof.line))
        close = FlatTool(icon="close", parent=self)
        close.setAccessibleName(self.tr("Close"))
        close.clicked.connect(self.closed)

        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        columns = QHBoxLayout()
        columns.setContentsMargins(12, 8, 6, 10)
        columns.setSpacing(12)
        columns.addLayout(self._left_column(), 1)
        columns.addWidget(HairLine(Qt.Orientation.Vertical, self))
        columns.addLayout(self._right_column(), 1)
        columns.addWidget(close, 0, Qt.AlignmentFlag.AlignTop)
        whole.addLayout(columns)
        whole.addWidget(HairLine(Qt.Orientation.Horizontal, self, edge=True))

    @property
    def proof(self) -> Proof:
        """The proof that is shown."""
        return self._proof

    @property
    def notes(self) -> tuple[Note, ...]:
        """The notes that are shown."""
        return self._shown_notes

    @property
    def check_text(self) -> str:
        """What is said of the check."""
        return self._check_words.text()

    def show_facts(self, facts: Facts) -> None:
        """Say how the file was opened."""
        for name, text in (("Mode", facts.mode), ("Why", facts.why), ("Layout", facts.layout)):
            self._facts[name].set_text("", text)
        if facts.notes != self._shown_notes:
            self._shown_notes = facts.notes
            self._show_notes(facts.notes)

    def show_check(self, check: Check) -> None:
        """Say how the check stands."""
        self._check_words.set_text("", check.text)
        self._check_stop.setVisible(check.is_running)
        for button in (self._check, self._check_all):
            button.setVisible(not check.is_running)
            button.setEnabled(check.may_start)

    def show_proof(self, proof: Proof) -> None:
        """Say how the proof stands."""
        self._proof = proof
        self._title.set_text(proof.title)
        self._moments.setText(proof.moments)
        self._look.setVisible(not proof.is_running)
        self._look.setEnabled(proof.may_look)
        self._look_stop.setVisible(proof.is_running)
        self._copy.setEnabled(bool(proof.line))
        self._show_rows(proof.rows)
        self._draw_marks()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._show_notes(self._shown_notes)
            self._draw_marks()

    def _left_column(self) -> QVBoxLayout:
        column = QVBoxLayout()
        column.setSpacing(6)
        column.addWidget(FactText(self.tr("How this file was opened"), parent=self))
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        for row, (name, value) in enumerate(self._facts.items()):
            grid.addWidget(ElidedLabel(self.tr(name), tone="text2", parent=self), row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(value, row, 1)
        column.addLayout(grid)
        column.addLayout(self._notes)
        column.addWidget(self._check_words)
        column.addLayout(self._row_of(self._check, self._check_all, self._check_stop))
        column.addStretch(1)
        return column

    def _right_column(self) -> QVBoxLayout:
        column = QVBoxLayout()
        column.setSpacing(6)
        title = QHBoxLayout()
        title.setSpacing(8)
        title.addWidget(self._shield)
        title.addWidget(self._title)
        title.addWidget(self._moments, 1)
        column.addLayout(title)
        column.addLayout(self._table)
        column.addLayout(self._row_of(self._look, self._look_stop, self._copy))
        column.addStretch(1)
        return column

    def _button(self, word: str, on_click: object) -> QPushButton:
        button = QPushButton(word, self)
        button.setAutoDefault(False)
        button.clicked.connect(on_click)
        return button

    @staticmethod
    def _row_of(*buttons: QPushButton) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(8)
        for button in buttons:
            row.addWidget(button)
        row.addStretch(1)
        return row

    def _show_notes(self, notes: tuple[Note, ...]) -> None:
        for row in self._note_rows:
            self._notes.removeWidget(row)
            row.hide()
            row.deleteLater()
        self._note_rows = [self._note(note) for note in notes[:_MOST_NOTES]]
        if len(notes) > _MOST_NOTES:
            self._note_rows.append(self._note(Note(f"{len(notes) - _MOST_NOTES} more notes", is_fault=False)))
        for row in self._note_rows:
            self._notes.addWidget(row)
            row.show()

    def _note(self, note: Note) -> QWidget:
        row = QWidget(self)
        tokens = tokens_of(self.palette())
        ratio = self.devicePixelRatioF()
        mark = QLabel(row)
        mark.setPixmap(
            warning_pixmap(_MARK, tokens, ratio) if note.is_fault else icon_pixmap("info", tokens.text2, _MARK, ratio)
        )
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(8)
        line.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
        line.addWidget(FactText("", note.text, row), 1)
        return row

    def _show_rows(self, rows: tuple[ProofRow, ...]) -> None:
        for widget in self._table_rows:
            self._table.removeWidget(widget)
            widget.hide()
            widget.deleteLater()
        self._table_rows = []
        if not rows:
            return
        for column, caption in enumerate(_CAPTIONS):
            self._cell(0, column, ElidedLabel(self.tr(caption) if caption else "", tone="text2", face=small_font))
        for number, row in enumerate(rows, start=1):
            faces = (ui_font, ui_font, ui_font, fixed_font, fixed_font, ui_font)
            texts = (row.name, row.size, row.modified, row.before, row.now, row.verdict)
            for column, (text, face) in enumerate(zip(texts, faces, strict=True)):
                tone = "warn_fg" if column == len(texts) - 1 and not row.is_same else "text"
                self._cell(number, column, ElidedLabel(text, tone=tone, face=face, middle=column == 0))

    def _cell(self, row: int, column: int, label: ElidedLabel) -> None:
        label.setParent(self)
        self._table.addWidget(label, row, column)
        label.show()
        self._table_rows.append(label)

    def _draw_marks(self) -> None:
        tokens = tokens_of(self.palette())
        ratio = self.devicePixelRatioF()
        changed = not all(row.is_same for row in self._proof.rows)
        self._shield.setPixmap(
            warning_pixmap(_MARK, tokens, ratio) if changed else icon_pixmap("lock", tokens.text2, _MARK, ratio)
        )
