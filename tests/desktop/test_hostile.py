"""Whatever a file holds, the window shows what can be shown, stays quick, and shows text as text."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QWidget

from inspector.desktop.composition import Inspector
from inspector.desktop.session.launch import Target
from tests.support.hostile_files import HOSTILE
from tests.support.inspectors import an_inspector
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


async def settled() -> None:
    """Let what was asked for come, and be painted."""
    passed: list[int] = []
    QTimer.singleShot(50, lambda: passed.append(1))
    await until(lambda: passed)


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


async def test_a_turn_that_takes_too_long_would_be_noticed() -> None:
    def work() -> None:
        ends_at = time.thread_time() + LONGEST_TURN_MS / 1_000
        while time.thread_time() < ends_at:
            pass

    with turns() as measured:
        QTimer.singleShot(0, work)
        await settled()

    assert measured.longest_ms >= LONGEST_TURN_MS
