"""The painted timeline of one task: phases, changes of status and progress over time, with a cursor on one event."""

from bisect import bisect_right
from html import escape
from typing import Final

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QSizePolicy, QToolTip, QWidget

from inspector.desktop.moment import Moment
from inspector.desktop.timeline.geometry import EventFinder, ProgressBar, Scale, moved, on_device, whole_window, zoomed
from inspector.desktop.timeline.painting import MARGIN, paint_cursor, paint_picture, rows_of
from inspector.desktop.timeline.phases import History, Phase, at_moment, history_of, same_log
from inspector.desktop.timeline.picture import Picture, lane_bars, picture_of
from inspector.desktop.widgets.palette import Tokens, tokens_of
from inspector.desktop.widgets.shapes import paint_warning
from inspector.desktop.widgets.words import NOTHING, duration, grouped, offset
from inspector.layout.pages import TaskTimeline, Tick
from inspector.layout.rows import TaskRow
from inspector.layout.visible import visible

_TICK_PX: Final = 96
"""An axis has at most one tick in so many pixels."""
_STEP: Final = 1.25
"""How much one notch of the wheel or one press of + zooms."""
_NEAR_PX: Final = 5.0
_LONGEST_TYPE: Final = 80


class TaskTimelineView(QWidget):
    """One task's life over time.

    Keys: Left and Right go to the event before and after, with Shift to the change of status; Home and End to the first
    and last event; + and - zoom at the cursor, 0 shows all. The wheel zooms at the pointer, with Shift it pans; a drag
    pans while zoomed in; a click selects the nearest event.

    Signals:
        seq_selected: the reader chose an event; carries its sequence number. Not emitted for :meth:`select_seq`.
    """

    seq_selected = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._task: TaskRow | None = None
        self._timeline: TaskTimeline | None = None
        self._known: History | None = None
        self._history: History | None = None
        self._finder: EventFinder | None = None
        self._moment = Moment()
        self._seq: int | None = None
        self._window: tuple[float, float] | None = None
        self._picture: Picture | None = None
        self._bars: tuple[tuple[Scale, float], tuple[ProgressBar, ...]] | None = None
        self._layer: QPixmap | None = None
        self._pressed: QPointF | None = None
        self._dragged_ms: float | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName(self.tr("Timeline of the task"))
        self._describe()

    @property
    def seq(self) -> int | None:
        """The event that the cursor is on."""
        return self._seq

    @property
    def zero_ms(self) -> int | None:
        """The moment that the axis counts from; None where no time is known."""
        return None if self._known is None else self._known.zero_ms

    @property
    def shown(self) -> TaskTimeline | None:
        """The log that is painted, as far as it is there."""
        return self._timeline

    @property
    def picture(self) -> Picture | None:
        """What is painted now; None where nothing is known."""
        return self._picture

    def show_timeline(self, timeline: TaskTimeline | None, task: TaskRow | None, moment: Moment) -> None:
        """Show a task with its log, as far as it is there yet. Zoom and cursor stay while it is the same task."""
        if (task and task.id) != (self._task and self._task.id):
            self._window = self._seq = None
        if task != self._task or not same_log(timeline, self._timeline):
            self._timeline, self._task = timeline, task
            self._known = None if task is None else history_of(task, timeline)
            self._finder = None if self._known is None else EventFinder(self._known)
            self._bars = None
        self._moment = moment
        self._lay_out()
        self._describe()

    def set_moment(self, moment: Moment) -> None:
        """Move the live edge; where nothing goes on in the file, an unfinished task ends at the file's last moment."""
        if moment != self._moment:
            self._moment = moment
            if self._known is not None and self._known.is_open:
                self._lay_out()

    def select_seq(self, seq: int | None) -> None:
        """Put the cursor on an event, and into the window where it is zoomed in; None takes it away."""
        if seq == self._seq:
            return
        self._seq = seq
        self._bring_into_window()
        self._describe()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(320, rows_of().height)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, rows_of().height)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        changes = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        finder = self._finder
        match event.key():
            case Qt.Key.Key_Left if finder is not None:
                self._choose(finder.step(self._seq, -1, changes=changes))
            case Qt.Key.Key_Right if finder is not None:
                self._choose(finder.step(self._seq, 1, changes=changes))
            case Qt.Key.Key_Home if finder is not None:
                self._choose(finder.end(last=False))
            case Qt.Key.Key_End if finder is not None:
                self._choose(finder.end(last=True))
            case Qt.Key.Key_Plus | Qt.Key.Key_Equal:
                self._zoom(self._cursor_ms(), _STEP)
            case Qt.Key.Key_Minus:
                self._zoom(self._cursor_ms(), 1 / _STEP)
            case Qt.Key.Key_0:
                self._set_window(None)
            case _:
                super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        picture = self._picture
        turned = event.angleDelta().y() or event.angleDelta().x()
        if picture is None or turned == 0:
            event.ignore()
            return
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._pan(-turned / 120 * picture.scale.span_ms / 10)
        else:
            self._zoom(picture.scale.ms(picture.scale.clamped(event.position().x())), _STEP ** (turned / 120))
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed = event.position()
            self._dragged_ms = None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        picture, pressed = self._picture, self._pressed
        if picture is None or pressed is None or self._window is None:
            return
        if self._dragged_ms is None and abs(event.position().x() - pressed.x()) >= QApplication.startDragDistance():
            self._dragged_ms = picture.scale.ms(pressed.x())
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
        if self._dragged_ms is not None:
            self._pan(self._dragged_ms - picture.scale.ms(event.position().x()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        picture, pressed = self._picture, self._pressed
        dragged = self._dragged_ms is not None
        self._pressed = self._dragged_ms = None
        self.unsetCursor()
        if dragged or pressed is None or picture is None or self._finder is None:
            return
        self._choose(self._finder.nearest(picture.scale.ms(event.position().x())))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.PaletteChange, QEvent.Type.StyleChange):
            self._layer = None
            self.updateGeometry()
            self.update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            words = self._words_at(event.pos().x(), event.pos().y())
            if words:
                QToolTip.showText(event.globalPos(), f'<p style="white-space:pre-wrap">{escape(words)}</p>', self)
            else:
                QToolTip.hideText()
            return True
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self._lay_out()
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = tokens_of(self.palette())
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._static_layer(tokens))
        picture = self._picture
        if picture is not None and self._seq is not None and self._finder is not None:
            at = self._finder.time_of(self._seq)
            if at is not None and picture.scale.shows(at):
                x = on_device(picture.scale.x(at), self.devicePixelRatioF())
                paint_cursor(painter, x, picture, rows_of(), tokens)
        if self.hasFocus():
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            for area in _frame(self.rect(), 2):
                painter.fillRect(area, tokens.accent)

    def _static_layer(self, tokens: Tokens) -> QPixmap:
        """Return all but the cursor and the focus frame; painted anew only after a change."""
        ratio = self.devicePixelRatioF()
        if self._layer is not None and self._layer.devicePixelRatio() == ratio:
            return self._layer
        layer = QPixmap(self.size() * ratio)
        layer.setDevicePixelRatio(ratio)
        layer.fill(tokens.base)
        if self._picture is not None and self._known is not None:
            painter = QPainter(layer)
            note = "" if self._known.has_log else self._note_of_no_log()
            paint_picture(painter, self._picture, rows_of(), tokens, note=note)
            if self._known.backwards_at is not None:
                paint_warning(painter, self._warning_box(), tokens)
            painter.end()
        self._layer = layer
        return layer

    def _note_of_no_log(self) -> str:
        if self._timeline is None:
            return ""
        return self.tr("No event log for this task: created, started and finished only.")

    def _warning_box(self) -> QRectF:
        rows = rows_of()
        return QRectF(self.width() - 17, round(rows.note_top), 13, 13)

    def _lay_out(self) -> None:
        """Compute the picture; paint anew only where it differs from the last one."""
        history = None if self._known is None else at_moment(self._known, self._moment)
        self._history = history
        picture = None
        if history is not None and self.width() > 2 * MARGIN + 8:
            width = self.width() - 2 * MARGIN
            most = max(1, width // _TICK_PX)
            whole = whole_window(history, most)
            if self._window is not None:
                self._window = moved(self._window, whole, 0.0)
            window = self._window or whole
            ratio = self.devicePixelRatioF()
            scale = Scale(window[0], window[1], float(MARGIN), float(width))
            if self._bars is None or self._bars[0] != (scale, ratio):
                self._bars = ((scale, ratio), lane_bars(history, scale, ratio))
            is_live = self._moment.now_ms is not None
            picture = picture_of(history, scale, most_ticks=most, ratio=ratio, bars=self._bars[1], is_live=is_live)
        if (
            picture != self._picture
            or self._layer is None
            or self._layer.deviceIndependentSize() != self.size().toSizeF()
        ):
            self._picture = picture
            self._layer = None
            self.update()

    def _whole(self) -> tuple[float, float] | None:
        if self._history is None:
            return None
        return whole_window(self._history, max(1, (self.width() - 2 * MARGIN) // _TICK_PX))

    def _zoom(self, at_ms: float | None, factor: float) -> None:
        whole = self._whole()
        if whole is None or self._picture is None:
            return
        window = self._window or whole
        self._set_window(zoomed(window, whole, sum(window) / 2 if at_ms is None else at_ms, factor))

    def _pan(self, by_ms: float) -> None:
        whole = self._whole()
        if whole is not None and self._window is not None:
            self._set_window(moved(self._window, whole, by_ms))

    def _set_window(self, window: tuple[float, float] | None) -> None:
        whole = self._whole()
        covers_all = window is None or whole is None or window[1] - window[0] >= (whole[1] - whole[0]) * 0.9999
        self._window = None if covers_all else window
        self._lay_out()

    def _cursor_ms(self) -> float | None:
        """Return the cursor's time where it is on screen: what + and - zoom at."""
        at = None if self._finder is None or self._seq is None else self._finder.time_of(self._seq)
        return at if at is not None and self._picture is not None and self._picture.scale.shows(at) else None

    def _bring_into_window(self) -> None:
        window, finder = self._window, self._finder
        at = None if finder is None or self._seq is None else finder.time_of(self._seq)
        if window is not None and at is not None and not window[0] <= at <= window[1]:
            self._pan(at - (window[0] + window[1]) / 2)

    def _choose(self, seq: int | None) -> None:
        if seq is None:
            return
        self.select_seq(seq)
        self.seq_selected.emit(seq)

    def _tick(self, seq: int | None) -> Tick | None:
        if self._timeline is None or self._known is None or seq is None or not self._known.has_log:
            return None
        return self._timeline.ticks[max(0, bisect_right(self._known.seqs, seq) - 1)]

    def _describe(self) -> None:
        """Say where the cursor is, for those who do not see it; Qt tells assistive programs that it changed."""
        known, tick = self._known, self._tick(self._seq)
        if known is None or self._history is None:
            words = self.tr("Nothing to show.")
        elif tick is not None:
            words = self._event_words(tick, known)
        else:
            words = "; ".join(self._phase_words(phase) for phase in self._history.phases[:20])
        if words != self.accessibleDescription():
            self.setAccessibleDescription(words)

    def _event_words(self, tick: Tick, known: History) -> str:
        return self.tr("Event {seq} of {events}, {type}, {after} after the start, {status}").format(
            seq=_number(tick),
            events=grouped(known.events),
            type=visible(tick.type)[:_LONGEST_TYPE],
            after=offset(tick.created_at - known.zero_ms),
            status=visible(tick.status)[:_LONGEST_TYPE],
        )

    def _phase_words(self, phase: Phase) -> str:
        words = f"{visible(phase.status)[:_LONGEST_TYPE]} {duration(phase.length_ms)}"
        if phase.attempt > 1:
            words += self.tr(", attempt {n}").format(n=phase.attempt)
        return words

    def _words_at(self, x: float, y: float) -> str:
        """Return what the pointer is on: the warning, a phase, or an event near it."""
        picture, known, history = self._picture, self._known, self._history
        if picture is None or known is None or history is None:
            return ""
        if known.backwards_at is not None and self._warning_box().contains(x, y):
            tick = self._tick(known.backwards_at)
            return self.tr("The clock ran backwards: event {seq} is earlier than the one before it.").format(
                seq=NOTHING if tick is None else _number(tick)
            )
        if y <= rows_of().bar_bottom:
            on = [box for box in picture.boxes if box.left - 1 <= x <= box.right + 1]
            return self._phase_words(on[-1].phase) if on else ""
        seq = None if self._finder is None else self._finder.nearest(picture.scale.ms(x))
        tick = self._tick(seq)
        if tick is None or abs(picture.scale.x(tick.created_at) - x) > _NEAR_PX:
            return ""
        return self._event_words(tick, known)


def _number(tick: Tick) -> str:
    return grouped(tick.seq) if tick.is_numbered else NOTHING


def _frame(area: QRect, width: int) -> tuple[QRect, QRect, QRect, QRect]:
    inner = area.adjusted(0, width, 0, -width)
    return (
        QRect(area.left(), area.top(), area.width(), width),
        QRect(area.left(), area.bottom() - width + 1, area.width(), width),
        QRect(inner.left(), inner.top(), width, inner.height()),
        QRect(inner.right() - width + 1, inner.top(), width, inner.height()),
    )
