import io
import sys

import pytest

from inspector.commands import progress as subject
from inspector.commands.progress import ProgressLine


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Stopwatch:
    def __init__(self) -> None:
        self.now_s = 100.0

    def monotonic(self) -> float:
        return self.now_s


@pytest.fixture
def stopwatch(monkeypatch: pytest.MonkeyPatch) -> Stopwatch:
    made = Stopwatch()
    monkeypatch.setattr(subject, "time", made)
    return made


def test_a_line_is_written_over_and_wiped(monkeypatch: pytest.MonkeyPatch, stopwatch: Stopwatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    line = ProgressLine()
    line.tell("ten of ten")
    stopwatch.now_s += 1
    line.tell("done")
    line.clear()
    line.clear()
    assert terminal.getvalue() == "\rten of ten\rdone      \r    \r"


def test_it_is_told_ten_times_a_second_at_most_but_for_what_lasts(
    monkeypatch: pytest.MonkeyPatch, stopwatch: Stopwatch
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    line = ProgressLine()
    for number in range(5):
        line.tell(str(number))
        stopwatch.now_s += 0.04
    line.tell("x", at_once=True)
    assert terminal.getvalue() == "\r0\r3\rx"


@pytest.mark.parametrize("stream", [io.StringIO(), None])
def test_nothing_is_told_to_what_is_no_terminal(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO | None) -> None:
    monkeypatch.setattr(sys, "stderr", stream)
    line = ProgressLine()
    line.tell("one")
    line.tell("two", at_once=True)
    line.clear()
    assert stream is None or stream.getvalue() == ""


def test_a_terminal_that_went_away_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    class Gone(Terminal):
        def write(self, _text: str) -> int:
            raise OSError

    monkeypatch.setattr(sys, "stderr", Gone())
    line = ProgressLine()
    line.tell("one")
    line.clear()
