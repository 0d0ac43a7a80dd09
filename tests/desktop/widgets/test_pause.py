from pytestqt.qtbot import QtBot

from inspector.desktop.widgets.pause import Pause


def test_it_is_over_once(qtbot: QtBot) -> None:
    pause = Pause()
    with qtbot.waitSignal(pause.over):
        pause.begin(1)
    assert not pause.is_on


def test_begun_anew_it_lasts_from_then_on_and_ended_it_says_nothing(qtbot: QtBot) -> None:
    pause, other = Pause(), Pause()
    pause.begin(1)
    pause.begin(600_000)
    with qtbot.waitSignal(other.over), qtbot.assertNotEmitted(pause.over):
        other.begin(5)
    assert pause.is_on

    pause.end()
    assert not pause.is_on
