"""A new file or folder is there when it is whole, and nothing is there or changed in any other case."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TypeAlias

import pytest

from inspector.handover.targets import NewFile, NotWritten, new_file, new_folder, require_free
from tests.support.reading_databases import as_nobody, listing

ROOT = Path(__file__).parents[2]

Make: TypeAlias = Callable[[Path, bool], AbstractContextManager[object]]


def a_file(path: Path, private: bool) -> AbstractContextManager[object]:
    return new_file(path, private=private)


def a_folder(path: Path, private: bool) -> AbstractContextManager[object]:
    return new_folder(path, private=private)


MAKES: dict[str, Make] = {"file": a_file, "folder": a_folder}


@pytest.fixture(params=MAKES)
def make(request: pytest.FixtureRequest) -> Make:
    return MAKES[request.param]


def put(made: object, text: str = "x") -> None:
    if isinstance(made, NewFile):
        made.write(text)
    elif isinstance(made, Path):
        (made / "inside").write_text(text)


def test_it_has_its_name_when_it_is_whole_and_not_before(tmp_path: Path, make: Make) -> None:
    target = tmp_path / "out"
    with make(target, False) as made:
        put(made)
        assert not target.exists()
        assert len(listing(tmp_path)) == 1
    assert listing(tmp_path) == {"out"}
    assert (target if target.is_file() else target / "inside").read_text() == "x"


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, ValueError])
def test_nothing_is_left_by_what_ends_it_early(tmp_path: Path, make: Make, error: type[BaseException]) -> None:
    def ended() -> None:
        with make(tmp_path / "out", False) as made:
            put(made)
            raise error

    with pytest.raises(error):
        ended()
    assert listing(tmp_path) == set()


def test_what_came_meanwhile_is_not_written_over(tmp_path: Path, make: Make) -> None:
    def overtaken() -> None:
        with make(tmp_path / "out", False) as made:
            put(made)
            (tmp_path / "out").write_text("mine")

    with pytest.raises(NotWritten) as refused:
        overtaken()
    assert refused.value.sentence.startswith(f"{tmp_path}/out ")
    assert (tmp_path / "out").read_text() == "mine"
    assert listing(tmp_path) == {"out"}


def test_on_a_file_system_without_links_it_gets_its_name_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refused)
    with new_file(tmp_path / "out", private=False) as made:
        made.write("x")
    assert (tmp_path / "out").read_text() == "x"
    with pytest.raises(NotWritten), new_file(tmp_path / "other", private=False) as made:
        (tmp_path / "other").write_text("mine")
    assert (tmp_path / "other").read_text() == "mine"
    assert listing(tmp_path) == {"out", "other"}


@pytest.mark.parametrize("private", [True, False])
def test_secrets_are_for_their_owner_alone(tmp_path: Path, make: Make, private: bool) -> None:
    before = os.umask(0o022)
    try:
        with make(tmp_path / "out", private) as made:
            put(made)
    finally:
        os.umask(before)
    mode = (tmp_path / "out").stat().st_mode & 0o077
    assert (mode == 0) is private


@pytest.mark.parametrize("kind", ["file", "folder", "link to nowhere"])
def test_what_is_there_already_is_refused(tmp_path: Path, kind: str) -> None:
    target = tmp_path / "out"
    if kind == "file":
        target.write_text("")
    elif kind == "folder":
        target.mkdir()
    else:
        target.symlink_to(tmp_path / "nowhere")
    with pytest.raises(NotWritten, match="is there already and is left as it is"):
        require_free(target, tmp_path / "lmsp.db")


@pytest.mark.parametrize("suffix", ["-wal", "-shm", "-journal"])
@pytest.mark.parametrize("through", ["itself", "a link", "another spelling"])
def test_a_companion_s_name_is_refused_however_it_is_spelled(tmp_path: Path, suffix: str, through: str) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (real / "lmsp.db").write_text("")
    (tmp_path / "link.db").symlink_to(real / "lmsp.db")
    (tmp_path / "folder").symlink_to(real)
    database = tmp_path / "link.db" if through == "a link" else real / "lmsp.db"
    target = tmp_path / "folder" / ".." / "real" / f"lmsp.db{suffix}" if through == "another spelling" else None
    with pytest.raises(NotWritten, match="is a name that SQLite uses beside"):
        require_free(target or real / f"lmsp.db{suffix}", database)
    if through == "a link":
        with pytest.raises(NotWritten, match="is a name that SQLite uses beside"):
            require_free(tmp_path / f"link.db{suffix}", database)
    require_free(real / f"lmsp.db{suffix}.ndjson", database)
    require_free(tmp_path / f"lmsp.db{suffix}", real / "lmsp.db")


def test_a_folder_that_is_not_there_ends_in_a_sentence(tmp_path: Path, make: Make) -> None:
    target = tmp_path / "none" / "out"
    with pytest.raises(NotWritten) as refused, make(target, False):
        pass
    assert refused.value.sentence == f"{target} cannot be written: No such file or directory."


def test_a_folder_without_permission_ends_in_a_sentence(tmp_path: Path, make: Make) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    closed.chmod(0o555)
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o755)
    with as_nobody(), pytest.raises(NotWritten) as refused, make(closed / "out", False):
        pass
    assert refused.value.sentence == f"{closed}/out cannot be written: Permission denied."
    assert listing(closed) == set()


FULL = """
import resource, sys
from pathlib import Path
from inspector.handover.targets import NotWritten, new_file
resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))
try:
    with new_file(Path(sys.argv[1]), private=False) as file:
        for _ in range(1000):
            file.write("x" * 1000)
except NotWritten as error:
    print(error.sentence)
"""


def test_a_disk_that_takes_no_more_ends_in_a_sentence_and_leaves_nothing(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FULL, tmp_path / "out"], cwd=ROOT, capture_output=True, text=True, timeout=50, check=True
    )
    assert done.stdout == f"{tmp_path}/out cannot be written: File too large.\n"
    assert listing(tmp_path) == set()


KILLED = """
import os, signal, sys
from pathlib import Path
from inspector.handover.targets import new_file, new_folder
if sys.argv[2] == "file":
    with new_file(Path(sys.argv[1]), private=False) as file:
        os.kill(os.getpid(), signal.SIGKILL)
with new_folder(Path(sys.argv[1]), private=False) as folder:
    (folder / "inside").write_text("x")
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("kind", MAKES)
def test_what_a_killed_one_left_is_removed_by_the_next_to_the_same_name(tmp_path: Path, kind: str) -> None:
    target = tmp_path / "out"
    done = subprocess.run([sys.executable, "-c", KILLED, target, kind], cwd=ROOT, timeout=50, check=False)
    assert done.returncode == -signal.SIGKILL
    (left,) = listing(tmp_path)
    assert left.startswith(".out.")
    own = tmp_path / ".out.mine.part"
    own.write_text("of somebody else")

    with new_file(target, private=False) as file:
        file.write("x")
        at_work = listing(tmp_path) - {own.name}
        assert left not in at_work
        # One at work is not taken for what a killed one left.
        with new_folder(target, private=False):
            assert at_work < listing(tmp_path)
        target.rmdir()
    assert listing(tmp_path) == {"out", own.name}


def test_a_name_as_long_as_a_file_system_takes_is_taken(tmp_path: Path, make: Make) -> None:
    target = tmp_path / ("é" * 127)
    with make(target, False) as made:
        put(made)
    assert listing(tmp_path) == {target.name}
