from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QAbstractItemModel, QPersistentModelIndex, Qt
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from inspector.desktop.detail.item_model import EventColumn, EventFilterModel, EventItemModel, preview
from inspector.desktop.widgets.cells import FLASH_ROLE, STATUS_ROLE, WARN_ROLE
from inspector.layout.pages import EventPage
from inspector.layout.rows import OddEventRow
from inspector.lmsp.values import extended
from tests.desktop.detail.pages import event, page
from tests.desktop.timeline.histories import T0, TASK

pytestmark = pytest.mark.usefixtures("qapp")


def cell(model: QAbstractItemModel, row: int, column: EventColumn, role: int = Qt.ItemDataRole.DisplayRole) -> Any:  # noqa: ANN401
    return model.data(model.index(row, column), role)


def column(model: QAbstractItemModel, which: EventColumn) -> list[str]:
    return [cell(model, row, which) for row in range(model.rowCount())]


@pytest.fixture
def model(qtmodeltester: ModelTester) -> EventItemModel:
    made = EventItemModel(lambda: 1_000)
    qtmodeltester.check(made)  # type: ignore[no-untyped-call]  # pytest-qt gives it no types
    return made


def test_an_event_shows_its_number_its_times_its_type_and_its_data(model: EventItemModel) -> None:
    model.set_zero(T0)
    model.show_page(page([1, 2, 3]))
    assert column(model, EventColumn.SEQ) == ["1", "2", "3"]
    assert column(model, EventColumn.SINCE) == ["0", "10 ms", "20 ms"]
    assert column(model, EventColumn.GAP) == ["", "10 ms", "10 ms"]
    assert column(model, EventColumn.TYPE)[2] == "response.output_text.delta"
    assert column(model, EventColumn.DATA)[2] == '"delta": "word 3"'


def test_what_is_no_number_is_shown_as_it_is_stored(model: EventItemModel) -> None:
    model.set_zero(T0)
    odd = extended(OddEventRow, replace(event(1), created_at=None), (("created_at", "now\u202e"), ("seq", "one")))
    model.show_page(replace(page([1]), events=(odd,)))
    assert column(model, EventColumn.SEQ) == ["one"]
    assert column(model, EventColumn.SINCE) == ["now\\u202e"]


def test_only_a_change_of_status_has_a_shape(model: EventItemModel) -> None:
    model.show_page(page([1, 2, 3]))
    assert [cell(model, row, EventColumn.TYPE, STATUS_ROLE) for row in range(3)] == ["queued", "running", None]


def test_joining_pages_keep_rows_and_never_reset(model: EventItemModel, qtbot: QtBot) -> None:
    model.show_page(page(range(11, 14)))
    kept = QPersistentModelIndex(model.index(1, EventColumn.SEQ))
    with qtbot.assertNotEmitted(model.modelReset), qtbot.assertNotEmitted(model.rowsRemoved):
        model.show_page(page(range(14, 16)))
        model.show_page(page(range(1, 11)))
    assert kept.data() == "12"
    assert column(model, EventColumn.SEQ) == [str(seq) for seq in range(1, 16)]


def test_the_same_page_again_changes_nothing(model: EventItemModel, qtbot: QtBot) -> None:
    model.show_page(page(range(1, 6)))
    with (
        qtbot.assertNotEmitted(model.dataChanged),
        qtbot.assertNotEmitted(model.rowsInserted),
        qtbot.assertNotEmitted(model.modelReset),
    ):
        model.show_page(page(range(1, 6)))
        model.set_zero(None)
        model.set_covered(False)


def test_what_was_the_first_row_gets_its_gap_when_older_events_join(model: EventItemModel, qtbot: QtBot) -> None:
    model.show_page(page(range(11, 14)))
    assert cell(model, 0, EventColumn.GAP) == ""
    with qtbot.waitSignal(model.dataChanged):
        model.show_page(page(range(9, 11)))
    assert cell(model, 2, EventColumn.GAP) == "10 ms"


def test_only_events_that_arrive_later_flash(model: EventItemModel) -> None:
    model.show_page(page([1, 2]))
    model.show_page(page([3]))
    assert [cell(model, row, EventColumn.DATA, FLASH_ROLE) for row in range(3)] == [None, None, 1_000]


