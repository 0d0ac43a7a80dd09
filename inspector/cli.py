"""The command line: arguments in, exit status out (design 7).

Each command is imported when it is asked for: a list of tasks needs no writer, and nothing but a window needs Qt.
"""

# ruff: noqa: PLC0415  the late imports are what this module is for

import contextlib
import gc
import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import NoReturn

import click

from inspector import __version__
from inspector.commands.arguments import (
    FilePath,
    RealNumber,
    StoredId,
    database_argument,
    layout_option,
    mode_option,
)
from inspector.commands.clock import Clock
from inspector.commands.early import end_at_once
from inspector.commands.ending import NotDone
from inspector.commands.group import PROGRAM, CommandLine, Late
from inspector.commands.output import write_error, write_lines
from inspector.layout.opened import Mode
from inspector.layout.visible import visible


def _init() -> click.Command:
    from inspector.commands.init import init

    return init


def _simulate() -> click.Command:
    from inspector.commands.simulate import simulate

    return simulate


def _tasks() -> click.Command:
    from inspector.commands.tasks import tasks

    return tasks


def _events() -> click.Command:
    from inspector.commands.events import events

    return events


def _cancel() -> click.Command:
    from inspector.commands.cancel import cancel

    return cancel


def _recover() -> click.Command:
    from inspector.commands.recover import recover

    return recover


def _retention() -> click.Command:
    from inspector.commands.retention import retention

    return retention


def _layout() -> click.Command:
    from inspector.commands.layout import layout

    return layout


def _check() -> click.Command:
    from inspector.commands.check import check

    return check


def _health() -> click.Command:
    from inspector.commands.health import health

    return health


def _tables() -> click.Command:
    from inspector.commands.tables import tables

    return tables


def _sql() -> click.Command:
    from inspector.commands.sql import sql

    return sql


def _export() -> click.Command:
    from inspector.commands.export import export_command

    return export_command


def _window() -> click.Command:
    return show_window


def _demo() -> click.Command:
    return demo


def _tour() -> click.Command:
    return tour


@click.command(name="")
@click.argument("database", metavar="[DB]", required=False, type=FilePath())
@click.option("--task", "task_id", metavar="ID", type=StoredId(), help="The task to show first.")
@mode_option
@layout_option
def show_window(database: Path | None, task_id: str | None, mode: Mode | None, layout: Path | None) -> None:
    """Show the window, with DB open in it."""
    if not _has_display():
        raise NotDone("There is no display here. `tour DB DIR` makes pictures, and the other commands need none.")
    _end_at_once()
    from inspector.desktop.session.launch import Target, launch_with_first_page

    # While modules are loaded there is no garbage, and looking for it takes long; the window begins with it again.
    gc.disable()
    target = None if database is None else Target(database, mode, layout)
    # The reader is at work on the file while Qt is still being loaded.
    reader = None if target is None else launch_with_first_page(target)
    from inspector.desktop.app import run_window

    run_window(target, task_id=task_id, reader=reader)


@click.command()
@click.option("--scenario", "name", metavar="NAME", default="crash", show_default=True, help="What is played.")
@click.option("--speed", metavar="X", type=RealNumber(0.1, 20), default=1.0, show_default=True, help="So much faster.")
@click.option("--tour", "folder", metavar="DIR", type=FilePath(), help="Save pictures of every view in DIR, and end.")
def demo(name: str, speed: float, folder: Path | None) -> None:
    """Show a simulated service at work: its tasks, a crash, a restart, the recovery.

    It runs on a scratch database, which is removed at the end. Without a display it makes pictures, as with --tour.
    """
    from inspector.demo.scenarios import InvalidScenario, find_scenario

    try:
        scenario = find_scenario(name)
    except InvalidScenario as error:
        raise NotDone(error.sentence) from error
    if folder is None and not _has_display():
        folder = Path("lmsp-tour")
        write_error(f"{PROGRAM} demo: There is no display here: making pictures in ./{folder} instead.")
    if folder is None:
        with _shown():
            from inspector.desktop.demo_app import run_demo

            run_demo(scenario, speed=speed)
    else:
        with _shown(folder):
            from inspector.desktop.demo_app import run_demo_tour

            ended = run_demo_tour(scenario, folder, lambda made: write_lines(visible(str(made))), speed=speed)
        raise click.exceptions.Exit(ended)


@click.command()
@database_argument
@click.argument("folder", metavar="DIR", type=FilePath())
@layout_option
def tour(database: Path, folder: Path, layout: Path | None) -> None:
    """Save pictures of every view of DB in DIR, without a display."""
    from inspector.desktop.session.launch import Target

    with _shown(folder):
        from inspector.desktop.app import run_tour

        ended = run_tour(Target(database, layout=layout), folder, lambda made: write_lines(visible(str(made))))
    raise click.exceptions.Exit(ended)


