"""What stands behind the last whole commit of a -wal is counted, as SQLite itself leaves it out."""

from pathlib import Path

import pytest

from inspector.reading import wal_end
from inspector.reading.wal_end import pages_left_out
from inspector.reading.wal_frames import Told
from tests.support.matrix import Parts, changed, left_behind
from tests.support.reading_databases import add_task, make
from tests.support.reading_service import service_on

FRAME = 24 + 4096


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Parts:
    return left_behind(tmp_path_factory.mktemp("left"))


def last_commit(wal: bytes) -> int:
    """Return how many frames there are up to the last commit but one, by the marks in the frames."""
    frames = [wal[at : at + 8] for at in range(32, len(wal), FRAME)]
    commits = [number for number, frame in enumerate(frames, start=1) if frame[4:] != bytes(4)]
    assert commits[-1] == len(frames)
    return commits[-2]


def test_a_whole_wal_leaves_nothing_out(parts: Parts, tmp_path: Path) -> None:
    wal = tmp_path / "a-wal"
    wal.write_bytes(parts.wal)

    assert pages_left_out(str(wal)) == 0


@pytest.mark.parametrize("at", [-1, -4_000, -FRAME + 20])
@pytest.mark.parametrize("sums", [True, False])
def test_a_damaged_last_commit_is_left_out_whole(
    parts: Parts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int, *, sums: bool
) -> None:
    wal = tmp_path / "a-wal"
    wal.write_bytes(parts.wal)
    changed(wal, lambda data: data.__setitem__(at, data[at] ^ 0xFF))
    if not sums:
        monkeypatch.setattr(wal_end, "_MOST_SUMMED", 0)

    expected = len(parts.wal[32:]) // FRAME - last_commit(parts.wal)
    assert pages_left_out(str(wal)) == (expected if sums else 0)


@pytest.mark.parametrize("cut", [1, 1_000, FRAME - 24])
def test_a_wal_cut_within_a_frame_counts_what_is_left_of_it(parts: Parts, tmp_path: Path, cut: int) -> None:
    wal = tmp_path / "a-wal"
    wal.write_bytes(parts.wal[:-cut])

    assert pages_left_out(str(wal)) == len(parts.wal[32:]) // FRAME - last_commit(parts.wal)


@pytest.mark.parametrize("sums", [True, False])
def test_what_stands_behind_a_hole_is_counted_with_the_hole(
    parts: Parts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, sums: bool
) -> None:
    frames = len(parts.wal[32:]) // FRAME
    wal = tmp_path / "a-wal"
    wal.write_bytes(parts.wal[: 32 + 20] + bytes(FRAME) + parts.wal[32 + 20 + FRAME :])
    if not sums:
        monkeypatch.setattr(wal_end, "_MOST_SUMMED", 0)

    assert pages_left_out(str(wal)) == frames


def test_what_a_shm_tells_of_is_missed_where_the_wal_ends_with_a_commit_before_that(
    parts: Parts, tmp_path: Path
) -> None:
    frames = len(parts.wal[32:]) // FRAME
    wal = tmp_path / "a-wal"
    wal.write_bytes(parts.wal[: 32 + last_commit(parts.wal) * FRAME])

    assert pages_left_out(str(wal)) == 0
    assert pages_left_out(str(wal), Told(frames, 4096, parts.wal[16:24])) == frames - last_commit(parts.wal)
    # As after a loss of power: it tells of another one.
    assert pages_left_out(str(wal), Told(frames, 4096, b"saltsalt")) == 0


def test_an_unfinished_transaction_is_counted(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early")
    with service_on(path, "wal_autocheckpoint=0", "cache_size=2", "cache_spill=2") as service:
        add_task(service, "late")
        service.execute("BEGIN IMMEDIATE")
        for number in range(30):
            service.execute("INSERT INTO service_config VALUES (?, hex(zeroblob(4000)), 1)", [f"k{number}"])
        service.kill()

    assert pages_left_out(f"{path}-wal") > 10


def test_what_an_earlier_round_left_is_not_counted(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early")
    with service_on(path, "wal_autocheckpoint=0") as service:
        for number in range(10):
            add_task(service, f"a{number}")
        service.execute("PRAGMA wal_checkpoint(RESTART)")
        add_task(service, "b")
        service.kill()

    assert pages_left_out(f"{path}-wal") == 0


@pytest.mark.parametrize("content", [b"", b"x", bytes(32), bytes(8_000)])
def test_what_is_no_wal_leaves_nothing_out(tmp_path: Path, content: bytes) -> None:
    wal = tmp_path / "a-wal"
    wal.write_bytes(content)

    assert pages_left_out(str(wal)) == 0
    assert pages_left_out(str(tmp_path / "nowhere")) == 0
