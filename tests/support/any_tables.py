"""Databases with tables of anybody's, for the tests of what is shown of any table."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from inspector.layout.pages import PAGE_ROWS
from inspector.layout.tables import RowKey, RowPage, StatementAnswer, StoredTable, TableList
from inspector.reading.connecting import connect
from inspector.reading.connection import ReadConnection
from inspector.reading.requests import StatementRequest, TableRowsRequest, TablesRequest
from inspector.reading.table_answers import table_answer

CANARY = "canary-4711"
"""Stands in every place of :func:`with_secrets` that nobody may read."""


@contextmanager
def reading(path: Path) -> Iterator[ReadConnection]:
    """Give a connection to the file at rest."""
    connection, _ = connect(str(path), "mode=ro&immutable=1")
    try:
        yield connection
    finally:
        connection.close()


def made(path: Path, *statements: str) -> Path:
    """Make a database of these statements, and return its path."""
    db = sqlite3.connect(path, isolation_level=None)
    try:
        for statement in statements:
            db.execute(statement)
    finally:
        db.close()
    return path


def tables(path: Path) -> dict[str, StoredTable]:
    """Return the tables of the file by name."""
    with reading(path) as connection:
        found = table_answer(TablesRequest(), connection, 1)
    assert isinstance(found, TableList)
    return {table.name: table for table in found.tables}


def page(
    path: Path,
    table: str,
    key: RowKey | None = None,
    *,
    backwards: bool = False,
    inclusive: bool = False,
    limit: int = PAGE_ROWS,
) -> RowPage:
    """Return a page of a table."""
    with reading(path) as connection:
        request = TableRowsRequest(table, key, backwards=backwards, inclusive=inclusive, limit=limit)
        found = table_answer(request, connection, 1)
    assert isinstance(found, RowPage)
    return found


def texts(found: RowPage) -> list[list[str]]:
    """Return what the cells of a page say."""
    return [[cell.text for cell in row.cells] for row in found.rows]


def said(path: Path, sql: str, limit: int = 1_000) -> StatementAnswer:
    """Return what a statement gives."""
    with reading(path) as connection:
        found = table_answer(StatementRequest(sql, limit), connection, 1)
    assert isinstance(found, StatementAnswer)
    return found


def with_secrets(path: Path) -> Path:
    """Make a database with a canary in each place of a secret, in names of any case."""
    return made(
        path,
        "CREATE TABLE Clients (id TEXT, TOKEN_HASH TEXT)",
        f"INSERT INTO Clients VALUES ('c', '{CANARY}')",
        "CREATE TABLE idempotency_keys (client_id TEXT, Key TEXT, task_id TEXT, PRIMARY KEY (client_id, key))",
        f"INSERT INTO idempotency_keys VALUES ('c', '{CANARY}', 't')",
        "CREATE TABLE service_config (key TEXT PRIMARY KEY, value TEXT)",
        f"INSERT INTO service_config VALUES ('api_Token', '{CANARY}'), ('period', '30')",
        f"INSERT INTO service_config VALUES (CAST(x'61004B6579' AS TEXT), '{CANARY}')",
        "CREATE VIEW all_keys AS SELECT * FROM idempotency_keys",
        "CREATE INDEX hashes ON Clients (TOKEN_HASH)",
    )