@contextlib.contextmanager
def _shown(folder: Path | None = None) -> Iterator[None]:
    """Prepare for a window, or for pictures in ``folder``; what cannot be shown ends as one sentence."""
    made: list[Path] = []
    if folder is not None:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        try:
            made = [each for each in (folder, *folder.parents) if not each.exists()]
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise NotDone(f"The folder {folder} cannot be made: {error.strerror}.") from error
    _end_at_once(made)
    try:
        from inspector.desktop.tour import TourFailed

        try:
            yield
        except TourFailed as error:
            raise NotDone(error.sentence) from error
    finally:
        _remove_empty(made)


def _end_at_once(made: Sequence[Path] = ()) -> None:
    """Let a signal end the program at once while Qt is being loaded; with its loop it takes things apart in order.

    What was ``made`` for it, and is still empty, is removed.
    """

    def end(number: int, frame: FrameType | None) -> NoReturn:
        _remove_empty(made)
        end_at_once(number, frame)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)


def _remove_empty(folders: Sequence[Path]) -> None:
    """Remove those of the folders, each within the next one, that nothing was put into."""
    for folder in folders:
        with contextlib.suppress(OSError):
            folder.rmdir()


def _has_display() -> bool:
    """Say whether a window can be shown: without one Qt ends the whole process."""
    platform = os.environ.get("QT_QPA_PLATFORM", "")
    if sys.platform in ("darwin", "win32") or platform.split(":")[0] in ("offscreen", "minimal", "vnc", "linuxfb"):
        return True
    wayland = os.environ.get("WAYLAND_DISPLAY")
    if wayland and _answers(str(Path(os.environ.get("XDG_RUNTIME_DIR", "/run"), wayland))):
        return True
    host, _, number = os.environ.get("DISPLAY", "").rpartition(":")
    if host not in ("", "unix"):
        # Another machine's, over the network: whether it answers is for Qt to find out.
        return True
    place = f"/tmp/.X11-unix/X{number.split('.')[0]}"  # noqa: S108  where X servers listen
    return bool(number) and (_answers(f"\0{place}") or _answers(place))


def _answers(place: str) -> bool:
    """Say whether somebody listens on the local socket of this name."""
    import socket

    with socket.socket(socket.AF_UNIX) as line:
        return line.connect_ex(place) == 0


@click.command(
    cls=CommandLine,
    window=Late(_window, ""),
    late={
        "demo": Late(_demo, "Show a simulated service at work."),
        "tour": Late(_tour, "Save pictures of every view of a database."),
        "init": Late(_init, "Create a new, empty database in the native layout."),
        "simulate": Late(_simulate, "Create a database with a large history that is made up."),
        "tasks": Late(_tasks, "List tasks, newest first."),
        "events": Late(_events, "List the events of a task, and follow them."),
        "cancel": Late(_cancel, "Ask a task to stop."),
        "recover": Late(_recover, "Show what a restart does to unfinished tasks, or do it."),
        "retention": Late(_retention, "Show what cleanup deletes of finished tasks, or do it."),
        "check": Late(_check, "Check a database against the rules of section 11."),
        "health": Late(_health, "Say what of a damaged file can be read."),
        "tables": Late(_tables, "List every table, or the rows of one as they are stored."),
        "layout": Late(_layout, "Describe the layout that a database is read as."),
        "export": Late(_export, "Write all tasks and events to files, secrets taken out."),
        "sql": Late(_sql, "Run one statement that only reads."),
    },
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name=PROGRAM, message="%(prog)s %(version)s")
@click.pass_context
def command_line(ctx: click.Context) -> None:
    """Look into the database of an LMSP service.

    Without a command, `lmsp-inspector [DB] [--task ID]` shows the window. DB is the database file; reading never
    changes it, and one that is named like a command is ./tasks. Exit status: 0 done, 1 refused by a rule or not there,
    2 unusable input.
    """
    if ctx.obj is None:
        ctx.obj = Clock(now_ms=lambda: time.time_ns() // 1_000_000, wait=command_line.unless_ended(time.sleep))


def main() -> None:
    """Run the program and exit: what the installed command calls.

    A frozen program starts its reader and its demo with itself, and tells them by their first argument.
    """
    match sys.argv[1:2]:
        case ["--run-reader"]:
            from inspector.reading.__main__ import main as read

            sys.exit(read(sys.argv[2:]))
        case ["--run-demo"]:
            from inspector.demo.__main__ import main as play

            sys.exit(play(sys.argv[2:], command=[sys.executable, "--run-demo"]))
        case _:
            command_line.main(prog_name=PROGRAM)
