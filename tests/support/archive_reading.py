"""An archive put into a folder of its own and opened, with a look around for what must not appear there."""

from contextlib import suppress
from pathlib import Path

import pytest

from inspector.layout.opened import Opened
from inspector.layout.pages import TaskPage
from inspector.reading.errors import Unanswered, Unreadable
from inspector.reading.reader import open_reader
from inspector.reading.requests import TaskPageRequest
from tests.support.proof import differences, touch_state
from tests.support.reading_databases import read_at


def put(folder: Path, name: str, content: bytes) -> Path:
    """Write an archive into ``sent`` in the folder; beside it stands ``temporary``, where copies are made."""
    (folder / "sent").mkdir(exist_ok=True)
    path = folder / "sent" / name
    path.write_bytes(content)
    return path


def everything_in(folder: Path) -> list[str]:
    """Return the names of all that is in the folder, however deep."""
    return sorted(str(each.relative_to(folder)) for each in folder.rglob("*"))


def read(path: Path) -> tuple[Opened, list[str]]:
    """Open, read the tasks as far as they can be, close; nothing appears anywhere, and the archive stays as it is."""
    top = path.parents[1]
    before, names = touch_state(path), everything_in(top)
    with open_reader(path, now_ms=read_at) as reader:
        appeared = set(everything_in(top)) - set(names)
        assert {Path(each).name.removeprefix("copy.db") for each in appeared if "/copy.db" in each} <= {
            *("", "-wal", "-shm", "-journal")
        }
        assert all(each.startswith("temporary/lmsp-inspector-copy-") for each in appeared)
        opened = reader.opened
        tasks = []
        with suppress(Unanswered):
            page = reader.answer(TaskPageRequest())
            assert isinstance(page, TaskPage)
            tasks = sorted(task.id for task in page.tasks)
    assert differences(before, touch_state(path)) == ()
    assert everything_in(top) == names
    return opened, tasks


def told_of(path: Path) -> str:
    """Return what is said of a faulty archive: the notes, or the sentence; nothing where no fault was found."""
    try:
        opened, _ = read(path)
    except Unreadable as error:
        return error.sentence
    return " ".join(opened.notes) if opened.faulty else ""


def refusal(path: Path) -> str:
    """Return the sentence that an archive is refused with; nothing has appeared anywhere, and it stays as it is."""
    archive = next((each for each in path.parents if each.is_file()), path)
    top = archive.parents[1]
    before, names = touch_state(archive), everything_in(top)
    with pytest.raises(Unreadable) as refused:
        open_reader(path, now_ms=read_at)
    assert differences(before, touch_state(archive)) == ()
    assert everything_in(top) == names
    return refused.value.sentence
