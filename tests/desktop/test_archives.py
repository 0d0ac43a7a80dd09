"""A database in an archive, in the window: opened as a copy, told in the header, opened again, never written."""

import gzip
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, QSettings, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QFileDialog, QLabel, QWidget
from pytestqt.qtbot import QtBot

from inspector.desktop.actions.open_file import OpenFileAction
from inspector.desktop.composition import Inspector
from inspector.desktop.session.background import read_from
from inspector.desktop.session.launch import Target
from inspector.desktop.session.session import Session
from inspector.desktop.settings import Settings
from inspector.desktop.start.view import RecentFile, StartView
from inspector.desktop.widgets.tools import ModeBadge
from inspector.desktop.wiring.start import StartWiring
from inspector.layout.opened import Mode
from inspector.lmsp.cancelling import CancelOutcome
from inspector.reading.private_copy import PrivateCopy
from inspector.reading.requests import CountsRequest, HealthRequest, ProofRequest, TaskPageRequest
from tests.support.archives import files_of, tarred, zipped
from tests.support.finding import found
from tests.support.inspectors import an_inspector
from tests.support.proof import differences, touch_state
from tests.support.reading_crashes import crashed
from tests.support.reading_databases import listing, make
from tests.support.waiting import until

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("qloop", "temporary")]

WHY = "Read from a private copy, because it lies in an archive: service.db of bundle.zip, with its -wal."


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """A zip of a database and its -wal, which alone holds the task ``late``."""
    (tmp_path / "sent").mkdir()
    path = tmp_path / "sent" / "bundle.zip"
    path.write_bytes(zipped(files_of(crashed(tmp_path / "service.db"))))
    return path


def header_words(inspector: Inspector) -> list[str]:
    return [label.text() for label in inspector.window.header.findChildren(QLabel) if label.text()]


def is_empty_after_another_copy(temporary: Path) -> bool:
    PrivateCopy().remove()
    return not listing(temporary)


def task_ids(inspector: Inspector) -> list[str]:
    rows = inspector.window.views.tasks.rows
    tasks = (rows.task_at(row) for row in range(rows.rowCount()))
    return sorted(task.id for task in tasks if task is not None)


async def test_a_dropped_archive_opens_and_the_header_says_how(bundle: Path, temporary: Path) -> None:
    before = touch_state(bundle)
    async with an_inspector() as inspector:
        window = inspector.window
        window.show()
        window.resize(1600, 900)
        dropped = QMimeData()
        dropped.setUrls([QUrl.fromLocalFile(str(bundle))])
        buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        window.dropEvent(QDropEvent(QPointF(9, 9), Qt.DropAction.CopyAction, dropped, buttons, keys))
        await until(lambda: task_ids(inspector) == ["early", "late"])

        assert found(window, ModeBadge).text() == "copy"
        assert header_words(inspector)[0] == "bundle.zip"
        assert WHY in header_words(inspector)
        inspector.open(Target(bundle, Mode.COPY))
        await until(lambda: inspector.session.how is not None and task_ids(inspector) == ["early", "late"])
        assert header_words(inspector)[0] == "bundle.zip"
    await until(lambda: not listing(temporary))
    assert differences(before, touch_state(bundle)) == ()


async def test_what_cannot_be_opened_is_told_in_the_window(tmp_path: Path) -> None:
    path = tmp_path / "bundle.tgz"
    path.write_bytes(gzip.compress(tarred([("notes.txt", b"text" * 99)])))
    session = Session()
    told: list[str] = []
    session.could_not_open.connect(told.append)
    session.open(Target(path))
    await until(lambda: told)

    assert told == ["bundle.tgz holds no SQLite database, or an encrypted one."]
    session.close()
    await session.ended()


async def test_every_question_is_answered_from_the_copy_and_the_proof_is_of_the_archive(
    bundle: Path, temporary: Path
) -> None:
    before = touch_state(bundle)
    session = Session()
    session.open(Target(bundle))
    try:
        await until(lambda: session.how is not None)
        how = session.how
        assert how is not None
        assert (how.mode, how.path, how.why) == (Mode.COPY, str(bundle), WHY)
        assert Path(read_from(how)[0]).parent.parent == temporary
        assert len((await session.ask(TaskPageRequest())).tasks) == 2
        assert (await session.ask_in_background(CountsRequest())).by_status["queued"] == 2
        health = await session.run_errand(HealthRequest(full=True))
        state = await session.run_errand(ProofRequest())
        assert not any(table.notes for table in health.tables)
        assert (state.path, [trace.name for trace in state.files]) == (str(bundle), ["bundle.zip"])
        session.allow_actions(True)
        result = await session.cancel_task("late")
        assert (result.outcome, result.reason) == (CancelOutcome.REFUSED, "It is read from a copy.")
    finally:
        session.close()
        await session.ended()
    await until(lambda: not listing(temporary))
    assert differences(before, touch_state(bundle)) == ()


async def test_the_chosen_member_is_opened_again_after_its_reader_was_killed(tmp_path: Path) -> None:
    one, two = make(tmp_path / "one.db", "first"), make(tmp_path / "two.db", "second")
    path = tmp_path / "bundle.zip"
    path.write_bytes(zipped([*files_of(one, "data/"), *files_of(two, "data/")]))
    async with an_inspector() as inspector:
        inspector.window.show()
        inspector.open(Target(path / "data" / "two.db"))
        await until(lambda: task_ids(inspector) == ["second"])
        how = inspector.session.how
        assert how is not None
        inspector.open(Target(Path(how.place)))
        await until(lambda: inspector.session.how is not None)
        await until(lambda: task_ids(inspector) == ["second"])
        again = inspector.session.how
        assert again is not None
        assert again.place == how.place == f"{path}/data/two.db"


async def test_a_session_that_is_closed_while_it_unpacks_leaves_nothing(tmp_path: Path, temporary: Path) -> None:
    path = tmp_path / "bundle.gz"
    whole = make(tmp_path / "service.db", "a", journal="delete").read_bytes()
    path.write_bytes(gzip.compress(whole, 1) + gzip.compress(bytes(1 << 24), 1) * 25)
    session = Session()
    session.open(Target(path))
    await until(lambda: listing(temporary))
    session.close()
    await session.ended()

    # Where its reader had to be killed, the next one that makes a copy removes what it left.
    await until(lambda: is_empty_after_another_copy(temporary))


def test_the_dialog_shows_archives_too(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    dialogs: list[QFileDialog] = []

    def note(dialog: QFileDialog) -> None:
        dialogs.append(dialog)

    monkeypatch.setattr(QFileDialog, "open", note)
    window = QWidget()
    qtbot.addWidget(window)

    OpenFileAction(window).choose()

    first = dialogs[0].nameFilters()[0]
    assert {"*.db", "*.zip", "*.tar", "*.tgz", "*.gz", "*.xz", "*.bz2"} <= set(first.strip(")").split("(")[1].split())


def test_a_member_of_an_archive_is_there_among_the_recent_files_as_long_as_the_archive_is(
    qtbot: QtBot, bundle: Path
) -> None:
    view = StartView()
    qtbot.addWidget(view)
    shown: list[RecentFile] = []
    settings = Settings(QSettings(str(bundle.with_name("settings.ini")), QSettings.Format.IniFormat))
    settings.keep_recent(bundle / "data" / "service.db")
    view.show_recent = shown.extend  # type: ignore[method-assign,assignment]

    StartWiring(view, settings)
    bundle.unlink()
    StartWiring(view, settings)

    assert [each.is_there for each in shown] == [True, False]