def test_older_events_do_not_flash(model: EventItemModel) -> None:
    model.show_page(page([3, 4]))
    model.show_page(page([1, 2]))
    assert cell(model, 0, EventColumn.DATA, FLASH_ROLE) is None


def test_missing_events_are_a_row_with_a_warning(model: EventItemModel) -> None:
    model.show_page(page([1, 2, 3, 18]))
    assert cell(model, 3, EventColumn.SEQ) == "4–17"
    assert cell(model, 3, EventColumn.TYPE) == "14 events missing"
    assert cell(model, 3, EventColumn.TYPE, WARN_ROLE)
    assert cell(model, 4, EventColumn.GAP) == "", "nobody knows when the one before it was"


def test_another_zero_tells_of_the_times_only(model: EventItemModel, qtbot: QtBot) -> None:
    model.show_page(page([1, 2]))
    with qtbot.waitSignal(model.dataChanged) as changed:
        model.set_zero(T0)
    assert {index.column() for index in changed.args[:2]} == {EventColumn.SINCE}


def test_hidden_data_is_not_in_the_model(model: EventItemModel) -> None:
    model.show_page(page([1, 2]))
    model.set_covered(True)
    assert column(model, EventColumn.DATA) == ["hidden", "hidden"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('{"delta": " pass"}', '"delta": " pass"'),
        ("{}", ""),
        ("[1, 2]", "[1, 2]"),
        ('{"a":\n  1}', '"a": 1'),
        ("plain", "plain"),
        (
            '{"n": 18446744073709551615, "x": 0.23456789012345678901}',
            '"n": 18446744073709551615, "x": 0.23456789012345678901',
        ),
        ("\u202eevil\x1b[2J\x00", "\\u202eevil\\u001b[2J\\u0000"),
    ],
)
def test_a_preview_is_one_harmless_line(text: str, shown: str) -> None:
    assert preview(text) == shown


def test_a_preview_of_a_huge_text_is_short() -> None:
    assert len(preview('{"a": "' + "x" * 10**6 + '"}')) <= 300


@pytest.fixture
def filtered(model: EventItemModel, qtmodeltester: ModelTester) -> EventFilterModel:
    made = EventFilterModel(model)
    qtmodeltester.check(made)  # type: ignore[no-untyped-call]  # pytest-qt gives it no types
    model.show_page(page(range(1, 31)))
    return made


def test_a_text_is_looked_for_in_type_and_data_in_any_case(filtered: EventFilterModel) -> None:
    filtered.set_filter("WORD 2", changes_only=False)
    assert column(filtered, EventColumn.SEQ) == ["2", *(str(seq) for seq in range(20, 30))]
    filtered.set_filter("in_prog", changes_only=False)
    assert column(filtered, EventColumn.SEQ) == ["2"]


def test_changes_of_status_only(filtered: EventFilterModel) -> None:
    filtered.set_filter("", changes_only=True)
    assert column(filtered, EventColumn.SEQ) == ["1", "2"]
    filtered.set_filter("", changes_only=False)
    assert filtered.rowCount() == 30


def test_events_that_join_pass_the_same_filter(model: EventItemModel, filtered: EventFilterModel) -> None:
    filtered.set_filter("needle", changes_only=False)
    model.show_page(EventPage(TASK, (event(31, "hay"), event(32, "a needle")), True, False))
    assert column(filtered, EventColumn.SEQ) == ["32"]


def test_a_filter_keeps_rows_that_stay(filtered: EventFilterModel, qtbot: QtBot) -> None:
    kept = QPersistentModelIndex(filtered.index(1, EventColumn.SEQ))
    with qtbot.assertNotEmitted(filtered.modelReset):
        filtered.set_filter("word 2", changes_only=False)
    assert kept.isValid()
    assert kept.data() == "2"


def test_what_is_hidden_cannot_be_found(model: EventItemModel, filtered: EventFilterModel) -> None:
    model.set_covered(True)
    filtered.set_filter("word 2", changes_only=False)
    assert filtered.rowCount() == 0
