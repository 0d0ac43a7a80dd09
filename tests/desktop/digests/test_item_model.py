from zoneinfo import ZoneInfo

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from inspector.desktop.digests.item_model import HEADINGS, ModelColumn, ModelItemModel
from inspector.desktop.digests.standing import Progress, Standing
from inspector.desktop.widgets.cells import ICON_ROLE, PROGRESS_ROLE
from inspector.layout.files import FileState
from tests.desktop.digests.standings import HOSTILE, READ_AT, check, model

ACCESSIBLE = Qt.ItemDataRole.AccessibleTextRole
TIP = Qt.ItemDataRole.ToolTipRole


def shown(*standings: Standing) -> ModelItemModel:
    made = ModelItemModel(ZoneInfo("Europe/Berlin"))
    made.show_standings(standings, now_ms=READ_AT)
    return made


def names(made: ModelItemModel) -> list[str]:
    return [made.index(row, ModelColumn.MODEL).data() for row in range(made.rowCount())]


def test_a_size_that_is_no_number_is_shown_as_it_is_stored() -> None:
    made = shown(Standing(model("qwen", size=None, odd=(("size_bytes", "4.7 GB\u202e"),)), None))
    assert made.index(0, ModelColumn.SIZE).data() == "4.7 GB\\u202e"
    assert made.index(0, ModelColumn.SIZE).data(TIP) == "4.7 GB\\u202e"


def test_what_a_row_says() -> None:
    made = shown(Standing(model("qwen", digest="sha256:" + "ab" * 32), check("qwen", FileState.MISMATCH)))

    assert [made.index(0, column).data() for column in ModelColumn] == [
        "mismatch",
        "qwen",
        "4.7 GB",
        "ab" * 32,
        "gguf",
        "4,911",
        "6",
        "14:02:02",
        "/models/qwen.gguf",
    ]
    assert made.index(0, ModelColumn.STATE).data(ACCESSIBLE) == "File state: mismatch"
    assert made.index(0, ModelColumn.SIZE).data(TIP) == "4,683,073,184 bytes"
    assert [made.headerData(section, Qt.Orientation.Horizontal) for section in range(9)] == list(HEADINGS)


def test_a_file_that_was_only_looked_at_has_no_moment_of_a_check() -> None:
    made = shown(Standing(model("a"), check("a", FileState.UNCHECKED)), Standing(model("b"), None))

    assert [made.index(row, ModelColumn.CHECKED).data() for row in range(2)] == ["–", "–"]


def test_a_file_that_is_hashed_has_a_bar_instead_of_an_icon() -> None:
    made = shown(Standing(model("a"), None, Progress(43, 100)), Standing(model("b"), None, waits=True))

    assert made.index(0, 0).data(PROGRESS_ROLE) == 0.43
    assert made.index(0, 0).data(ICON_ROLE) is None
    assert made.index(0, 0).data() == "43 %"
    assert made.index(1, 0).data(PROGRESS_ROLE) is None
    assert made.index(1, 0).data(ICON_ROLE) == ("file-waiting", "text2")


def test_numbers_beyond_32_bits_stay_text() -> None:
    made = shown(Standing(model("a", size=2**63 - 1, tasks=2**62, unfinished=2**31), None))

    assert made.index(0, ModelColumn.SIZE).data(TIP) == "9,223,372,036,854,775,807 bytes"
    assert made.index(0, ModelColumn.TASKS).data() == "4,611,686,018,427,387,904"
    assert made.index(0, ModelColumn.UNFINISHED).data() == "2,147,483,648"


def test_rows_come_and_go_without_a_reset(qtmodeltester: ModelTester, qtbot: QtBot) -> None:
    made = shown(*(Standing(model(name), None) for name in "abcd"))
    qtmodeltester.check(made)  # type: ignore[no-untyped-call]  # pytest-qt gives it no types
    kept = QPersistentModelIndex(made.index(2, ModelColumn.MODEL))

    with qtbot.assertNotEmitted(made.modelReset), qtbot.assertNotEmitted(made.layoutChanged):
        made.show_standings([Standing(model(name), None) for name in ("a", "aa", "c", "e", "f")], now_ms=READ_AT)

    assert kept.data() == "c"
    assert names(made) == ["a", "aa", "c", "e", "f"]
    assert [made.row_of(name) for name in ("aa", "c", "b")] == [1, 2, None]


def test_the_same_models_tell_nothing(qtbot: QtBot) -> None:
    made = shown(*(Standing(model(name), None) for name in "abcd"))

    with qtbot.assertNotEmitted(made.dataChanged), qtbot.assertNotEmitted(made.rowsInserted):
        made.show_standings([Standing(model(name), None) for name in "abcd"], now_ms=READ_AT + 250)


def test_progress_touches_one_cell_and_a_check_its_row() -> None:
    made = shown(Standing(model("a"), None), Standing(model("b"), None))
    told: list[tuple[int, int, int]] = []

    def remember(first: QModelIndex, last: QModelIndex) -> None:
        told.append((first.row(), first.column(), last.column()))

    made.dataChanged.connect(remember)

    made.show_standings([Standing(model("a"), None), Standing(model("b"), None, Progress(1, 9))], now_ms=READ_AT)
    assert told == [(1, ModelColumn.STATE, ModelColumn.STATE)]

    told.clear()
    match = Standing(model("b"), check("b", FileState.MATCH))
    made.show_standings([Standing(model("a"), None), match], now_ms=READ_AT)
    assert told == [(1, ModelColumn.STATE, ModelColumn.PATH)]


def test_stored_text_is_shown_plain_and_short() -> None:
    text = HOSTILE * 1_000
    made = shown(Standing(model(text, digest=text, path=text, format=text), None))

    for column in (ModelColumn.MODEL, ModelColumn.DIGEST, ModelColumn.FORMAT, ModelColumn.PATH):
        shown_text = made.index(0, column).data()
        assert shown_text.startswith("<b>model</b>\\u202e")
        assert shown_text.isprintable()
        assert len(shown_text) < 800
        assert made.index(0, column).data(ACCESSIBLE).isprintable()


def test_two_models_of_one_id_have_a_row_each(qtmodeltester: ModelTester) -> None:
    made = shown(Standing(model("same"), None), Standing(model("same"), None))
    qtmodeltester.check(made)  # type: ignore[no-untyped-call]  # pytest-qt gives it no types

    made.show_standings([Standing(model("same"), None)], now_ms=READ_AT)
    assert names(made) == ["same"]
    made.show_standings([Standing(model("x"), None), *3 * [Standing(model("same"), None)]], now_ms=READ_AT)
    assert names(made) == ["x", "same", "same", "same"]
