"""A file whose schema would do more with a write than is asked: whatever writes refuses it, and nothing changes."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from inspector import store
from inspector.cli import command_line
from inspector.commands.clock import Clock
from tests.commands.databases import NOW, closing_db, state_of
from tests.support.hostile_files import SPELLED, spelled
from tests.support.store_layout import fill

WIPE = "BEGIN DELETE FROM models; UPDATE clients SET token_hash = token_hash; END"
HOSTILE = {
    "on a status": f"CREATE TRIGGER evil AFTER UPDATE OF status ON tasks {WIPE}",
    "that finishes a task": (
        "CREATE TRIGGER evil AFTER UPDATE OF status ON tasks WHEN new.status = 'cancelling' "
        "BEGIN UPDATE tasks SET status = 'completed' WHERE id = new.id; END"
    ),
    "before a task goes": f"CREATE TRIGGER evil BEFORE DELETE ON tasks {WIPE}",
    "on a new event": f"CREATE TRIGGER evil AFTER INSERT ON task_events {WIPE}",
    "on an event that goes": f"CREATE TRIGGER evil AFTER DELETE ON task_events {WIPE}",
    "on a key that goes": f"CREATE TRIGGER evil AFTER DELETE ON idempotency_keys {WIPE}",
    "on a new key": f"CREATE TRIGGER evil BEFORE INSERT ON idempotency_keys {WIPE}",
}
WRITES = {
    "cancel": ("cancel", "DB", "running"),
    "recover --apply": ("recover", "DB", "--apply"),
    "recover --to": ("recover", "DB", "--to", "COPY"),
    "retention --apply": ("retention", "DB", "--keep", "0s", "--apply"),
}


def with_trigger(path: Path, sql: str) -> None:
    """Make a database with something for each write to do, and a trigger of others."""
    with closing_db(path) as db:
        fill(db.conn)
        db.conn.execute("PRAGMA journal_mode = DELETE")
        db.conn.execute(sql)


def refused(path: Path, write: str) -> str:
    """Run the command, which has to refuse; return what it says."""
    words = [{"DB": str(path), "COPY": str(path.with_name("copy.db"))}.get(word, word) for word in WRITES[write]]
    ended = CliRunner().invoke(command_line, words, obj=Clock(lambda: NOW + 10**9, lambda _: None))
    assert (ended.exit_code, ended.stdout) == (1, ""), ended
    return ended.stderr


@pytest.mark.threat(id="T4")
@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("trigger", HOSTILE)
def test_nothing_is_written_where_a_trigger_would_run_with_it(tmp_path: Path, write: str, trigger: str) -> None:
    path = tmp_path / "service.db"
    with_trigger(path, HOSTILE[trigger])
    before = state_of(tmp_path)

    said = refused(path, write)

    assert "trigger" in said
    assert said.count("\n") == 1
    assert state_of(tmp_path) == before


@pytest.mark.threat(id="T4")
@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("kind", SPELLED)
def test_a_trigger_is_one_however_its_row_spells_it(tmp_path: Path, write: str, kind: str) -> None:
    path = tmp_path / "service.db"
    with_trigger(path, HOSTILE["on a status"])
    spelled(path, SPELLED[kind])
    before = state_of(tmp_path)

    assert "trigger" in refused(path, write)

    with pytest.raises(store.NotOurs, match="evil"):
        store.open_service_database(path)
    checked = CliRunner().invoke(command_line, ["check", str(path), "--json"])
    assert any("evil" in str(finding) for finding in json.loads(checked.stdout)["findings"])
    assert state_of(tmp_path) == before


@pytest.mark.parametrize("write", WRITES)
def test_without_it_each_of_them_writes(tmp_path: Path, write: str) -> None:
    path = tmp_path / "service.db"
    with_trigger(path, f"CREATE TRIGGER evil AFTER UPDATE ON tasks {WIPE}")
    with closing(sqlite3.connect(path)) as db:
        db.execute("DROP TRIGGER evil")
    before = state_of(tmp_path)

    with pytest.raises(AssertionError):
        refused(path, write)

    assert state_of(tmp_path) != before
