"""Which frames of a -wal are looked at, and what of them is missed: byte by byte."""

import os
from pathlib import Path

import pytest

from inspector.reading import wal_frames
from inspector.reading.wal_frames import Told, WalFrames

SALTS = b"saltsalt"
PAGE = 512
FRAME = 24 + PAGE
HEADER = bytes.fromhex("377f0682002de218") + PAGE.to_bytes(4, "big") + bytes(4) + SALTS + bytes(8)


def frames(count: int, salts: bytes = SALTS) -> bytes:
    return b"".join(number.to_bytes(4, "big") + bytes(4) + salts + bytes(8) + b"p" * PAGE for number in range(count))


@pytest.fixture
def wal(tmp_path: Path) -> Path:
    path = tmp_path / "a-wal"
    path.write_bytes(HEADER + frames(10))
    return path


def told(count: int, salts: bytes = SALTS) -> Told:
    return Told(count, PAGE, salts)


def test_a_whole_one_lacks_none_however_often_it_is_asked(wal: Path) -> None:
    looked = WalFrames(str(wal))

    assert [looked.lack_some(told(number)) for number in (10, 10, 10)] == [False] * 3


def test_what_stands_behind_all_that_is_told_of_is_not_asked_for(wal: Path) -> None:
    wal.write_bytes(HEADER + frames(10) + frames(3, b"earlier!"))

    assert not WalFrames(str(wal)).lack_some(told(10))
    assert WalFrames(str(wal)).lack_some(told(11))


@pytest.mark.parametrize("number", range(10))
def test_a_frame_without_the_salts_is_missed(wal: Path, number: int) -> None:
    with wal.open("r+b") as file:
        file.seek(32 + number * FRAME)
        file.write(bytes(FRAME))

    assert WalFrames(str(wal)).lack_some(told(10))


@pytest.mark.parametrize("size", [0, 31, 32, 32 + FRAME, 32 + 10 * FRAME - 1])
def test_one_that_is_too_short_lacks_some(wal: Path, size: int) -> None:
    os.truncate(wal, size)

    assert WalFrames(str(wal)).lack_some(told(10))


@pytest.mark.parametrize("header", [bytes(32), HEADER[:16] + b"others!!" + bytes(8)], ids=["zeros", "other salts"])
def test_one_that_begins_otherwise_lacks_some(wal: Path, header: bytes) -> None:
    wal.write_bytes(header + frames(10))

    assert WalFrames(str(wal)).lack_some(told(10))


@pytest.mark.parametrize("left", [0, 24, 100, FRAME - 1])
def test_a_cut_within_the_newest_frame_is_seen_at_the_next_look(wal: Path, left: int) -> None:
    looked = WalFrames(str(wal))
    assert not looked.lack_some(told(10))

    wal.write_bytes(HEADER + frames(9) + frames(10)[-FRAME:][:left] + bytes(FRAME - left) + frames(2))

    assert looked.lack_some(told(12))


def test_one_that_was_begun_anew_is_looked_at_from_its_beginning(wal: Path) -> None:
    looked = WalFrames(str(wal))
    assert not looked.lack_some(told(10))
    again = b"newsalts"
    wal.write_bytes(HEADER[:16] + again + bytes(8) + frames(4, again) + frames(10)[4 * FRAME :])

    assert not looked.lack_some(told(4, again))
    assert looked.lack_some(told(5, again))


@pytest.mark.parametrize("hole", [(0, 0), (1, 3), (50, 58), (935, 936), (999, 999)])
def test_of_many_some_are_looked_at_and_all_of_the_newest(
    wal: Path, monkeypatch: pytest.MonkeyPatch, hole: tuple[int, int]
) -> None:
    monkeypatch.setattr(wal_frames, "_MOST_FIRST", 400)
    first, last = hole
    content = frames(1_000)
    wal.write_bytes(
        HEADER + content[: first * FRAME] + bytes((last - first + 1) * FRAME) + content[(last + 1) * FRAME :]
    )

    assert WalFrames(str(wal)).lack_some(told(1_000))


def test_one_that_is_not_there_or_may_not_be_read_lacks_nothing_that_is_known(wal: Path) -> None:
    wal.rename(wal.with_name("elsewhere"))
    assert not WalFrames(str(wal)).lack_some(told(10))
    wal.symlink_to(wal.with_name("elsewhere"))
    wal.with_name("elsewhere").write_bytes(b"")
    assert not WalFrames(str(wal)).lack_some(Told(0, PAGE, SALTS))
