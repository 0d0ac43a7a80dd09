import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from inspector.desktop.detail.stored_text import WHOLE_BELOW, EventDataPanel, StoredTextPanel
from inspector.desktop.widgets.chip import Chip
from inspector.desktop.widgets.tools import FlatTool, LinkButton
from tests.desktop.detail.pages import event, stored


@pytest.fixture
def panel(qtbot: QtBot) -> StoredTextPanel:
    made = StoredTextPanel()
    qtbot.addWidget(made)
    made.resize(500, 300)
    return made


def chip(panel: StoredTextPanel, word: str) -> Chip:
    return next(each for each in panel.findChildren(Chip) if each.word == word)


def caption(panel: StoredTextPanel) -> str:
    return panel.caption.accessibleName()


def test_json_is_laid_out_with_every_digit(panel: StoredTextPanel) -> None:
    text = '{"n":18446744073709551615,"x":-0.2345678901234568,"id":"0000000000000001"}'
    panel.show_stored("Request", stored(text), absent="")
    shown = panel.view.shown_text()
    assert shown.count("\n") == 4
    for digits in ("18446744073709551615", "-0.2345678901234568", '"0000000000000001"'):
        assert digits in shown
    assert caption(panel) == "Request, 74 bytes, laid out"


def test_as_stored_is_as_stored(panel: StoredTextPanel) -> None:
    panel.show_stored("Request", stored('{"a":1}'), absent="")
    chip(panel, "As stored").click()
    assert panel.view.shown_text() == '{"a":1}'
    assert caption(panel) == "Request, 7 bytes, as stored"


def test_a_text_that_is_no_json_is_as_stored_whatever_is_chosen(panel: StoredTextPanel) -> None:
    panel.show_stored("Request", stored("not json"), absent="")
    assert caption(panel) == "Request, 8 bytes, as stored"


def test_copying_gives_the_stored_text_unchanged(panel: StoredTextPanel) -> None:
    text = '{"a":1, "evil":"\u202e"}'
    panel.show_stored("Request", stored(text), absent="")
    panel.findChildren(FlatTool)[0].click()
    assert QGuiApplication.clipboard().text() == text


@pytest.mark.parametrize(
    ("length", "said"),
    [
        (3_100_000, "Copied only the beginning: 107 characters of 3.1 MB. All of it: lmsp-inspector {}"),
        (WHOLE_BELOW - 1, "Copied only the beginning: 107 characters of 16.8 MB. All of it: lmsp-inspector {}"),
        (WHOLE_BELOW, "Copied only the beginning: 107 characters of 16.8 MB. The first 16 MiB: lmsp-inspector {}"),
    ],
)
def test_copying_what_is_cut_says_how_much_it_was_and_how_to_have_the_rest(
    panel: StoredTextPanel, qtbot: QtBot, length: int, said: str
) -> None:
    text = '{"a": "' + "x" * 100
    data = EventDataPanel()
    qtbot.addWidget(data)
    panel.show_stored("Request", stored(text, length), absent="")
    data.show_event(event(3, text, length=length))
    export = "export DB --format ndjson --out FILE --with-secrets"
    for each, command in ((panel, export), (data, "events DB TASK --json")):
        copy = each.findChildren(FlatTool)[0]
        with qtbot.waitSignal(each.beginning_copied) as told:
            copy.click()
        assert told.args == [said.format(command)]
        assert QGuiApplication.clipboard().text() == text
        assert copy.accessibleName() == "Copy the beginning of the stored text: no more of it is here"


def test_of_what_is_copied_whole_or_covered_nothing_is_said(panel: StoredTextPanel, qtbot: QtBot) -> None:
    panel.show_stored("Request", stored('{"a":1}'), absent="")
    with qtbot.assertNotEmitted(panel.beginning_copied):
        panel.copy()
    panel.show_stored("Request", stored('{"a":1', 900), absent="")
    panel.set_covered(True)
    with qtbot.assertNotEmitted(panel.beginning_copied):
        panel.copy()


def test_a_cut_text_says_so(panel: StoredTextPanel) -> None:
    panel.show_stored("Request", stored('{"a": "' + "x" * 100, 3_100_000), absent="")
    assert caption(panel) == "Request, 3.1 MB, only its beginning is here"
    assert "3,100,000" in panel.view.note()


@pytest.mark.parametrize(
    "text",
    [
        "<img src=/etc/passwd>",
        "<b>bold</b>",
        "a\u202eb",
        "\x1b]0;title\x07",
        "\x00",
        "\ud800",
        "&lt;b&gt;",
        "x" * 10**6,
    ],
)
def test_no_text_is_taken_for_markup_or_does_anything(panel: StoredTextPanel, text: str) -> None:
    panel.show_stored("Request", stored(text), absent="")
    shown = panel.view.shown_text()
    assert not set("\u202e\x1b\x00\x07\ud800") & set(shown)
    if text.isprintable():
        assert shown[:100] == text[:100]


def test_a_deeply_nested_text_does_not_stop_anything(panel: StoredTextPanel) -> None:
    panel.show_stored("Request", stored("[" * 20_000), absent="")
    assert panel.view.shown_text().startswith("[[[")


def test_where_nothing_is_stored_a_sentence_says_so(panel: StoredTextPanel) -> None:
    panel.show_stored("Request", None, absent="No request is stored.")
    assert "No request is stored." in [label.text() for label in panel.findChildren(QLabel)]
    assert not chip(panel, "As stored").isEnabled()


def test_hidden_text_is_nowhere_in_the_panel_and_cannot_be_copied(panel: StoredTextPanel, qtbot: QtBot) -> None:
    panel.show_stored("Request", stored("a prompt"), absent="")
    panel.set_covered(True)
    QGuiApplication.clipboard().setText("before")
    panel.copy()
    assert QGuiApplication.clipboard().text() == "before"
    assert "prompt" not in panel.view.shown_text()
    assert not any("a prompt" in label.text() for label in panel.findChildren(QLabel))
    with qtbot.waitSignal(panel.uncover_wanted):
        panel.findChildren(LinkButton)[0].click()
    panel.set_covered(False)
    assert panel.view.shown_text() == "a prompt"


def test_a_plain_text_is_not_offered_to_be_laid_out(qtbot: QtBot) -> None:
    made = StoredTextPanel(is_json=False)
    qtbot.addWidget(made)
    made.show_stored("Error", stored('{"a":1}'), absent="")
    assert made.view.shown_text() == '{"a":1}'
    assert not chip(made, "Laid out").isVisibleTo(made)


@pytest.fixture
def data(qtbot: QtBot) -> EventDataPanel:
    made = EventDataPanel()
    qtbot.addWidget(made)
    return made


def test_the_whole_of_a_cut_event_is_asked_for_once(data: EventDataPanel, qtbot: QtBot) -> None:
    with qtbot.waitSignal(data.whole_wanted) as wanted:
        data.show_event(event(7, '{"a": "xx', length=9_000))
    assert wanted.args == [7]
    with qtbot.assertNotEmitted(data.whole_wanted):
        data.show_whole(7, stored('{"a": "whole"}'))
        data.show_event(event(7, '{"a": "xx', length=9_000))
    assert "whole" in data.view.shown_text()


def test_an_event_that_is_not_cut_is_not_asked_for(data: EventDataPanel, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(data.whole_wanted):
        data.show_event(event(7, "{}"))


def test_a_late_answer_for_another_event_is_dropped(data: EventDataPanel) -> None:
    data.show_event(event(8, '"eight"'))
    data.show_whole(7, stored('"seven"'))
    assert data.view.shown_text() == '"eight"'
