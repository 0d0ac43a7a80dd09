"""The rows of hits for Qt."""

from datetime import UTC

import pytest
from PySide6.QtCore import QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from inspector.desktop.search.item_model import HitItemModel
from inspector.desktop.search.words import HIDDEN, HitColumn
from tests.desktop.search.hits import NOW_MS, hit

pytestmark = pytest.mark.usefixtures("qtbot")


@pytest.fixture
def model() -> HitItemModel:
    return HitItemModel(UTC)


def test_hits_are_appended_in_one_signal_for_all_that_came(model: HitItemModel, qtbot: QtBot) -> None:
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    inserted: list[tuple[int, int]] = []
    model.rowsInserted.connect(lambda _parent, first, last: inserted.append((first, last)))
    model.append([hit(9), hit(7)])
    kept = QPersistentModelIndex(model.index(1, 0))

    with qtbot.assertNotEmitted(model.modelReset), qtbot.assertNotEmitted(model.dataChanged):
        model.append([hit(4), hit(1)])
        model.append([])

    assert [model.last_id, HitItemModel(UTC).last_id] == [1, None]
    assert inserted == [(0, 1), (2, 3)]
    assert [model.hit_at(row) for row in range(5)] == [hit(9), hit(7), hit(4), hit(1), None]
    assert kept.row() == 1
    model.clear()
    assert model.rowCount() == 0
    tester.deleteLater()


def test_covering_and_another_day_change_what_is_there(model: HitItemModel) -> None:
    model.append([hit(9), hit(7)])
    model.set_today(NOW_MS)
    told: list[tuple[int, int]] = []
    model.dataChanged.connect(lambda first, last: told.append((first.row(), last.row())))
    data, moment = model.index(1, HitColumn.DATA), model.index(1, HitColumn.TIME)
    assert "needle" in str(data.data())
    assert len(str(moment.data())) == len("00:55:00.007")

    model.set_covered(True)
    model.set_covered(True)
    model.set_today(NOW_MS + 86_400_000)

    assert data.data() == HIDDEN
    assert data.data(Qt.ItemDataRole.AccessibleTextRole) == f"Data: {HIDDEN}"
    assert str(moment.data()).startswith("30 Nov")
    assert told == [(0, 1), (0, 1)]


def test_a_reader_of_the_screen_hears_the_heading_with_each_cell(model: HitItemModel) -> None:
    model.append([hit(9)])
    said = [model.index(0, column).data(Qt.ItemDataRole.AccessibleTextRole) for column in HitColumn]
    assert said[1:3] == ["Task: task_0009", "Seq: 9"]
    assert [model.headerData(column, Qt.Orientation.Horizontal) for column in HitColumn][-1] == "Data"
