"""A file that another process keeps locked, in the window: it says so, and opens or is read again by itself."""

import time
from pathlib import Path

import pytest

from inspector.desktop.composition import Inspector
from inspector.desktop.session.launch import Target
from inspector.desktop.widgets.message_bar import MessageBar
from inspector.lmsp.cancelling import CancelOutcome
from tests.support.inspectors import an_inspector
from tests.support.locked_files import SENTENCE_WITHIN_S, free, lock, locked_by
from tests.support.reading_databases import make
from tests.support.reading_service import service_on
from tests.support.waiting import until

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("qloop")]


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
            result = await inspector.session.cancel_task("early")
            assert result.outcome in (CancelOutcome.BUSY, CancelOutcome.REFUSED)
            free(service)
            await until(lambda: rows.rowCount() == 3 and not messages(inspector))
