"""Model files: every state that ``verify`` names, and nothing that hangs."""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from inspector.layout.files import FileCheck, FileState
from inspector.layout.rows import ModelRow
from inspector.reading.model_files import FileFinding, check_file, look_at_file, verify_file
from tests.support.reading_databases import as_nobody

pytestmark = pytest.mark.timeout(20)

CONTENT = os.urandom(3 << 20)
DIGEST = f"sha256:{hashlib.sha256(CONTENT).hexdigest()}"
SIZE = len(CONTENT)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that every user can reach, unlike pytest's own."""
    path = Path(tempfile.mkdtemp(prefix="lmsp-models-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path)


def whole(path: Path) -> None:
    path.write_bytes(CONTENT)


def zeroed(path: Path) -> None:
    path.write_bytes(bytes(SIZE))


def longer(path: Path) -> None:
    path.write_bytes(CONTENT + b"x")


def shorter(path: Path) -> None:
    path.write_bytes(CONTENT[:-1])


def linked(path: Path) -> None:
    path.with_name("target").write_bytes(CONTENT)
    path.symlink_to(path.with_name("target"))


def forbidden(path: Path) -> None:
    path.write_bytes(CONTENT)
    path.chmod(0)


def nothing(path: Path) -> None:
    assert not path.exists()


def pipe(path: Path) -> None:
    os.mkfifo(path)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def dangling(path: Path) -> None:
    path.symlink_to(path.with_name("nowhere"))


STATES: dict[Callable[[Path], object], tuple[FileState, FileState]] = {
    whole: (FileState.UNCHECKED, FileState.MATCH),
    linked: (FileState.UNCHECKED, FileState.MATCH),
    zeroed: (FileState.UNCHECKED, FileState.MISMATCH),
    longer: (FileState.MISMATCH, FileState.MISMATCH),
    shorter: (FileState.TRUNCATED, FileState.TRUNCATED),
    Path.touch: (FileState.EMPTY, FileState.EMPTY),
    nothing: (FileState.MISSING, FileState.MISSING),
    dangling: (FileState.MISSING, FileState.MISSING),
    forbidden: (FileState.UNREADABLE, FileState.UNREADABLE),
    Path.mkdir: (FileState.NOT_A_FILE, FileState.NOT_A_FILE),
    pipe: (FileState.NOT_A_FILE, FileState.NOT_A_FILE),
    device: (FileState.NOT_A_FILE, FileState.NOT_A_FILE),
}


@pytest.mark.parametrize("made", STATES, ids=lambda made: made.__name__)
def test_each_state_is_told_at_once_and_by_reading(folder: Path, made: Callable[[Path], object]) -> None:
    path = folder / "model.gguf"
    made(path)
    with as_nobody():
        looked, verified = look_at_file(str(path), DIGEST, SIZE), verify_file(str(path), DIGEST, SIZE)

    assert (looked.state, verified.state) == STATES[made]
    assert looked.digest is None
    assert (verified.digest is not None) is (verified.state in (FileState.MATCH, FileState.MISMATCH))


@pytest.mark.parametrize("digest", ["", "sha256:", f"sha256:{'A' * 64}", f"md5:{'a' * 64}", "x'00'"])
def test_what_is_no_digest_cannot_be_compared(tmp_path: Path, digest: str) -> None:
    whole(tmp_path / "a")

    assert look_at_file(str(tmp_path / "a"), digest, SIZE).state is FileState.BAD_DIGEST
    assert verify_file(str(tmp_path / "a"), digest, SIZE).state is FileState.BAD_DIGEST


@pytest.mark.parametrize("path", ["", "a\0b", "/" + "n" * 300, "/dev/null/x"])
def test_a_path_that_cannot_be_is_missing(path: str) -> None:
    assert look_at_file(path, DIGEST, SIZE).state is FileState.MISSING
    assert verify_file(path, DIGEST, SIZE).state is FileState.MISSING


def test_a_finding_tells_size_and_time_and_digest(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    whole(path)
    os.utime(path, ns=(0, 5_000_000))

    assert verify_file(str(path), DIGEST, SIZE) == FileFinding(FileState.MATCH, DIGEST, SIZE, 5)
    model = ModelRow("m", "m", DIGEST, SIZE, str(path), None, "{}", 1, 0, 0)
    assert check_file(model, now_ms=7) == FileCheck("m", FileState.UNCHECKED, None, SIZE, 5, 7)


def test_an_unknown_size_is_no_fault(tmp_path: Path) -> None:
    whole(tmp_path / "a")

    assert verify_file(str(tmp_path / "a"), DIGEST, None).state is FileState.MATCH


def test_an_empty_model_may_match(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    digest = f"sha256:{hashlib.sha256().hexdigest()}"

    assert verify_file(str(tmp_path / "a"), digest, 0).state is FileState.MATCH


def test_progress_is_told_for_each_piece_and_a_stop_is_heard(tmp_path: Path) -> None:
    whole(tmp_path / "a")
    told: list[int] = []

    verify_file(str(tmp_path / "a"), DIGEST, SIZE, progress=told.append)
    assert told == [1 << 20, 2 << 20, 3 << 20]
    told.clear()
    stopped = verify_file(str(tmp_path / "a"), DIGEST, SIZE, progress=told.append, should_stop=lambda: len(told) == 1)
    assert (stopped.state, stopped.digest, told) == (FileState.UNCHECKED, None, [1 << 20])


def test_a_file_that_changes_while_it_is_read_is_not_judged(tmp_path: Path) -> None:
    path = tmp_path / "a"
    whole(path)

    def change(done: int) -> None:
        if done == 1 << 20:
            os.utime(path, ns=(0, 1))

    assert verify_file(str(path), DIGEST, SIZE, progress=change).state is FileState.UNCHECKED


def test_the_states_are_spelled_as_verify_spells_them() -> None:
    assert {str(state) for state in FileState} == {
        *("match", "mismatch", "empty", "truncated", "missing", "unreadable", "not_a_file", "bad_digest", "unchecked"),
    }
