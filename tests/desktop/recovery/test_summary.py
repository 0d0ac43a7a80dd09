import pytest
from pytestqt.qtbot import QtBot

from inspector.desktop.recovery.summary import RestartSummary
from inspector.desktop.recovery.words import SummaryLine, summary
from tests.desktop.recovery.plans import every_combination

LINES = (SummaryLine(3, "failed", "failed with server_restarted"), SummaryLine(0, "queued", "queued"))


@pytest.fixture
def shown(qtbot: QtBot) -> RestartSummary:
    made = RestartSummary()
    qtbot.addWidget(made)
    return made


def test_it_shows_the_lines_it_is_given_and_no_other(shown: RestartSummary) -> None:
    shown.show_lines(summary(every_combination()))
    shown.show_lines(LINES)

    assert shown.texts() == ("3 failed with server_restarted", "0 queued")


def test_below_the_table_two_columns_take_less_height(qtbot: QtBot, shown: RestartSummary) -> None:
    shown.show_lines(summary(every_combination()))
    shown.show()
    beside = shown.sizeHint().height()

    shown.fit_below(2 * shown.one_column_width() + 100)
    qtbot.waitUntil(lambda: shown.sizeHint().height() < beside)

    shown.fit_below(shown.one_column_width())
    qtbot.waitUntil(lambda: shown.sizeHint().height() == beside)


def test_a_large_count_takes_its_room(shown: RestartSummary) -> None:
    shown.show_lines(LINES)
    narrow = shown.one_column_width()

    shown.show_lines((SummaryLine(1_234_567, "failed", "failed with server_restarted"), *LINES[1:]))

    assert shown.one_column_width() > narrow
