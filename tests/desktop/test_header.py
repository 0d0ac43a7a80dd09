"""The line over all views."""

from dataclasses import replace
from datetime import UTC
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from inspector.desktop.header import FileHeader
from inspector.desktop.widgets.tools import HeaderButton, ModeBadge
from inspector.layout.opened import Mode
from tests.desktop.session.test_acting import LIVE
from tests.support.finding import found

NOW_MS = 1_796_000_100_000


@pytest.fixture
def header(qtbot: QtBot) -> FileHeader:
    header = FileHeader(UTC)
    qtbot.addWidget(header)
    header.resize(1200, 40)
    header.show()
    return header


def words(header: FileHeader) -> list[str]:
    return [label.text() for label in header.findChildren(QLabel) if label.isVisible() and label.text()]


def test_it_names_the_file_its_folder_and_why_it_is_open_that_way(header: FileHeader) -> None:
    header.show_opened(replace(LIVE, notes=("It was made by a newer version.",)))
    assert words(header)[:3] == ["service.db", "/data", "A service has it open. It was made by a newer version."]
    assert found(header, ModeBadge).text() == "live"


@pytest.mark.parametrize(
    ("since_ms", "said"),
    [(300, "changed 0.3 s ago"), (38_000, "changed 38 s ago"), (240_000, "no change for 4:00 min")],
)
def test_a_live_file_says_when_it_last_changed(header: FileHeader, since_ms: int, said: str) -> None:
    header.show_opened(LIVE)
    header.set_now(NOW_MS, NOW_MS)
    assert "no change yet" in words(header)
    header.show_moved(NOW_MS - since_ms)
    header.set_now(NOW_MS, NOW_MS)
    assert said in words(header)


@pytest.mark.parametrize("mode", [Mode.RESTING, Mode.CRASHED, Mode.COPY])
def test_a_file_that_does_not_move_says_when_it_was_read_and_cannot_be_paused(header: FileHeader, mode: Mode) -> None:
    header.show_opened(replace(LIVE, mode=mode))
    header.set_now(NOW_MS, NOW_MS - 5_000)
    assert "read 00:54:55.000" in words(header)
    assert not found(header, HeaderButton).isVisible()


@pytest.mark.parametrize(("days", "said"), [(0, "ends 00:54:55"), (30, "ends 31 Oct 00:54"), (400, "ends 26 Oct 2025")])
def test_a_file_that_does_not_move_says_when_what_it_tells_ends(header: FileHeader, days: int, said: str) -> None:
    header.show_opened(replace(LIVE, mode=Mode.COPY, last_moment_ms=NOW_MS - 5_000 - days * 86_400_000))
    header.set_now(NOW_MS, NOW_MS)
    assert f"{said}, read 00:55:00.000" in words(header)


def test_what_is_lost_keeps_the_moment_of_its_loss(header: FileHeader) -> None:
    header.show_opened(LIVE)
    header.show_lost(NOW_MS)
    header.set_now(NOW_MS + 60_000, NOW_MS + 60_000)
    assert "read 00:55:00.000" in words(header)


def test_what_is_lost_is_said_to_have_been_open_so_until_then(header: FileHeader) -> None:
    header.show_opened(LIVE)
    header.show_lost(NOW_MS)
    assert found(header, ModeBadge).text() == "was live"
    assert "Until the last read: A service has it open." in words(header)
    assert "A service has it open." not in words(header)
    assert found(header, ModeBadge).accessibleDescription().startswith("Until the last read: ")

    header.show_opened(LIVE)
    assert found(header, ModeBadge).text() == "live"
    assert "A service has it open." in words(header)


def test_pause_asks_and_resume_asks_back(header: FileHeader, qtbot: QtBot) -> None:
    header.show_opened(LIVE)
    button = found(header, HeaderButton)
    with qtbot.waitSignal(header.pause_requested) as asked:
        button.click()
    assert asked.args == [True]
    header.show_paused(True)
    assert button.text() == "Resume"
    with qtbot.waitSignal(header.pause_requested) as asked:
        button.click()
    assert asked.args == [False]


@pytest.mark.threat(id="T10")
@pytest.mark.threat(id="T15")
def test_a_hostile_name_is_shown_with_what_it_hides(header: FileHeader) -> None:
    header.show_opened(replace(LIVE, path="/data/\u202eexe.<b>bd\n.db", why="\x1b[2J"))
    assert words(header)[0] == "\\u202eexe.<b>bd\\u000a.db"
    assert all(text.isprintable() for text in words(header))


def test_without_a_file_it_says_so(header: FileHeader) -> None:
    header.show_opened(LIVE)
    header.show_nothing()
    assert words(header) == ["No file open"]
    header.show_nothing(Path("/data/other.db"))
    assert words(header) == ["other.db", "/data"]


def test_narrow_it_drops_the_sentence_and_keeps_file_badge_and_age(header: FileHeader) -> None:
    header.show_opened(LIVE)
    header.set_now(NOW_MS, NOW_MS)
    header.set_sentence_shown(False)
    assert words(header) == ["service.db", "/data", "no change yet"]
    assert found(header, ModeBadge).isVisible()
