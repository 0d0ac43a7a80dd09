"""An export holds all that is stored, and no secret unless it is asked for."""

import csv
import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest

from inspector.handover.cells import COLUMNS, SECRETS
from inspector.handover.csv_rows import REDACTED, guarded
from inspector.handover.exporting import Exported, Wanted, export
from inspector.handover.forms import Form
from inspector.handover.targets import NotWritten
from inspector.layout.whole import Part
from inspector.reading.errors import Unanswered
from inspector.reading.layouts import layouts_of
from inspector.reading.reader import open_reader
from inspector.reading.requests import Request
from tests.support.broken_pages import EVENTS, TASKS, many_pages, without_a_page_of_events, without_a_root
from tests.support.foreign_databases import SHIPPED
from tests.support.proof import differences, touch_state
from tests.support.reading_databases import START_MS, add_deltas, add_task, create, listing, make, move_task, read_at

NAMES = {Part.TASKS: "tasks", Part.EVENTS: "task_events", Part.RESPONSES: "responses", Part.MODELS: "models"}
TYPES = {"task": Part.TASKS, "event": Part.EVENTS, "response": Part.RESPONSES, "model": Part.MODELS}
CANARY: Final = "canary"


def exported(
    path: Path,
    target: Path,
    form: Form,
    *,
    with_secrets: bool = False,
    before: Callable[[Request], None] = lambda _request: None,
) -> Exported:
    with open_reader(path, now_ms=read_at, layouts=layouts_of(None, os.environ)) as reader:

        def ask(request: Request) -> object:
            before(request)
            return reader.answer(request)

        wanted = Wanted(target, form, with_secrets=with_secrets, exported_at=START_MS)
        return export(ask, reader.opened, path, wanted, lambda _counts: None)


def lines_of(target: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]


