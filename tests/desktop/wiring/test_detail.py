"""The detail pane on a real session: what it asks for when a task is opened, and when its log grows."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from inspector.desktop.composition import Inspector
from inspector.desktop.session.launch import Target
from inspector.desktop.session.session import Session
from inspector.reading.requests import STRETCH_EVENTS, EventPageRequest, Question, TaskDetailRequest, TimelineRequest
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
