"""What ``conftest.py`` promises, shown on tests that break it: a run of its own over guilty and innocent tests."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parent

GUILTY_AND_INNOCENT = """
import asyncio
import logging
import sqlite3
import threading

import pytest
from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QLabel, QWidget

kept = []


def test_error_a_thread_is_left():
    thread = threading.Thread(target=threading.Event().wait, daemon=True)
    thread.start()


def test_error_a_transaction_is_left(tmp_path):
    db = sqlite3.connect(tmp_path / "x.db")
    db.execute("CREATE TABLE t (x)")
    db.execute("INSERT INTO t VALUES (1)")
    kept.append(db)


def test_passed_a_connection_is_left(tmp_path):
    kept.append(sqlite3.connect(tmp_path / "x.db"))


def test_passed_and_it_was_closed():
    with pytest.raises(sqlite3.ProgrammingError):
        kept[-1].execute("SELECT 1")


def test_error_a_warning_is_logged():
    logging.getLogger("lmsp").warning("something")


def test_passed_a_warning_is_logged_and_looked_at(caplog):
    logging.getLogger("lmsp").warning("something")
    assert caplog.messages == ["something"]


def test_error_a_window_is_left(qtbot):
    kept.append(QWidget())


def test_passed_the_window_of_another_test_is_gone(qtbot):
    pass


def test_passed_a_window_is_given_to_qtbot(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    QLabel("x", window)
    window.show()


def test_error_a_timer_is_left_running(qtbot):
    timer = QTimer()
    timer.start(10_000)
    kept.append(timer)


def test_passed_a_timer_goes_with_its_owner(qtbot):
    owner = QObject()
    timer = QTimer(owner)
    timer.start(10_000)


async def test_passed_async_without_qt():
    await asyncio.sleep(0)


async def test_failed_async_without_qt():
    await asyncio.sleep(0)
    assert False


async def test_failed_async_with_qt_on_a_plain_loop(qtbot):
    await asyncio.sleep(0)


@pytest.mark.parametrize("x", [1])
async def test_passed_async_with_qt(qloop, tmp_path, x):
    rung = asyncio.Event()
    QTimer.singleShot(0, rung.set)
    await rung.wait()
    assert asyncio.get_running_loop() is qloop


async def test_error_a_task_is_left(qloop):
    kept.append(asyncio.create_task(asyncio.Event().wait()))
    await asyncio.sleep(0)


async def test_error_an_exception_that_nobody_saw(qloop):
    async def fail():
        raise ValueError

    asyncio.create_task(fail())
    await asyncio.sleep(0.01)


class TestMethods:
    async def test_passed_async_method(self, qloop):
        await asyncio.sleep(0)


@pytest.mark.large
def test_skipped_large():
    assert False
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    shutil.copy(HERE / "conftest.py", tmp_path)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def run(suite: Path, tests: str, *arguments: str, failed_checks: str = "") -> subprocess.CompletedProcess[str]:
    (suite / "test_it.py").write_text(tests)
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--tb=no", *arguments, "test_it.py"],
        cwd=suite,
        env={**os.environ, "LMSP_FAILED_CHECKS": failed_checks},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_test_that_leaves_something_behind_is_told_from_one_that_does_not(suite: Path) -> None:
    said = run(suite, GUILTY_AND_INNOCENT, "-v").stdout

    ends = re.findall(r"^test_it.py::(?:\w+::)?test_(\w+?)_(\w+)(?:\[\w+\])? (\w+)( +\[|$| \()", said, re.MULTILINE)
    assert len(ends) >= 19, said
    last = {what: end.lower() for _, what, end, _ in ends}  # an error of the teardown comes after the test's own end
    assert last == {what: expected for expected, what, _, _ in ends}


def test_a_large_test_runs_when_it_is_asked_for(suite: Path) -> None:
    tests = "import pytest\n@pytest.mark.large\ndef test_it():\n    pass\n"

    assert "1 skipped" in run(suite, tests).stdout
    assert "1 passed" in run(suite, tests, "--large").stdout


def test_a_check_that_failed_before_is_in_the_closing_line(suite: Path) -> None:
    done = run(suite, "def test_it():\n    pass\n", failed_checks="ruff check, mypy")

    assert done.returncode == 1
    assert re.fullmatch(r"=+ 1 passed, 2 errors in [\d.]+s =+", done.stdout.strip().split("\n")[-1])
    assert "ERROR ruff check" in done.stdout


def test_nothing_failed_and_nothing_is_added(suite: Path) -> None:
    done = run(suite, "def test_it():\n    pass\n")

    assert done.returncode == 0
    assert re.fullmatch(r"=+ 1 passed in [\d.]+s =+", done.stdout.strip().split("\n")[-1])
