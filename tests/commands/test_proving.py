"""Each reading command says in its document how the file was opened, and with --proof that it is as it was."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from inspector.cli import command_line
from inspector.commands.clock import Clock
from inspector.commands.output import utc
from tests.commands.databases import NOW, killed_service, one_of_each, service, without_shm

COMMANDS: dict[str, tuple[str, ...]] = {
    "tasks": ("tasks", "DB"),
    "events": ("events", "DB", "completed"),
    "check": ("check", "DB"),
    "recover": ("recover", "DB"),
    "retention": ("retention", "DB", "--keep", "1d"),
    "health": ("health", "DB"),
    "tables": ("tables", "DB"),
    "rows": ("tables", "DB", "tasks"),
    "sql": ("sql", "DB", "SELECT 1"),
}


def run(path: Path, command: str, *options: str, now_ms: Callable[[], int] = lambda: NOW) -> Result:
    arguments = [str(path) if each == "DB" else each for each in COMMANDS[command]]
    return CliRunner().invoke(command_line, [*arguments, *options], obj=Clock(now_ms, lambda _s: None))


def document(path: Path, command: str, *options: str) -> dict[str, Any]:
    result = run(path, command, "--json", *options)
    assert (result.exit_code, result.stderr) == (0, "")
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.fixture(scope="module")
def seven(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return one_of_each(tmp_path_factory.mktemp("db") / "lmsp.db")


@pytest.mark.parametrize("command", COMMANDS)
def test_the_document_says_how_the_file_was_opened(seven: Path, command: str) -> None:
    opened = document(seven, command)["opened"]

    assert list(opened) == ["mode", "why", "notes", "holder", "layout", "last_moment"]
    assert (opened["mode"], opened["holder"], opened["layout"]) == ("resting", None, "native")
    assert opened["why"] == "No process has it open. Read in place, nothing created."
    assert f"Last moment in it: {utc(opened['last_moment'])}" in run(seven, command).stdout.splitlines()


def test_what_writes_has_no_proof(seven: Path) -> None:
    for command in (["retention", "--keep", "1d", "--apply"], ["recover", "--apply"]):
        arguments = [command[0], str(seven), *command[1:], "--proof"]
        result = CliRunner().invoke(command_line, arguments, obj=Clock(lambda: NOW, lambda _s: None))
        assert result.exit_code == 2
        assert "--proof is for the preview." in result.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_the_proof_is_one_line_in_words_and_in_the_document(seven: Path, command: str) -> None:
    proof = document(seven, command, "--proof")["proof"]
    told = run(seven, command, "--proof").stdout.splitlines()

    assert proof in told
    assert proof.startswith("lmsp.db untouched: lmsp.db sha256 ")
    assert f"size {seven.stat().st_size:,}, modified 20" in proof
    assert proof.endswith("; folder same; before 2025-12-01T14:02:17.412Z, after 2025-12-01T14:02:17.412Z.")


def test_without_the_option_no_proof_is_told(seven: Path) -> None:
    assert "proof" not in document(seven, "tasks")
    assert "untouched" not in run(seven, "tasks").stdout


@pytest.mark.process
@pytest.mark.parametrize("left", [killed_service, without_shm])
def test_what_a_killed_service_left_is_proved_with_its_companions(tmp_path: Path, left: Callable[..., Path]) -> None:
    path = left(tmp_path / "lmsp.db", ("completed", "running", "fail"))

    proof = document(path, "tasks", "--proof")["proof"]

    assert proof.startswith("lmsp.db untouched: ")
    assert "lmsp.db-wal sha256 " in proof


def test_what_changed_meanwhile_is_named(tmp_path: Path) -> None:
    path = one_of_each(tmp_path / "lmsp.db")
    moments = iter([NOW])

    def somebody_writes() -> int:
        """Leave a note in the folder from the second question for the time on: the first comes before the hash."""
        if next(moments, None) is None:
            (tmp_path / "note.txt").touch()
        return NOW

    proof = run(path, "recover", "--proof", now_ms=somebody_writes).stdout.splitlines()[-1]

    assert proof == (
        "lmsp.db changed meanwhile: note.txt appeared. Before 2025-12-01T14:02:17.412Z, after 2025-12-01T14:02:17.412Z."
    )


@pytest.mark.process
def test_a_live_file_has_no_proof_and_is_not_hashed(tmp_path: Path) -> None:
    with service(tmp_path / "lmsp.db", ("completed", "running", "fail")):
        found = document(tmp_path / "lmsp.db", "tasks", "--proof")

    assert found["opened"]["mode"] == "live"
    assert found["opened"]["holder"] is not None
    assert found["proof"].startswith("No proof: lmsp.db is read live, ")


@pytest.mark.parametrize(
    ("command", "options", "said"),
    [
        ("events", ("--follow",), "--follow and --proof exclude each other"),
        ("recover", ("--apply",), "--proof is for the preview."),
        ("recover", ("--to", "copy.db"), "--proof is for the preview."),
    ],
)
def test_a_proof_is_for_what_ends_and_writes_nothing(
    seven: Path, command: str, options: tuple[str, ...], said: str
) -> None:
    result = run(seven, command, "--proof", *options)

    assert result.exit_code == 2
    assert said in result.stderr


def test_a_file_that_cannot_be_opened_ends_the_command_as_without_a_proof(tmp_path: Path) -> None:
    result = run(tmp_path / "none.db", "tasks", "--proof")

    assert (result.exit_code, result.stdout) == (2, "")
    assert "none.db is not there." in result.stderr
