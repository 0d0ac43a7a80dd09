"""A filter says the same of a row as the SQL that is made from it: by property, over odd texts and storage classes."""

import sqlite3

from hypothesis import example, given
from hypothesis import strategies as st

from inspector.layout import native
from inspector.layout.pages import TaskFilter
from inspector.reading.filtering import conditions, where
from inspector.reading.recognising import TASK_COLUMNS, Table
from inspector.reading.task_rows import task_row
from tests.support.reading_databases import add_task

COLUMNS = ", ".join(TASK_COLUMNS)
DECLARED = (COLUMNS, COLUMNS.replace(",", " INTEGER,"), COLUMNS.replace(",", " TEXT COLLATE NOCASE,"))
LOOSE = Table("tasks", frozenset(TASK_COLUMNS), "rowid", is_ours=False)
OURS = Table("tasks", frozenset(TASK_COLUMNS), "rowid", is_ours=True)

TEXTS = st.text(st.sampled_from("aAbBzZéÉß\u017f\u212ak%_\\'\"\0\n 1.-xX…"), max_size=6)
STATUSES = st.sampled_from(["queued", "running", "failed", "Queued", "queued\0", "", "5", "x'00'", "Inf", "1.5"])
NUMBERS = st.sampled_from([0.5, -1.0, 1e300, 1e15, 123456.75, 1e-7, float("inf"), -float("inf")])
VALUES = st.one_of(
    st.none(),
    TEXTS,
    st.sampled_from([5, 1.5, b"\0", "5", "05"]),
    st.integers(-(2**63), 2**63 - 1),
    NUMBERS,
    st.binary(max_size=40),
    TEXTS.map(str.encode),
)
ROWS = st.tuples(VALUES, VALUES, VALUES, VALUES, st.one_of(STATUSES, VALUES), VALUES)
FILTERS = st.builds(
    TaskFilter,
    statuses=st.frozensets(STATUSES, max_size=2),
    text=st.one_of(st.just(""), TEXTS, st.sampled_from(["x'6", "inf", ".0", "e+", "-9", "…'"])),
    model_id=st.one_of(st.none(), TEXTS),
)


def found(db: sqlite3.Connection, table: Table, wanted: TaskFilter) -> tuple[list[int], list[int]]:
    """Return the rowids that the SQL finds, and those whose row passes."""
    needed, values = conditions(wanted, table)
    by_sql = db.execute(f"SELECT rowid FROM tasks {where(needed)} ORDER BY rowid", values).fetchall()
    rows = db.execute(f"SELECT rowid, {COLUMNS} FROM tasks ORDER BY rowid").fetchall()
    return [number for (number,) in by_sql], [
        number for number, *row in rows if wanted.passes(task_row(tuple(row), table))
    ]


@given(st.lists(ROWS, min_size=1, max_size=5), FILTERS, st.sampled_from(DECLARED))
@example([("a", None, "B", None, b"queued", None)], TaskFilter(frozenset({"queued"})), COLUMNS)
@example([("ÄÖ", None, None, None, "queued", None)], TaskFilter(text="äö"), COLUMNS)
@example([("a", None, None, None, None, None)], TaskFilter(frozenset({""})), COLUMNS)
@example([("a", None, 5, None, 5, None)], TaskFilter(frozenset({"5"}), model_id="5"), COLUMNS)
@example([("a", None, "5", None, "q", None)], TaskFilter(model_id="05"), DECLARED[1])
@example([("a", None, "M", None, "Queued", None)], TaskFilter(frozenset({"queued"}), model_id="m"), DECLARED[2])
def test_a_filter_passes_what_its_sql_finds_in_a_loose_table(
    rows: list[tuple[object, ...]], wanted: TaskFilter, declared: str
) -> None:
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.execute(f"CREATE TABLE tasks ({declared})")
    db.executemany(
        "INSERT INTO tasks (id, client_id, model_id, kind, status, error_code) VALUES (?, ?, ?, ?, ?, ?)", rows
    )

    by_sql, by_rows = found(db, LOOSE, wanted)

    db.close()
    assert by_sql == by_rows


@given(
    st.lists(st.tuples(TEXTS.filter(bool), st.one_of(st.none(), TEXTS), st.one_of(st.none(), TEXTS)), max_size=5),
    FILTERS,
)
def test_a_filter_passes_what_its_sql_finds_in_a_native_table(
    rows: list[tuple[str, str | None, str | None]], wanted: TaskFilter
) -> None:
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.executescript(native.DDL)
    for task_id, (client_id, model_id) in {row[0]: row[1:] for row in rows}.items():
        add_task(db, task_id, client_id=client_id, model_id=model_id)

    by_sql, by_rows = found(db, OURS, wanted)

    db.close()
    assert by_sql == by_rows


def test_a_column_that_is_not_there_matches_nothing() -> None:
    bare = Table("tasks", frozenset({"id", "status"}), "rowid", is_ours=False)

    assert conditions(TaskFilter(model_id="m"), bare)[0] == ["0"]
    assert "client_id" not in conditions(TaskFilter(text="m"), bare)[0][0]


def test_no_filter_is_no_condition() -> None:
    assert conditions(TaskFilter(), OURS) == ([], {})
    assert where([]) == ""