def rows_of(target: Path, part: Part) -> list[list[str]]:
    with (target / f"{part}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def stored_in(path: Path, part: Part) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as db:
        db.text_factory = lambda raw: raw.decode("utf-8", "backslashreplace")
        return db.execute(f"SELECT {', '.join(COLUMNS[part])} FROM {NAMES[part]} ORDER BY rowid").fetchall()


def full_of_secrets(path: Path) -> Path:
    """Make a database with a canary in every column that can hold a secret, each with its place in its text."""

    def secret(place: str) -> str:
        return json.dumps({"said": f"{CANARY}-{place}"})

    with closing(create(path)) as db:
        add_task(db, "done", request=secret("request"), model_id="m", client_id="c")
        move_task(db, "done", "running")
        db.execute(
            "UPDATE tasks SET snapshot = ?, snapshot_seq = 1, error_message = ? WHERE id = 'done'",
            [secret("snapshot"), f"{CANARY}-error"],
        )
        add_deltas(db, "done", 2, data=secret("delta"))
        add_task(db, "bare", error_code="out_of_memory")
        db.execute(
            "INSERT INTO responses VALUES ('r', 'done', 'c', 'm', 'completed', ?, 5, NULL)", [secret("response")]
        )
        db.execute(
            "INSERT INTO models VALUES ('m', 'small', ?, 9007199254740993, ?, 'gguf', ?, 5)",
            [f"sha256:{'0' * 64}", f"/home/{CANARY}/m.gguf", secret("metadata")],
        )
        db.execute(
            "INSERT INTO clients VALUES ('c', ?, ?, '[]', 1, NULL, NULL)",
            [f"{CANARY}-client", "c0ffee" + "0" * 58],
        )
        db.execute(
            "INSERT INTO idempotency_keys VALUES ('c', ?, ?, 'done', 202, ?, 1, 2)",
            [f"{CANARY}-key", f"{CANARY}-digest", secret("result")],
        )
        db.execute("INSERT INTO service_config VALUES ('secret.token', ?, 1)", [secret("config")])
    return path


def odd(path: Path) -> Path:
    """Make a database with what breaks exports: digits, NUL, bytes that are no UTF-8, line ends, formulas."""
    with closing(create(path)) as db:
        for text in ("=1+1", "0000000000000001", 'a,"b"', "two\r\nlines", "nul\0inside", "\uff1d1", "\\xff", "é漢😀"):
            add_task(db, text, kind=text, model_id=text, client_id=text, on_restart=text, error_message=text)
        add_task(db, "json", request='{"n": 9007199254740993, "text": "\\u0000"}', created_at=2**63 - 1)
        db.execute("UPDATE tasks SET error_message = CAST(x'30e3' AS TEXT) WHERE id = 'json'")
        db.execute("UPDATE tasks SET request = CAST(x'7b22ff7d' AS TEXT) WHERE id = '=1+1'")
    return path


FORMS = pytest.mark.parametrize("form", Form)


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "handed" / "out"


@pytest.fixture(autouse=True)
def handed(target: Path) -> None:
    target.parent.mkdir()


def bytes_below(target: Path) -> Iterator[bytes]:
    yield from (each.read_bytes() for each in ([target] if target.is_file() else target.iterdir()))


@pytest.mark.threat(id="T19")
@FORMS
def test_no_secret_leaves_unless_it_is_asked_for(tmp_path: Path, target: Path, form: Form) -> None:
    path = full_of_secrets(tmp_path / "a.db")
    exported(path, target, form)
    written = b"".join(bytes_below(target))
    assert CANARY.encode() not in written
    assert b"c0ffee" not in written
    assert b"out_of_memory" in written
    assert str(tmp_path).encode() not in written


@pytest.mark.threat(id="T19")
@FORMS
def test_all_content_leaves_where_it_is_asked_for_but_no_token_and_no_key(
    tmp_path: Path, target: Path, form: Form
) -> None:
    path = full_of_secrets(tmp_path / "a.db")
    exported(path, target, form, with_secrets=True)
    written = b"".join(bytes_below(target))
    for place in ("request", "snapshot", "error", "delta", "response", "metadata"):
        assert f"{CANARY}-{place}".encode() in written, place
    assert f"/home/{CANARY}/m.gguf".encode() in written
    for place in ("client", "key", "digest", "result", "config"):
        assert f"{CANARY}-{place}".encode() not in written, place
    assert b"c0ffee" not in written


def test_what_was_taken_out_is_told_from_what_is_not_there(tmp_path: Path, target: Path) -> None:
    path = full_of_secrets(tmp_path / "a.db")
    exported(path, target, Form.NDJSON)
    exported(path, target.with_name("folder"), Form.CSV)
    tasks = {line["id"]: line for line in lines_of(target) if line["type"] == "task"}
    assert tasks["done"]["snapshot"] is tasks["bare"]["snapshot"] is None
    assert (tasks["done"]["snapshot_redacted"], "snapshot_redacted" in tasks["bare"]) == (True, False)
    head, done, bare = rows_of(target.with_name("folder"), Part.TASKS)
    at = head.index("snapshot")
    assert (done[at], bare[at]) == (REDACTED, "")
    for line in lines_of(target):
        part = TYPES.get(line["type"])
        if part is not None:
            assert all(line[column] is None for column in SECRETS[part])


@pytest.mark.parametrize("made", [full_of_secrets, odd, many_pages])
def test_lines_of_json_hold_every_row_as_it_is_stored(
    tmp_path: Path, target: Path, made: Callable[[Path], Path]
) -> None:
    path = made(tmp_path / "a.db")
    exported(path, target, Form.NDJSON, with_secrets=True)
    about, *lines, end = lines_of(target)
    assert (about["type"], end["type"]) == ("about", "end")
    for kind, part in TYPES.items():
        found = [line for line in lines if line["type"] == kind]
        for line, stored in zip(found, stored_in(path, part), strict=True):
            for column, expected in zip(COLUMNS[part], stored, strict=True):
                key = "event_type" if column == "type" else column
                if column in ("request", "snapshot", "body", "data", "metadata") and expected is not None:
                    try:
                        value = json.loads(expected)
                    except ValueError:
                        assert (line[key], line[f"{key}_text"]) == (None, expected)
                    else:
                        assert line[key] == value
                else:
                    assert line[key] == expected, (column, line)
        assert end["counts"][part] == len(found)


@pytest.mark.parametrize("names", [("tasks", "task_events", "task_id"), ("jobs", "job_events", "job_id")], ids="-".join)
def test_nothing_an_empty_text_and_a_blob_are_three_things(
    tmp_path: Path, target: Path, names: tuple[str, str, str]
) -> None:
    tasks, events, key = names
    long = b"{" * (5 << 20)
    with closing(sqlite3.connect(tmp_path / "a.db")) as db, db:
        db.execute(f"CREATE TABLE {tasks} (id PRIMARY KEY, status, created_at, request)")
        db.execute(f"CREATE TABLE {events} (id INTEGER PRIMARY KEY, {key}, seq, data)")
        db.execute("CREATE TABLE responses (id INTEGER PRIMARY KEY, task_id, body)")
        for at, content in enumerate((None, "", b"{}", "{}", b"", long), start=1):
            db.execute(f"INSERT INTO {tasks} VALUES (?, 'running', 5, ?)", [f"t{at}", content])
            db.execute("INSERT INTO responses VALUES (?, ?, ?)", [at, f"t{at}", content])
            if at < 3 or tasks == "tasks":
                db.execute(f"INSERT INTO {events} VALUES (?, 't1', ?, ?)", [at, at, content])
    exported(tmp_path / "a.db", target, Form.NDJSON, with_secrets=True)
    lines = lines_of(target)
    for kind, column in (("task", "request"), ("response", "body"), ("event", "data")):
        nothing, empty, *more = [line for line in lines if line["type"] == kind]
        assert (nothing[column], f"{column}_text" in nothing) == (None, False)
        assert (empty[column], empty[f"{column}_text"]) == (None, "")
        if more:
            blob, text, bare, cut = more
            assert (blob[column], blob[f"{column}_text"]) == (None, "x'7b7d'")
            assert (text[column], f"{column}_text" in text) == ({}, False)
            assert (bare[column], bare[f"{column}_text"]) == (None, "x''")
            assert cut[f"{column}_text"].startswith("x'7b7b")
            assert cut[f"{column}_length"] > len(cut[f"{column}_text"])


@pytest.mark.parametrize("made", [full_of_secrets, odd, many_pages])
def test_csv_files_hold_every_row_as_it_is_stored(tmp_path: Path, target: Path, made: Callable[[Path], Path]) -> None:
    path = made(tmp_path / "a.db")
    exported(path, target, Form.CSV, with_secrets=True)
    assert listing(target) == {"about.json", *(f"{part}.csv" for part in Part)}
    for part in Part:
        head, *rows = rows_of(target, part)
        assert head == list(COLUMNS[part])
        expected = [
            ["" if cell is None else guarded(cell) if isinstance(cell, str) else str(cell) for cell in row]
            for row in stored_in(path, part)
        ]
        assert rows == expected


def test_every_digit_stands_in_the_files(tmp_path: Path, target: Path) -> None:
    path = odd(tmp_path / "a.db")
    exported(path, target, Form.NDJSON, with_secrets=True)
    exported(path, target.with_name("folder"), Form.CSV, with_secrets=True)
    for text in (target.read_text(), (target.with_name("folder") / "tasks.csv").read_text()):
        assert "9223372036854775807" in text
        assert "9007199254740993" in text
    assert '"0000000000000001"' in (target.with_name("folder") / "tasks.csv").read_text()


def test_bytes_that_are_no_utf8_are_escaped(tmp_path: Path, target: Path) -> None:
    path = odd(tmp_path / "a.db")
    exported(path, target, Form.NDJSON, with_secrets=True)
    tasks = {line["id"]: line for line in lines_of(target) if line["type"] == "task"}
    assert tasks["json"]["error_message"] == "0\\xe3"
    assert (tasks["=1+1"]["request"], tasks["=1+1"]["request_text"]) == (None, '{"\\xff}')


@FORMS
def test_an_empty_database_is_an_export_without_rows(tmp_path: Path, target: Path, form: Form) -> None:
    done = exported(make(tmp_path / "a.db"), target, form)
    assert done.counts == {"models": 0, "tasks": 0, "responses": 0, "events": 0}
    assert done.as_of_event == 0
    if form is Form.NDJSON:
        assert [line["type"] for line in lines_of(target)] == ["about", "end"]
    else:
        assert rows_of(target, Part.TASKS) == [list(COLUMNS[Part.TASKS])]
        assert json.loads((target / "about.json").read_text())["counts"] == done.counts


def test_the_first_line_says_what_it_is_and_of_what(tmp_path: Path, target: Path) -> None:
    exported(full_of_secrets(tmp_path / "a.db"), target, Form.NDJSON)
    about = lines_of(target)[0]
    assert (about["format"], about["version"], about["file"]) == ("lmsp-inspector-export", 1, "a.db")
    assert (about["exported_at"], about["opened"]["mode"], about["opened"]["layout"]) == (START_MS, "resting", "native")
    assert about["as_of_event"] == 5
    assert about["redacted"] == {part.value: list(SECRETS[part]) for part in Part}


@FORMS
def test_the_original_is_not_touched(tmp_path: Path, target: Path, form: Form) -> None:
    path = full_of_secrets(tmp_path / "a.db")
    before = touch_state(path)
    exported(path, target, form, with_secrets=True)
    assert differences(before, touch_state(path)) == ()


@FORMS
@pytest.mark.parametrize("questions", range(6))
@pytest.mark.parametrize("error", [KeyboardInterrupt, Unanswered("The reader died.")])
def test_whenever_it_is_ended_nothing_is_there(
    tmp_path: Path, target: Path, form: Form, questions: int, error: BaseException | type[BaseException]
) -> None:
    path = many_pages(tmp_path / "a.db")
    asked: list[Request] = []

    def before(request: Request) -> None:
        if len(asked) == questions:
            raise error
        asked.append(request)

    with pytest.raises((KeyboardInterrupt, Unanswered)):
        exported(path, target, form, before=before)
    assert listing(target.parent) == set()


@FORMS
def test_what_is_there_is_left_as_it_is(tmp_path: Path, target: Path, form: Form) -> None:
    target.write_text("mine")
    with pytest.raises(NotWritten, match="is there already"):
        exported(make(tmp_path / "a.db", "t"), target, form)
    assert target.read_text() == "mine"
    assert listing(target.parent) == {"out"}


@FORMS
def test_what_comes_while_it_is_read_is_not_in_it(tmp_path: Path, target: Path, form: Form) -> None:
    path = make(tmp_path / "a.db", "old")
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        asked: list[Request] = []

        def before(request: Request) -> None:
            if len(asked) == 1:
                add_task(db, "new")
                move_task(db, "old", "running")
                add_deltas(db, "old", 300)
            asked.append(request)

        done = exported(path, target, form, before=before)
    assert done.as_of_event == 1
    assert (done.counts["tasks"], done.counts["events"]) == (1, 1)


def test_of_a_damaged_file_all_that_can_be_read_is_in_it_and_the_rest_is_told(tmp_path: Path, target: Path) -> None:
    path = without_a_page_of_events(many_pages(tmp_path / "a.db"))
    before = touch_state(path)
    done = exported(path, target, Form.NDJSON)
    lines = lines_of(target)
    missing = sorted(set(range(1, EVENTS + 1)) - {line["id"] for line in lines if line["type"] == "event"})
    (sentence,) = done.damage
    assert f"from number {missing[0]} to {missing[-1]} cannot be read" in sentence
    assert lines[-1]["damage"] == [sentence]
    assert done.counts == {"models": 0, "tasks": TASKS, "responses": 0, "events": EVENTS - len(missing)}
    assert differences(before, touch_state(path)) == ()


def test_a_table_of_which_nothing_is_left_takes_no_other_away(tmp_path: Path, target: Path) -> None:
    path = without_a_root(many_pages(tmp_path / "a.db"), "tasks")
    done = exported(path, target, Form.CSV)
    assert (done.counts["tasks"], done.counts["events"]) == (0, EVENTS)
    assert "Rows of the table tasks from the first one on cannot be read" in done.damage[0]
    assert json.loads((target / "about.json").read_text())["damage"] == list(done.damage)


@pytest.mark.parametrize("name", SHIPPED)
@FORMS
def test_a_layout_of_others_is_exported_as_it_is_read(tmp_path: Path, target: Path, name: str, form: Form) -> None:
    path = SHIPPED[name](tmp_path / "other.db")
    before = touch_state(path)
    done = exported(path, target, form, with_secrets=True)
    events = 12 if name == "events as JSON lines" else 9
    assert done.counts == {"tasks": 3, "events": events}
    assert done.as_of_event is None
    assert done.notes[0].startswith("Its events are read task by task")
    assert differences(before, touch_state(path)) == ()
    if form is Form.NDJSON:
        lines = lines_of(target)
        assert lines[0]["opened"]["layout_name"] == name
        seqs = [(line["task_id"], line["seq"]) for line in lines if line["type"] == "event"]
        places = [at + 1 if name == "sequence per task" else None for at in range(events // 3)]
        assert seqs == [(task, place) for task in ("first", "second", "third") for place in places]


def test_data_above_a_preview_is_whole_where_events_are_read_task_by_task(tmp_path: Path, target: Path) -> None:
    path = SHIPPED["integer states"](tmp_path / "other.db")
    text = json.dumps({"text": "x" * 20_000})
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE job_log SET extra = ? WHERE entry = 1", [text])
        db.execute("UPDATE job SET arguments = ? WHERE uuid = 'first'", [text])
    exported(path, target, Form.NDJSON, with_secrets=True)
    lines = lines_of(target)
    assert next(line for line in lines if line["type"] == "event")["data"] == json.loads(text)
    assert next(line for line in lines if line["type"] == "task")["request"] == json.loads(text)


def test_no_content_of_a_layout_of_others_leaves_either(tmp_path: Path, target: Path) -> None:
    path = SHIPPED["events as JSON lines"](tmp_path / "other.db")
    exported(path, target, Form.NDJSON)
    assert "quoted" not in target.read_text()
    assert all(line["data_redacted"] for line in lines_of(target) if line["type"] == "event")


@FORMS
def test_an_error_text_in_place_of_a_code_does_not_leave(tmp_path: Path, target: Path, form: Form) -> None:
    path = tmp_path / "jobs.db"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE jobs (id TEXT PRIMARY KEY, name TEXT, state TEXT, created INTEGER, error TEXT)")
        db.execute("CREATE TABLE job_events (job_id TEXT, n INTEGER, event TEXT, ts INTEGER, payload TEXT)")
        db.execute(f"INSERT INTO jobs VALUES ('a', 'about {CANARY}', 'failed', 1, 'cannot answer: {CANARY}')")
        db.execute("INSERT INTO jobs VALUES ('b', 'chat', 'failed', 1, 'out_of_memory')")
        db.execute(f"INSERT INTO job_events VALUES ('a', 1, 'said {CANARY}', 1, '{{}}')")
    exported(path, target, form)
    written = b"".join(bytes_below(target))
    assert CANARY.encode() not in written
    assert b"out_of_memory" in written
    assert b"chat" in written
    if form is Form.NDJSON:
        task = next(line for line in lines_of(target) if line.get("id") == "a")
        assert (task["error_code"], task["error_code_redacted"], task["kind_redacted"]) == (None, True, True)
    exported(path, target.with_name("whole"), form, with_secrets=True)
    assert b"".join(bytes_below(target.with_name("whole"))).count(CANARY.encode()) == 3


def test_what_stands_in_place_of_a_time_is_told_as_it_is_stored(tmp_path: Path, target: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE tasks (id TEXT PRIMARY KEY, status TEXT, created_at, last_seq)")
        db.execute("CREATE TABLE task_events (task_id TEXT, seq, created_at, data)")
        db.execute("INSERT INTO tasks VALUES ('a', 'queued', '2026-02-30 10:00', '=5')")
        db.execute(f"INSERT INTO tasks VALUES ('b', 'queued', 'this {CANARY} prompt', 1.5)")
        db.execute("INSERT INTO task_events VALUES ('a', 1, 'yesterday', NULL)")
    exported(path, target, Form.NDJSON)
    lines = {line.get("id"): line for line in lines_of(target) if line["type"] in ("task", "event")}
    assert (lines["a"]["created_at"], lines["a"]["last_seq_redacted"]) == ("2026-02-30 10:00", True)
    assert (lines["b"]["created_at"], lines["b"]["created_at_redacted"], lines["b"]["last_seq"]) == (None, True, "1.5")
    assert lines[1]["created_at"] == "yesterday"
    exported(path, target.with_name("folder"), Form.CSV, with_secrets=True)
    head, first, second = rows_of(target.with_name("folder"), Part.TASKS)
    assert (first[head.index("last_seq")], second[head.index("created_at")]) == ("'=5", f"this {CANARY} prompt")
