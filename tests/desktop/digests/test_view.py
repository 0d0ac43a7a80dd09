"""The whole view, as a reader with mouse or keyboard sees it."""

from typing import TypeVar
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import QItemSelectionModel, QPersistentModelIndex, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QLineEdit, QPushButton, QScrollArea, QTextEdit, QWidget
from pytestqt.qtbot import QtBot

from inspector.desktop.digests.comparison import DigestComparison
from inspector.desktop.digests.item_model import ModelColumn
from inspector.desktop.digests.model_detail import ModelDetail
from inspector.desktop.digests.progress_strip import ProgressStrip
from inspector.desktop.digests.view import ModelsView
from inspector.desktop.widgets.chip import Chip
from inspector.desktop.widgets.elided import ElidedLabel
from inspector.desktop.widgets.empty import EmptySentence
from inspector.desktop.widgets.json_view import JsonView
from inspector.desktop.widgets.table import DenseTable
from inspector.layout.files import FileState
from tests.desktop.digests.standings import HOSTILE, READ_AT, check, digest, model, page

W = TypeVar("W", bound=QWidget)
MODELS = tuple(model(name) for name in ("gemma", "llama", "mistral", "phi", "qwen"))
CHECKS = {
    "gemma": check("gemma", FileState.MISSING),
    "llama": check("llama", FileState.MATCH, found=digest("llama"), size=4_683_073_184),
    "mistral": check("mistral", FileState.UNCHECKED),
    "qwen": check("qwen", FileState.MISMATCH, found=digest("other"), size=4_683_073_184),
}


@pytest.fixture
def view(qtbot: QtBot) -> ModelsView:
    made = ModelsView(ZoneInfo("Europe/Berlin"))
    qtbot.addWidget(made)
    made.resize(1264, 808)
    with qtbot.waitExposed(made):
        made.show()
    made.show_models(page(*MODELS))
    made.show_file_states(CHECKS)
    return made


def part(view: QWidget, kind: type[W]) -> W:
    found = view.findChild(kind)
    assert isinstance(found, kind)
    return found


def sentence(view: QWidget) -> EmptySentence:
    [shown] = (each for each in view.findChildren(EmptySentence) if each.isVisible())
    return shown


def listed(view: ModelsView) -> dict[str, str]:
    model = part(view, DenseTable).model()
    return {
        model.index(row, ModelColumn.MODEL).data(): model.index(row, ModelColumn.STATE).data()
        for row in range(model.rowCount())
    }


def chip(view: ModelsView, word: str) -> Chip:
    return next(one for one in view.findChildren(Chip) if one.word == word)


def button(view: QWidget, text: str) -> QPushButton:
    return next(one for one in view.findChildren(QPushButton) if one.text() == text and one.isVisible())


def texts(view: QWidget) -> list[str]:
    return [label.text() for label in view.findChildren(QLabel) if label.isVisible()]


def select(view: ModelsView, name: str) -> None:
    row = list(listed(view)).index(name)
    flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
    table = part(view, DenseTable)
    table.selectionModel().setCurrentIndex(table.model().index(row, ModelColumn.MODEL), flags)


def test_each_model_with_the_state_of_its_file(view: ModelsView) -> None:
    assert listed(view) == {
        "gemma": "missing",
        "llama": "match",
        "mistral": "not checked",
        "phi": "not checked",
        "qwen": "mismatch",
    }
    assert [chip(view, word).accessibleName() for word in ("All", "Wrong", "Match", "Not checked")] == [
        "All, 5",
        "Wrong, 2",
        "Match, 1",
        "Not checked, 2",
    ]


@pytest.mark.parametrize(
    ("word", "names"),
    [("Wrong", ["gemma", "qwen"]), ("Match", ["llama"]), ("Not checked", ["mistral", "phi"])],
)
def test_a_chip_lists_its_group(view: ModelsView, word: str, names: list[str]) -> None:
    chip(view, word).click()

    assert list(listed(view)) == names


def test_search_and_chip_hold_together_and_the_counts_say_so(view: ModelsView) -> None:
    QTest.keyClicks(part(view, QLineEdit), "l")
    chip(view, "Match").click()

    assert list(listed(view)) == ["llama"]
    assert chip(view, "All").accessibleName() == "All, 5"  # every path has an l: /models/

    part(view, QLineEdit).setText("QWEN")
    assert listed(view) == {}
    assert chip(view, "All").accessibleName() == "All, 1"


def test_an_empty_choice_leads_back(view: ModelsView) -> None:
    part(view, QLineEdit).setText("no such model")
    empty = sentence(view)
    assert empty.isVisible()
    assert empty.accessibleName() == "No model matches."

    empty.link_clicked.emit()

    assert len(listed(view)) == 5
    assert part(view, QLineEdit).text() == ""


