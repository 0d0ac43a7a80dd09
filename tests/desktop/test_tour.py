"""Pictures of a file: whatever is in it, the tour comes to its end."""

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from inspector import cli
from inspector.desktop import app, tour
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


def test_a_file_is_shown_as_the_layout_that_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own, shown = tmp_path / "own.toml", []

    def run_tour(target: Target, *_others: object) -> int:
        shown.append(target)
        return 0

    monkeypatch.setattr(cli, "_end_at_once", lambda _made=(): None)
    monkeypatch.setattr(app, "run_tour", run_tour)
    words = ["tour", tmp_path / "a.db", tmp_path / "pictures", "--layout", own]
    assert CliRunner().invoke(cli.command_line, [*map(str, words)]).exit_code == 0
    assert shown == [Target(tmp_path / "a.db", layout=own)]


def test_a_layout_that_is_wrong_ends_the_tour_in_a_sentence_and_leaves_no_folder(tmp_path: Path) -> None:
    no_events(tmp_path / "a.db")
    (tmp_path / "own.toml").write_text("tasks = 1")
    words = map(str, ("tour", tmp_path / "a.db", tmp_path / "pictures", "--layout", tmp_path / "own.toml"))
    ended = subprocess.run([sys.executable, "-m", "inspector", *words], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == "lmsp-inspector: [tasks] of own.toml is no table.\n"
    assert not (tmp_path / "pictures").exists()
