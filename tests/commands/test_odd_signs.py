"""An id with characters that nobody sees is told from the one without; what a terminal obeys reaches none."""

import json
import unicodedata
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from inspector.cli import command_line
from inspector.commands.clock import Clock
from inspector.layout import native
from inspector.layout.visible import visible
from tests.support.any_tables import made
from tests.support.odd_signs import OBEYED, UNSEEN, ids_with_odd_signs
from tests.support.reading_databases import read_at

COMMANDS = {
    "tasks": ("tasks", "DB", "--limit", "1000"),
    "check": ("check", "DB"),
    "recover": ("recover", "DB"),
    "retention": ("retention", "DB", "--keep", "1s"),
    "tables": ("tables", "DB"),
    "health": ("health", "DB", "--full"),
    "sql": ("sql", "DB", "SELECT * FROM tasks"),
    **{f"tables {table}": ("tables", "DB", table) for table in native.TABLES},
}


def run(path: Path, *words: str) -> Result:
    given = [str(path) if word == "DB" else word for word in words]
    return CliRunner().invoke(command_line, given, obj=Clock(read_at, lambda _: None))


def unseen(text: str) -> set[str]:
    return {each for each in set(text) if unicodedata.category(each) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")} - {"\n"}


@pytest.fixture(scope="module")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    path = tmp_path_factory.mktemp("signs") / "a.db"
    return path, ids_with_odd_signs(path)


@pytest.mark.threat(id="T15")
@pytest.mark.threat(id="T16")
@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_lets_one_through(made_once: tuple[Path, list[str]], command: str) -> None:
    ended = run(made_once[0], *COMMANDS[command])

    assert ended.exit_code in (0, 1), ended.exception
    assert unseen(ended.stdout) == unseen(ended.stderr) == set()


@pytest.mark.threat(id="T15")
def test_each_id_stands_in_the_list_as_one_of_its_own(made_once: tuple[Path, list[str]]) -> None:
    path, ids = made_once
    assert len(UNSEEN) >= 40

    said = run(path, *COMMANDS["tasks"]).stdout
    assert all(visible(each) in said for each in ids)
    assert len({visible(each) for each in ids}) == len(ids)
    listed = json.loads(run(path, *COMMANDS["tasks"], "--json").stdout)["tasks"]
    assert sorted(task["id"] for task in listed) == sorted(ids), "a script gets what is stored"


@pytest.mark.threat(id="T16")
@pytest.mark.parametrize("order", OBEYED.values(), ids=OBEYED)
def test_no_sentence_lets_one_through(tmp_path: Path, order: str) -> None:
    name = order.replace("/", "_").replace("\0", "")
    path = made(tmp_path / "a.db", "CREATE TABLE tasks (id, status)", "CREATE TABLE task_events (task_id, seq)")
    quoted = order.replace('"', '""')
    made(path, f'CREATE TABLE "{quoted}" (a CHECK ("{quoted}" > 1))')

    for words in (
        ("tasks", f"{tmp_path}/{name}"),
        ("tasks", "DB", "--status", order),
        ("events", "DB", order),
        ("cancel", "DB", order),
        ("tables", "DB"),
        ("tables", "DB", order),
        ("tables", "DB", f"{order}nope"),
        ("sql", "DB", f'SELECT * FROM "{quoted}nope"'),
        ("sql", "DB", f"SELECT '{quoted}', {order}"),
        ("export", "DB", "--format", "csv", "--out", f"{tmp_path}/none/{name}"),
        ("check", "DB"),
    ):
        ended = run(path, *words)
        assert ended.exception is None or isinstance(ended.exception, SystemExit), words
        assert unseen(ended.stdout) == unseen(ended.stderr) == set(), words
