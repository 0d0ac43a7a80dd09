"""The tables of a database that is written hold each column, key and CHECK of the layout, however they are spelled."""

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from inspector.layout import native
from inspector.layout.table_texts import lacking, tables_of
from inspector.store.layouts import check_layout
from tests.support.store_factory import put
from tests.support.subject import store

pytestmark = pytest.mark.ours

OWN = tables_of(native.STATEMENTS)
NAMES = sorted(OWN)

LESS = [
    (" REFERENCES tasks (id) ON DELETE CASCADE", "", "task_events: task_id"),
    ("ON DELETE CASCADE", "ON DELETE SET NULL", "responses: task_id"),
    ("    UNIQUE (task_id, seq),\n", "", r"task_events: UNIQUE \( task_id , seq \)"),
    ("NOT NULL UNIQUE REFERENCES", "NOT NULL REFERENCES", "responses: task_id"),
    (",\n    PRIMARY KEY (client_id, key)", "", r"idempotency_keys: PRIMARY KEY \( client_id , key \)"),
    (",\n    PRIMARY KEY (client_id, key)", ",\n    PRIMARY KEY (key, client_id)", "idempotency_keys: PRIMARY KEY"),
    (" PRIMARY KEY AUTOINCREMENT", " PRIMARY KEY", "task_events: id INTEGER"),
    (" STRICT", "", "models: STRICT"),
    ("added_at   INTEGER NOT NULL\n) STRICT", "added_at   INTEGER NOT NULL\n) STRICT, WITHOUT ROWID", "models: STRICT"),
    ("last_seq      INTEGER NOT NULL", "last_seq      INTEGER", "tasks: last_seq INTEGER NOT NULL"),
    (" CHECK (size_bytes >= 0)", "", "models: size_bytes"),
    ("'cancelled'),\n    on_restart", "'other'),\n    on_restart", "tasks: status"),
]


def file_of(path: Path, change: Callable[[str], str]) -> Path:
    """Make a database of the layout whose tables were changed."""
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        for statement in native.STATEMENTS:
            conn.execute(change(statement) if statement.startswith("CREATE TABLE") else statement)
    return path


@pytest.mark.parametrize(("old", "new", "told"), LESS)
def test_a_file_whose_tables_lack_a_key_or_a_check_is_not_written(
    tmp_path: Path, old: str, new: str, told: str
) -> None:
    changed = [
        statement for statement in native.STATEMENTS if statement.startswith("CREATE TABLE") and old in statement
    ]
    assert changed
    path = file_of(tmp_path / "service.db", lambda statement: statement.replace(old, new))
    before = path.read_bytes()
    with pytest.raises(store.NotOurs, match=f"of its layout: .*{told}"):
        store.open_service_database(path)
    assert store.cancel_in_file(path, "t", now_ms=1).outcome == "refused"
    assert path.read_bytes() == before


def test_what_is_lacking_is_named_and_nothing_else(tmp_path: Path) -> None:
    path = file_of(tmp_path / "service.db", lambda text: text.replace(" REFERENCES tasks (id) ON DELETE CASCADE", ""))
    with pytest.raises(store.NotOurs) as raised:
        store.open_service_database(path)
    _, _, named = raised.value.sentence.partition("of its layout: ")
    assert [each.split()[:2] for each in named.split("; ")] == [
        ["idempotency_keys:", "task_id"],
        ["responses:", "task_id"],
        ["task_events:", "task_id"],
    ]


def test_the_spacing_and_the_comments_of_a_table_are_no_matter(tmp_path: Path) -> None:
    def spaced(text: str) -> str:
        bare = re.sub(r"--[^\n]*", "/* a ( , comment */", text)
        return re.sub(r"\n +", " \n\t ", bare).replace("CREATE", "CREATE -- a ' of\n")

    path = file_of(tmp_path / "service.db", spaced)
    with closing(store.open_service_database(path)) as db:
        put(db, "completed")


