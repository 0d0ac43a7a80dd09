"""What of the models and events of a damaged file cannot be read is said in a bar of the window."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from inspector.desktop.composition import Inspector
from inspector.desktop.session.launch import Target
from inspector.desktop.widgets.message_bar import MessageBar
from tests.support.damage import many_pages
from tests.support.inspectors import an_inspector
from tests.support.pages import without
from tests.support.waiting import until

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("qloop")]


@pytest.fixture
def whole(tmp_path: Path) -> bytes:
    """A file of 60 tasks that name one model."""
    path = tmp_path / "whole.db"
    path.write_bytes(many_pages(path))
    with closing(sqlite3.connect(path)) as db, db:
        digest = "sha256:" + "0" * 64
        db.execute("INSERT INTO models VALUES ('m', 'small', ?, 1, '/m', 'gguf', '{}', 1796000000000)", [digest])
    return path.read_bytes()


def bars(inspector: Inspector) -> str:
    return "\n".join(bar.text() for bar in inspector.window.findChildren(MessageBar) if bar.isVisible())


async def test_models_are_shown_beside_damaged_tasks(tmp_path: Path, whole: bytes) -> None:
    path = without(tmp_path / "lmsp.db", whole, ("tasks_by_model", 0))
    async with an_inspector() as inspector:
        inspector.window.show()
        inspector.open(Target(path))
        await until(lambda: inspector.window.views.tasks.rows.rowCount() == 60)
        inspector.window.show_view("models")
        await until(lambda: "Part of the models, or of the tasks that name them, cannot be read." in bars(inspector))


async def test_a_search_says_that_it_went_around_damage(tmp_path: Path, whole: bytes) -> None:
    path = without(tmp_path / "lmsp.db", whole, ("task_events", -2))
    async with an_inspector() as inspector:
        inspector.window.show()
        inspector.open(Target(path))
        await until(lambda: inspector.window.views.tasks.rows.rowCount() == 60)
        inspector.window.show_view("search")
        view = inspector.window.views.search
        view.search_requested.emit("delta")
        await until(lambda: "Part of the events cannot be searched." in bars(inspector))
        assert view.hits.rowCount() > 900
