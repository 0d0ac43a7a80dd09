"""A note says where an id of a layout of others stands in several rows, and only there."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from inspector.reading.layouts import Layouts, layout_folders
from inspector.reading.reader import open_reader
from tests.support.any_tables import made
from tests.support.reading_databases import read_at

KNOWN = Layouts(folders=layout_folders(None))


def notes(path: Path) -> list[str]:
    with open_reader(path, now_ms=read_at, layouts=KNOWN) as reader:
        assert any(each.startswith("Guessed: tasks in jobs ") for each in reader.opened.notes)
        return [each for each in reader.opened.notes if each.startswith("Ids repeat: ")]


def jobs(path: Path, id_column: str, ids: list[object], *more: str) -> Path:
    made(path, f"CREATE TABLE jobs ({id_column}, status TEXT, created_at INTEGER)", *more)
    with closing(sqlite3.connect(path)) as db, db:
        db.executemany("INSERT INTO jobs VALUES (?, 'done', 1700000000)", [(each,) for each in ids])
    return path


def test_an_id_that_stands_in_several_rows_is_told_with_what_to_do(tmp_path: Path) -> None:
    path = jobs(tmp_path / "queue.db", "id TEXT", ["a", "b", "b", "b", "c", "c"])

    assert notes(path) == [
        "Ids repeat: in jobs.id 2 ids stand in up to 3 rows each (“b” is one; at most 10,000 rows were looked at). "
        "A long list may leave some of such rows out; their details are those of one row, and their events "
        "those of all. The Tables view shows each row. "
        "If another column tells them apart, name it as id in a layout (layout --save, --layout)."
    ]


@pytest.mark.parametrize("ids", [["a", "b"], [None, None], ["1", 1], []])
def test_ids_that_differ_are_no_news(tmp_path: Path, ids: list[object]) -> None:
    assert notes(jobs(tmp_path / "queue.db", "id BLOB", ids)) == []


def test_rows_without_an_id_are_told(tmp_path: Path) -> None:
    path = jobs(tmp_path / "queue.db", "id TEXT UNIQUE", ["a", None, None])
    with open_reader(path, now_ms=read_at, layouts=KNOWN) as reader:
        assert [each for each in reader.opened.notes if each.startswith("Ids are missing: ")] == [
            "Ids are missing: in jobs.id 2 rows hold NULL (at most 10,000 rows were looked at). Nothing leads to the "
            "texts and events of such a task, and a long list may leave some out. The Tables view shows each row."
        ]


def test_an_id_that_is_text_and_one_that_is_a_blob_are_told_as_they_are_shown(tmp_path: Path) -> None:
    (note,) = notes(jobs(tmp_path / "queue.db", "id BLOB", [b"\xff\x00", b"\xff\x00"]))

    assert "1 id stands in 2 rows (" in note
    assert "“x'ff00'” is one" in note


@pytest.mark.parametrize("unique", ["UNIQUE", ""])
def test_where_the_file_says_that_it_keeps_ids_apart_no_row_is_looked_at(tmp_path: Path, unique: str) -> None:
    path = jobs(tmp_path / "queue.db", "id TEXT", ["b", "b"], "CREATE INDEX i ON jobs (id)")
    # An index that is broken: only the rows would tell.
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("PRAGMA writable_schema = ON")
        db.execute("UPDATE sqlite_schema SET sql = ? WHERE name = 'i'", [f"CREATE {unique} INDEX i ON jobs (id)"])

    assert len(notes(path)) == (0 if unique else 1)


def test_a_table_whose_key_the_id_is_has_none_twice(tmp_path: Path) -> None:
    assert notes(jobs(tmp_path / "queue.db", "id INTEGER PRIMARY KEY", [1, 2])) == []


@pytest.mark.parametrize(
    "index", ["UNIQUE INDEX i ON jobs (id) WHERE id <> 'b'", "UNIQUE INDEX i ON jobs (id, created_at, rank)"]
)
def test_an_index_that_keeps_only_some_apart_hides_nothing(tmp_path: Path, index: str) -> None:
    path = tmp_path / "queue.db"
    made(path, "CREATE TABLE jobs (id TEXT, status TEXT, created_at INTEGER, rank INTEGER)", f"CREATE {index}")
    with closing(sqlite3.connect(path)) as db, db:
        db.executemany("INSERT INTO jobs VALUES ('b', 'done', 1700000000, ?)", [(1,), (2,)])

    assert len(notes(path)) == 1


def test_a_look_that_would_take_long_is_left_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.reading.repeated_ids._MOST_MS", -1)

    assert notes(jobs(tmp_path / "queue.db", "id TEXT", ["b", "b"])) == []
