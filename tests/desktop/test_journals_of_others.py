"""A database whose -journal names another file for SQLite to delete, by every way into the window."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QFileDialog

from inspector.desktop.composition import Inspector
from inspector.desktop.session.launch import Target, launch_with_first_page
from inspector.layout.opened import Mode
from tests.commands.databases import state_of
from tests.support.inspectors import an_inspector
from tests.support.reading_crashes import hot, with_super_journal
from tests.support.waiting import until

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("qloop", "temporary")]


@pytest.fixture
def pair(tmp_path: Path) -> Path:
    """A database with a hot journal that names the file ``victim`` beside it."""
    folder = tmp_path / "pair"
    folder.mkdir()
    (folder / "victim").write_text("precious", encoding="utf-8")
    return with_super_journal(hot(folder / "service.db"), folder / "victim")


def at_the_start(inspector: Inspector, path: Path) -> None:
    target = Target(path)
    inspector.open(target, reader=launch_with_first_page(target))


def dropped(inspector: Inspector, path: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    inspector.window.dropEvent(QDropEvent(QPointF(9, 9), Qt.DropAction.CopyAction, data, buttons, keys))


def among_the_recent(inspector: Inspector, path: Path) -> None:
    inspector.window.views.start.recent_requested.emit(path)


def by_the_dialog(inspector: Inspector, path: Path) -> None:
    inspector.window.views.start.open_requested.emit()
    choose_in_dialog(inspector, path)


def by_the_dialog_as_a_copy(inspector: Inspector, path: Path) -> None:
    inspector.window.views.start.copy_requested.emit()
    choose_in_dialog(inspector, path)


def choose_in_dialog(inspector: Inspector, path: Path) -> None:
    (dialog,) = inspector.window.findChildren(QFileDialog)
    dialog.fileSelected.emit(str(path))
    dialog.reject()


@pytest.mark.threat(id="T1")
@pytest.mark.parametrize(
    "way",
    [at_the_start, dropped, among_the_recent, by_the_dialog, by_the_dialog_as_a_copy],
    ids=lambda way: way.__name__,
)
async def test_the_file_that_a_journal_names_stays(pair: Path, way: Callable[[Inspector, Path], None]) -> None:
    before = state_of(pair.parent)
    async with an_inspector() as inspector:
        inspector.window.show()
        way(inspector, pair)
        await until(lambda: inspector.session.how is not None and inspector.window.views.tasks.rows.rowCount())

        assert inspector.session.how is not None
        assert inspector.session.how.mode is Mode.COPY
        assert inspector.session.acting.why_not is not None
    assert state_of(pair.parent) == before
