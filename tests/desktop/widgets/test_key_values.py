from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from inspector.desktop.widgets.elided import ElidedLabel
from inspector.desktop.widgets.key_values import KeyValue, KeyValues
from tests.desktop.widgets.pages import Pages

COLUMNS = [
    [KeyValue("Model", "llama"), KeyValue("Created", "14:01:58.204"), KeyValue("Started", "14:02:00.113")],
    [KeyValue("Client", "notes-desktop"), KeyValue("Wait", "1.9 s"), KeyValue("Run", "17.3 s")],
    [KeyValue("Attempt", "1"), KeyValue("On restart", "resume")],
]


def labels(values: KeyValues) -> dict[str, ElidedLabel]:
    return {label.text(): label for label in values.findChildren(ElidedLabel)}


def shown(pages: Pages, width: int = 560) -> KeyValues:
    values = KeyValues()
    values.show_columns(COLUMNS)
    return pages.show(values, width)


def test_columns_stand_beside_one_another_and_rows_in_line(pages: Pages) -> None:
    found = labels(shown(pages))

    assert found["Model"].y() == found["Client"].y() == found["Attempt"].y() == found["llama"].y()
    assert found["Created"].x() == found["Model"].x() < found["Client"].x() < found["Attempt"].x()
    assert found["llama"].x() == found["14:01:58.204"].x() > found["Created"].geometry().right()
    assert found["Created"].y() > found["Model"].y()


@pytest.mark.parametrize("width", [900, 560, 480, 360, 200, 60])
def test_at_no_width_does_anything_overlap_or_stand_outside(pages: Pages, width: int) -> None:
    values = shown(pages, width)
    areas = [label.geometry() for label in values.findChildren(QWidget)]

    assert values.height() == values.heightForWidth(values.width())
    assert all(area.isEmpty() or values.rect().contains(area) for area in areas)
    assert not any(one.intersects(other) for at, one in enumerate(areas) for other in areas[at + 1 :])


def test_where_it_is_narrow_columns_go_below(pages: Pages) -> None:
    heights = [shown(pages, width).height() for width in (900, 400, 200)]

    assert heights == [60, 60 + 40, 60 + 60 + 40]


def test_columns_below_one_another_keep_one_line(pages: Pages) -> None:
    found = labels(shown(pages, 400))

    assert found["Attempt"].y() > found["Started"].y()
    assert found["llama"].x() == found["resume"].x()


def test_a_value_that_changes_changes_in_its_place(pages: Pages) -> None:
    values = shown(pages)
    label = labels(values)["17.3 s"]
    places = {label.text(): label.geometry() for label in values.findChildren(ElidedLabel)}

    changed = [list(column) for column in COLUMNS]
    changed[1][2] = KeyValue("Run", "1:04:09 and much longer than before", tone="text3")
    values.show_columns(changed)

    assert label.text() == "1:04:09 and much longer than before"
    assert label.geometry() == places["17.3 s"]
    assert all(found.geometry() == places[text] for text, found in labels(values).items() if text in places)
    assert label.accessibleName() == "Run: 1:04:09 and much longer than before"


def test_other_captions_replace_all(pages: Pages, qtbot: QtBot) -> None:
    values = shown(pages)
    values.show_columns([[KeyValue("Digest", "ab" * 32, fixed=True)]])

    qtbot.waitUntil(lambda: len(values.findChildren(ElidedLabel)) == 2)
    found = labels(values)
    assert set(found) == {"Digest", "ab" * 32}
    assert all(label.isVisible() for label in found.values())
    values.show_columns([])
    qtbot.waitUntil(lambda: not values.findChildren(ElidedLabel))
    assert values.heightForWidth(300) == 0


def test_rows_grow_with_the_font(pages: Pages, qtbot: QtBot, larger_font: Callable[[int], None]) -> None:
    values = shown(pages, 1_200)
    assert values.height() == 60

    larger_font(26)

    qtbot.waitUntil(lambda: values.height() == values.heightForWidth(1_200) > 90)


def test_other_captions_come_in_the_labels_that_are_there(pages: Pages) -> None:
    values = shown(pages)
    before = set(values.findChildren(ElidedLabel))

    values.show_columns([[KeyValue(f"{item.caption}!", f"{item.value}?", item.fixed) for item in COLUMNS[0]]])

    now = [label for label in values.findChildren(ElidedLabel) if label.isVisible()]
    assert set(now) < before
    assert sorted(label.text() for label in now) == sorted(
        text for item in COLUMNS[0] for text in (f"{item.caption}!", f"{item.value}?")
    )
