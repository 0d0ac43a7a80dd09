"""Whatever a file holds, a command writes text and nothing that a terminal obeys, ends, and touches nothing."""

import json
import time
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from inspector.cli import command_line
from inspector.commands.clock import Clock
from inspector.layout import native
from tests.support import hostile_files
from tests.support.hostile_files import ODD
from tests.support.proof import differences, touch_state
from tests.support.reading_databases import START_MS, add_task, create, read_at

FILES: tuple[Callable[[Path], None], ...] = (
    *(hostile_files.markup_everywhere, hostile_files.odd_characters_everywhere, hostile_files.blobs_everywhere),
    *(hostile_files.markup_in_numbers_too, hostile_files.odd_characters_in_numbers_too),
    *(hostile_files.deep_json, hostile_files.long_numbers, hostile_files.combining_marks_everywhere),
    *(hostile_files.endless_views, hostile_files.bombs, hostile_files.odd_triggers),
    *(hostile_files.bombs_in_every_column, hostile_files.stored_bombs),
    *(hostile_files.huge_text_where_others_have_none, hostile_files.one_gigantic_value),
    *(hostile_files.many_tables, hostile_files.many_columns),
)
COMMANDS = (
    *(["tasks"], ["tasks", "--json"], ["events", "plain"], ["events", ODD, "--json"], ["check"], ["check", "--json"]),
    *(["recover"], ["retention", "--keep", "1s"], ["tables"], ["tables", "tasks"], ["health"], ["cancel", "nobody"]),
)
AT_MOST_S = 2.0
OBEYED = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def run(words: list[str], path: Path) -> Result:
    command, *rest = words
    return CliRunner().invoke(command_line, [command, str(path), *rest], obj=Clock(read_at, lambda _: None))


def obeyed(text: str) -> set[str]:
    """Return the characters of ``text`` that a terminal may obey; a line's end is the one that is wanted."""
    return {each for each in set(text) if unicodedata.category(each) in OBEYED} - {"\n"}


@pytest.mark.threat(id="T15")
@pytest.mark.threat(id="T16")
@pytest.mark.threat(id="T18")
@pytest.mark.threat(id="T22")
@pytest.mark.threat(id="T2")
@pytest.mark.threat(id="T3")
@pytest.mark.parametrize("made", FILES, ids=lambda made: made.__name__)
def test_no_command_writes_what_a_terminal_obeys(tmp_path: Path, made: Callable[[Path], None]) -> None:
    path = tmp_path / "hostile.db"
    made(path)
    before = touch_state(path)
    for words in COMMANDS:
        began_s = time.monotonic()
        ended = run(words, path)
        assert time.monotonic() - began_s < AT_MOST_S, words
        assert ended.exit_code in (0, 1, 2), (words, ended.exception)
        assert obeyed(ended.stdout) == obeyed(ended.stderr) == set(), words
        assert "Traceback" not in ended.stdout + ended.stderr
        if "--json" in words and ended.stdout:
            json.loads(ended.stdout)
    assert differences(before, touch_state(path)) == ()


CANARY = "canary-8d1f"


@pytest.mark.threat(id="T19")
def test_secrets_are_in_no_output(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    db = create(path, journal="delete")
    add_task(db, "t")
    db.execute(
        "INSERT INTO clients (id, name, token_hash, scopes, paired_at) VALUES ('c', 'C', ?, '[]', 1)",
        [CANARY.encode().hex().ljust(64, "0")],
    )
    db.execute(
        "INSERT INTO idempotency_keys VALUES ('c', ?, 'x', 't', 202, '{}', ?, ?)", [CANARY, START_MS, 2 * START_MS]
    )
    db.execute("INSERT INTO service_config VALUES ('signing.secret', ?, 1)", [json.dumps(CANARY)])
    db.close()
    hidden = (CANARY, CANARY.encode().hex())
    every = [*COMMANDS, ["tables", "--json"], *(["tables", table, "--json"] for table in native.TABLES)]
    every += [["sql", f"SELECT * FROM {table}", "--json"] for table in native.TABLES]
    for words in every:
        ended = run(words, path)
        assert ended.exception is None or isinstance(ended.exception, SystemExit), words
        assert not any(secret in ended.stdout + ended.stderr for secret in hidden), words
