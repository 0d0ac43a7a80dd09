import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from inspector import __version__
from inspector.cli import command_line
from inspector.commands.group import PROGRAM, CommandLine, Late
from inspector.layout.opened import Mode
from inspector.reading.errors import Unanswered
from inspector.reading.reader import Reader
from inspector.reading.requests import Request
from tests.commands.databases import BUFFERED, ROOT, by_hand, foreign, one_of_each, run

NAMES = ["init", "tasks", "events", "cancel", "recover", "export"]
"""The commands without a window."""


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(command_line, arguments, prog_name=PROGRAM)


def test_the_help_lists_the_commands_there_are_and_no_other() -> None:
    result = invoke("--help")
    listed = result.stdout.partition("Commands:\n")[2].splitlines()
    assert (result.exit_code, result.stderr) == (0, "")
    assert [line.split()[0] for line in listed] == command_line.list_commands(click.Context(command_line))
    assert set(NAMES) < {line.split()[0] for line in listed}


@pytest.mark.parametrize("name", NAMES)
def test_a_command_says_of_itself_what_the_list_says(name: str) -> None:
    context = click.Context(command_line)
    command = command_line.get_command(context, name)
    assert command is not None
    assert command.name == name
    [line] = [line for line in invoke("--help").stdout.splitlines() if line.split()[:1] == [name]]
    assert set(command.get_short_help_str(200).rstrip(".").lower().split()[:2]) <= set(line.lower().split())


@pytest.mark.parametrize("name", NAMES)
def test_the_help_of_a_command_fits_a_terminal(name: str) -> None:
    result = invoke(name, "--help")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith(f"Usage: lmsp-inspector {name} [OPTIONS] DB")
    assert len(result.stdout.splitlines()) < 30


def test_the_modes_of_the_help_are_those_of_the_reader() -> None:
    assert f"[{'|'.join(Mode)}]" in invoke("tasks", "--help").stdout


def test_the_version_is_told() -> None:
    assert invoke("--version").stdout == f"lmsp-inspector {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--nonsense",), "--nonsense"),
        (("nonsense", "x"), "unexpected extra argument (x)"),
        (("",), "the path is empty"),
        (("tasks",), "Missing argument 'DB'"),
        (("tasks", "x", "y"), "y"),
        (("tasks", "x", "--limit"), "--limit"),
        (("tasks", "x", "--mode", "fast"), "'live', 'resting', 'crashed', 'copy'"),
        (("events", "x"), "Missing argument 'TASK'"),
        (("tasks", "x", "--\x1b[2J\nb"), "[2J"),
    ],
)
def test_arguments_that_cannot_be_used_end_in_one_line(arguments: tuple[str, ...], says: str) -> None:
    result = invoke(*arguments)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert result.stderr.startswith("lmsp-inspector")
    assert says in result.stderr
    assert result.stderr[:-1].isprintable()


def a_group_with_a_window() -> CommandLine:
    @click.command
    @click.argument("database", required=False)
    @click.option("--task")
    def window(database: str | None, task: str | None) -> None:
        click.echo(f"window {database} {task}")

    @click.command
    def tasks() -> None:
        click.echo("tasks")

    return CommandLine(
        name=PROGRAM,
        late={"tasks": Late(lambda: tasks, "List tasks.")},
        window=Late(lambda: window, "Open the window."),
        params=[click.Option(["--version"], is_flag=True)],
    )


@pytest.mark.parametrize(
    ("arguments", "runs"),
    [
        ([], "window None None"),
        (["lmsp.db"], "window lmsp.db None"),
        (["lmsp.db", "--task", "t"], "window lmsp.db t"),
        (["--task", "t", "lmsp.db"], "window lmsp.db t"),
        (["--task=t"], "window None t"),
        (["./tasks"], "window ./tasks None"),
        (["--", "--odd"], "window --odd None"),
        ([""], "window  None"),
        (["tasks"], "tasks"),
        (["--version", "tasks"], "tasks"),
    ],
)
def test_what_begins_with_no_command_is_for_the_window(arguments: list[str], runs: str) -> None:
    result = CliRunner().invoke(a_group_with_a_window(), arguments)
    assert (result.exit_code, result.stdout) == (0, f"{runs}\n")


def test_the_windows_own_mistakes_name_no_command() -> None:
    result = CliRunner().invoke(a_group_with_a_window(), ["a", "b", "c"], prog_name=PROGRAM)
    assert result.exit_code == 2
    assert result.stderr.startswith("lmsp-inspector: Got unexpected extra arguments (b c)")
    assert result.stderr.endswith(" Try 'lmsp-inspector --help'.\n")


def test_the_group_answers_other_callers_without_ending_their_program() -> None:
    assert command_line.main(["--version"], prog_name=PROGRAM, standalone_mode=False) == 0
    with pytest.raises(click.UsageError):
        command_line.main(["tasks"], prog_name=PROGRAM, standalone_mode=False)


LOADED = "import sys, inspector.cli; print(*sorted(sys.modules))"
LIST = """
import sys, inspector.cli
try:
    inspector.cli.main()
finally:
    print(*sorted(sys.modules), file=sys.stderr)
"""


def test_an_error_of_a_command_is_not_told_as_one_of_the_output() -> None:
    def fails() -> None:
        raise PermissionError(13, "Permission denied", "elsewhere")

    group = CommandLine(late={"fails": Late(lambda: click.Command("fails", callback=fails), "It fails.")})
    with pytest.raises(PermissionError):
        group.main(["fails"])


