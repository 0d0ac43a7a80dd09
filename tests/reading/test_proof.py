"""The proof notices whatever happens to a file, its companions and its folder, and nothing else."""

import dataclasses
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from inspector.reading.proof import difference, differences, touch_state
from tests.support.reading_crashes import crashed


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return crashed(tmp_path / "service.db")


def grow(path: Path) -> None:
    with path.with_name("service.db-wal").open("ab") as file:
        file.write(b"x")


def shrink(path: Path) -> None:
    os.truncate(path, 10)


def change_within(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(b"x")


def touch(path: Path) -> None:
    os.utime(path, ns=(0, 0))


def replace(path: Path) -> None:
    path.with_name("new").write_bytes(path.read_bytes())
    path.with_name("new").rename(path)


def forbid(path: Path) -> None:
    path.chmod(0o600)


def add(path: Path) -> None:
    path.with_name("a\nb").touch()


def remove(path: Path) -> None:
    path.with_name("service.db-shm").unlink()


def come_and_go(path: Path) -> None:
    path.with_name("service.db-journal").touch()
    path.with_name("service.db-journal").unlink()
    os.utime(path.parent, ns=(0, 0))


TOUCHES: dict[Callable[[Path], object], str] = {
    grow: "service.db-wal grew.",
    shrink: "service.db shrank.",
    change_within: "service.db has other content.",
    touch: "service.db was written to; its content is the same.",
    replace: "service.db was replaced.",
    forbid: "service.db has another owner, other permissions or links.",
    add: "a\\u000ab appeared.",
    remove: "service.db-shm is gone.",
    come_and_go: "The folder was written to.",
}


@pytest.mark.parametrize("touched", TOUCHES, ids=lambda touched: touched.__name__)
def test_each_touch_is_told(path: Path, touched: Callable[[Path], object]) -> None:
    path.chmod(0o644)
    before = touch_state(path)

    touched(path)

    assert differences(before, touch_state(path)) == (TOUCHES[touched],)


def test_what_cannot_be_read_any_more_has_no_other_content(path: Path) -> None:
    before = touch_state(path).files[0]
    unread = dataclasses.replace(before, sha256=None, rights=(0, *before.rights[1:]))
    assert difference(before, unread) == "service.db could not be read again: its content is not compared."
    assert difference(unread, before) == "service.db could not be read before: its content is not compared."


def test_reading_is_no_touch(path: Path) -> None:
    before = touch_state(path)
    for companion in path.parent.iterdir():
        companion.read_bytes()

    assert differences(before, touch_state(path)) == ()


def test_companions_and_the_listing_are_taken_down(path: Path) -> None:
    state = touch_state(path)

    assert [trace.name for trace in state.files] == ["service.db", "service.db-wal", "service.db-shm"]
    assert state.listing == ("service.db", "service.db-shm", "service.db-wal")
    assert all(trace.sha256 for trace in state.files)


def test_what_is_no_file_has_no_hash_and_does_not_hang(path: Path) -> None:
    os.mkfifo(path.with_name("service.db-journal"))

    assert [trace.sha256 for trace in touch_state(path).files][-1] is None


def test_the_file_behind_a_link_is_the_one_that_is_proved(path: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.mkdir()
    (link / "link.db").symlink_to(path)

    assert touch_state(link / "link.db").path == str(path)
