"""The Tables view in the whole window, on real files."""

import sqlite3
import threading
from functools import partial
from pathlib import Path

import pytest

from inspector.desktop.composition import Inspector
from inspector.desktop.session.launch import Target
from inspector.desktop.tables.view import TablesView
from inspector.layout.tables import MOST_COLUMNS
from tests.reading.test_child import SLOW
from tests.support.any_tables import CANARY, made
from tests.support.inspectors import an_inspector
from tests.support.proof import differences, touch_state
from tests.support.reading_databases import add_task, make
from tests.support.reading_service import service_on
from tests.support.turns import turns
from tests.support.waiting import until

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("qloop")]


HASH = "ab" * 32
MOST_MS = 150
"""The processor time that one turn of the loop may take."""


async def tables_of(inspector: Inspector, path: Path) -> TablesView:
    """Open a file and show its tables."""
    inspector.window.show()
    inspector.open(Target(path))
    await until(lambda: inspector.session.how)
    inspector.window.show_view("tables")
    view = inspector.window.views.tables
    await until(lambda: view.names.model().rowCount())
    return view


def texts(view: TablesView, column: int) -> list[str]:
    return [str(view.rows.index(row, column).data()) for row in range(view.rows.rowCount())]


def has_rows(view: TablesView, count: int) -> bool:
    return view.rows.rowCount() == count


async def test_any_table_is_shown_paged_whole_and_nothing_of_the_file_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make(tmp_path / "a.db", "a", journal="delete")
    made(
        path,
        'CREATE TABLE "o""dd <b>" ("x<b>y" TEXT)',
        "BEGIN",
        *(f'INSERT INTO "o""dd <b>" VALUES (\'{at}\' || char(0) || char(8238))' for at in range(450)),
        "COMMIT",
        "CREATE VIEW endless AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
    )
    before = touch_state(path)
    connected: list[object] = []
    monkeypatch.setattr(sqlite3, "connect", lambda *arguments, **_named: connected.append(arguments))
    async with an_inspector() as inspector:
        view = await tables_of(inspector, path)
        view.choose('o"dd <b>')
        await until(lambda: view.rows.rowCount() == 200)
        for count in (400, 450):
            # Not by the scroll bar: its range is that of the rows before until they are laid out.
            view.table.scrollToBottom()
            await until(partial(has_rows, view, count))
        assert texts(view, 0)[449] == r"449\u0000\u202e"
        view.choose("endless")
        assert view.shown == "endless"
        assert view.rows.rowCount() == 0
        assert connected == [], "no SQL runs in the window's process"
    assert differences(before, touch_state(path)) == ()


async def test_rows_on_screen_follow_the_service_and_keep_their_place(tmp_path: Path) -> None:
    path = make(tmp_path / "a.db", *(f"task-{at:03}" for at in range(150)))
    with service_on(path) as service:
        async with an_inspector() as inspector:
            view = await tables_of(inspector, path)
            view.choose("tasks")
            await until(lambda: view.rows.rowCount() == 150)
            view.table.verticalScrollBar().setValue(500)

            add_task(service, "late")

            await until(lambda: view.rows.rowCount() == 151)
            assert view.table.verticalScrollBar().value() == 500
            assert texts(view, 0)[150] == "late"


async def test_a_statement_runs_is_refused_and_is_stopped_while_the_window_goes_on(tmp_path: Path) -> None:
    path = make(tmp_path / "a.db", "a", "b", journal="delete")
    async with an_inspector() as inspector:
        view = await tables_of(inspector, path)
        view.box.editor.setPlainText("SELECT id FROM tasks ORDER BY id")
        view.box.run_button.click()
        await until(lambda: not view.box.is_running)
        assert texts(view, 0) == ["a", "b"]
        assert view.box.words.startswith("2 rows, ")

        view.box.editor.setPlainText("DELETE FROM tasks")
        view.box.run_button.click()
        await until(lambda: not view.box.is_running)
        assert "only reads" in view.box.words
        assert texts(view, 0) == ["a", "b"]

        view.box.editor.setPlainText(SLOW["trim"])
        view.box.run_button.click()
        view.choose("tasks")
        await until(lambda: view.shown == "tasks" and view.rows.rowCount() == 2)
        assert view.box.stop_button.isEnabled()
        view.box.stop_button.click()
        assert view.box.run_button.isEnabled()
        assert view.box.words == "Stopped."
        assert threading.active_count() < 20


async def test_a_statement_with_many_columns_holds_no_turn_of_the_window(tmp_path: Path) -> None:
    path = made(
        tmp_path / "a.db",
        "CREATE TABLE n (a)",
        "WITH RECURSIVE i(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM i LIMIT 500) INSERT INTO n SELECT a FROM i",
    )
    async with an_inspector() as inspector:
        view = await tables_of(inspector, path)
        view.box.editor.setPlainText("SELECT " + ", ".join(["'wwwwwwwww'"] * 1_600) + " FROM n")
        with turns() as measured:
            view.box.run_button.click()
            await until(lambda: has_rows(view, 500))

        assert measured.longest_ms <= MOST_MS
        assert view.rows.columnCount() == MOST_COLUMNS
        assert view.box.words.endswith(" ms; only the first 80 columns, 1,520 more")


async def test_no_secret_reaches_the_window(tmp_path: Path) -> None:
    path = made(
        make(tmp_path / "a.db", "a", journal="delete"),
        f"INSERT INTO clients VALUES ('c', 'c', '{HASH}', '[]', 1, NULL, NULL)",
        f"INSERT INTO idempotency_keys VALUES ('c', '{CANARY}', 'd', 'a', 1, 'r', 1, NULL)",
        f"INSERT INTO service_config VALUES ('api_token', '{CANARY}', 1)",
    )
    async with an_inspector() as inspector:
        view = await tables_of(inspector, path)
        for name in ("clients", "idempotency_keys", "service_config"):
            for sql in ("", f"SELECT * FROM {name}"):
                view.box.editor.setPlainText(sql)
                view.box.run_button.click() if sql else view.choose(name)
                await until(lambda: not view.box.is_running and view.rows.rowCount())
                shown = repr([view.rows.row_at(row) for row in range(view.rows.rowCount())])
                assert CANARY not in shown
                assert HASH not in shown