def test_esc_empties_the_search(view: ModelsView) -> None:
    part(view, QLineEdit).setText("qwen")

    QTest.keyClick(part(view, QLineEdit), Qt.Key.Key_Escape)

    assert len(listed(view)) == 5


def test_without_models_one_sentence_stands_there(view: ModelsView) -> None:
    view.show_models(page())

    assert sentence(view).accessibleName() == "No models yet: the service has registered none."
    assert not part(view, ModelDetail).isVisible()


def test_a_mismatch_shows_both_digests_and_what_it_means(view: ModelsView) -> None:
    select(view, "qwen")

    comparison = part(view, DigestComparison)
    assert len(comparison.differing) == 8
    assert digest("qwen").removeprefix("sha256:")[:8] in comparison.accessibleName()
    assert digest("other").removeprefix("sha256:")[-8:] in comparison.accessibleName()
    shown = texts(part(view, ModelDetail))
    assert "mismatch" in shown
    assert shown.count("4,683,073,184 bytes") == 2
    assert any(text.startswith("The file has the stored size but other content") for text in shown)
    assert "/models/qwen.gguf" in shown
    assert part(view, JsonView).shown_text() == '{\n  "family": "plain"\n}'


def test_a_missing_file_has_no_found_digest(view: ModelsView) -> None:
    select(view, "gemma")

    assert part(view, DigestComparison).accessibleName().endswith("; Found: no file")
    assert any(text.startswith("No file is at this path") for text in texts(view))


def test_sizes_up_to_63_bits_are_exact(view: ModelsView) -> None:
    large = model("large", size=2**63 - 1)
    view.show_models(page(large))
    view.show_file_states({"large": check("large", FileState.TRUNCATED, size=2**63 - 2)})
    view.show_models(page(large))

    select(view, "large")

    assert "9,223,372,036,854,775,807 bytes" in texts(view)
    assert "9,223,372,036,854,775,806 bytes" in texts(view)


def test_the_path_is_copied_as_stored(view: ModelsView) -> None:
    view.show_models(page(model("odd", path="/models/\u202eodd\n.gguf")))
    select(view, "odd")

    next(one for one in view.findChildren(QAbstractButton) if one.accessibleName() == "Copy the path").click()

    assert QGuiApplication.clipboard().text() == "/models/\u202eodd\n.gguf"


def test_verify_all_asks_for_every_model_in_order(qtbot: QtBot, view: ModelsView) -> None:
    with qtbot.waitSignal(view.verify_requested) as asked:
        button(view, "Verify all").click()

    assert asked.args == [("gemma", "llama", "mistral", "phi", "qwen")]
    assert set(listed(view).values()) == {"waiting"}
    assert not button(view, "Verify all").isEnabled()


def test_under_a_filter_only_what_is_listed_is_verified_and_the_button_says_so(qtbot: QtBot, view: ModelsView) -> None:
    chip(view, "Wrong").click()

    with qtbot.waitSignal(view.verify_requested) as asked:
        button(view, "Verify 2 listed").click()

    assert asked.args == [("gemma", "qwen")]


def test_selected_models_are_verified(qtbot: QtBot, view: ModelsView) -> None:
    table = part(view, DenseTable)
    select(view, "llama")
    QTest.keyClick(table, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)

    with qtbot.waitSignal(view.verify_requested) as asked:
        button(view, "Verify 2 selected").click()

    assert asked.args == [("llama", "mistral")]


def test_one_model_is_verified_from_its_pane(qtbot: QtBot, view: ModelsView) -> None:
    select(view, "qwen")

    with qtbot.waitSignal(view.verify_requested) as asked:
        button(part(view, ModelDetail), "Verify again").click()
    assert asked.args == [("qwen",)]
    assert not button(part(view, ModelDetail), "Verify again").isEnabled()

    select(view, "phi")
    assert button(part(view, ModelDetail), "Verify").isEnabled()


def test_a_model_that_waits_is_not_asked_for_twice(qtbot: QtBot, view: ModelsView) -> None:
    select(view, "qwen")
    button(part(view, ModelDetail), "Verify again").click()

    with qtbot.waitSignal(view.verify_requested) as asked:
        button(view, "Verify all").click()

    assert asked.args == [("gemma", "llama", "mistral", "phi")]


