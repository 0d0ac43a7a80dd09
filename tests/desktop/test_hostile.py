"""Whatever a file holds, the window shows what can be shown, stays quick, and shows text as text."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtGui import QHelpEvent, QImage
from PySide6.QtWidgets import QAbstractItemView, QApplication, QLabel, QPlainTextEdit, QToolTip, QWidget

from inspector.desktop.composition import Inspector
from inspector.desktop.search.standing import State
from inspector.desktop.session.launch import Target
from tests.support import hostile_files
from tests.support.hostile_files import HOSTILE
from tests.support.inspectors import an_inspector
from tests.support.opened_files import watched
from tests.support.reading_databases import listing
from tests.support.turns import turns
from tests.support.waiting import until

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("qloop")]

LONGEST_TURN_MS = 150


async def walk(inspector: Inspector) -> None:
    """Look at everything as a user would: each view, and each tab of the first task that is shown."""
    rows = inspector.window.views.tasks.rows
    await until(rows.rowCount)
    table = inspector.window.views.tasks.table
    table.setCurrentIndex(rows.index(0, 0))
    await settled()
    pane = inspector.window.views.detail
    pane.set_covered(False)
    for tab in range(pane.tabs.count()):
        pane.tabs.setCurrentIndex(tab)
        await settled()
    for view in ("models", "recovery", "tasks"):
        inspector.window.show_view(view)
        await settled()


async def look_further(inspector: Inspector) -> None:
    """Search the events, and look at rows of the first tables."""
    inspector.window.show_view("search")
    search = inspector.window.views.search
    search.search_requested.emit("b")
    await until(lambda: search.standing.state is not State.SEARCHING)
    search.table.setCurrentIndex(search.hits.index(0, 0))
    await settled()
    inspector.window.show_view("tables")
    tables = inspector.window.views.tables
    await until(lambda: tables.names.model().rowCount())
    for row in range(2):
        tables.names.setCurrentIndex(tables.names.model().index(row, 0))
        await settled()
        tables.table.setCurrentIndex(tables.rows.index(0, 0))
        await settled()
    inspector.window.show_view("tasks")


def point_at_everything(inspector: Inspector) -> None:
    """Ask for the tool tip of every cell and widget that is shown."""
    for part in inspector.window.findChildren(QWidget):
        if not part.isVisible():
            continue
        places = [part.rect().center()]
        view = part.parent()
        if isinstance(view, QAbstractItemView) and part is view.viewport():
            model, root = view.model(), view.rootIndex()
            places = [
                view.visualRect(model.index(row, column, root)).center()
                for row in range(min(5, model.rowCount(root)))
                for column in range(min(20, model.columnCount(root)))
            ]
        for place in places:
            help_event = QHelpEvent(QEvent.Type.ToolTip, place, part.mapToGlobal(place))
            QApplication.sendEvent(part, help_event)
    QToolTip.hideText()


async def settled() -> None:
    """Let what was asked for come, and be painted."""
    passed: list[int] = []
    QTimer.singleShot(50, lambda: passed.append(1))
    await until(lambda: passed)


@pytest.mark.threat(id="T2")
@pytest.mark.threat(id="T3")
@pytest.mark.threat(id="T11")
@pytest.mark.threat(id="T14")
@pytest.mark.threat(id="T18")
@pytest.mark.threat(id="T22")
@pytest.mark.parametrize("made", HOSTILE, ids=lambda made: made.__name__)
async def test_no_file_holds_up_the_window_or_is_shown_as_anything_but_text(
    tmp_path: Path, made: Callable[[Path], None]
) -> None:
    path = tmp_path / "hostile.db"
    made(path)
    before = path.read_bytes()
    async with an_inspector() as inspector:
        inspector.window.resize(1200, 800)
        inspector.window.show()
        for view in ("models", "recovery", "tasks"):
            inspector.window.show_view(view)
        await settled()
        began = time.monotonic()
        with turns() as measured:
            inspector.open(Target(path))
            await until(lambda: inspector.session.how is not None)
            await walk(inspector)
            await look_further(inspector)

        assert measured.count > 10
        assert measured.longest_ms < LONGEST_TURN_MS
        assert time.monotonic() - began < 20
        everything = inspector.window.findChildren(QWidget)
        labels = [part for part in everything if isinstance(part, QLabel)]
        assert all(label.textFormat() is Qt.TextFormat.PlainText for label in labels if label.text())
        assert all(part.sizeHint().width() < 30_000 for part in everything)
        shown = [label.text() for label in labels]
        shown += [edit.toPlainText() for edit in inspector.window.findChildren(QPlainTextEdit)]
        assert all(len(text) <= 100_000 for text in shown)
        assert not any("\u202e" in text or "\x1b" in text for text in shown)
    assert path.read_bytes() == before
    assert listing(tmp_path) == {"hostile.db"}


@pytest.mark.threat(id="T12")
@pytest.mark.threat(id="T13")
async def test_no_picture_that_a_text_names_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    picture = tmp_path / "picture.png"
    QImage(300, 200, QImage.Format.Format_RGB32).save(str(picture))
    monkeypatch.setattr(hostile_files, "MARKUP", f'<img src="{picture}"><img src="{picture.as_uri()}"><b>bold</b>')
    path = tmp_path / "hostile.db"
    hostile_files.markup_in_numbers_too(path)
    async with an_inspector() as inspector:
        inspector.window.resize(1200, 800)
        inspector.window.show()
        with watched(picture) as opened:
            inspector.open(Target(path))
            await until(lambda: inspector.session.how is not None)
            for view in ("models", "recovery", "search", "tables", "tasks"):
                inspector.window.show_view(view)
                await settled()
                point_at_everything(inspector)
            await walk(inspector)
            await look_further(inspector)
            point_at_everything(inspector)
            await settled()
            assert opened.times() == 0
            label = QLabel(hostile_files.MARKUP)
            label.show()
            await settled()
            assert opened.times() > 0, "one that takes it for more than text would be noticed"
            label.deleteLater()


async def test_a_turn_that_takes_too_long_would_be_noticed() -> None:
    def work() -> None:
        ends_at = time.thread_time() + LONGEST_TURN_MS / 1_000
        while time.thread_time() < ends_at:
            pass

    with turns() as measured:
        QTimer.singleShot(0, work)
        await settled()

    assert measured.longest_ms >= LONGEST_TURN_MS
