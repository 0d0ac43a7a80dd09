from dataclasses import fields, replace

import pytest
from PySide6.QtCore import Qt
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from inspector.desktop.detail.raw_row import COLUMNS, RawColumn, RawRowItemModel
from inspector.desktop.widgets.cells import NOTE_ROLE
from inspector.layout.rows import OddTaskRow, TaskRow
from inspector.lmsp.values import extended
from tests.desktop.detail.pages import detail, stored
from tests.desktop.timeline.histories import T0, task

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture
def model(qtmodeltester: ModelTester) -> RawRowItemModel:
    made = RawRowItemModel()
    qtmodeltester.check(made)  # type: ignore[no-untyped-call]  # pytest-qt gives it no types
    return made


def value(model: RawRowItemModel, name: str, role: int = Qt.ItemDataRole.DisplayRole) -> object:
    return model.data(model.index(COLUMNS.index(name), RawColumn.VALUE), role)


def test_every_column_of_a_task_is_there_with_its_stored_value(model: RawRowItemModel) -> None:
    model.show(detail(replace(task("running"), attempt=9_007_199_254_740_993)), covered=False)
    assert {field.name for field in fields(TaskRow)} < set(COLUMNS)
    assert value(model, "created_at") == str(T0)
    assert value(model, "attempt") == "9007199254740993"
    assert value(model, "finished_at") == "none"
    assert value(model, "request") == '{"input": "why"}'


def test_what_is_no_number_is_shown_as_it_is_stored(model: RawRowItemModel) -> None:
    row = extended(OddTaskRow, task("running", created_at=None), (("created_at", "yester\nday"), ("attempt", "")))
    model.show(detail(row), covered=False)
    assert value(model, "created_at") == "yester\\u000aday"
    assert value(model, "attempt") == "(empty text)"
    assert value(model, "last_seq") == str(row.last_seq)


def test_a_long_text_is_cut_and_says_how_long_it_is(model: RawRowItemModel) -> None:
    model.show(detail(request=stored("x" * 5_000), snapshot=stored("y" * 100, 3_000_000)), covered=False)
    assert len(str(value(model, "request"))) == 300
    assert value(model, "request", NOTE_ROLE) == "5,000 characters"
    assert value(model, "snapshot", NOTE_ROLE) == "about 3.0 MB"


def test_hidden_texts_are_only_measured(model: RawRowItemModel) -> None:
    model.show(detail(error_message=stored("why it failed")), covered=True)
    assert value(model, "request") == ""
    assert value(model, "request", NOTE_ROLE) == "16 characters"
    assert value(model, "error_message") == "why it failed"


def test_only_what_changed_is_told(model: RawRowItemModel, qtbot: QtBot) -> None:
    model.show(detail(task(last_seq=3)), covered=False)
    with qtbot.assertNotEmitted(model.dataChanged), qtbot.assertNotEmitted(model.modelReset):
        model.show(detail(task(last_seq=3)), covered=False)
    with qtbot.waitSignal(model.dataChanged) as changed:
        model.show(detail(task(last_seq=4)), covered=False)
    assert changed.args[0].row() == changed.args[1].row() == COLUMNS.index("last_seq")


def test_values_of_data_are_harmless(model: RawRowItemModel) -> None:
    model.show(detail(replace(task(), kind="\u202e\x1b<b>")), covered=False)
    assert value(model, "kind") == "\\u202e\\u001b<b>"
