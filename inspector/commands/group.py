"""The group of all commands: which of them is meant, when it is imported, and how it ends."""

# ruff: noqa: ARG002  click's methods take what click passes

import contextlib
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from traceback import walk_tb
from types import FrameType
from typing import Any, Final, NoReturn

import click

from inspector.commands.early import OWN, end_at_once
from inspector.commands.ending import INTERRUPTED, NOBODY_READS, UNUSABLE
from inspector.commands.output import discard_output, unwritten, write_error

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
        self._signal: int | None = None

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
        """Run the command; Ctrl+C, another signal that ends it, and a reader of the output that went end it quietly."""
        self._signal = None
        try:
            with self._ended_by_signals():
                return super().invoke(ctx)
        except KeyboardInterrupt:
            # Also where SQLite dropped another signal, and only said that it was interrupted.
            raise click.exceptions.Exit(self._status_of_ending()) from None
        except click.ClickException:
            # SQLite drops what is raised while it calls us, and then says that it was interrupted: it was, by a signal.
            if self._signal is None:
                raise
            raise click.exceptions.Exit(_status_of(self._signal)) from None
        except BrokenPipeError:
            discard_output()
            raise click.exceptions.Exit(NOBODY_READS) from None

    def _status_of_ending(self) -> int:
        return INTERRUPTED if self._signal is None else _status_of(self._signal)

    def unless_ended(self, wait: Callable[[float], object]) -> Callable[[float], None]:
        """Return a way to wait that ends the program where a signal said so and was dropped."""

        def waited(seconds: float) -> None:
            if self._signal is not None:
                raise SystemExit(_status_of(self._signal))
            wait(seconds)

        return waited

    @contextlib.contextmanager
    def _ended_by_signals(self) -> Iterator[None]:
        """Let the signals that end a program run its clean-up first: no private copy of a database is left behind."""
        before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
        # What was set to be ignored (nohup) or is handled stays as it is.
        mine = {number for number, handler in before.items() if handler in (*OWN, end_at_once)}
        for number in mine:
            signal.signal(number, self._end)
        try:
            yield
        finally:
            for number in mine:
                signal.signal(number, before[number])

    def _end(self, number: int, _frame: FrameType | None) -> NoReturn:
        self._signal = number
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        raise SystemExit(_status_of(number))

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
        except OSError as error:
            if not _was_writing(error):
                raise
            discard_output()
            write_error(f"{PROGRAM}: {unwritten(error)}")
            status = UNUSABLE
        if not standalone_mode:
            return status
        sys.exit(status if isinstance(status, int) else 0)


def _was_writing(error: OSError) -> bool:
    """Say whether click was writing to standard output itself, a help or the version: commands tell of their own."""
    return any(frame.f_code is click.echo.__code__ for frame, _ in walk_tb(error.__traceback__))


def _line_of(error: click.ClickException) -> str:
    sentence = error.format_message()
    if isinstance(error, click.NoSuchOption) and error.option_name[1:2].isdecimal():
        sentence += " An id that begins with - is written behind --."
    if not isinstance(error, click.UsageError) or error.ctx is None:
        return f"{PROGRAM}: {sentence}"
    path = error.ctx.command_path.rstrip()
    return f"{path}: {sentence} Try '{path} --help'."


def _status_of(number: int) -> int:
    """Return what a shell reports of a program that a signal has ended."""
    return 128 + number
