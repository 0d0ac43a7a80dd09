"""Rows of any table come by its key, as they are stored, whatever is stored and however things are named."""

import itertools
import sqlite3
from pathlib import Path

import pytest

from inspector.layout.tables import RowKey, RowPage, Storage, StoredCell
from inspector.reading.connection import LONGEST_VALUE
from inspector.reading.errors import Unanswered
from inspector.reading.requests import TableValueRequest
from inspector.reading.table_answers import table_answer
from tests.support.any_tables import CANARY, made, page, reading, texts, with_secrets

pytestmark = pytest.mark.timeout(30)

HOSTILE_NAMES = (
    'a"b',
    "a'b",
    "a;DROP TABLE x",
    "[a]",
    "`a`",
    "select",
    "a b",
    "a\nb",
    "\u202eevil",
    "é",
    "--",
    "/*",
    "?1",
    ":x",
    "",
    "😀",
)


def whole(path: Path, table: str, limit: int, *, backwards: bool = False) -> list[RowPage]:
    """Return all pages of a table in one direction."""
    pages: list[RowPage] = []
    key: RowKey | None = None
    for _ in range(1_000):
        pages.append(page(path, table, key, backwards=backwards, limit=limit))
        if not pages[-1].more:
            return pages
        key = pages[-1].rows[0 if backwards else -1].key
    raise AssertionError("there is no end to it")


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_names_are_names_whatever_they_hold(tmp_path: Path, name: str) -> None:
    quoted = '"' + name.replace('"', '""') + '"'
    path = made(
        tmp_path / "any.db",
        "CREATE TABLE x (a)",
        f"CREATE TABLE {quoted} ({quoted} PRIMARY KEY, other) WITHOUT ROWID",
        f"INSERT INTO {quoted} VALUES (1, 2), (3, 4), (5, 6)",
    )

    assert [row for found in whole(path, name, 1) for row in texts(found)] == [["1", "2"], ["3", "4"], ["5", "6"]]
    assert not page(path, "x").rows


TABLES = {
    "rowid": "CREATE TABLE t (a)",
    "alias": "CREATE TABLE t (a INTEGER PRIMARY KEY)",
    "key": "CREATE TABLE t (a PRIMARY KEY) WITHOUT ROWID",
    "text key": "CREATE TABLE t (a TEXT PRIMARY KEY) WITHOUT ROWID",
    "falling key": "CREATE TABLE t (a PRIMARY KEY DESC) WITHOUT ROWID",
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES.keys())
@pytest.mark.parametrize("limit", [1, 3, 200])
def test_the_pages_of_both_directions_have_each_row_once(tmp_path: Path, table: str, limit: int) -> None:
    path = made(tmp_path / "any.db", table, *(f"INSERT INTO t VALUES ({at})" for at in range(-4, 8)))

    forwards = [cell for found in whole(path, "t", limit) for (cell,) in texts(found)]
    backwards = [cell for found in reversed(whole(path, "t", limit, backwards=True)) for (cell,) in texts(found)]

    assert sorted(forwards) == sorted(map(str, range(-4, 8)))
    assert backwards == forwards


def test_a_key_of_several_columns_of_every_kind_goes_on_exactly_where_it_ended(tmp_path: Path) -> None:
    values = ("1", "-1.5", "'a'", "'B'", "'1'", "x'00ff'", "x'61'", "CAST(x'ff' AS TEXT)", "char(97, 0, 98)", "9e999")
    path = made(
        tmp_path / "any.db",
        "CREATE TABLE t (a, b TEXT COLLATE NOCASE, c INTEGER, PRIMARY KEY (a, b, c)) WITHOUT ROWID",
        *(f"INSERT INTO t VALUES ({a}, {b}, {c})" for a, b, c in itertools.product(values, values[:4], (1, 2))),
    )

    at_once = texts(page(path, "t"))

    assert len(at_once) == 80
    assert [row for found in whole(path, "t", 7) for row in texts(found)] == at_once


def test_a_page_begins_at_its_key_where_that_is_wanted(tmp_path: Path) -> None:
    path = made(tmp_path / "any.db", "CREATE TABLE t (a)", "INSERT INTO t VALUES (1), (2), (3)")

    assert texts(page(path, "t", (2,), inclusive=True)) == [["2"], ["3"]]
    assert texts(page(path, "t", (2,))) == [["3"]]


def test_every_value_keeps_its_kind_and_every_digit(tmp_path: Path) -> None:
    path = made(
        tmp_path / "any.db",
        "CREATE TABLE t (a)",
        "INSERT INTO t VALUES (NULL), (9223372036854775807), (-9223372036854775808), (0.1), (1e999), (-1e999)",
        "INSERT INTO t VALUES ('0012'), (char(97, 0, 98)), (CAST(x'61ff62' AS TEXT)), (x'00ff'), ('')",
        "INSERT INTO t VALUES (12345678901234.5678)",
    )

    cells = [row.cells[0] for row in page(path, "t").rows]

    assert cells == [
        StoredCell(Storage.NULL, "", 0),
        StoredCell(Storage.INTEGER, "9223372036854775807", 0),
        StoredCell(Storage.INTEGER, "-9223372036854775808", 0),
        StoredCell(Storage.REAL, "0.1", 0),
        StoredCell(Storage.REAL, "Inf", 0),
        StoredCell(Storage.REAL, "-Inf", 0),
        StoredCell(Storage.TEXT, "0012", 4),
        StoredCell(Storage.TEXT, "a\0b", 3),
        StoredCell(Storage.TEXT, r"a\xffb", 3),
        StoredCell(Storage.BLOB, "00ff", 2),
        StoredCell(Storage.TEXT, "", 0),
        StoredCell(Storage.REAL, "12345678901234.568", 0),
    ]


