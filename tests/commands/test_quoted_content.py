"""What a command says of content that is no UTF-8, no JSON or of another kind quotes none of it."""

import json
import logging
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from inspector.cli import command_line
from inspector.commands.clock import Clock
from inspector.layout import native
from tests.support.hostile_files import loose
from tests.support.reading_databases import START_MS, read_at

CANARY = "canary-5e1f"
BAD = f"{CANARY}-before".encode() + b"\xff\xfe\x00" + f"{CANARY}-behind".encode()
CONTENT = {
    "tasks": ("request", "snapshot", "error_message"),
    "task_events": ("data",),
    "responses": ("body",),
    "models": ("path", "metadata"),
    "clients": ("token_hash", "scopes"),
    "idempotency_keys": ("key", "request_digest", "result"),
    "service_config": ("value",),
}
"""The columns that hold what somebody asked, got or keeps secret."""

COMMANDS = {
    "tasks": ("tasks", "DB"),
    "tasks --json": ("tasks", "DB", "--json"),
    "check": ("check", "DB"),
    "check --json": ("check", "DB", "--json"),
    "recover": ("recover", "DB"),
    "recover --apply": ("recover", "DB", "--apply"),
    "recover --to": ("recover", "DB", "--to", "OUT"),
    "retention": ("retention", "DB", "--keep", "1s"),
    "health --full": ("health", "DB", "--full", "--json"),
    "tables": ("tables", "DB", "--json"),
    "cancel": ("cancel", "DB", "t"),
    "layout": ("layout", "DB"),
    "export ndjson": ("export", "DB", "--format", "ndjson", "--out", "OUT"),
    "export csv": ("export", "DB", "--format", "csv", "--out", "OUT"),
}


def with_bad_content(path: Path, value: str) -> Path:
    """Make a database of our tables without their rules; in each column of content stands the canary by ``value``."""
    db = loose(path)
    for table in native.TABLES:
        names = [row[1] for row in db.execute(f"PRAGMA table_xinfo({table})")]
        plain = {"id": "t", "task_id": "t", "status": "running", "seq": 1, "created_at": START_MS}
        held = [name for name in names if name in plain or name in CONTENT[table]]
        places = ", ".join(value if name in CONTENT[table] else "?" for name in held)
        others = [plain[name] for name in held if name not in CONTENT[table]]
        db.execute(f"INSERT INTO {table} ({', '.join(held)}) VALUES ({places})", others)
    db.close()
    return path


def run(path: Path, words: tuple[str, ...]) -> Result:
    there = {"DB": str(path), "OUT": str(path.with_name("out"))}
    given = [there.get(word, word) for word in words]
    return CliRunner().invoke(command_line, given, obj=Clock(read_at, lambda _: None))


def written(folder: Path) -> bytes:
    """Return the bytes of all files that lie below the folder, but those of the databases."""
    return b"".join(each.read_bytes() for each in folder.rglob("*") if each.is_file() and each.name != "a.db")


@pytest.mark.threat(id="T20")
@pytest.mark.parametrize("value", [f"CAST(x'{BAD.hex()}' AS TEXT)", f"x'{BAD.hex()}'", f"'{CANARY}'"])
def test_no_sentence_no_record_and_no_export_quotes_content(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, value: str
) -> None:
    caplog.set_level(logging.DEBUG)
    for name, words in COMMANDS.items():
        folder = tmp_path / name.replace(" ", "")
        folder.mkdir()
        path = with_bad_content(folder / "a.db", value)

        ended = run(path, words)

        assert ended.exception is None or isinstance(ended.exception, SystemExit), name
        assert CANARY not in ended.stdout + ended.stderr + caplog.text, name
        assert CANARY.encode() not in written(folder), name


@pytest.mark.threat(id="T20")
def test_the_canary_would_be_noticed(tmp_path: Path) -> None:
    path = with_bad_content(tmp_path / "a.db", f"CAST(x'{BAD.hex()}' AS TEXT)")

    assert CANARY in run(path, ("tables", "DB", "tasks", "--json")).stdout
    assert CANARY in json.dumps(run(path, ("sql", "DB", "SELECT request FROM tasks")).stdout)
    run(path, (*COMMANDS["export ndjson"], "--with-secrets"))
    assert CANARY.encode() in written(tmp_path)
