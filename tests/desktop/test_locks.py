"""A file that another process keeps locked, in the window: it says so, and opens or is read again by itself."""

import time
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel, QWidget

from inspector.desktop.composition import Inspector
from inspector.desktop.session.launch import Target
from inspector.desktop.session.reader_link import RequestFailed
from inspector.desktop.widgets.message_bar import MessageBar
from inspector.lmsp.cancelling import CancelOutcome
from inspector.reading.requests import TaskPageRequest
from tests.support.inspectors import an_inspector
from tests.support.locked_files import SENTENCE_WITHIN_S, free, lock, locked_by
from tests.support.reading_databases import make
from tests.support.reading_service import service_on
from tests.support.waiting import until

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("qloop")]


def said(widget: QWidget) -> list[str]:
    return [label.text() for label in widget.findChildren(QLabel) if label.isVisible()]


def messages(inspector: Inspector) -> list[str]:
    return [bar.text() for bar in inspector.window.findChildren(MessageBar) if bar.isVisible()]


async def test_a_locked_file_is_said_to_be_opens_by_itself_and_is_read_again_after_another_lock(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early", journal="delete")
    with service_on(path) as service:
        lock(service)
        async with an_inspector() as inspector:
            rows = inspector.window.views.tasks.rows
            inspector.window.show()
            began = time.monotonic()
            inspector.open(Target(path))
            await until(lambda: messages(inspector))
            assert time.monotonic() - began < SENTENCE_WITHIN_S
            assert messages(inspector) == [f"{locked_by(service)} It opens by itself as soon as the lock is gone."]
            free(service)
            await until(lambda: rows.rowCount() == 2 and not messages(inspector))

            lock(service, "later")
            await until(lambda: messages(inspector))
            assert messages(inspector)[0].startswith(f"{locked_by(service)} This shows ")
            assert rows.rowCount() == 2
            assert any(text.startswith("locked, read ") for text in said(inspector.window.header))
            inspector.session.allow_actions(True)
            result = await inspector.session.cancel_task("early")
            assert (result.outcome, result.reason) == (CancelOutcome.BUSY, locked_by(service))
            with pytest.raises(RequestFailed, match=f"pid {service.pid}"):
                await inspector.session.ask(TaskPageRequest())
            free(service)
            await until(lambda: rows.rowCount() == 3 and not messages(inspector))


async def test_a_file_that_waits_for_a_lock_can_be_given_up(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early", journal="delete")
    with service_on(path) as service:
        lock(service)
        async with an_inspector() as inspector:
            inspector.window.show()
            inspector.open(Target(path))
            await until(lambda: messages(inspector))
            (bar,) = [bar for bar in inspector.window.findChildren(MessageBar) if bar.isVisible()]
            bar.verb_clicked.emit("Close")
            assert inspector.window.view == "start"
            assert messages(inspector) == []
            assert "No file open" in said(inspector.window.header)
            free(service)
            assert inspector.session.how is None


async def test_a_lock_in_a_pause_is_said_and_what_was_read_stays(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early", journal="delete")
    with service_on(path) as service:
        async with an_inspector() as inspector:
            rows = inspector.window.views.tasks.rows
            inspector.window.show()
            inspector.open(Target(path))
            await until(lambda: rows.rowCount() == 1)
            inspector.session.pause()
            lock(service)
            with pytest.raises(RequestFailed, match=f"pid {service.pid}"):
                await inspector.session.ask(TaskPageRequest())
            await until(lambda: any(text.startswith(locked_by(service)) for text in messages(inspector)))
            assert rows.rowCount() == 1
            free(service)
            inspector.session.resume()
            await until(lambda: rows.rowCount() == 2 and not messages(inspector))