def test_long_values_are_cut_and_say_how_long_they_are(tmp_path: Path) -> None:
    path = made(
        tmp_path / "any.db",
        "CREATE TABLE t (a, b)",
        "INSERT INTO t VALUES (printf('%.*c', 1000, 'x'), zeroblob(1000))",
        "INSERT INTO t VALUES (replace(printf('%.*c', 100000, 'x'), 'x', char(233)), zeroblob(100000))",
        f"INSERT INTO t VALUES (printf('%.*c', {LONGEST_VALUE + 1}, 'x'), 7)",
    )

    found = page(path, "t")

    assert [[(cell.text, cell.length, cell.is_cut) for cell in row.cells] for row in found.rows] == [
        [("x" * 300, 1_000, True), ("00" * 150, 1_000, True)],
        [("é" * 300, 200_000, True), ("00" * 150, 100_000, True)],
        [("x" * 300, LONGEST_VALUE + 1, True), ("7", 0, False)],
    ]


def test_a_value_that_no_row_can_be_opened_by_says_that_it_was_not_read(tmp_path: Path) -> None:
    path = made(
        tmp_path / "any.db",
        "CREATE TABLE t (a PRIMARY KEY, b) WITHOUT ROWID",
        f"INSERT INTO t VALUES (1, zeroblob({LONGEST_VALUE + 1}))",
    )

    (row,) = page(path, "t").rows
    assert [cell.storage for cell in row.cells] == [Storage.INTEGER, Storage.UNREAD]


def value(path: Path, key: RowKey, column: str, table: str = "t") -> StoredCell | None:
    """Return one value by itself."""
    with reading(path) as connection:
        found = table_answer(TableValueRequest(table, key, column), connection, 1)
    assert found is None or isinstance(found, StoredCell)
    return found


def test_one_value_by_itself_comes_whole_up_to_its_limit(tmp_path: Path) -> None:
    path = made(
        tmp_path / "any.db",
        "CREATE TABLE t (a, b)",
        "INSERT INTO t VALUES (printf('%.*c', 65536, 'x'), zeroblob(1000))",
        "INSERT INTO t VALUES (printf('%.*c', 65537, 'x'), 9223372036854775807)",
    )

    assert value(path, (1,), "a") == StoredCell(Storage.TEXT, "x" * 65_536, 65_536)
    assert value(path, (1,), "b") == StoredCell(Storage.BLOB, "00" * 1_000, 1_000)
    assert value(path, (2,), "a") == StoredCell(Storage.TEXT, "x" * 65_536, 65_537, is_cut=True)
    assert value(path, (2,), "b") == StoredCell(Storage.INTEGER, "9223372036854775807", 0)
    assert value(path, (3,), "a") is None
    with pytest.raises(Unanswered, match="column"):
        value(path, (1,), "c")


def test_no_secret_is_in_any_page_or_value(tmp_path: Path) -> None:
    path = with_secrets(tmp_path / "any.db")

    for table in ("Clients", "idempotency_keys", "service_config"):
        found = page(path, table)
        assert found.rows
        assert CANARY not in repr(found)
        for row in found.rows:
            for column in found.table.columns:
                assert CANARY not in repr(value(path, row.key, column.name, table))
    assert [row[1] for row in texts(page(path, "service_config"))] == ["", "30", ""]


def test_what_is_no_table_is_refused_in_words(tmp_path: Path) -> None:
    path = made(tmp_path / "any.db", "CREATE VIEW v AS SELECT 1")

    for name in ("v", "nothing", "V"):
        with pytest.raises(Unanswered):
            page(path, name)


def test_a_damaged_page_ends_the_rows_with_a_sentence_and_reading_goes_on_behind_it(tmp_path: Path) -> None:
    path = made(
        tmp_path / "any.db",
        "PRAGMA page_size=1024",
        "CREATE TABLE t (a)",
        "BEGIN",
        *(f"INSERT INTO t VALUES ('row {at}' || printf('%.*c', 80, 'x'))" for at in range(1, 201)),
        "COMMIT",
    )
    db = sqlite3.connect(path)
    leaves = [row[0] for row in db.execute("SELECT pageno FROM dbstat WHERE name = 't' AND pagetype = 'leaf'")]
    db.close()
    raw = bytearray(path.read_bytes())
    hurt = leaves[len(leaves) // 2]
    raw[(hurt - 1) * 1024 : hurt * 1024] = b"\xa5" * 1024
    path.write_bytes(raw)

    first = page(path, "t")

    assert first.broken is not None
    last = len(first.rows)
    assert 50 < last < 150
    assert first.broken == f"The file is damaged here: rows after rowid {last} cannot be read."
    assert first.resumes_at is not None
    behind = page(path, "t", first.resumes_at, inclusive=True)
    assert behind.broken is None
    assert behind.rows[-1].key == (200,)
    seen = {row.key[0] for row in (*first.rows, *behind.rows)}
    assert 180 < len(seen) < 200
    backwards = page(path, "t", backwards=True)
    assert backwards.broken == f"The file is damaged here: rows before rowid {behind.rows[0].key[0]!r} cannot be read."
