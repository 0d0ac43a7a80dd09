"""What every test gets: async tests, Qt's event loop for them, and a look at what each test left behind.

Tests outside ``tests/desktop`` run without Qt installed, so nothing here imports Qt before a test has asked for it.
"""

import asyncio
import gc
import inspect
import logging
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import hypothesis
import pytest

from tests.support.subject import NAME, OURS

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

hypothesis.settings.register_profile("lmsp", deadline=None, print_blob=True)  # this machine's speed is no property
hypothesis.settings.load_profile("lmsp")

ASYNC_TEST_TAKES_AT_MOST_S = 30

PROVED: Final = pytest.StashKey[list[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--large", action="store_true", help="run the tests marked large, and the proofs at full size")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[PROVED] = []
    # Plain pytest works on a machine without a display, as packaging/test does.
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    large = config.getoption("--large")
    for item in items:
        if item.get_closest_marker("large") and not large:
            item.add_marker(pytest.mark.skip(reason="large; run with --large"))
        if item.get_closest_marker("ours") and NAME != OURS:
            item.add_marker(pytest.mark.skip(reason=f"about the inside of {OURS}"))


def pytest_collection_finish() -> None:
    _pass_over_what_lives()


def pytest_sessionfinish(session: pytest.Session) -> None:
    if session.exitstatus == pytest.ExitCode.OK and _failed_checks():
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if config.stash[PROVED]:
        terminalreporter.section("proved")
        for line in config.stash[PROVED]:
            terminalreporter.line(line)
    # packaging/test runs other checks first. pytest's closing line is what gets read, so it has to count them.
    for check in _failed_checks():
        report = pytest.CollectReport(check, "failed", longrepr="it failed before pytest began", result=None)
        terminalreporter.stats.setdefault("error", []).append(report)


def _failed_checks() -> list[str]:
    return [check for check in os.environ.get("LMSP_FAILED_CHECKS", "").split(", ") if check]


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run an async test on Qt's loop if it asks for ``qloop``, and on a plain loop if it has nothing to do with Qt."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    test = pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names})

    async def limited() -> None:
        async with asyncio.timeout(ASYNC_TEST_TAKES_AT_MOST_S):
            await test

    loop = pyfuncitem.funcargs.get("qloop")
    if isinstance(loop, asyncio.AbstractEventLoop):
        loop.run_until_complete(limited())
    elif "qapp" in pyfuncitem.funcargs:
        test.close()
        pytest.fail(
            "an async test with Qt needs the fixture qloop: on a plain loop Qt would stand still", pytrace=False
        )
    else:
        asyncio.run(limited())
    return True


@pytest.fixture
def large(pytestconfig: pytest.Config) -> bool:
    """Say whether a proof runs at its full size (``--large``), not at the size that each run can afford."""
    return bool(pytestconfig.getoption("--large"))


@pytest.fixture
def proved(pytestconfig: pytest.Config) -> Callable[[str], None]:
    """Give a way to say, in the summary of the run, what a proof has seen: one line with its figures."""
    return pytestconfig.stash[PROVED].append


@pytest.fixture
def qloop(qapp: "QApplication") -> Iterator[asyncio.AbstractEventLoop]:
    """Qt's event loop as asyncio's. A task that the test leaves running, or an exception that nobody saw, fails it."""
    from qasync import QEventLoop  # noqa: PLC0415 # most rooms' tests run without Qt

    loop: asyncio.AbstractEventLoop = QEventLoop(qapp)
    asyncio.set_event_loop(loop)
    unseen: list[dict[str, Any]] = []
    loop.set_exception_handler(lambda _, context: unseen.append(context))
    yield loop
    left = asyncio.all_tasks(loop)
    for task in left:
        task.cancel()
    if left:
        # Not gather: a task that a nested event loop has broken never ends.
        loop.run_until_complete(asyncio.wait(left, timeout=1))
    names = [repr(task.get_coro()) for task in left]
    left.clear()
    loop.run_until_complete(loop.shutdown_asyncgens())
    gc.collect()  # a task tells of its exception when it goes
    loop.close()
    asyncio.set_event_loop(None)
    assert not unseen, "exceptions that nobody saw"
    assert not names, "tasks that the test left running"


@pytest.fixture(scope="session", autouse=True)
def own_user_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Settings and logs go into a folder of the test run, never into those of the person who runs it."""
    folder = tmp_path_factory.mktemp("user")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
            patch.setenv(name, str(folder / name.lower()))
        yield


@pytest.fixture(autouse=True)
def connections_end() -> Iterator[None]:
    """Close every connection that the test opened, and fail on one with an open transaction."""
    opened: list[sqlite3.Connection] = []
    connect = sqlite3.connect

    def connect_and_remember(*args: Any, **kwargs: Any) -> sqlite3.Connection:  # noqa: ANN401 # sqlite3's own
        connection: sqlite3.Connection = connect(*args, **kwargs)
        opened.append(connection)
        return connection

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite3, "connect", connect_and_remember)
        yield
    in_transaction = 0
    for connection in opened:
        try:
            in_transaction += connection.in_transaction
            connection.close()
        except sqlite3.ProgrammingError:
            pass  # closed already, or another thread's own
    assert not in_transaction, "connections with an open transaction"


@pytest.fixture(autouse=True)
def no_stray_log_records(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail on a log record at warning or above, unless the test looks at the log itself, with ``caplog``."""
    if "caplog" in request.fixturenames:
        yield
        return
    records: list[str] = []

    class Keeper(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            records.append(f"{record.name}: {record.getMessage()}")

    keeper = Keeper(logging.WARNING)
    logging.getLogger().addHandler(keeper)
    yield
    logging.getLogger().removeHandler(keeper)
    assert not records, "log records that the test did not expect"


@pytest.fixture(autouse=True)
def nothing_left_behind(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail on a live thread, and after a test with Qt on a running timer or a window."""
    before = set(threading.enumerate())
    if "qapp" in request.fixturenames:
        _pass_over_what_lives()
    yield
    threads = [thread for thread in threading.enumerate() if thread not in before]
    for thread in threads:
        thread.join(timeout=2)
    left = [thread.name for thread in threads if thread.is_alive()]
    if "qapp" in request.fixturenames:
        left += _left_in_qt()
    assert not left, "left behind by the test"


def _pass_over_what_lives() -> None:
    """Let the look for leftovers walk over what is made from now on alone: that takes microseconds, whatever was."""
    gc.collect()
    gc.freeze()


def _left_in_qt() -> list[str]:
    from PySide6.QtCore import QCoreApplication, QEvent, QTimer  # noqa: PLC0415 # most rooms' tests run without Qt
    from PySide6.QtWidgets import QApplication  # noqa: PLC0415
    from shiboken6 import isValid  # noqa: PLC0415

    # Qt deletes what was told deleteLater only in a running event loop.
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    gc.collect()
    # A tooltip's window is Qt's own, and goes when its time is up.
    windows = [
        window
        for window in QApplication.topLevelWidgets()
        if window.parentWidget() is None and window.metaObject().className() != "QTipLabel"
    ]
    timers = [
        thing for thing in gc.get_objects() if issubclass(type(thing), QTimer) and isValid(thing) and thing.isActive()
    ]
    left = [repr(thing) for thing in (*windows, *timers)]
    # The next test is not to blame.
    for timer in timers:
        timer.stop()
    for window in windows:
        window.close()
        window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    return left


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that private copies are made in, empty before."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder
