"""Paints a timeline's picture: axis, phases, event lane. It computes nothing that depends on the log's length."""

from collections.abc import Iterable
from typing import Final

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPolygonF

from inspector.desktop.timeline.geometry import BoxContent, PhaseBox, PlacedMark, box_content
from inspector.desktop.timeline.picture import Picture
from inspector.desktop.widgets.fonts import small_font, tiny_font
from inspector.desktop.widgets.palette import Tokens, mixed
from inspector.desktop.widgets.shapes import paint_state
from inspector.desktop.widgets.words import counted, duration, grouped
from inspector.layout.visible import visible
from inspector.lmsp.statuses import Status
from inspector.lmsp.values import value

MARGIN: Final = 18
"""Left and right of the bar: half a shape and a label find room in it."""

_FILL: Final = 0.22
_TICK: Final = 10.0
_TALLEST: Final = 15.0
_SHAPE: Final = 13.0
_GAP: Final = 5.0
_LONGEST_WORD: Final = 40


@value
class Rows:
    """Where each row of the timeline stands, from the top; all from the fonts."""

    axis_top: float
    bar_top: float
    bar_height: float
    lane_middle: float
    note_top: float
    note_height: float
    foot_top: float
    height: int

    @property
    def bar_bottom(self) -> float:
        """The lower edge of the bar."""
        return self.bar_top + self.bar_height

    @property
    def lane_bottom(self) -> float:
        """The lower end of the lane's ticks."""
        return self.lane_middle + _TICK / 2


def rows_of() -> Rows:
    """Return the rows for the application's font: 92 high at 13 pixels."""
    tiny, small = QFontMetricsF(tiny_font()).height(), QFontMetricsF(small_font()).height()
    axis = max(13.0, round(tiny))
    bar = max(19.0, round(small) + 4.0)
    bar_top = 7 + axis + 5
    middle = bar_top + bar + 14
    note_top = middle + _TICK / 2 + 1
    foot = note_top + axis
    return Rows(7, bar_top, bar, middle, note_top, axis, foot, max(92, round(foot + 6 + 4)))


def paint_picture(painter: QPainter, picture: Picture, rows: Rows, tokens: Tokens, *, note: str) -> None:
    """Paint all but the cursor. ``note`` stands in the event lane where there is no log."""
    line = _hairline(painter)
    for tick in picture.ticks:
        painter.fillRect(QRectF(tick.x, rows.bar_top, line, rows.note_top + 3 - rows.bar_top), tokens.line)
    _paint_labels(painter, picture, rows, tokens)
    last = picture.boxes[-1] if picture.boxes else None
    for box in picture.boxes:
        _paint_box(painter, box, rows, tokens, line, closed=not (picture.ends_open and box is last))
    for x in picture.restarts:
        painter.setPen(_dashes(tokens.text2, line, (3.0, 2.0)))
        painter.drawLine(QLineF(x, rows.bar_top - 3, x, rows.note_top + 3))
    if picture.live_x is not None:
        painter.setPen(_dashes(tokens.text2, line, (1.5, 2.0)))
        painter.drawLine(QLineF(picture.live_x, rows.bar_top, picture.live_x, rows.note_top + 3))
    _paint_lane(painter, picture, rows, tokens)
    _paint_snapshot(painter, picture, rows, tokens)
    if note:
        painter.setFont(small_font())
        painter.setPen(tokens.text2)
        room = QRectF(picture.scale.left, rows.note_top, picture.scale.width, rows.note_height + 4)
        painter.drawText(
            room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, _elided(small_font(), note, room.width())
        )


def paint_cursor(painter: QPainter, x: float, picture: Picture, rows: Rows, tokens: Tokens) -> None:
    """Paint the line of the selected event with its foot; shapes in its way stay on top."""
    painter.fillRect(QRectF(x - 0.75, rows.bar_top - 4, 1.5, rows.foot_top + 2 - rows.bar_top + 4), tokens.accent)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(tokens.accent)
    top, bottom = QPointF(x, rows.foot_top), rows.foot_top + 6
    painter.drawPolygon(QPolygonF([top, QPointF(x + 5, bottom), QPointF(x - 5, bottom)]))
    near = [item for item in picture.marks if item.whole and abs(item.x - x) < _SHAPE / 2]
    _paint_shapes(painter, near, rows, tokens)


def phase_words(status: str, length_ms: int) -> tuple[str, str]:
    """Return what a phase's box says, the longer form first."""
    return f"{visible(status)[:_LONGEST_WORD]} {duration(length_ms)}", duration(length_ms)


def _paint_labels(painter: QPainter, picture: Picture, rows: Rows, tokens: Tokens) -> None:
    painter.setFont(tiny_font())
    painter.setPen(tokens.text2)
    metrics = QFontMetricsF(tiny_font())
    taken = 0.0
    for tick in picture.ticks:
        width = metrics.horizontalAdvance(tick.label)
        left = min(max(tick.x - width / 2, picture.scale.left), picture.scale.right + MARGIN - 8 - width)
        if left >= taken:
            painter.drawText(QPointF(left, rows.axis_top + metrics.ascent()), tick.label)
            taken = left + width + 8


