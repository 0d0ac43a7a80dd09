from PySide6.QtCore import QModelIndex, Qt
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from inspector.desktop.recovery.grid_model import (
    CHOSEN_ROLE,
    MARKED_ROLE,
    TALLY_ROLE,
    TOTAL_ROLE,
    GridItemModel,
    place_at,
)
from inspector.desktop.recovery.grouping import FOUND, POLICIES, Place, Tally, tallies
from inspector.lmsp.recovery import Policy
from inspector.lmsp.statuses import Status
from tests.desktop.recovery.plans import every_combination, leftover, plan

CELLS = [(row, column) for row in range(4) for column in range(3)]
ACCESSIBLE = Qt.ItemDataRole.AccessibleTextRole


def test_the_twelve_cells_show_the_tallies(qtmodeltester: ModelTester) -> None:
    model = GridItemModel()
    qtmodeltester.check(model)  # type: ignore[no-untyped-call]  # pytest-qt gives it no types
    everything = tallies(every_combination())

    model.show_tallies(everything)

    assert (model.rowCount(), model.columnCount()) == (4, 3)
    for row, column in CELLS:
        place = Place(FOUND[row], POLICIES[column])
        assert model.index(row, column).data(TALLY_ROLE) == everything[place]
        assert model.index(row, column).data() == str(everything[place].tasks)


def test_headers_name_states_with_their_totals_and_policies() -> None:
    model = GridItemModel()
    model.show_tallies(tallies(plan(leftover("a"), leftover("b", "running", None), leftover("c", "queued"))))

    rows = [model.headerData(row, Qt.Orientation.Vertical) for row in range(4)]
    totals = [model.headerData(row, Qt.Orientation.Vertical, TOTAL_ROLE) for row in range(4)]
    policies = [model.headerData(column, Qt.Orientation.Horizontal) for column in range(3)]

    assert rows == ["queued", "loading", "running", "cancelling"]
    assert totals == ["1", "0", "2", "0"]
    assert policies == ["fail", "retry", "resume"]
    assert model.headerData(0, Qt.Orientation.Horizontal, ACCESSIBLE) == "on_restart fail or missing, or unknown"
    assert model.headerData(2, Qt.Orientation.Vertical, ACCESSIBLE) == "Found running: 2 tasks"


def test_only_what_changed_is_told(qtbot: QtBot) -> None:
    model = GridItemModel()
    model.show_tallies(tallies(plan(leftover("a"), leftover("b", "queued", "fail"))))
    told: list[QModelIndex] = []
    headers: list[int] = []
    model.dataChanged.connect(lambda first, last: told.extend((first, last)))
    model.headerDataChanged.connect(lambda _orientation, first, _last: headers.append(first))

    with qtbot.assertNotEmitted(model.modelReset):
        model.show_tallies(tallies(plan(leftover("a"), leftover("b", "queued", "fail"))))
    assert not told
    assert not headers

    model.show_tallies(tallies(plan(leftover("a"), leftover("a2"), leftover("b", "queued", "fail"))))
    assert {(index.row(), index.column()) for index in told} == {(2, 2)}
    assert headers == [2]


def test_the_marked_and_the_chosen_cell() -> None:
    model = GridItemModel()
    model.show_tallies({Place(Status.RUNNING, Policy.RESUME): Tally(2, 1)})

    model.mark(place_at(2, 2))
    model.choose(place_at(0, 1))

    assert [cell for cell in CELLS if model.index(*cell).data(MARKED_ROLE)] == [(2, 2)]
    assert [cell for cell in CELLS if model.index(*cell).data(CHOSEN_ROLE)] == [(0, 1)]
    assert model.index(0, 1).data(ACCESSIBLE).endswith("; the list shows only these")
    assert model.index(2, 2).data(ACCESSIBLE) == (
        "running under resume: 2 tasks, running, response.resumed, 1 with a warning"
    )


def test_marking_tells_the_old_and_the_new_cell() -> None:
    model = GridItemModel()
    model.mark(place_at(0, 0))
    told: list[tuple[int, int]] = []
    model.dataChanged.connect(lambda first, _last: told.append((first.row(), first.column())))

    model.mark(place_at(3, 1))
    model.mark(place_at(3, 1))

    assert told == [(0, 0), (3, 1)]
