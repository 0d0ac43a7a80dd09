"""Whatever file somebody sends: what can be read is read, the rest is said in a sentence, and nothing is touched."""

import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.layout.pages import TaskPage
from inspector.reading.errors import Unreadable
from inspector.reading.reader import open_reader
from inspector.reading.requests import TaskPageRequest
from tests.support.matrix import Parts, Situation, give_away, left_behind, take_back
from tests.support.matrix_rows import COMPANIONS, COPIES, HEADERS, OTHER_USERS
from tests.support.proof import differences, touch_state
from tests.support.reading_databases import as_nobody, read_at

pytestmark = pytest.mark.timeout(20)

SENTENCE_WITHIN_S = 2.0
"""The longest that anybody waits for a file's sentence."""


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Parts:
    return left_behind(tmp_path_factory.mktemp("left"))


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that every user can reach, unlike pytest's own."""
    path = Path(tempfile.mkdtemp(prefix="lmsp-matrix-"))
    yield path
    take_back(path)


def refusal(path: Path) -> str:
    with pytest.raises(Unreadable) as refused:
        open_reader(path, now_ms=read_at).close()
    return refused.value.sentence


def read(path: Path, situation: Situation) -> None:
    if situation.refused:
        assert situation.is_refused_as(refusal(path))
        return
    with open_reader(path, now_ms=read_at) as reader:
        page = reader.answer(TaskPageRequest())
        assert isinstance(page, TaskPage)
        assert len(page.tasks) == situation.tasks
        assert reader.opened.mode is situation.mode
        assert situation.why in reader.opened.why
        assert any(situation.note in note for note in ("", *reader.opened.notes)), reader.opened.notes
        assert reader.look() == ()


@pytest.mark.parametrize("situation", [*COPIES, *OTHER_USERS, *COMPANIONS, *HEADERS], ids=lambda each: each.name)
def test_what_can_be_seen_of_a_file_is_seen_and_nothing_is_touched(
    situation: Situation, parts: Parts, folder: Path
) -> None:
    if situation.others and os.geteuid() != 0:
        pytest.skip("needs a second user, which only root can become")
    path = situation.build(folder, parts)
    give_away(folder, situation)
    before = touch_state(path)

    with as_nobody():
        began = time.monotonic()
        read(path, situation)
        assert time.monotonic() - began < SENTENCE_WITHIN_S

    assert differences(before, touch_state(path)) == ()
    victim = folder / "victim.txt"
    assert not victim.exists() or victim.read_text() == "precious"