def test_progress_from_the_first_byte_to_the_end(qtbot: QtBot, view: ModelsView) -> None:
    strip = part(view, ProgressStrip)
    assert not strip.isVisible()
    button(view, "Verify all").click()

    view.show_progress("gemma", 0, 4_683_073_184, 0.0, 4)
    view.show_progress("llama", 2_000_000_000, 4_683_073_184, 1.3e9, 3)

    assert strip.isVisible()
    assert strip.text() == "Verifying llama 2.0 of 4.7 GB, 1.3 GB/s, 3 s left. Then 3 more."
    assert listed(view) == {
        "gemma": "missing",
        "llama": "42 %",
        "mistral": "waiting",
        "phi": "waiting",
        "qwen": "waiting",
    }

    with qtbot.waitSignal(view.stop_requested):
        button(view, "Stop").click()
    assert not button(view, "Stop").isEnabled()

    view.verifying_ended()
    assert not strip.isVisible()
    assert "waiting" not in listed(view).values()
    assert button(view, "Verify all").isEnabled()


def test_a_result_ends_the_progress_of_its_model(view: ModelsView) -> None:
    view.show_progress("phi", 10, 100, 1.0, 0)

    view.show_file_states({**CHECKS, "phi": check("phi", FileState.MATCH)})

    assert listed(view)["phi"] == "match"


def test_the_result_of_another_model_does_not(view: ModelsView) -> None:
    view.show_progress("phi", 10, 100, 1.0, 0)

    view.show_file_states({**CHECKS, "qwen": check("qwen", FileState.MATCH)})

    assert listed(view)["phi"] == "10 %"


def test_a_second_verification_can_be_stopped_too(view: ModelsView) -> None:
    view.show_progress("phi", 10, 100, 1.0, 0)
    button(view, "Stop").click()
    view.verifying_ended()

    view.show_progress("phi", 20, 100, 1.0, 0)

    assert button(view, "Stop").isEnabled()


def test_progress_of_a_model_that_is_not_there_is_told_by_its_id(view: ModelsView) -> None:
    view.show_progress("gone", 10, 100, 1.0, 0)

    assert part(view, ProgressStrip).text().startswith("Verifying gone 10 of 100 bytes")
    assert "10 %" not in listed(view).values()


def test_its_tasks_are_asked_for(qtbot: QtBot, view: ModelsView) -> None:
    select(view, "qwen")

    with qtbot.waitSignal(view.model_tasks_requested) as asked:
        button(view, "Show its tasks").click()

    assert asked.args == ["qwen"]


def test_models_read_again_keep_selection_and_scroll_without_a_reset(qtbot: QtBot, view: ModelsView) -> None:
    many = [model(f"model-{nth:03d}") for nth in range(100)]
    view.show_models(page(*many))
    table = part(view, DenseTable)
    select(view, "model-050")
    table.verticalScrollBar().setValue(1_003)
    kept = QPersistentModelIndex(table.currentIndex())

    with (
        qtbot.assertNotEmitted(table.model().modelReset),
        qtbot.assertNotEmitted(table.selectionModel().currentRowChanged),
    ):
        for tasks in range(20):
            view.show_models(page(*(model(one.name, tasks=tasks) for one in many)))
            view.show_progress("model-050", tasks, 100, 1.0, 0)

    assert table.currentIndex() == kept
    assert view.selected == "model-050"
    assert table.verticalScrollBar().value() == 1_003


def test_a_model_that_goes_takes_no_other_with_it_into_the_selection(view: ModelsView) -> None:
    select(view, "llama")

    view.show_models(page(*(one for one in MODELS if one.name != "llama")))

    assert not part(view, DenseTable).currentIndex().isValid()
    assert not part(view, ModelDetail).isVisible()


def test_hostile_text_is_plain_everywhere(view: ModelsView) -> None:
    view.clear()
    odd = model(HOSTILE, digest=HOSTILE, path=HOSTILE, format=HOSTILE, metadata=HOSTILE * 10_000)
    view.show_models(page(odd))
    view.show_file_states({HOSTILE: check(HOSTILE, FileState.BAD_DIGEST)})
    view.show_progress(HOSTILE, 10, 100, 1.0, 0)

    labels = [label for label in view.findChildren(QLabel) if label.text()]
    assert sum("<b>model</b>" in label.text() for label in labels if isinstance(label, ElidedLabel)) >= 3
    for label in labels:
        assert label.textFormat() is Qt.TextFormat.PlainText
        assert label.text().isprintable()
    assert not view.findChildren(QTextEdit)
    assert part(view, JsonView).shown_text().startswith("<b>model</b>\\u202e")
    assert part(view, DigestComparison).accessibleName().isprintable()


def test_times_are_told_as_of_the_read(view: ModelsView) -> None:
    select(view, "qwen")

    shown = texts(part(view, ModelDetail))
    assert "13:02:11" in shown  # modified an hour before the read
    assert "30 Nov 14:02:11" in shown  # added the day before
    assert READ_AT == 1_796_130_131_417


