"""What the first page of a window costs: what is loaded for it, what is asked, and what is made after it."""

import json
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from inspector.desktop.composition import Inspector
from inspector.desktop.session.launch import Launched, Target, launch_with_first_page
from inspector.desktop.session.session import Session
from tests.support.inspectors import an_inspector
from tests.support.live_file import service_on
from tests.support.waiting import until

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("qloop")]

NOT_FOR_THE_FIRST_PAGE = (
    "inspector.desktop.detail",
    "inspector.desktop.digests",
    "inspector.desktop.menus",
    "inspector.desktop.recovery",
    "inspector.desktop.search",
    "inspector.desktop.start",
    "inspector.desktop.timeline",
    "inspector.desktop.widgets.json_view",
    "inspector.desktop.widgets.message_bar",
    "inspector.store",
    "html.entities",
    "sqlite3",
    "sqlite_utils",
    "zoneinfo",
)

LOADED = """
import json, sys
from pathlib import Path
from PySide6 import QtWidgets
from inspector.desktop.app import run
from inspector.desktop.session.launch import Target, launch_with_first_page
from inspector.desktop.settings import Settings

target = Target(Path(sys.argv[1]))
launched = launch_with_first_page(target)

async def use(inspector):
    inspector.open(target, reader=launched)
    await inspector.session.first_answers(30)
    rows = inspector.window.views.tasks.rows.rowCount()
    inspector.window.show()
    inspector.window.grab()
    classes = sorted(name for name in vars(QtWidgets) if name.startswith("Q"))
    print(json.dumps({"rows": rows, "modules": sorted(sys.modules), "classes": classes}))

run(use, Settings(None))
"""


@asynccontextmanager
async def inspector_on(path: Path | None, launched: Launched | None = None) -> AsyncIterator[Inspector]:
    async with an_inspector() as inspector:
        if path is not None:
            inspector.open(Target(path), reader=launched)
            await inspector.session.first_answers(30)
        inspector.window.show()
        yield inspector


def test_the_first_page_is_there_before_anything_that_it_does_not_show_is_loaded(tmp_path: Path) -> None:
    with service_on(tmp_path / "a.db") as service:
        service.accept(3)
        done = subprocess.run(
            [sys.executable, "-c", LOADED, str(service.path)], stdout=subprocess.PIPE, check=True, timeout=50
        )
    found = json.loads(done.stdout)
    assert found["rows"] == 3
    loaded = [
        name for name in found["modules"] if any(f"{name}.".startswith(f"{no}.") for no in NOT_FOR_THE_FIRST_PAGE)
    ]
    assert loaded == []
    # PySide loads classes as they are used, and all there are where it is asked for a widget that it does not know.
    assert "QTableView" in found["classes"]
    assert "QCalendarWidget" not in found["classes"]
    assert "QStyle" not in found["classes"]


async def test_the_page_that_was_asked_for_at_the_launch_is_asked_for_once(tmp_path: Path) -> None:
    with service_on(tmp_path / "a.db") as service:
        ids = service.accept(3)
        launched = launch_with_first_page(Target(service.path))
        async with inspector_on(service.path, launched) as inspector:
            rows = inspector.window.views.tasks.rows
            assert [task.id for row in range(3) if (task := rows.task_at(row)) is not None] == ids[::-1]


async def test_a_view_that_was_never_shown_is_never_built(tmp_path: Path) -> None:
    with service_on(tmp_path / "a.db") as service:
        service.accept(1)
        async with inspector_on(service.path) as inspector:
            views = inspector.window.views
            assert views.late_detail.made is None
            await until(lambda: views.late_detail.made is not None)
            assert [name for name, page in views.late_pages.items() if page.made is not None] == []
            inspector.window.show_view("recovery")
            assert [name for name, page in views.late_pages.items() if page.made is not None] == ["recovery"]
            assert views.recovery.isVisible()


async def test_a_view_that_is_built_late_shows_what_there_is(tmp_path: Path) -> None:
    with service_on(tmp_path / "a.db") as service:
        (task_id,) = service.accept()
        async with inspector_on(service.path) as inspector:
            await until(lambda: inspector.selection.task_id == task_id)
            pane = inspector.window.views.detail
            await until(lambda: pane.task_id == task_id)
            # Whether a task may be cancelled is known once the reader has seen whose file it is.
            await until(lambda: pane.title.cancel_button.isEnabled())


async def test_without_a_file_the_window_begins_with_the_start_view() -> None:
    async with inspector_on(None) as inspector:
        assert inspector.window.view == "start"
        assert inspector.window.views.start.isVisible()
        assert not inspector.window.navigation.isEnabled()


async def test_menus_have_their_names_at_once_and_are_filled_after_the_first_paint() -> None:
    async with inspector_on(None) as inspector:
        bar = inspector.window.menuBar()
        assert [action.text() for action in bar.actions()] == ["&File", "&View", "&Task", "&Help"]
        window = inspector.window
        menus = (window.file_menu, window.view_menu, window.task_menu, window.help_menu)
        assert not any(menu.actions() for menu in menus)
        await until(lambda: all(menu.actions() for menu in menus))


async def test_a_reader_that_cannot_open_its_file_answers_nothing_and_is_missed_by_nobody(tmp_path: Path) -> None:
    target = Target(tmp_path / "absent.db")
    session = Session()
    refused: list[str] = []
    session.could_not_open.connect(refused.append)
    session.open(target, launch_with_first_page(target))
    await session.first_answers(30)
    await until(lambda: refused)
    session.close()
    await session.ended()
