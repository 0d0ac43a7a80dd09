"""What the drawer shows, and what it says is wanted."""

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from inspector.desktop.drawer.content import Check, Facts, Note, Proof, ProofRow
from inspector.desktop.drawer.view import Drawer
from inspector.desktop.widgets.fact_text import FactText
from inspector.desktop.widgets.tools import FlatTool
from tests.support.finding import found

FACTS = Facts("resting: read in place", "No process has it open.", "LMSP layout 1", (Note("A page is lost.", True),))
ROW = ProofRow("service.db", "4,096", "03:14:52", "4be1c7…09d2fa", "4be1c7…09d2fa", "same")
PROOF = Proof("Nothing was touched", "before 14:02, last look 14:03", (ROW,), line="service.db untouched")


@pytest.fixture
def drawer(qtbot: QtBot) -> Drawer:
    drawer = Drawer()
    qtbot.addWidget(drawer)
    drawer.resize(1200, 200)
    drawer.show_facts(FACTS)
    drawer.show_check(Check("Checked: 7 tables sound."))
    drawer.show_proof(PROOF)
    drawer.show()
    return drawer


def words(within: QWidget) -> set[str]:
    facts = (each.text() for each in within.findChildren(FactText) if each.isVisible())
    labels = (each.text() for each in within.findChildren(QLabel) if each.isVisible())
    return {*facts, *labels}


def button(drawer: Drawer, word: str) -> QPushButton:
    [found_] = [
        each for each in drawer.findChildren(QPushButton)
        if each.text() == word and not each.isHidden()
    ]  # fmt: skip
    return found_


def test_it_says_how_the_file_was_opened_and_what_is_wrong_with_it(drawer: Drawer) -> None:
    assert {
        "How this file was opened",
        "resting: read in place",
        "No process has it open.",
        "LMSP layout 1",
        "A page is lost.",
        "Checked: 7 tables sound.",
    } <= words(drawer)


def test_the_proof_is_a_table(drawer: Drawer) -> None:
    assert {"Nothing was touched", "service.db", "4,096", "03:14:52", "4be1c7…09d2fa", "same"} <= words(drawer)


def test_what_was_shown_of_another_file_goes(drawer: Drawer) -> None:
    drawer.show_facts(Facts("live", "A service has it open.", "LMSP layout 1", ()))
    drawer.show_proof(Proof("Not hashed yet", "", ()))

    assert not {"A page is lost.", "service.db", "same"} & words(drawer)
    assert drawer.notes == ()
    assert not button(drawer, "Copy as text").isEnabled()


def test_of_very_many_notes_the_first_are_shown_and_the_rest_is_counted(drawer: Drawer) -> None:
    drawer.show_facts(Facts("", "", "", tuple(Note(f"note {number}", False) for number in range(40))))

    assert {"note 11", "28 more notes"} <= words(drawer)
    assert "note 12" not in words(drawer)


def test_the_line_for_a_ticket_is_copied(drawer: Drawer, qtbot: QtBot) -> None:
    with qtbot.waitSignal(drawer.copy_wanted) as copied:
        button(drawer, "Copy as text").click()

    assert copied.args == ["service.db untouched"]


@pytest.mark.parametrize(("word", "full"), [("Check the file", False), ("Check its indexes too", True)])
def test_a_check_is_wanted_with_or_without_the_indexes(drawer: Drawer, qtbot: QtBot, word: str, full: bool) -> None:
    with qtbot.waitSignal(drawer.check_wanted) as wanted:
        button(drawer, word).click()

    assert wanted.args == [full]


def test_what_runs_can_be_stopped_and_not_begun_again(drawer: Drawer, qtbot: QtBot) -> None:
    drawer.show_check(Check("Being checked…", is_running=True))

    assert "Check the file" not in {each.text() for each in drawer.findChildren(QPushButton) if each.isVisible()}
    with qtbot.waitSignal(drawer.check_stop_wanted):
        button(drawer, "Stop").click()

    drawer.show_check(Check("Stopped."))
    drawer.show_proof(Proof("Not hashed yet", "1 MB of 4 MB hashed…", (), is_running=True))
    with qtbot.waitSignal(drawer.look_stop_wanted):
        button(drawer, "Stop").click()


def test_what_may_not_be_checked_or_hashed_has_no_button_to_press(drawer: Drawer) -> None:
    drawer.show_check(Check("A live file is not checked.", may_start=False))
    drawer.show_proof(Proof("No proof for a live file.", "", (), may_look=False))

    for word in ("Check the file", "Check its indexes too", "Look again", "Copy as text"):
        assert not button(drawer, word).isEnabled()


def test_the_cross_closes_it(drawer: Drawer, qtbot: QtBot) -> None:
    with qtbot.waitSignal(drawer.closed):
        found(drawer, FlatTool).click()


def test_where_it_is_narrow_no_text_is_cut_and_the_view_below_begins_at_its_end(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    column = QVBoxLayout(window)
    drawer, view = Drawer(window), QWidget(window)
    drawer.show_facts(replace(FACTS, why="A -wal and -shm are here and no process has it open: its service died. " * 2))
    drawer.show_check(Check(""))
    drawer.show_proof(PROOF)
    column.setSpacing(0)
    column.addWidget(drawer)
    column.addWidget(view, 1)
    window.resize(700, 700)
    window.show()

    texts = [each for each in drawer.findChildren(FactText) if each.isVisible()]
    assert [each.text() for each in texts if each.height() < each.heightForWidth(each.width())] == []
    assert view.y() == drawer.geometry().bottom() + 1
