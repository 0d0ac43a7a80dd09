"""Each command on a database in an archive: it reads a copy of it, or says in a sentence why nothing is written."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from inspector.cli import command_line
from inspector.commands.clock import Clock
from tests.commands.databases import NOW, run, state_of, without_shm
from tests.support.archives import encrypted, files_of, tarred, zipped
from tests.support.proof import differences, touch_state
from tests.support.reading_databases import listing, make

pytestmark = pytest.mark.usefixtures("temporary")

WHY = "Read from a private copy, because it lies in an archive: service.db of bundle.zip, with its -wal."
REFUSED = "Nothing is written to what is read from a copy. It lies in an archive."
TASKS = (("late", "running", "retry"), ("waits", "queued", "fail"))


@pytest.fixture(scope="module")
def sent(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What a customer sends: a zip of a database and its -wal, which holds all of the tasks."""
    return zipped(files_of(without_shm(tmp_path_factory.mktemp("left") / "service.db", *TASKS)))


@pytest.fixture
def bundle(tmp_path: Path, sent: bytes) -> Path:
    path = tmp_path / "sent" / "bundle.zip"
    path.parent.mkdir()
    path.write_bytes(sent)
    return path


def told(*arguments: str | Path) -> Result:
    return CliRunner().invoke(
        command_line, [str(each) for each in arguments], obj=Clock(lambda: NOW, lambda _seconds: None)
    )


def document(*arguments: str | Path) -> dict[str, Any]:
    result = told(*arguments, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    found: dict[str, Any] = json.loads(result.stdout)
    return found


READING = {
    "tasks": ("tasks", "DB", "--proof"),
    "events": ("events", "DB", "late", "--proof"),
    "check": ("check", "DB", "--proof"),
    "health": ("health", "DB", "--full", "--proof"),
    "recover": ("recover", "DB", "--proof"),
    "retention": ("retention", "DB", "--keep", "30d"),
    "sql": ("sql", "DB", "SELECT id FROM tasks"),
    "tables": ("tables", "DB", "tasks"),
}


@pytest.mark.parametrize("command", READING)
def test_a_reading_command_reads_what_lies_in_it(temporary: Path, bundle: Path, command: str) -> None:
    before = state_of(bundle.parent)

    found = document(*(bundle if each == "DB" else each for each in READING[command]))

    assert (found["opened"]["mode"], found["opened"]["why"]) == ("copy", WHY)
    assert state_of(bundle.parent) == before
    assert listing(temporary) == set()
    if "--proof" in READING[command]:
        assert found["proof"].startswith("bundle.zip untouched: bundle.zip sha256 ")


def test_all_that_its_wal_holds_is_there(bundle: Path) -> None:
    assert document("tasks", bundle)["counts"] == {"queued": 1, "running": 1}
    assert document("sql", bundle, "SELECT count(*) FROM tasks")["rows"] == [[2]]
    assert [step["task_id"] for step in document("recover", bundle)["tasks"]] == ["late", "waits"]


def test_the_layout_of_it_is_told(bundle: Path) -> None:
    result = told("layout", bundle)

    assert "Traceback" not in result.output
    assert result.exit_code in (0, 1)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("cancel", "DB", "late"), f"late: Not cancelled. {REFUSED}"),
        (("recover", "DB", "--apply"), f"{REFUSED} --to makes a copy of its own."),
        (("retention", "DB", "--keep", "1d", "--apply"), REFUSED),
    ],
)
@pytest.mark.parametrize("inside", ["", "service.db"])
def test_nothing_is_written_to_it(
    temporary: Path, bundle: Path, arguments: tuple[str, ...], sentence: str, inside: str
) -> None:
    before = state_of(bundle.parent)

    result = told(*(bundle / inside if each == "DB" else each for each in arguments))

    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.strip().endswith(sentence)
    assert state_of(bundle.parent) == before
    assert listing(temporary) == set()


def test_recovery_is_done_on_a_copy_of_it(temporary: Path, tmp_path: Path, bundle: Path) -> None:
    before = touch_state(bundle)

    result = told("recover", bundle, "--to", tmp_path / "copy.db")

    assert (result.exit_code, result.stderr) == (0, "")
    assert "2 left over; afterwards queued 1, failed 1." in result.stdout
    assert document("tasks", tmp_path / "copy.db")["counts"] == {"failed": 1, "queued": 1}
    assert differences(before, touch_state(bundle)) == ()
    assert listing(temporary) == set()


@pytest.mark.parametrize(
    ("packed", "sentence"),
    [
        (zipped([]), "bundle.zip is an empty archive."),
        (zipped([("notes.txt", b"text" * 99)]), "bundle.zip holds no SQLite database, or an encrypted one."),
        (gzip.compress(b"text" * 999), "bundle.zip holds no SQLite database, or an encrypted one."),
    ],
    ids=["empty", "no database", "a compressed text"],
)
@pytest.mark.parametrize("command", [*READING, "copy"])
def test_an_archive_without_a_database_ends_in_its_sentence(
    tmp_path: Path, command: str, packed: bytes, sentence: str
) -> None:
    path = tmp_path / "bundle.zip"
    path.write_bytes(packed)
    arguments = READING.get(command, ("recover", "DB", "--to", str(tmp_path / "copy.db")))

    result = told(*(path if each == "DB" else each for each in arguments))

    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.strip().endswith(sentence)
    assert not (tmp_path / "copy.db").exists()


def test_one_of_several_is_named(tmp_path: Path) -> None:
    one = make(tmp_path / "one.db", "first")
    two = make(tmp_path / "two.db", "second")
    path = tmp_path / "bundle.tgz"
    path.write_bytes(gzip.compress(tarred([*files_of(one, "data/"), *files_of(two, "data/\x1b[2J")])))

    result = told("tasks", path)

    assert result.exit_code == 2
    assert result.stderr.strip().endswith(
        "bundle.tgz holds 2 databases: data/one.db, data/\\u001b[2Jtwo.db. Open one of them by its path, as "
        "bundle.tgz/data/one.db, or unpack it."
    )
    assert document("tasks", path / "data" / "one.db")["tasks"][0]["id"] == "first"
    assert document("tasks", path / "data" / "\\u001b[2Jtwo.db")["tasks"][0]["id"] == "second"


def test_an_encrypted_one_says_what_to_do(tmp_path: Path, sent: bytes) -> None:
    path = tmp_path / "bundle.zip"
    path.write_bytes(encrypted(sent))

    result = told("tasks", path)

    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.strip().endswith(
        "bundle.zip holds no database that can be read: service.db in it is encrypted. Unpack it with its password, "
        "and open the database that comes out."
    )


@pytest.mark.process
def test_who_may_not_write_anywhere_near_it_reads_it(common_folder: Path, sent: bytes) -> None:
    path = common_folder / "bundle.zip"
    path.write_bytes(sent)
    path.chmod(0o444)
    common_folder.chmod(0o555)
    before = state_of(common_folder)

    ended = run("tasks", path, "--json", env={"TMPDIR": "/tmp"}, as_nobody=True)

    assert (ended.returncode, ended.stderr) == (0, b"")
    assert json.loads(ended.stdout)["opened"]["why"] == WHY
    assert state_of(common_folder) == before


@pytest.mark.parametrize("named", [str, lambda path: f"./{path.name}", lambda path: f"{path.name}/service.db"])
def test_a_path_as_one_types_it(bundle: Path, monkeypatch: pytest.MonkeyPatch, named: Callable[[Path], str]) -> None:
    monkeypatch.chdir(bundle.parent)

    assert document("tasks", named(bundle))["opened"]["why"] == WHY
