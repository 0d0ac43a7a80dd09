"""The menu of modes: what fits is chosen by itself, what would be refused is off."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from inspector.desktop.menus import WindowActions
from inspector.desktop.mode_actions import ModeActions
from inspector.desktop.session.launch import Target
from inspector.layout.opened import Mode
from tests.desktop.session.test_acting import LIVE
from tests.support.inspectors import an_inspector
from tests.support.reading_databases import make
from tests.support.waiting import until

RESTING = replace(LIVE, mode=Mode.RESTING, modes=(Mode.RESTING, Mode.COPY))


@pytest.fixture
def menu(qtbot: QtBot) -> tuple[ModeActions, QMenu]:
    menu = QMenu()
    qtbot.addWidget(menu)
    modes = ModeActions(menu)
    modes.fill(menu)
    return modes, menu


def words(menu: QMenu) -> list[str]:
    return [action.text() for action in menu.actions() if not action.isSeparator()]


def those(menu: QMenu, *, on: bool = False, chosen: bool = False) -> list[str]:
    return [each.text() for each in menu.actions() if (each.isEnabled() and on and each.text()) or
            (each.isChecked() and chosen)]  # fmt: skip


def named(menu: QMenu, word: str) -> QAction:
    [action] = [each for each in menu.actions() if each.text() == word]
    return action


def test_without_a_file_nothing_can_be_chosen(menu: tuple[ModeActions, QMenu]) -> None:
    assert words(menu[1]) == ["As fits", "Live", "Resting", "Crashed", "From a private copy"]
    assert those(menu[1], on=True) == []


def test_what_fits_stands_first_and_is_chosen_and_what_would_be_refused_is_off(
    menu: tuple[ModeActions, QMenu],
) -> None:
    menu[0].show_opened(RESTING, None)

    assert those(menu[1], chosen=True) == ["As fits: resting"]
    assert those(menu[1], on=True) == ["As fits: resting", "Resting", "From a private copy"]


def test_a_wish_is_chosen_while_it_is_followed(menu: tuple[ModeActions, QMenu]) -> None:
    menu[0].show_opened(replace(RESTING, mode=Mode.COPY), Mode.COPY)
    assert those(menu[1], chosen=True) == ["From a private copy"]

    menu[0].show_opened(LIVE, None)
    assert those(menu[1], chosen=True) == ["As fits: live"]


@pytest.mark.parametrize(("word", "mode"), [("From a private copy", Mode.COPY), ("As fits: resting", None)])
def test_a_choice_says_what_is_wanted(
    menu: tuple[ModeActions, QMenu], qtbot: QtBot, word: str, mode: Mode | None
) -> None:
    menu[0].show_opened(RESTING, None)
    with qtbot.waitSignal(menu[0].mode_wanted) as wanted:
        named(menu[1], word).trigger()

    assert wanted.args == [mode]


@pytest.mark.process
@pytest.mark.usefixtures("qloop")
async def test_an_open_file_is_read_in_another_way_with_the_same_task_selected(tmp_path: Path) -> None:
    async with an_inspector() as inspector:
        session = inspector.session
        inspector.open(Target(make(tmp_path / "service.db", "a", "b")), task_id="a")
        inspector.window.show()
        await until(lambda: session.how is not None and inspector.window.findChildren(WindowActions))
        [actions] = inspector.window.findChildren(WindowActions)
        assert session.how is not None
        assert session.how.modes == (Mode.RESTING, Mode.COPY)

        actions.modes.mode_wanted.emit(Mode.COPY)
        await until(lambda: session.how is not None and session.how.mode is Mode.COPY)
        assert session.how.why == "Read from a private copy, because you asked for a copy."
        assert inspector.selection.task_id == "a"

        actions.modes.mode_wanted.emit(None)
        await until(lambda: session.how is not None and session.how.mode is Mode.RESTING)
