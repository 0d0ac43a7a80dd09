"""What a killed maker of a file leaves beside it: the next one takes it away, and nothing else."""

import fcntl
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.store.unfinished import UNFINISHED, own_folder, remove_abandoned

pytestmark = pytest.mark.ours

MAKER = """
import sys
from pathlib import Path
from inspector.store.unfinished import UNFINISHED, own_folder
with own_folder(Path(sys.argv[1])) as folder:
    (folder / UNFINISHED).write_bytes(b"half")
    (folder / f"{UNFINISHED}-wal").touch()
    print("made", flush=True)
    sys.stdin.read()
"""


def maker(folder: Path) -> "subprocess.Popen[bytes]":
    """Start a maker that is at work until it is killed, or its standard input is closed."""
    process = subprocess.Popen(
        [sys.executable, "-c", MAKER, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"made\n"
    return process


@pytest.mark.process
def test_what_a_killed_maker_left_is_removed_and_what_others_are_at_work_on_is_not(tmp_path: Path) -> None:
    with maker(tmp_path) as killed:
        killed.send_signal(signal.SIGKILL)
        killed.wait()
    (left,) = tmp_path.iterdir()
    assert left.name.startswith(".lmsp-")
    with maker(tmp_path) as at_work:
        remove_abandoned(tmp_path)
        (kept,) = tmp_path.iterdir()
        assert kept != left
        assert sorted(entry.name for entry in kept.iterdir()) == [UNFINISHED, f"{UNFINISHED}-wal"]
        at_work.communicate()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_removed_whatever_ends_its_use(tmp_path: Path) -> None:
    def use() -> None:
        with own_folder(tmp_path) as folder:
            (folder / UNFINISHED).touch()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        use()
    assert list(tmp_path.iterdir()) == []


def test_what_is_not_ours_stays(tmp_path: Path) -> None:
    name = f".lmsp-{0:016x}.part"
    other = tmp_path / "other"
    other.mkdir()
    (other / UNFINISHED).touch()
    (tmp_path / name).symlink_to(other)
    (tmp_path / f".lmsp-{1:016x}.part").touch()
    (tmp_path / ".lmsp-mine.part").mkdir()
    (tmp_path / ".lmsp-mine.part" / UNFINISHED).touch()
    (tmp_path / f".lmsp-{2:016x}.part").mkdir()
    (tmp_path / f".lmsp-{2:016x}.part" / "thesis.txt").touch()
    before = sorted(tmp_path.rglob("*"))
    remove_abandoned(tmp_path)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_folder_that_is_not_there_or_may_not_be_listed_is_no_hindrance(tmp_path: Path) -> None:
    remove_abandoned(tmp_path / "nowhere")


def test_a_folder_that_was_taken_away_before_it_was_locked_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flock = fcntl.flock
    taken: list[int] = []

    def late(descriptor: int, how: int) -> None:
        if not taken:
            taken.append(descriptor)
            (made,) = tmp_path.iterdir()
            made.rmdir()
        flock(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", late)
    with own_folder(tmp_path) as folder:
        assert folder.is_dir()
        (folder / UNFINISHED).touch()
    assert len(taken) == 1
    assert list(tmp_path.iterdir()) == []
