"""A database of another layout on the command line: read as what it is, described, corrected, and never written to."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from inspector.cli import command_line
from inspector.commands.clock import Clock
from inspector.layout.description import description_from
from tests.support.foreign_databases import SHIPPED, START_S, TASKS, close_names
from tests.support.proof import differences, touch_state
from tests.support.reading_databases import make, read_at


def run(*words: str | Path, now_ms: Callable[[], int] = read_at) -> Result:
    return CliRunner().invoke(command_line, [*map(str, words)], obj=Clock(now_ms, lambda _: None))


def long_after() -> int:
    """Return a moment at which each task has long finished."""
    return 2 * START_S * 1_000


@pytest.mark.parametrize("name", SHIPPED)
def test_each_layout_that_comes_with_the_program_is_listed(tmp_path: Path, name: str) -> None:
    path = SHIPPED[name](tmp_path / "other.db")
    before = touch_state(path)
    told = json.loads(run("tasks", path, "--json").stdout)

    assert [task["id"] for task in told["tasks"]] == list(reversed(TASKS))
    assert f"Read as the layout “{name}”. Actions are off for this file." in told["opened"]["notes"]
    events = json.loads(run("events", path, "first", "--json").stdout)["events"]
    assert [event["type"] for event in events][:1] in (["asked"], ["queued"], ["created"])
    assert "1 left over" in run("recover", path).stdout
    assert differences(before, touch_state(path)) == ()


@pytest.mark.parametrize("name", SHIPPED)
@pytest.mark.parametrize(
    "words", [("cancel", "second"), ("recover", "--apply"), ("retention", "--keep", "1s", "--apply"), ("check",)]
)
def test_nothing_is_written_to_another_layout(tmp_path: Path, name: str, words: tuple[str, ...]) -> None:
    path = SHIPPED[name](tmp_path / "other.db")
    before = touch_state(path)
    ended = run(words[0], path, *words[1:])

    assert ended.exit_code == 2
    assert f"is of the layout “{name}”: this is for the native layout alone." in ended.stderr
    assert differences(before, touch_state(path)) == ()


@pytest.mark.parametrize("name", SHIPPED)
def test_what_a_cleanup_would_delete_is_counted_and_nothing_is_deleted(tmp_path: Path, name: str) -> None:
    path = SHIPPED[name](tmp_path / "other.db")
    before = touch_state(path)
    told = json.loads(run("retention", path, "--keep", "1s", "--json", now_ms=long_after).stdout)

    events = 4 if name == "events as JSON lines" else 3
    assert (told["tasks"], told["events"], told["kept_unfinished"]) == (2, 2 * events, 1)
    assert f"Read as the layout “{name}”. Actions are off for this file." in told["opened"]["notes"]
    without = run("retention", path)
    assert (without.exit_code, without.stdout) == (2, "")
    assert "stores no period" in without.stderr
    assert differences(before, touch_state(path)) == ()


def test_a_layout_that_is_asked_for_is_for_the_previews_alone(tmp_path: Path) -> None:
    path, own = SHIPPED["integer states"](tmp_path / "other.db"), tmp_path / "own.toml"
    run("layout", path, "--save", own)
    own.write_text(own.read_text().replace('"11" = "failed"', '"11" = "running"'))
    words = ("retention", path, "--keep", "1s", "--layout", own, "--json")
    told = json.loads(run(*words, now_ms=long_after).stdout)
    assert (told["tasks"], told["kept_unfinished"]) == (1, 2)
    for command in (("recover",), ("retention", "--keep", "1s")):
        ended = run(command[0], path, *command[1:], "--apply", "--layout", own)
        assert ended.exit_code == 2
        assert "--layout is for the preview: only the native layout is written to." in ended.stderr


def test_a_guess_says_what_was_guessed_and_is_saved_to_be_corrected(tmp_path: Path) -> None:
    path, own = close_names(tmp_path / "jobs.db"), tmp_path / "own.toml"
    listed = run("tasks", path).stdout
    assert "Guessed: tasks in jobs (times as unix_s), events in job_events (times as unix_s)." in listed
    assert "Not in the layout, to be seen under Tables: colours." in listed

    printed = run("layout", path)
    assert run("layout", path, "--save", own).exit_code == 0
    assert own.read_text() == printed.stdout
    own.write_text(own.read_text().replace('"done" = "completed"', '"done" = "cancelled"'))
    corrected = json.loads(run("tasks", path, "--layout", own, "--json").stdout)
    assert corrected["counts"] == {"running": 1, "failed": 1, "cancelled": 1}


def test_a_saved_layout_is_never_written_over(tmp_path: Path) -> None:
    path, own = close_names(tmp_path / "jobs.db"), tmp_path / "own.toml"
    own.write_text("mine")
    ended = run("layout", path, "--save", own)

    assert ended.exit_code == 2
    assert "is there already and is left as it is" in ended.stderr
    assert own.read_text() == "mine"


@pytest.mark.parametrize("name", SHIPPED)
def test_what_is_printed_describes_the_same_layout(tmp_path: Path, name: str) -> None:
    text = run("layout", SHIPPED[name](tmp_path / "other.db")).stdout
    again = description_from(text, "it")

    assert again.name == name
    assert run("layout", tmp_path / "other.db").stdout == text


def test_a_native_file_has_nothing_to_describe(tmp_path: Path) -> None:
    ended = run("layout", make(tmp_path / "a.db", "t"))

    assert ended.exit_code == 1
    assert "read as the native layout" in ended.stderr


def test_a_layout_that_is_wrong_ends_the_command_in_a_sentence(tmp_path: Path) -> None:
    path, own = close_names(tmp_path / "jobs.db"), tmp_path / "own.toml"
    own.write_text("tasks = 1")
    ended = run("tasks", path, "--layout", own)

    assert ended.exit_code == 2
    assert ended.stderr.strip().endswith("[tasks] of own.toml is no table.")


ZONED = '[tasks]\ntable = "jobs"\nzone = "{}"\n[tasks.columns]\nid = "id"\nstatus = "state"'
MANY_STATUSES = f"{ZONED.format('Z')}\n[tasks.statuses]\n" + "".join(f's{at} = "queued"\n' for at in range(1_001))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a = " + "[" * 5_000, "deep.toml cannot be read: it nests too deep, or holds too long a number."),
        ("a = " + "9" * 100_000, "deep.toml cannot be read: it nests too deep, or holds too long a number."),
        (ZONED.format("+99:99"), "which is neither UTC nor an offset as +08:00."),
        (ZONED.format("+08:60"), "which is neither UTC nor an offset as +08:00."),
        (MANY_STATUSES, "statuses in [tasks] of deep.toml tells 1,001 statuses; at most 1,000 can be told."),
    ],
    ids=["nested", "number", "hours", "minutes", "statuses"],
)
def test_a_hostile_layout_is_refused_or_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, words: str
) -> None:
    path, own = close_names(tmp_path / "jobs.db"), tmp_path / "lmsp-inspector" / "layouts"
    own.mkdir(parents=True)
    (own / "deep.toml").write_text(text)
    ended = run("tasks", path, "--layout", own / "deep.toml")
    assert (ended.exit_code, ended.stdout) == (2, "")
    assert ended.stderr.strip().endswith(words)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    ended = run("tasks", path)
    assert ended.exit_code == 0
    assert words in ended.stdout


def test_the_user_s_own_folder_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    folder = tmp_path / "lmsp-inspector" / "layouts"
    folder.mkdir(parents=True)
    path = close_names(tmp_path / "jobs.db")
    run("layout", path, "--save", folder / "mine.toml")
    text = (folder / "mine.toml").read_text().replace("guessed from its names", "mine")
    (folder / "mine.toml").write_text(text)
    (folder / "broken.toml").write_text("=")

    assert "Read as the layout “mine”." in run("tasks", path).stdout
