"""Ctrl+C while the program is still being loaded: it ends at once, with the status of a shell and without a word."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.databases import BUFFERED, ROOT, one_of_each

pytestmark = pytest.mark.process

AT_IMPORT = """
import os, sys
def at(event, arguments):
    if event == "import" and arguments[0] == os.environ["END_AT"]:
        os.environ["END_AT"] = ""
        os.kill(os.getpid(), NUMBER)
sys.addaudithook(at)
"""
"""What Python imports before anything else: it sends a signal at the import that it is told."""

MOMENTS = [
    *("inspector.commands.early", "signal", "inspector.cli", "click", "inspector.commands.group"),
    *("inspector.commands.tasks", "sqlite3", "inspector.reading.reader"),
]
SCRIPT = "import sys; from inspector.__main__ import main; sys.exit(main())"
STARTS = {"module": ["-m", "inspector"], "installed command": ["-c", SCRIPT]}


def ended_at(
    moment: str, folder: Path, start: list[str], *words: str | Path, number: int = signal.SIGINT
) -> "subprocess.CompletedProcess[bytes]":
    """Run the program, and send it a signal when it is about to import the module ``moment``."""
    early = folder / "early"
    early.mkdir(exist_ok=True)
    (early / "sitecustomize.py").write_text(AT_IMPORT.replace("NUMBER", str(int(number))))
    return subprocess.run(
        [sys.executable, *start, *words],
        cwd=ROOT,
        env={**BUFFERED, "PYTHONPATH": str(early), "END_AT": moment, "QT_QPA_PLATFORM": "offscreen"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=50,
        check=False,
    )


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("moment", MOMENTS)
def test_ctrl_c_at_any_import_ends_it_quietly(tmp_path: Path, start: str, moment: str) -> None:
    path = one_of_each(tmp_path / "lmsp.db")
    done = ended_at(moment, tmp_path, STARTS[start], "tasks", path)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def test_the_moments_are_imports_of_the_command(tmp_path: Path) -> None:
    path = one_of_each(tmp_path / "lmsp.db")
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "inspector", "tasks", path],
        cwd=ROOT,
        env=BUFFERED,
        capture_output=True,
        timeout=50,
        check=True,
    )
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines()}
    assert set(MOMENTS) <= imported


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("moment", ["inspector.desktop.tour", "PySide6.QtWidgets", "qasync"])
def test_a_tour_that_is_ended_while_qt_is_loaded_leaves_no_empty_folder(
    tmp_path: Path, moment: str, number: int, status: int
) -> None:
    path = one_of_each(tmp_path / "lmsp.db")
    folder = tmp_path / "new" / "pictures"
    done = ended_at(moment, tmp_path, STARTS["module"], "tour", path, folder, number=number)
    assert (done.returncode, done.stdout, done.stderr) == (status, b"", b"")
    assert not folder.parent.exists()


def test_a_folder_that_was_there_stays(tmp_path: Path) -> None:
    path = one_of_each(tmp_path / "lmsp.db")
    folder = tmp_path / "pictures"
    folder.mkdir()
    assert ended_at("qasync", tmp_path, STARTS["module"], "tour", path, folder).returncode == 130
    assert folder.is_dir()


def test_a_program_that_was_told_to_ignore_ctrl_c_goes_on(tmp_path: Path) -> None:
    path = one_of_each(tmp_path / "lmsp.db")
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        done = ended_at("click", tmp_path, STARTS["module"], "tasks", path)
    finally:
        signal.signal(signal.SIGINT, before)
    assert done.returncode == 0
    assert os.fsencode("running") in done.stdout