def test_the_command_line_is_imported_without_a_room_that_reads_or_writes() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    heavy = {
        "PySide6",
        "sqlite3",
        "sqlite_utils",
        "asyncio",
        "inspector.store",
        "inspector.reading",
        "inspector.desktop",
    }
    assert loaded & heavy == set()


@pytest.mark.parametrize("arguments", [["tasks", "DB", "--json"], ["events", "DB", "running", "--json"], ["--help"]])
def test_reading_imports_nothing_that_writes(tmp_path: Path, arguments: list[str]) -> None:
    path = one_of_each(tmp_path / "lmsp.db")
    words = [str(path) if word == "DB" else word for word in arguments]
    done = subprocess.run([sys.executable, "-c", LIST, *words], cwd=ROOT, capture_output=True, text=True, check=True)
    assert set(done.stderr.split()) & {"PySide6", "sqlite_utils", "inspector.store", "inspector.desktop"} == set()


@pytest.mark.process
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_reader_of_the_output_that_goes_ends_the_program_quietly(
    tmp_path: Path, options: list[str], unbuffered: str
) -> None:
    rows = [(f"task-{at:05}-{'x' * 100}", "queued", None) for at in range(2_000)]
    path = foreign(tmp_path / "other.db", *rows)
    command = [sys.executable, "-m", "inspector", "tasks", str(path), "--limit", "2000", *options]
    env = {**BUFFERED, "PYTHONUNBUFFERED": unbuffered}
    with subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=50) == 141


@pytest.mark.process
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_full_disk_behind_standard_output_is_said(tmp_path: Path, options: list[str], unbuffered: str) -> None:
    path = one_of_each(tmp_path / "lmsp.db")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-W", "error", "-m", "inspector", "tasks", path, *options],
            cwd=ROOT,
            env={**BUFFERED, "PYTHONUNBUFFERED": unbuffered},
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr == b"lmsp-inspector: Standard output cannot be written: No space left on device.\n"


@pytest.mark.parametrize(("number", "code"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_a_signal_that_sqlite_drops_is_why_a_read_was_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: str, code: int
) -> None:
    def answer(_reader: Reader, _request: Request, *, deadline_ms: int) -> object:
        with contextlib.suppress(KeyboardInterrupt, SystemExit):
            signal.raise_signal(signal.Signals[number])
        raise Unanswered(f"This took too long to read and was stopped: {deadline_ms}.")

    monkeypatch.setattr(Reader, "answer", answer)
    result = invoke("tasks", str(one_of_each(tmp_path / "lmsp.db")))
    assert (result.exit_code, result.stdout, result.stderr) == (code, "", "")
    monkeypatch.undo()
    assert invoke("tasks", str(tmp_path / "nothing.db")).exit_code == 2


def test_signals_are_handled_as_before_once_the_program_has_ended() -> None:
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(number) for number in numbers]
    assert invoke("tasks", "/nowhere").exit_code == 2
    assert [signal.getsignal(number) for number in numbers] == before


@pytest.mark.process
def test_a_program_that_outlives_its_terminal_is_left_to_do_so(tmp_path: Path) -> None:
    path = foreign(tmp_path / "other.db", ("t", "running", None))
    script = f"trap '' HUP; exec '{sys.executable}' -m inspector events '{path}' t --follow --json"
    with subprocess.Popen(["sh", "-c", script], cwd=ROOT, env=BUFFERED, stdout=subprocess.PIPE) as follower:
        assert follower.stdout is not None
        follower.stdout.readline()
        follower.send_signal(signal.SIGHUP)
        by_hand(path, "INSERT INTO task_events VALUES ('t', 2, 'a', 'b', '1')")
        assert json.loads(follower.stdout.readline())["seq"] == 2
        follower.send_signal(signal.SIGTERM)
        assert follower.wait(timeout=50) == 143


@pytest.mark.process
@pytest.mark.parametrize("closing", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_do_no_harm(tmp_path: Path, closing: str) -> None:
    path = one_of_each(tmp_path / "lmsp.db")
    script = f"exec '{sys.executable}' -m inspector cancel '{path}' queued --json {closing}"
    done = subprocess.run(["sh", "-c", script], cwd=ROOT, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    shown = json.loads(run("tasks", path, "--json", "--status", "cancelled").stdout)
    assert {row["id"] for row in shown["tasks"]} == {"queued", "cancelled"}


@pytest.mark.process
def test_the_installed_command_is_the_program(tmp_path: Path) -> None:
    command = Path(sys.executable).with_name(PROGRAM)
    if not command.exists():
        pytest.skip("not installed here")
    done = subprocess.run(
        [command, "tasks", one_of_each(tmp_path / "lmsp.db"), "--json"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=True,
    )
    assert len(json.loads(done.stdout)["tasks"]) == 7


@pytest.mark.parametrize("arguments", [[], ["some.db"]])
def test_a_display_that_nobody_serves_is_none(tmp_path: Path, arguments: list[str]) -> None:
    environment = {
        name: value for name, value in os.environ.items() if name not in ("QT_QPA_PLATFORM", "WAYLAND_DISPLAY")
    }
    done = subprocess.run(
        [sys.executable, "-m", "inspector", *arguments],
        env={**environment, "DISPLAY": ":987", "WAYLAND_DISPLAY": "nobody-9"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("lmsp-inspector: There is no display here.")
    assert done.stderr.count("\n") == 1
