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
from tests.support.pages import children, root_of, zeroed
from tests.support.waiting import until

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("qloop")]


def without(path: Path, *broken: tuple[str, int]) -> Path:
    """Make a file with these pages of tables and indexes zeroed, each by its name and its place."""
    path.write_bytes(many_pages(path))
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(
            "INSERT INTO models VALUES ('m', 'small', ?, 1, '/m', 'gguf', '{}', 1796000000000)", ["sha256:" + "0" * 64]
        )
    data = path.read_bytes()
    pages = [[root_of(path, name), *children(data, root_of(path, name))][place] for name, place in broken]
    return zeroed(path, data, *pages)


def bars(inspector: Inspector) -> str:
    return "\n".join(bar.text() for bar in inspector.window.findChildren(MessageBar) if bar.isVisible())


async def test_models_are_shown_beside_damaged_tasks(tmp_path: Path) -> None:
    path = without(tmp_path / "lmsp.db", ("tasks_by_model", 0))
    async with an_inspector() as inspector:
        inspector.window.show()
        inspector.open(Target(path))
        await until(lambda: inspector.window.views.tasks.rows.rowCount() == 60)
        inspector.window.show_view("models")
        await until(lambda: "Part of the models, or of the tasks that name them, cannot be read." in bars(inspector))


async def test_a_search_says_that_it_went_around_damage(tmp_path: Path) -> None:
    path = without(tmp_path / "lmsp.db", ("task_events", -2))
    async with an_inspector() as inspector:
        inspector.window.show()
        inspector.open(Target(path))
        await until(lambda: inspector.window.views.tasks.rows.rowCount() == 60)
        inspector.window.show_view("search")
        view = inspector.window.views.search
        view.search_requested.emit("delta")
        await until(lambda: "Part of the events cannot be searched." in bars(inspector))
        assert view.hits.rowCount() > 900
