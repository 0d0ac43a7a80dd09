"""Pictures of a file: whatever is in it, the tour comes to its end."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from inspector.desktop import tour
from inspector.desktop.session.launch import Target
from inspector.desktop.tour import Tour
from tests.support.inspectors import an_inspector

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("qloop")]


def no_events(path: Path) -> None:
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE tasks (id, status, created_at)")
    db.execute("CREATE TABLE task_events (task_id, seq)")
    db.execute("INSERT INTO tasks VALUES ('t', 'queued', 1)")
    db.commit()
    db.close()


def an_id_that_is_no_text(path: Path) -> None:
    no_events(path)
    db = sqlite3.connect(path)
    db.execute("UPDATE tasks SET id = CAST(x'ff80' AS TEXT)")
    db.commit()
    db.close()


@pytest.mark.parametrize("made", [no_events, an_id_that_is_no_text], ids=lambda made: made.__name__)
async def test_it_comes_to_its_end(
    tmp_path: Path, made: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tour, "_LOOK_EVERY_S", 0.01)
    made(tmp_path / "a.db")
    pictures: list[Path] = []
    async with an_inspector() as inspector:
        await Tour(inspector, tmp_path, pictures.append).of_a_file(Target(tmp_path / "a.db"))

    assert len(pictures) == 12
    assert all(picture.stat().st_size > 1_000 for picture in pictures)