def _paint_box(painter: QPainter, box: PhaseBox, rows: Rows, tokens: Tokens, line: float, *, closed: bool) -> None:
    color = tokens.state(box.phase.status)
    area = QRectF(box.left, rows.bar_top, max(box.width, line), rows.bar_height)
    fill = tokens.base if box.phase.status == Status.QUEUED else mixed(color, tokens.base, _FILL)
    painter.fillRect(area, fill)
    if box.silent_left is not None and box.right - box.silent_left >= 2:
        _hatch(
            painter,
            QRectF(box.silent_left, area.top(), box.right - box.silent_left, area.height()),
            mixed(color, fill, 0.25),
        )
    painter.fillRect(QRectF(area.left(), area.top(), area.width(), line), color)
    painter.fillRect(QRectF(area.left(), area.bottom() - line, area.width(), line), color)
    if not box.starts_before:
        painter.fillRect(QRectF(area.left(), area.top(), line, area.height()), color)
    if closed and not box.ends_after:
        painter.fillRect(QRectF(area.right() - line, area.top(), line, area.height()), color)
    content = _content(box)
    left = area.left() + _GAP
    if content.with_shape:
        shape = QRectF(left, area.center().y() - _SHAPE / 2, _SHAPE, _SHAPE)
        paint_state(painter, shape, box.phase.status, tokens, fill)
        left += _SHAPE + _GAP
    if content.text:
        painter.setFont(small_font())
        painter.setPen(tokens.text)
        room = QRectF(left, area.top(), area.right() - left, area.height())
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, content.text)


def _content(box: PhaseBox) -> BoxContent:
    measure = QFontMetricsF(small_font()).horizontalAdvance
    words = phase_words(box.phase.status, box.phase.length_ms)
    return box_content(box.width, _SHAPE, words, measure, _GAP)


def _paint_lane(painter: QPainter, picture: Picture, rows: Rows, tokens: Tokens) -> None:
    for hole in picture.holes:
        _paint_hole(
            painter, QRectF(hole.left, rows.lane_middle - 6, max(3.0, hole.right - hole.left), 12), hole.events, tokens
        )
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(mixed(tokens.text, tokens.base, 0.55) if tokens.dark else tokens.text2)
    painter.drawRects(
        [
            QRectF(bar.x, rows.lane_bottom - _TALLEST * bar.share, bar.width, _TALLEST * bar.share)
            for bar in picture.bars
        ]
    )
    for item in picture.marks:
        if not item.whole:
            color = tokens.state(item.mark.status)
            painter.fillRect(QRectF(item.x - 1, rows.lane_middle - _TICK / 2, 2, _TICK), color)
    _paint_shapes(painter, [item for item in picture.marks if item.whole], rows, tokens)


def _paint_shapes(painter: QPainter, marks: Iterable[PlacedMark], rows: Rows, tokens: Tokens) -> None:
    for item in marks:
        box = QRectF(item.x - _SHAPE / 2, rows.lane_middle - _SHAPE / 2, _SHAPE, _SHAPE)
        # A shape stands clear of the progress beside it.
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(tokens.base)
        painter.drawEllipse(box)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        paint_state(painter, box, item.mark.status, tokens, tokens.base)


def _paint_hole(painter: QPainter, area: QRectF, events: int, tokens: Tokens) -> None:
    _hatch(painter, area, tokens.edge)
    words = counted(events, "event") + " missing"
    metrics = QFontMetricsF(tiny_font())
    width = metrics.horizontalAdvance(words) + 12
    if width <= area.width():
        room = QRectF(area.center().x() - width / 2, area.top() - 1, width, area.height() + 2)
        painter.fillRect(room, tokens.base)
        painter.setFont(tiny_font())
        painter.setPen(tokens.text2)
        painter.drawText(room, Qt.AlignmentFlag.AlignCenter, words)


def _paint_snapshot(painter: QPainter, picture: Picture, rows: Rows, tokens: Tokens) -> None:
    x, seq = picture.snapshot_x, picture.snapshot_seq
    if x is None or seq is None:
        return
    middle = rows.note_top + rows.note_height / 2 + 1
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(tokens.text2)
    painter.drawPolygon(QPolygonF([QPointF(x - 4, middle - 3), QPointF(x + 4, middle - 3), QPointF(x, middle + 3)]))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    words = f"snapshot at {grouped(seq)}"
    metrics = QFontMetricsF(tiny_font())
    width = metrics.horizontalAdvance(words)
    left = x - 8 - width if x - 8 - width >= 4 else x + 8
    painter.setFont(tiny_font())
    painter.setPen(tokens.text2)
    painter.drawText(QPointF(left, rows.note_top + metrics.ascent()), words)


def _hatch(painter: QPainter, area: QRectF, color: QColor) -> None:
    painter.save()
    painter.setClipRect(area)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(color, 1))
    height = area.height()
    first = int(area.left() - height) // 5 * 5
    painter.drawLines(
        [QLineF(x, area.bottom(), x + height, area.top()) for x in range(first, int(area.right()) + 1, 5)]
    )
    painter.restore()


def _hairline(painter: QPainter) -> float:
    """Return a line's width: one logical pixel, in whole device pixels."""
    ratio = painter.device().devicePixelRatio()
    return max(1, int(ratio)) / ratio


def _dashes(color: QColor, width: float, pattern: tuple[float, float]) -> QPen:
    pen = QPen(color, width)
    pen.setDashPattern(pattern)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    return pen


def _elided(font: QFont, text: str, width: float) -> str:
    return QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideRight, width)
