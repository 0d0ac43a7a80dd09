"""The list of tables names all that a file has, and reads nothing that is no table of its own."""

from pathlib import Path

from inspector.layout.tables import Storage, TableList
from inspector.reading.requests import TablesRequest
from inspector.reading.table_answers import table_answer
from inspector.reading.tables import GENERATED, IS_VIEW, IS_VIRTUAL, MOST_TABLES
from tests.support.any_tables import made, page, reading, tables, texts, with_secrets
from tests.support.reading_databases import make


def test_every_table_is_named_with_its_columns_and_whether_it_is_ours(tmp_path: Path) -> None:
    path = make(tmp_path / "service.db", "early", journal="delete")
    made(path, "CREATE TABLE notes (a INTEGER, b VARCHAR(20), c)", "INSERT INTO notes VALUES (1, 2, 3), (4, 5, 6)")

    found = tables(path)

    assert {"clients", "models", "notes", "task_events", "tasks"} <= set(found)
    assert found["tasks"].is_ours
    assert not found["notes"].is_ours
    assert [(column.name, column.declared) for column in found["notes"].columns] == [
        ("a", "INTEGER"),
        ("b", "VARCHAR(20)"),
        ("c", ""),
    ]
    assert found["notes"].rows_at_most == 2
    assert found["notes"].why_not is None


def test_rows_are_told_only_as_far_as_the_rowids_know(tmp_path: Path) -> None:
    path = made(
        tmp_path / "any.db",
        "CREATE TABLE gaps (id INTEGER PRIMARY KEY)",
        "INSERT INTO gaps VALUES (-5), (10)",
        "CREATE TABLE none (a)",
        "CREATE TABLE by_key (a PRIMARY KEY) WITHOUT ROWID",
        "INSERT INTO by_key VALUES (1)",
    )

    found = tables(path)

    assert found["gaps"].rows_at_most == 16
    assert found["none"].rows_at_most == 0
    assert found["by_key"].rows_at_most is None
    assert found["by_key"].key == ("a",)


def test_views_and_virtual_tables_are_named_and_never_run(tmp_path: Path) -> None:
    path = made(
        tmp_path / "any.db",
        "CREATE VIEW tasks AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
        "CREATE VIRTUAL TABLE found USING fts5(a)",
    )

    found = tables(path)

    assert (found["tasks"].kind, found["tasks"].why_not) == ("view", IS_VIEW)
    assert (found["found"].kind, found["found"].why_not) == ("virtual", IS_VIRTUAL)


def test_virtual_columns_are_named_and_not_read_and_stored_ones_are_read(tmp_path: Path) -> None:
    path = made(
        tmp_path / "any.db",
        "CREATE TABLE bombs (a, b AS (hex(zeroblob(1e8))), c AS (hex(zeroblob(3))) STORED)",
        "INSERT INTO bombs (a) VALUES (1)",
    )

    columns = tables(path)["bombs"].columns

    assert [column.why_not for column in columns] == [None, GENERATED, None]
    assert texts(page(path, "bombs")) == [["1", "", "000000"]]
    assert [cell.storage for cell in page(path, "bombs").rows[0].cells][1] is Storage.LEFT_OUT


def test_of_very_many_columns_the_first_are_read_and_the_others_counted(tmp_path: Path) -> None:
    path = made(tmp_path / "any.db", _wide("wide", 100), _wide("just", 80))
    wide, just = tables(path)["wide"], tables(path)["just"]

    assert [column.why_not for column in wide.columns[:80]] == [None] * 80
    assert {column.why_not for column in wide.columns[80:]} == {
        "Of 100 columns only the first 80 are read: 20 more are there."
    }
    assert (wide.columns_left_out, just.columns_left_out) == (20, 0)
    assert {column.why_not for column in just.columns} == {None}


def test_neither_a_column_that_is_left_out_nor_one_that_is_worked_out_passes_for_a_secret(tmp_path: Path) -> None:
    path = made(
        tmp_path / "any.db",
        _wide("wide", 82),
        "INSERT INTO wide (c0) VALUES (7)",
        "CREATE TABLE other (secret, worked AS (1), plain)",
        "INSERT INTO other (secret, plain) VALUES ('canary', 2)",
    )
    kinds = [cell.storage for cell in page(path, "wide").rows[0].cells]
    assert kinds == [Storage.INTEGER, *[Storage.NULL] * 79, Storage.LEFT_OUT, Storage.LEFT_OUT]
    assert [cell.storage for cell in page(path, "other").rows[0].cells] == [
        Storage.HIDDEN,
        Storage.LEFT_OUT,
        Storage.INTEGER,
    ]


def _wide(name: str, columns: int) -> str:
    return f"CREATE TABLE {name} ({', '.join(f'c{at}' for at in range(columns))})"


def test_of_very_many_tables_the_first_are_named_and_the_others_counted(tmp_path: Path) -> None:
    path = made(tmp_path / "any.db", "BEGIN", *(f"CREATE TABLE t{at} (a)" for at in range(MOST_TABLES + 3)), "COMMIT")

    with reading(path) as connection:
        found = table_answer(TablesRequest(), connection, 1)

    assert isinstance(found, TableList)
    assert len(found.tables) == MOST_TABLES
    assert found.left_off == 3


def test_of_very_many_tables_those_of_the_specification_are_among_the_first(tmp_path: Path) -> None:
    many = (f"CREATE TABLE t{at} (a)" for at in range(MOST_TABLES))
    path = made(
        tmp_path / "any.db", "BEGIN", *many, "CREATE TABLE tasks (id)", "CREATE TABLE Task_Events (id)", "COMMIT"
    )
    found = list(tables(path))
    assert found[:2] == ["Task_Events", "tasks"]
    assert len(found) == MOST_TABLES


def test_a_table_that_stands_in_the_order_of_a_secret_is_not_read(tmp_path: Path) -> None:
    path = made(tmp_path / "any.db", "CREATE TABLE idempotency_keys (key TEXT PRIMARY KEY, task) WITHOUT ROWID")

    assert tables(path)["idempotency_keys"].why_not is not None


def test_secrets_are_columns_that_are_not_read(tmp_path: Path) -> None:
    found = tables(with_secrets(tmp_path / "any.db"))

    assert [column.why_not is None for column in found["Clients"].columns] == [True, False]
    assert [column.why_not is None for column in found["idempotency_keys"].columns] == [True, False, True]


def test_a_table_whose_rowid_has_no_name_left_is_not_read(tmp_path: Path) -> None:
    path = made(tmp_path / "any.db", "CREATE TABLE taken (rowid, _rowid_, oid)", "CREATE TABLE left (rowid, oid)")

    found = tables(path)

    assert found["taken"].why_not is not None
    assert found["left"].key == ("_rowid_",)
