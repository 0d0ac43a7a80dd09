import os
from collections.abc import Iterator

import pytest

from inspector.demo.happenings import Happening, HappeningKind, LineWriter, parse_happening

KILLED = Happening(HappeningKind.KILLED, 1_795_000_000_123, "It was killed.", {"pid": 42, "running": 3})


@pytest.fixture
def pipe() -> Iterator[list[int]]:
    ends = list(os.pipe())
    yield ends
    for end in ends:
        os.close(end)


def test_a_happening_comes_back_from_its_line() -> None:
    assert parse_happening(KILLED.line()) == KILLED
    assert KILLED.line().count(b"\n") == 1


@pytest.mark.parametrize("line", [b"", b"Traceback", b"[]", b"{}", b'{"happening": "lunch", "at_ms": 1}', b"\xff"])
def test_a_line_that_is_no_happening_is_nothing(line: bytes) -> None:
    assert parse_happening(line) is None


def test_a_happening_is_there_to_be_read_at_once(pipe: list[int]) -> None:
    LineWriter(pipe[1])(KILLED)

    assert os.read(pipe[0], 4096) == KILLED.line()


def test_a_reader_that_has_gone_is_left_behind(pipe: list[int]) -> None:
    write = LineWriter(pipe[1])
    os.close(pipe.pop(0))

    write(KILLED)
    write(KILLED)


@pytest.mark.timeout(10)
def test_a_reader_that_does_not_read_holds_up_nothing_and_gets_whole_lines(pipe: list[int]) -> None:
    write = LineWriter(pipe[1])
    for _ in range(5_000):
        write(KILLED)

    os.set_blocking(pipe[0], False)
    got = os.read(pipe[0], 1 << 20)
    assert 0 < len(got) < 5_000 * len(KILLED.line())
    assert got == KILLED.line() * (len(got) // len(KILLED.line()))
