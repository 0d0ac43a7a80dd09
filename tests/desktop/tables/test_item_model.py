"""Rows of any table as a model: more come behind, stretches are read anew, and what stays is not moved."""

from PySide6.QtCore import Qt

from inspector.desktop.tables.item_model import RowItemModel
from inspector.desktop.tables.table_names import TableNames
from tests.desktop.tables.stored import page, row, table


def filled(first: int, last: int) -> RowItemModel:
    model = RowItemModel()
    model.show(("id", "data", "token_hash"), page(first, last).rows)
    return model


def keys(model: RowItemModel) -> list[object]:
    found = [model.row_at(at) for at in range(model.rowCount())]
    return [each.key[0] for each in found if each is not None]


def test_rows_come_behind_those_that_are_there() -> None:
    model = filled(1, 3)
    model.append(page(4, 5).rows)

    assert keys(model) == [1, 2, 3, 4, 5]
    assert model.index(4, 0).data() == "5"
    assert model.headerData(1, Qt.Orientation.Horizontal) == "data"


def test_a_stretch_that_is_read_anew_takes_the_place_of_the_same_rows() -> None:
    model = filled(1, 9)
    told: list[tuple[int, int]] = []
    model.dataChanged.connect(lambda first, last: told.append((first.row(), last.row())))
    moved: list[object] = []
    model.rowsInserted.connect(moved.append)
    model.rowsRemoved.connect(moved.append)

    model.renew(3, [row(4), row(5, "changed"), row(6)], to_the_end=False)

    assert keys(model) == [1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert model.index(4, 1).data() == "changed"
    assert told == [(4, 4)]
    assert moved == []


def test_rows_that_are_gone_or_new_leave_the_others() -> None:
    model = filled(1, 9)
    model.renew(3, [row(4), row(6), row(7)], to_the_end=False)
    assert keys(model) == [1, 2, 3, 4, 6, 7, 8, 9]

    model.renew(7, [row(9), row(10), row(11)], to_the_end=True)
    assert keys(model) == [1, 2, 3, 4, 6, 7, 8, 9, 10, 11]

    model.renew(2, [], to_the_end=True)
    assert keys(model) == [1, 2]


def test_covering_hides_what_can_be_content_in_every_role() -> None:
    model = RowItemModel()
    model.show(("id", "data", "token_hash"), page(1, 1, words='{"prompt":"secret words"}').rows)
    assert "secret words" in model.index(0, 1).data()

    model.set_covered(True)

    for role in range(300):
        assert "secret words" not in str(model.data(model.index(0, 1), role))


def test_the_tables_of_the_specification_stand_first_and_others_are_marked() -> None:
    names = TableNames()
    names.show([table("a"), table("tasks", is_ours=True), table("view", why_not="A view.")], 9_008)
    assert names.headerData(0, Qt.Orientation.Horizontal) == "Table · 9,008 more not listed"
    assert names.headerData(1, Qt.Orientation.Horizontal) == "Rows"

    assert [names.index(at, 0).data() for at in range(3)] == ["tasks", "a · other", "view · other"]
    assert [names.index(at, 1).data() for at in range(3)] == ["1,000", "1,000", "–"]
    assert names.row_of("a") == 1
