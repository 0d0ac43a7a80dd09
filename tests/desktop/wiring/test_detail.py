"""The detail pane on a real session: what it asks for when a task is opened, and when its log grows."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner
from PySide6.QtGui import QGuiApplication

from inspector import store
from inspector.cli import command_line
from inspector.commands.clock import Clock
from inspector.desktop.composition import Inspector
from inspector.desktop.detail.stored_text import WHOLE_BELOW, StoredTextPanel
from inspector.desktop.session.launch import Target
from inspector.desktop.session.session import Session
from inspector.reading.requests import (
    EVENT_DATA_CHARS,
    STRETCH_EVENTS,
    EventPageRequest,
    Question,
    TaskDetailRequest,
    TimelineRequest,
)
from tests.support.inspectors import an_inspector
from tests.support.live_file import service_on
from tests.support.waiting import until

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("qloop")]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What the session was asked, in order."""
    requests: list[object] = []
    ask = Session.ask

    async def noted(session: Session, request: Question[object], **named: int) -> object:
        requests.append(request)
        return await ask(session, request, **named)

    monkeypatch.setattr(Session, "ask", noted)
    return requests


@asynccontextmanager
async def inspector_on(path: Path, task_id: str) -> AsyncIterator[Inspector]:
    async with an_inspector() as inspector:
        inspector.open(Target(path), task_id=task_id)
        inspector.window.show()
        yield inspector


def drawn(inspector: Inspector) -> int:
    """How many events the timeline knows of."""
    timeline = inspector.window.views.detail.timeline
    return 0 if timeline.shown is None else timeline.shown.events


def stretches(asked: list[object]) -> list[TimelineRequest]:
    return [request for request in asked if isinstance(request, TimelineRequest)]


async def test_a_growing_log_is_never_read_twice(tmp_path: Path, asked: list[object]) -> None:
    with service_on(tmp_path / "a.db") as service:
        (task_id,) = service.accept()
        service.run(task_id, deltas=300)
        async with inspector_on(service.path, task_id) as inspector:
            await until(lambda: drawn(inspector) == 302)
            asked.clear()
            service.complete(task_id)
            await until(lambda: drawn(inspector) == 303)
            assert {request.after_seq for request in stretches(asked)} == {302}


async def test_the_last_events_are_on_screen_before_a_long_log_is_read(tmp_path: Path, asked: list[object]) -> None:
    with service_on(tmp_path / "a.db") as service:
        (task_id,) = service.accept()
        service.run(task_id, deltas=2 * STRETCH_EVENTS)
        async with inspector_on(service.path, task_id) as inspector:
            events = inspector.window.views.detail.events.list.events
            shown_before: list[bool] = []
            events.rowsInserted.connect(lambda *_: shown_before.append(bool(stretches(asked))))
            await until(lambda: drawn(inspector) == 2 * STRETCH_EVENTS + 2)
            assert shown_before[0] is False
            assert len(stretches(asked)) == 3
            of_task = [each for each in asked if isinstance(each, (TaskDetailRequest, EventPageRequest))]
            assert len(of_task) == 2


async def test_the_status_bar_says_that_a_copy_is_only_the_beginning_and_what_gives_all_of_it(tmp_path: Path) -> None:
    """At the edge of what the commands give whole, too: the promise is theirs."""
    size = WHOLE_BELOW - 1
    data = {"delta": "x" * (size - len('{"delta":""}'))}
    with service_on(tmp_path / "a.db") as service:
        (task_id,) = service.accept()
        service.run(task_id)
    db = store.open_service_database(service.path)
    store.append_events(db, task_id, [("response.output_text.delta", data)], attempt=1, now_ms=service.now())
    db.close()
    async with inspector_on(service.path, task_id) as inspector:
        content = inspector.window.views.detail.events.data_panel
        await until(lambda: drawn(inspector) == 3)
        inspector.window.views.detail.content_wanted.emit()
        inspector.window.views.detail.go_to_event(task_id, 3)
        clipboard = QGuiApplication.clipboard()

        def copied() -> int:
            content.copy()
            return len(clipboard.text())

        await until(lambda: copied() == EVENT_DATA_CHARS)
        said = inspector.window.statusBar().currentMessage()
        assert said.startswith("Copied only the beginning: 1,048,576 characters of 16.8 MB. All of it: ")
        options = said.rpartition("lmsp-inspector ")[2].replace("DB", str(service.path)).replace("TASK", task_id)
    result = CliRunner().invoke(command_line, options.split(), obj=Clock(lambda: 0, lambda _seconds: None))
    assert json.loads(result.stdout)["events"][2]["data"] == data
    out = tmp_path / "out.ndjson"
    export = StoredTextPanel.command.replace("DB", str(service.path)).replace("FILE", str(out))
    CliRunner().invoke(command_line, export.split(), obj=Clock(lambda: 0, lambda _seconds: None))
    exported = [json.loads(line) for line in out.read_text().splitlines()]
    assert [each["data"] for each in exported if each.get("seq") == 3] == [data]
