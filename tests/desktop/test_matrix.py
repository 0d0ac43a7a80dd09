"""A file of each kind that somebody may send, in the window: the badge, the tasks or the sentence, nothing touched."""

from pathlib import Path

import pytest

from inspector.desktop.composition import Inspector
from inspector.desktop.session.launch import Target
from inspector.desktop.widgets.message_bar import MessageBar
from tests.support.inspectors import an_inspector
from tests.support.matrix import Parts, left_behind
from tests.support.matrix_rows import COMPANIONS, COPIES, HEADERS
from tests.support.proof import differences, touch_state
from tests.support.waiting import until

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("qloop")]

SAMPLE = (
    *("writable: db", "writable: db-wal", "writable: db-wal-shm", "rollback journal, folder 755, file 644"),
    *("hot journal, folder 755, file 644", "a -journal that names a victim", "-wal is a link"),
    *("-wal cut within a frame beside its -shm", "wrong page size", "a newer user_version"),
)
SITUATIONS = {situation.name: situation for situation in (*COPIES, *COMPANIONS, *HEADERS)}


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Parts:
    return left_behind(tmp_path_factory.mktemp("left"))


def messages(inspector: Inspector) -> list[str]:
    return [bar.text() for bar in inspector.window.findChildren(MessageBar) if bar.isVisible()]


@pytest.mark.parametrize("name", SAMPLE)
async def test_each_kind_of_file_is_shown_or_said_not_to_be_readable(name: str, parts: Parts, tmp_path: Path) -> None:
    situation = SITUATIONS[name]
    path = situation.build(tmp_path, parts)
    before = touch_state(path)
    async with an_inspector() as inspector:
        inspector.window.show()
        inspector.open(Target(path))
        if situation.refused:
            await until(lambda: messages(inspector))
            assert inspector.session.how is None
            assert situation.is_refused_as(" ".join(messages(inspector)))
        else:
            await until(lambda: inspector.window.views.tasks.rows.rowCount() == situation.tasks)
            how = inspector.session.how
            assert how is not None
            assert how.mode is situation.mode
            assert situation.why in how.why
            assert any(situation.note in note for note in ("", *how.notes))
    assert differences(before, touch_state(path)) == ()
    assert (tmp_path / "victim.txt").exists() is ("victim" in name or "link" in name)