@pytest.mark.parametrize(("width", "height"), [(1264, 808), (856, 548), (756, 468), (1700, 1000)])
def test_nothing_is_wider_than_the_view(qtbot: QtBot, view: ModelsView, width: int, height: int) -> None:
    select(view, "qwen")
    view.resize(width, height)

    table = part(view, DenseTable)
    qtbot.waitUntil(lambda: table.viewport().width() == width and not table.horizontalScrollBar().isVisible())
    facts = next(area for area in view.findChildren(QScrollArea) if area.isAncestorOf(part(view, DigestComparison)))
    content = facts.widget()
    assert content is not None
    assert content.width() <= facts.viewport().width()
    comparison = part(view, DigestComparison)
    assert comparison.height() >= comparison.heightForWidth(comparison.width())


def test_a_narrow_view_leaves_the_path_to_the_pane(view: ModelsView) -> None:
    table = part(view, DenseTable)
    assert not table.isColumnHidden(ModelColumn.PATH)

    view.resize(856, 548)
    view.grab()

    assert table.isColumnHidden(ModelColumn.PATH)
    assert not table.isColumnHidden(ModelColumn.SIZE)


def test_the_search_field_is_reached_by_a_call(qtbot: QtBot, view: ModelsView) -> None:
    with qtbot.waitActive(view):
        view.activateWindow()
    part(view, DenseTable).setFocus()

    view.focus_search()

    assert part(view, QLineEdit).hasFocus()


def test_the_columns_are_as_before_when_a_view_was_narrow_for_a_while(qtbot: QtBot, view: ModelsView) -> None:
    table = part(view, DenseTable)
    table.setColumnWidth(ModelColumn.MODEL, 222)

    for width in (856, 1264):
        view.resize(width, 808)
        qtbot.waitUntil(lambda width=width: table.viewport().width() == width)  # type: ignore[misc]

    assert table.columnWidth(ModelColumn.MODEL) == 222
    assert not table.isColumnHidden(ModelColumn.PATH)


def test_another_file_begins_anew(view: ModelsView) -> None:
    select(view, "qwen")
    chip(view, "Wrong").click()
    part(view, QLineEdit).setText("qwen")
    view.show_progress("phi", 10, 100, 1.0, 0)

    view.clear()
    assert view.selected is None
    assert listed(view) == {}
    assert sentence(view).accessibleName() == ""
    assert not part(view, ProgressStrip).isVisible()

    view.show_models(page(model("alpha"), model("qwen")))
    assert listed(view) == {"alpha": "not checked", "qwen": "not checked"}
    assert view.selected == "alpha"


def test_the_menu_of_the_table_acts_on_the_current_model(qtbot: QtBot, view: ModelsView) -> None:
    select(view, "qwen")
    actions = {action.text(): action for action in part(view, DenseTable).actions()}

    actions["Copy digest"].trigger()
    assert QGuiApplication.clipboard().text() == digest("qwen")
    with qtbot.waitSignal(view.model_tasks_requested) as asked:
        actions["Show its tasks"].trigger()
    assert asked.args == ["qwen"]
    with qtbot.waitSignal(view.verify_requested) as asked:
        actions["Verify"].trigger()
    assert asked.args == [("qwen",)]


def test_all_models_are_verified_whatever_is_listed(qtbot: QtBot, view: ModelsView) -> None:
    chip(view, "Wrong").click()

    with qtbot.waitSignal(view.verify_requested) as asked:
        view.verify_all()

    assert asked.args == [("gemma", "llama", "mistral", "phi", "qwen")]


def test_the_metadata_keep_every_digit(view: ModelsView) -> None:
    stored = '{"parameters":1254071346418286654,"scale":0.2345678901234568,"parameters":9007199254740993}'
    view.show_models(page(model("exact", metadata=stored)))
    select(view, "exact")

    shown = part(view, JsonView).shown_text()

    assert "".join(shown.split()) == stored


@pytest.mark.parametrize("width", [1264, 856, 756])
def test_every_digit_of_a_size_is_seen_at_every_width(qtbot: QtBot, view: ModelsView, width: int) -> None:
    view.show_models(page(model("large", size=2**63 - 1)))
    select(view, "large")
    view.resize(width, 808)

    sizes = [label for label in view.findChildren(ElidedLabel) if label.text().endswith(" bytes") and label.isVisible()]
    assert sizes
    qtbot.waitUntil(
        lambda: (
            not any(
                label.is_cut()
                for label in view.findChildren(ElidedLabel)
                if label.isVisible() and label.text() == "9,223,372,036,854,775,807 bytes"
            )
        )
    )
