"""The command line: arguments in, exit status out (design 7).

Each command is imported when it is asked for: a list of tasks needs no writer, and nothing but a window needs Qt.
"""

# ruff: noqa: ARG002, PLC0415  click's methods take what click passes; the late imports are what this module is for

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, Final, NoReturn

import click

from inspector import __version__
from inspector.commands.arguments import FilePath, TaskId, database_argument
from inspector.commands.clock import Clock
from inspector.commands.ending import INTERRUPTED, NOBODY_READS, NotDone
from inspector.commands.output import discard_output, write_error, write_lines
from inspector.layout.visible import visible

PROGRAM: Final = "lmsp-inspector"
_NO_COMMAND: Final = "\0"
"""Stands for the command of no name. No argument can hold it, so no file is shadowed by it."""


@dataclass(frozen=True, slots=True)
class Late:
    """A command that is not imported yet: how to, and its line in the list of commands."""

    load: Callable[[], click.Command]
    line: str


class CommandLine(click.Group):
    """The group of all commands, and what every one of them has in common: how it ends.

    ``window``, where it is given, takes the arguments that do not begin with the name of a command:
    ``[DB] [--task ID]``. A file that is named like a command is ``./tasks``.
    """

    def __init__(self, *, late: Mapping[str, Late], window: Late | None = None, **settings: Any) -> None:  # noqa: ANN401  click's own
        super().__init__(no_args_is_help=False, **settings)
        self._late = late
        self._window = window

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands, in the order of their table."""
        return [*self._late]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command of this name and return it, or None where there is none."""
        late = self._window if cmd_name == _NO_COMMAND else self._late.get(cmd_name)
        return None if late is None else late.load()

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing one of them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, late.line) for name, late in self._late.items()])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take the options of the program; what begins with no command is for the window."""
        own = {word for param in self.get_params(ctx) for word in param.opts}
        if self._window is not None and (not args or args[0] not in own | set(self._late)):
            args = [_NO_COMMAND, *args]
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; that of the window has no name in what a person reads."""
        name, command, rest = super().resolve_command(ctx, args)
        return "" if name == _NO_COMMAND else name, command, rest

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; Ctrl+C and a reader of the output that has gone end it quietly."""
        try:
            with _ended_by_signals():
                return super().invoke(ctx)
        except KeyboardInterrupt:
            raise click.exceptions.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            discard_output()
            raise click.exceptions.Exit(NOBODY_READS) from None

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,  # noqa: ANN401  click's own
    ) -> Any:  # noqa: ANN401  click's own
        """Run the program and exit: with one line on standard error where it was not done, never more."""
        try:
            status = super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
        except click.ClickException as error:
            if not standalone_mode:
                raise
            write_error(_line_of(error))
            status = error.exit_code
        if not standalone_mode:
            return status
        sys.exit(status if isinstance(status, int) else 0)


def _line_of(error: click.ClickException) -> str:
    sentence = " ".join(error.format_message().split("\n"))
    if not isinstance(error, click.UsageError) or error.ctx is None:
        return f"{PROGRAM}: {sentence}"
    path = error.ctx.command_path.rstrip()
    return f"{path}: {sentence} Try '{path} --help'."


@contextlib.contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Let the signals that end a program run its clean-up first: a private copy of a database is not left behind."""
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    # What was set to be ignored (nohup) or is handled stays as it is.
    mine = [number for number, handler in before.items() if handler is signal.SIG_DFL]
    for number in mine:
        signal.signal(number, _end)
    try:
        yield
    finally:
        for number in mine:
            signal.signal(number, signal.SIG_DFL)


def _end(number: int, _frame: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)


def _init() -> click.Command:
    from inspector.commands.init import init

    return init


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


def _window() -> click.Command:
    return show_window


def _demo() -> click.Command:
    return demo


def _tour() -> click.Command:
    return tour


@click.command(name="")
@click.argument("database", metavar="[DB]", required=False, type=FilePath())
@click.option("--task", "task_id", metavar="ID", type=TaskId(), help="The task to show first.")
def show_window(database: Path | None, task_id: str | None) -> None:
    """Show the window, with DB open in it."""
    if not _has_display():
        raise NotDone("There is no display here. `tour DB DIR` makes pictures, and the other commands need none.")
    from inspector.desktop.session.launch import Target, launch_reader

    target = None if database is None else Target(database)
    # The reader is at work on the file while Qt is still being loaded.
    reader = None if target is None else launch_reader(target)
    from inspector.desktop.app import run_window

    run_window(target, task_id=task_id, reader=reader)


@click.command()
@click.option("--scenario", "name", metavar="NAME", default="crash", show_default=True, help="What is played.")
@click.option(
    "--speed", metavar="X", type=click.FloatRange(0.1, 20), default=1.0, show_default=True, help="So much faster."
)
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
            from inspector.desktop.app import run_demo

            run_demo(scenario, speed=speed)
    else:
        with _shown(folder):
            from inspector.desktop.app import run_demo_tour

            run_demo_tour(scenario, folder, lambda made: write_lines(visible(str(made))), speed=speed)


@click.command()
@database_argument
@click.argument("folder", metavar="DIR", type=FilePath())
def tour(database: Path, folder: Path) -> None:
    """Save pictures of every view of DB in DIR, without a display."""
    from inspector.desktop.session.launch import Target

    with _shown(folder):
        from inspector.desktop.app import run_tour

        run_tour(Target(database), folder, lambda made: write_lines(visible(str(made))))


@contextlib.contextmanager
def _shown(folder: Path | None = None) -> Iterator[None]:
    """Prepare for a window, or for pictures in ``folder``; what cannot be shown ends as one sentence."""
    if folder is not None:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise NotDone(f"The folder {folder} cannot be made: {error.strerror}.") from error
    from inspector.desktop.tour import TourFailed

    try:
        yield
    except TourFailed as error:
        raise NotDone(error.sentence) from error


def _has_display() -> bool:
    """Say whether a window can be shown: without one Qt ends the whole process."""
    platform = os.environ.get("QT_QPA_PLATFORM", "")
    by_system = sys.platform in ("darwin", "win32")
    display = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    return by_system or bool(display) or platform.split(":")[0] in ("offscreen", "minimal", "vnc", "linuxfb")


@click.command(
    cls=CommandLine,
    window=Late(_window, ""),
    late={
        "demo": Late(_demo, "Show a simulated service at work."),
        "tour": Late(_tour, "Save pictures of every view of a database."),
        "init": Late(_init, "Create a new, empty database in the native layout."),
        "tasks": Late(_tasks, "List tasks, newest first."),
        "events": Late(_events, "List the events of a task, and follow them."),
        "cancel": Late(_cancel, "Ask a task to stop."),
        "recover": Late(_recover, "Show what a restart does to unfinished tasks, or do it."),
    },
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name=PROGRAM, message="%(prog)s %(version)s")
@click.pass_context
def command_line(ctx: click.Context) -> None:
    """Look into the database of an LMSP service.

    DB is the database file. Reading never changes it. Exit status: 0 done, 1 refused by a rule or not there,
    2 unusable input.
    """
    if ctx.obj is None:
        ctx.obj = Clock(now_ms=lambda: time.time_ns() // 1_000_000, wait=time.sleep)


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