def test_a_clause_within_a_comment_or_a_text_is_none() -> None:
    keyed = "task_id    TEXT    NOT NULL REFERENCES tasks (id) ON DELETE CASCADE"
    bare = "task_id    TEXT    NOT NULL"
    for hidden in (f"/* , {keyed}, */ {bare}", f"{bare}, x TEXT DEFAULT ', {keyed}, '", f'{bare}, ", {keyed}, " TEXT'):
        text = next(each for each in native.STATEMENTS if each.startswith("CREATE TABLE task_events"))
        assert keyed in text
        found = lacking({**OWN, **tables_of([text.replace(keyed, hidden)])}, OWN)
        assert found == ["task_events: task_id TEXT NOT NULL REFERENCES tasks ( id ) ON DELETE CASCADE"]


@pytest.mark.parametrize("table", NAMES)
def test_a_column_more_and_a_table_that_was_renamed_and_back_are_no_hindrance(tmp_path: Path, table: str) -> None:
    path = tmp_path / "service.db"
    store.open_service_database(path).close()
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.execute(f"ALTER TABLE {table} ADD COLUMN more TEXT DEFAULT 'a, (b' CHECK (more <> ',')")
        triggers = conn.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            conn.execute(f"DROP TRIGGER {name}")
        conn.execute(f"ALTER TABLE {table} RENAME TO other")
        conn.execute(f"ALTER TABLE other RENAME TO {table}")
        for _, sql in triggers:
            conn.execute(sql)
        check_layout(conn, native.LAYOUTS[native.USER_VERSION])
    with closing(store.open_service_database(path)) as db:
        put(db, "completed")


ACTING = [
    ("models", "FOREIGN KEY (name) REFERENCES tasks (status) ON UPDATE CASCADE"),
    ("models", "more TEXT REFERENCES tasks (id) ON DELETE SET NULL"),
    ("clients", "more TEXT references tasks (id) on/**/delete -- )\n cascade"),
    ("tasks", "UNIQUE (status) ON CONFLICT REPLACE"),
    ("task_events", "more TEXT UNIQUE ON CONFLICT IGNORE"),
    ("models", "[--] TEXT REFERENCES tasks (id) ON DELETE CASCADE"),
    ("models", "`/*` TEXT REFERENCES tasks (id) ON DELETE CASCADE, `*/` TEXT"),
]


def with_more(table: str, more: str) -> Callable[[str], str]:
    """Return what puts a column or constraint to those of the table, in the place where it may stand."""
    before = f"CREATE TABLE {table} ("

    def change(statement: str) -> str:
        if not statement.startswith(before):
            return statement
        if more.startswith(("FOREIGN", "UNIQUE")):
            return statement.replace("\n) STRICT", f",\n{more}\n) STRICT")
        return statement.replace(before, f"{before}{more},\n")

    return change


@pytest.mark.threat(id="T4")
@pytest.mark.parametrize(("table", "more"), ACTING)
def test_a_constraint_by_which_a_write_would_change_other_rows_is_no_column_more(
    tmp_path: Path, table: str, more: str
) -> None:
    path = file_of(tmp_path / "service.db", with_more(table, more))
    before = path.read_bytes()

    with pytest.raises(store.NotOurs, match=f"by which a write would change other rows, or nothing: {table}: "):
        store.open_service_database(path)
    assert store.cancel_in_file(path, "t", now_ms=1).outcome == "refused"
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "more", ["more TEXT REFERENCES clients (id)", "more TEXT REFERENCES clients ON DELETE RESTRICT", "UNIQUE (path)"]
)
def test_a_constraint_that_only_refuses_is_no_hindrance(tmp_path: Path, more: str) -> None:
    path = file_of(tmp_path / "service.db", with_more("models", more))

    with closing(store.open_service_database(path)) as db:
        put(db, "completed")


def test_an_index_less_is_no_hindrance(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    store.open_service_database(path).close()
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.execute("DROP INDEX tasks_by_status")
    store.open_service_database(path).close()


@pytest.mark.parametrize(
    "text", ["", "CREATE", "CREATE TABLE", "CREATE TABLE t", "CREATE VIEW t AS SELECT 1", "'", ")", "/*"]
)
def test_any_text_is_read_without_an_error(text: str) -> None:
    assert set(tables_of([text, None])) <= {"t"}
    assert not any(tables_of([text]).values())
