"""The Tables view, fed by hand."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from inspector.desktop.tables.view import MOST_ROWS, TablesView
from inspector.desktop.widgets.empty import EmptySentence
from inspector.layout.tables import RowPage, Storage, StoredCell, StoredColumn, StoredRow
from tests.desktop.tables.stored import COLUMNS, HIDDEN, answer, integer, page, row, table, tables, text


@pytest.fixture
def view(qtbot: QtBot) -> Iterator[TablesView]:
    view = TablesView()
    qtbot.addWidget(view)
    view.resize(1_100, 700)
    with qtbot.waitExposed(view):
        view.show()
    view.show_tables(tables(table("notes"), table("tasks", is_ours=True), table("odd", why_not="A view is not read.")))
    yield view
    view.close()


def choose_cell(view: TablesView, at: int, column: int) -> None:
    view.table.setCurrentIndex(view.rows.index(at, column))


def test_a_chosen_table_is_asked_for_once_and_shown(view: TablesView) -> None:
    wanted: list[tuple[object, ...]] = []
    view.page_wanted.connect(lambda *asked: wanted.append(asked))

    view.choose("notes")
    assert wanted == [("notes", None, False)]
    view.show_page(page(1, 3), is_first=True)
    view.choose("notes")

    assert len(wanted) == 1
    assert view.shown == "notes"
    assert "3 rows" in view.strip.text
    assert "not one of LMSP's" in view.strip.text


def test_a_table_that_is_not_read_says_why_and_is_not_asked_for(view: TablesView) -> None:
    wanted: list[object] = []
    view.page_wanted.connect(lambda *asked: wanted.append(asked))

    view.choose("odd")

    assert wanted == []
    assert any(label.text() == "A view is not read." for label in view.findChildren(QLabel) if label.isVisible())


def test_rows_come_as_one_scrolls_and_each_page_is_asked_for_once(view: TablesView) -> None:
    wanted: list[tuple[object, ...]] = []
    view.more_wanted.connect(lambda *asked: wanted.append(asked))
    view.choose("notes")
    view.show_page(page(1, 200, more=True), is_first=True)
    bar = view.table.verticalScrollBar()

    for value in (bar.maximum() // 4, bar.maximum(), bar.maximum() - 1):
        bar.setValue(value)
    assert wanted == [("notes", (200,))]
    view.append_page(page(201, 400))
    bar.setValue(bar.maximum())

    assert len(wanted) == 1
    assert view.rows.rowCount() == 400


def test_of_very_many_rows_the_ones_behind_take_the_place(view: TablesView) -> None:
    wanted: list[tuple[object, ...]] = []
    view.page_wanted.connect(lambda *asked: wanted.append(asked))
    view.choose("notes")
    whole = page(1, 1)
    rows = tuple(row(number) for number in range(1, MOST_ROWS + 1))
    view.show_page(RowPage(whole.table, rows, True, None, None, 1), is_first=True)
    assert view.strip.on_link.isVisible()
    assert not view.strip.first_link.isVisible()

    view.strip.on_link.click()
    view.show_page(page(MOST_ROWS + 1, MOST_ROWS + 3), is_first=False)
    view.strip.first_link.click()

    assert wanted[1:] == [("notes", (MOST_ROWS,), False), ("notes", None, False)]


def test_damage_is_said_where_it_is_and_one_can_go_on_behind_it(view: TablesView) -> None:
    wanted: list[tuple[object, ...]] = []
    view.page_wanted.connect(lambda *asked: wanted.append(asked))
    view.choose("notes")

    view.show_page(page(1, 7, broken="Rows after rowid 7 cannot be read.", resumes_at=(20,)), is_first=True)
    assert "Rows after rowid 7 cannot be read." in view.strip.text
    view.strip.on_link.click()

    assert wanted[-1] == ("notes", (20,), True)


def test_what_is_renewed_keeps_the_place_and_the_chosen_cell(view: TablesView) -> None:
    view.choose("notes")
    view.show_page(page(1, 200, more=True), is_first=True)
    bar = view.table.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    choose_cell(view, 120, 1)
    before, place = bar.value(), view.place()
    assert place is not None
    at, key = place

    view.renew(at, page(int(str(key[0])), 200, words="changed", more=True))

    assert bar.value() == before
    assert view.table.currentIndex().row() == 120
    assert view.rows.index(120, 1).data() == "changed"


def test_a_table_that_grew_beyond_what_is_there_is_read_on(view: TablesView) -> None:
    wanted: list[tuple[object, ...]] = []
    view.more_wanted.connect(lambda *asked: wanted.append(asked))
    view.choose("notes")
    view.show_page(page(1, 150), is_first=True)

    view.renew(0, page(1, 200, more=True))
    view.table.verticalScrollBar().setValue(view.table.verticalScrollBar().maximum())

    assert view.rows.rowCount() == 200
    assert wanted == [("notes", (200,))]
    view.pass_over()
    assert wanted == [("notes", (200,))] * 2, "what came too late is asked for again"


def test_the_chosen_value_is_shown_whole_and_copied_as_stored(view: TablesView) -> None:
    wanted: list[tuple[object, ...]] = []
    view.value_wanted.connect(lambda *asked: wanted.append(asked))
    view.choose("notes")
    cut = text("<b>start", length=5_000)
    rows = (StoredRow((1,), (integer(1), cut, integer(2))),)
    view.show_page(RowPage(table(), rows, False, None, None, 1), is_first=True)

    choose_cell(view, 0, 1)
    assert wanted == [("notes", (1,), "data")]
    stored = "<b>start\0\u202e\n" + "x" * 4_000
    view.show_value((2,), "data", text("of another row"))
    view.show_value((1,), "data", text(stored))

    assert view.pane.text.startswith("<b>start\\u0000\\u202e\nxxx")
    view.table.setFocus()
    QTest.keyClick(view.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == stored


def test_a_column_that_is_not_read_says_why_and_not_that_it_is_a_secret(view: TablesView) -> None:
    why_not = "Of 100 columns only the first 80 are read: 20 more are there."
    columns = (*COLUMNS[:2], StoredColumn("c80", "", why_not))
    wide = replace(table(), columns=columns, columns_left_out=1)
    view.show_tables(tables(wide))
    view.choose("notes")
    left_out = StoredCell(Storage.LEFT_OUT, "", 0)
    rows = (StoredRow((1,), (integer(1), text("a"), left_out)),)
    view.show_page(RowPage(wide, rows, False, None, None, 1), is_first=True)

    choose_cell(view, 0, 2)
    assert why_not in [label.text() for label in view.pane.findChildren(QLabel)]
    assert view.pane.caption == "c80, not read"
    assert view.rows.row_cells(0)[2].text == "not read"
    assert view.strip.text == "not one of LMSP's, 1 row; only the first 2 columns, 1 more"


def test_covered_content_is_neither_shown_nor_copied(view: TablesView) -> None:
    QGuiApplication.clipboard().setText("before")
    view.set_covered(True)
    view.choose("notes")
    view.show_page(page(1, 1, words='{"prompt":"canary"}'), is_first=True)
    choose_cell(view, 0, 1)
    view.pane.copy()

    assert view.pane.text == ""
    assert QGuiApplication.clipboard().text() == "before"
    assert "TEXT" in view.pane.caption


def test_a_statement_is_run_by_its_keys_and_its_rows_take_the_place(view: TablesView) -> None:
    run: list[str] = []
    view.run_requested.connect(run.append)
    QTest.keyClick(view.box.editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert run == []
    QTest.keyClicks(view.box.editor, "SELECT 1")
    QTest.keyClick(view.box.editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert run == ["SELECT 1"]

    view.show_running(10)
    assert view.box.stop_button.isEnabled()
    assert not view.box.run_button.isEnabled()
    view.show_answer(answer((integer(1), text("a")), more=True))

    assert view.box.words == "1 row, and there are more, 12 ms"
    assert [view.rows.index(0, at).data() for at in range(2)] == ["1", "a"]
    assert view.shown is None
    assert not view.box.is_running


def test_a_text_that_is_too_long_to_be_laid_out_is_not_pasted_and_that_is_said(view: TablesView) -> None:
    run: list[str] = []
    view.run_requested.connect(run.append)
    fits = "SELECT 1 --" + "x" * 19_989
    QGuiApplication.clipboard().setText(fits)
    view.box.editor.paste()
    assert view.box.editor.toPlainText() == fits
    assert not view.box.words.startswith("Not pasted")

    for too_much in ("y", "y" * 10_000_000):
        QGuiApplication.clipboard().setText(too_much)
        view.box.editor.paste()

    said = "Not pasted: the statement would have 10,020,000 characters, 20,000 are the most here."
    assert view.box.words.startswith(said)
    view.box.run_button.click()
    assert run == [fits]
    assert view.box.words.startswith(said)

    QGuiApplication.clipboard().setText("SELECT 2")
    view.box.editor.selectAll()
    view.box.editor.paste()
    assert view.box.editor.toPlainText() == "SELECT 2"
    assert not view.box.words.startswith("Not pasted"), "that is no longer what it was said of"


def test_a_refusal_is_said_and_the_rows_stay(view: TablesView) -> None:
    view.choose("notes")
    view.show_page(page(1, 3), is_first=True)

    view.show_running(10)
    view.show_refused("This is not allowed.")

    assert view.box.words == "This is not allowed."
    assert view.rows.rowCount() == 3


def test_rows_of_an_earlier_statement_are_marked_as_such(view: TablesView) -> None:
    view.show_running(10)
    view.show_answer(answer((integer(1), text("a"))))
    assert (view.strip.name, view.strip.text) == ("Result", "1 row, 12 ms")

    view.show_running(10)
    assert view.strip.name == "Result of an earlier statement"
    view.show_refused("This is not allowed.")
    view.set_covered(True)
    assert (view.strip.name, view.strip.text) == ("Result of an earlier statement", "1 row, 12 ms")
    assert view.rows.rowCount() == 1

    view.show_running(10)
    view.show_answer(answer((integer(2), text("b"))))
    assert view.strip.name == "Result"


def test_rows_of_a_table_are_not_taken_for_a_result(view: TablesView) -> None:
    view.choose("notes")
    view.show_page(page(1, 3), is_first=True)
    view.show_running(10)
    assert view.strip.name == "notes"


def test_how_long_a_statement_may_run_is_said_as_it_is(view: TablesView) -> None:
    view.show_running(2.5)
    assert view.box.words == "Running; it is stopped after 2.5 s."


@pytest.mark.parametrize("width", [1_100, 700])
def test_the_counts_of_many_tables_stand_beside_the_scroll_bar(view: TablesView, qtbot: QtBot, width: int) -> None:
    view.resize(width, 700)
    view.show_tables(tables(*(table(f"table {at:03}") for at in range(200))))
    names = view.names
    qtbot.waitUntil(names.verticalScrollBar().isVisible)

    header = names.horizontalHeader()
    assert header.sectionViewportPosition(1) + header.sectionSize(1) <= names.viewport().width()
    assert header.sectionSize(1) >= 90
    assert header.sectionSize(0) > 60


def test_a_copy_of_a_value_whose_beginning_alone_is_here_says_so(view: TablesView) -> None:
    said: list[str] = []
    view.pane.beginning_copied.connect(said.append)
    view.pane.show_cell("words", StoredCell(Storage.TEXT, "whole", 5))
    view.pane.copy()
    assert said == []

    view.pane.show_cell("words", StoredCell(Storage.TEXT, "the beginning", 10_000_000, is_cut=True))
    view.pane.copy()

    assert QGuiApplication.clipboard().text() == "the beginning"
    assert said == ["Copied only the beginning of the value, which has 10.0 MB."]


@pytest.mark.parametrize("storage", [Storage.UNREAD, Storage.HIDDEN, Storage.NULL])
def test_a_value_that_is_not_here_is_neither_asked_for_nor_copied(view: TablesView, storage: Storage) -> None:
    wanted: list[object] = []
    view.value_wanted.connect(lambda *asked: wanted.append(asked))
    QGuiApplication.clipboard().setText("before")
    view.choose("notes")
    rows = (StoredRow((1,), (integer(1), StoredCell(storage, "", 0), HIDDEN)),)
    view.show_page(RowPage(table(), rows, False, None, None, 1), is_first=True)

    choose_cell(view, 0, 1)
    view.pane.copy()

    assert wanted == []
    assert view.pane.text == ""
    assert QGuiApplication.clipboard().text() == "before"


def test_what_was_never_read_is_said_until_there_are_tables(view: TablesView) -> None:
    view.clear()
    view.show_unread("Nothing was read.")
    assert "Nothing was read." in sentences(view)
    view.show_tables(tables(table()))
    assert "Choose a table, or type a statement in SQL." in sentences(view)
    assert "Nothing was read." not in sentences(view)


def sentences(view: TablesView) -> list[str]:
    return [each.accessibleName() for each in view.findChildren(EmptySentence) if each.isVisible()]


def test_every_label_is_plain_text(view: TablesView) -> None:
    view.choose("notes")
    view.show_page(page(1, 3), is_first=True)

    assert {label.textFormat() for label in view.findChildren(QLabel)} == {Qt.TextFormat.PlainText}
