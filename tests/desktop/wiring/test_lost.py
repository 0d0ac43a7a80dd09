"""The window after its file was lost: what was read stays, what was not is said, and the next file is not read."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from inspector.desktop.composition import Inspector
from inspector.desktop.detail.events_tab import EventsTab
from inspector.desktop.drawer.view import Drawer
from inspector.desktop.recovery.grid import RecoveryGrid
from inspector.desktop.session.launch import Target
from inspector.desktop.session.session import LOST
from inspector.desktop.tasks.filters import TaskFilters
from inspector.desktop.tasks.words import NOT_FILTERED, TaskColumn
from inspector.desktop.widgets.chip import Chip
from inspector.desktop.widgets.elided import ElidedLabel
from inspector.desktop.widgets.empty import EmptySentence
from inspector.desktop.widgets.fact_text import FactText
from inspector.desktop.widgets.tools import ModeBadge
from inspector.desktop.wiring.first_read import NOTHING_READ
from inspector.layout.pages import PAGE_ROWS, TaskFilter
from inspector.layout.rows import TOO_LARGE, EventRow
from tests.support.any_tables import made
from tests.support.finding import found
from tests.support.inspectors import an_inspector
from tests.support.live_file import service_on
from tests.support.reading_databases import add_deltas, add_task, create, make, move_task
from tests.support.waiting import until

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("qloop")]


def at_rest(path: Path, count: int = 3) -> Path:
    with service_on(path) as service:
        service.accept(count)
    return path


@asynccontextmanager
async def inspector_on(path: Path) -> AsyncIterator[Inspector]:
    async with an_inspector() as inspector:
        inspector.window.show()
        inspector.open(Target(path))
        await until(lambda: inspector.window.views.tasks.rows.rowCount())
        yield inspector


async def lose(inspector: Inspector, path: Path) -> None:
    """Put another file into the place of ``path``, and wait until that is noticed."""
    make(path.with_name("new.db"), "new", journal="delete").rename(path)
    await until(lambda: inspector.session.is_lost)


def sentences(view: QWidget) -> list[str]:
    return [each.accessibleName() for each in view.findChildren(EmptySentence) if each.isVisible()]


async def test_a_view_first_visited_after_the_loss_says_that_nothing_was_read_for_it(tmp_path: Path) -> None:
    path = at_rest(tmp_path / "a.db")
    async with inspector_on(path) as inspector:
        await lose(inspector, path)
        for name in ("recovery", "models", "tables"):
            inspector.window.show_view(name)
            view: QWidget = getattr(inspector.window.views, name)

            assert NOTHING_READ in sentences(view), name
            assert not [each for each in view.findChildren(Chip) if each.isVisible()], "no count that was never read"
        assert not inspector.window.views.recovery.findChildren(RecoveryGrid)[0].isVisible()
        inspector.window.show_view("search")
        [told] = sentences(inspector.window.views.search)
        assert told.startswith(LOST.removesuffix("."))


async def test_a_view_that_was_read_keeps_what_it_shows(tmp_path: Path) -> None:
    path = at_rest(tmp_path / "a.db")
    async with inspector_on(path) as inspector:
        window = inspector.window
        for name in ("recovery", "tables"):
            window.show_view(name)
        await until(lambda: window.views.tables.names.model().rowCount())
        window.views.tables.choose("tasks")
        await until(lambda: window.views.tables.rows.rowCount() == 3)
        window.show_view("recovery")
        await until(lambda: window.views.recovery.selected is not None)
        await lose(inspector, path)

        assert window.views.recovery.findChildren(RecoveryGrid)[0].isVisible()
        window.show_view("tables")
        window.views.tables.choose("task_events")
        assert window.views.tables.shown == "tasks", "what was read is not given for what cannot be read"
        assert window.views.tables.rows.rowCount() == 3
        assert window.views.tables.strip.text == LOST


async def test_after_the_loss_tasks_cannot_be_filtered_and_what_was_never_read_does_not_look_as_if_it_came(
    tmp_path: Path,
) -> None:
    path = at_rest(tmp_path / "a.db", 900)
    async with inspector_on(path) as inspector:
        window, tasks = inspector.window, inspector.window.views.tasks
        await until(lambda: tasks.rows.rowCount() == 900)
        await lose(inspector, path)

        chips = [each for each in found(tasks, TaskFilters).findChildren(Chip) if each.isVisible()]
        assert chips
        assert not any(each.isEnabled() for each in chips)
        assert NOT_FILTERED in [each.text() for each in tasks.findChildren(QLabel) if each.isVisible()]
        assert any(NOT_FILTERED in each.toolTip() for each in (chips[0], *parents(chips[0])))
        window.views.models.model_tasks_requested.emit("another-model")
        assert tasks.wanted == TaskFilter()
        assert window.statusBar().currentMessage() == NOT_FILTERED

        assert tasks.rows.task_at(0) is not None
        assert tasks.rows.task_at(500) is None
        assert tasks.rows.index(500, TaskColumn.TASK).data() == "not read"
        assert tasks.shown_sentence().endswith(", not all were read")

        inspector.open(Target(path))
        await until(lambda: tasks.rows.rowCount() == 1 and tasks.rows.task_at(0) is not None)
        assert all(each.isEnabled() for each in chips)
        assert NOT_FILTERED not in [each.text() for each in tasks.findChildren(QLabel)]


def parents(widget: QWidget) -> list[QWidget]:
    above = widget.parentWidget()
    return [] if above is None else [above, *parents(above)]


async def test_a_statement_after_the_loss_is_refused_and_the_rows_are_those_of_an_earlier_one(tmp_path: Path) -> None:
    path = at_rest(tmp_path / "a.db", 2)
    async with inspector_on(path) as inspector:
        inspector.window.show_view("tables")
        view = inspector.window.views.tables
        await until(lambda: view.names.model().rowCount())
        view.box.editor.setPlainText("SELECT id FROM tasks")
        view.box.run_button.click()
        await until(lambda: view.rows.rowCount() == 2)
        await lose(inspector, path)

        view.box.run_button.click()
        await until(lambda: not view.box.is_running)

        assert view.box.words == LOST
        assert view.rows.rowCount() == 2
        assert view.strip.name == "Result of an earlier statement"


async def test_earlier_events_that_were_never_read_are_said_to_be_unreadable(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with_deltas(path, 600, "x")
    async with inspector_on(path) as inspector:
        events = found(inspector.window, EventsTab)
        await until(lambda: events.list.events.events == PAGE_ROWS)
        await lose(inspector, path)
        events.list.before_wanted.emit()

        said = f"No more events can be read. {LOST}"
        await until(lambda: said in [each.text() for each in events.findChildren(ElidedLabel) if each.isVisible()])
        assert events.list.events.events == PAGE_ROWS


async def test_a_pause_of_a_lost_file_does_not_promise_to_catch_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = at_rest(tmp_path / "a.db")
    async with inspector_on(path) as inspector:
        said: list[str] = []
        monkeypatch.setattr(inspector.window, "show_message", lambda key, *_words, **_named: said.append(key))
        inspector.session.pause()
        assert said == ["paused"]
        inspector.session.resume()
        monkeypatch.undo()
        await lose(inspector, path)

        monkeypatch.setattr(inspector.window, "show_message", lambda key, *_words, **_named: said.append(key))
        inspector.session.pause()
        assert said == ["paused"]


async def test_the_drawer_neither_hashes_nor_checks_the_file_that_lies_there_now(tmp_path: Path) -> None:
    path = at_rest(tmp_path / "a.db")
    async with inspector_on(path) as inspector:
        await until(lambda: inspector.window.header.shown is not None)
        await lose(inspector, path)
        inspector.window.header.drawer_requested.emit()
        [drawer] = inspector.window.findChildren(Drawer)

        drawer.check_wanted.emit(True)
        await until(lambda: drawer.check_text == LOST)
        drawer.look_wanted.emit()
        await until(lambda: not drawer.proof.is_running and drawer.proof.moments == LOST)
        assert drawer.proof.rows == ()


async def test_nothing_on_screen_says_that_a_lost_file_is_still_live_and_looked_at(tmp_path: Path) -> None:
    with service_on(tmp_path / "a.db") as service:
        service.accept(3)
        async with inspector_on(service.path) as inspector:
            header = inspector.window.header
            badge = found(header, ModeBadge)
            await until(lambda: "looks/s" in left_words(inspector))
            assert badge.text() == "live"
            header.drawer_requested.emit()
            [drawer] = inspector.window.findChildren(Drawer)

            service.path.unlink()
            await until(lambda: inspector.session.is_lost)

            assert badge.text() == "was live"
            assert "looks/s" not in left_words(inspector)
            shown = [each.text() for each in inspector.window.findChildren(QLabel) if each.isVisible()]
            shown += [each.text() for each in drawer.findChildren(FactText) if each.isVisible()]
            told = [text for text in shown if "has it open" in text]
            assert told
            assert all(text.startswith("Until the last read: ") for text in told)
            assert drawer.check_text == drawer.proof.title == LOST
            inspector.frame.tick()
            assert "looks/s" not in left_words(inspector)


def counts(inspector: Inspector) -> list[str]:
    entries = inspector.window.navigation.model()
    return [str(entries.index(row, 0).data(Qt.ItemDataRole.AccessibleTextRole)) for row in range(entries.rowCount())]


def left_words(inspector: Inspector) -> str:
    return " ".join(label.text() for label in inspector.window.statusBar().findChildren(QLabel))


@pytest.mark.parametrize(("view", "words"), [("recovery", "3 leftover tasks"), ("models", "1 model, 1 byte")])
async def test_what_was_counted_and_said_of_a_file_goes_with_it_and_the_status_bar_follows_at_once(
    tmp_path: Path, view: str, words: str
) -> None:
    path = at_rest(tmp_path / "a.db")
    digest = "sha256:" + "0" * 64
    made(path, f"INSERT INTO models VALUES ('m', 'small', '{digest}', 1, '/m', 'gguf', '{{}}', 1796000000000)")
    other = make(tmp_path / "other.db", "alone")
    (tmp_path / "text.db").write_text("no database")
    async with inspector_on(path) as inspector:
        inspector.window.show_view(view)
        inspector.frame.stop()  # what is said follows without a tick
        await until(lambda: words in left_words(inspector))
        await until(lambda: "Tasks, 3" in counts(inspector))

        inspector.open(Target(tmp_path / "text.db"))
        await until(lambda: inspector.window.view == "start")
        assert left_words(inspector).strip() == ""
        assert not any(count.endswith("3") for count in counts(inspector))

        said: list[str] = []
        inspector.session.opened.connect(lambda _how: said.append(left_words(inspector)))
        inspector.window.show_view(view)
        inspector.open(Target(other))
        await until(lambda: said)
        assert not any(words in text for text in said), "not even for a moment"
        assert not any("3 tasks" in text for text in said)


async def test_the_selected_task_is_read_anew_of_the_file_that_takes_the_place(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with_deltas(path, 5, "old")
    async with inspector_on(path) as inspector:
        pane = inspector.window.views.detail
        events = pane.events.list.events
        await until(lambda: events.rowCount() == 7)
        path.unlink()
        await until(lambda: inspector.session.is_lost)
        with_deltas(path, 2, "new")

        inspector.open(Target(path), task_id="same")

        await until(lambda: events.rowCount() == 4)
        found = [entry.data.text for row in range(4) if isinstance(entry := events.entry(row), EventRow)]
        assert found[2:] == ['{"delta":"new"}'] * 2


def with_deltas(path: Path, count: int, delta: str) -> None:
    db = create(path)
    add_task(db, "same")
    move_task(db, "same", "running")
    add_deltas(db, "same", count, data=json.dumps({"delta": delta}, separators=(",", ":")))
    db.close()


async def test_a_task_whose_id_is_too_large_is_not_said_to_be_missing(tmp_path: Path) -> None:
    path = make(tmp_path / "a.db", "i" * 3_000_000, journal="delete")
    async with inspector_on(path) as inspector:
        pane = inspector.window.views.detail
        assert inspector.selection.task_id == TOO_LARGE

        await until(lambda: any("too large to be listed" in each for each in sentences(pane)))

        assert inspector.window.statusBar().currentMessage() == ""
