"""``tables`` lists every table and shows the rows of any; ``sql`` runs one statement that only reads."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from inspector.cli import command_line
from tests.commands.databases import one_of_each, without_shm
from tests.support.proof import differences, touch_state

CANARY = "canary-4711"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command_line, list(arguments))


def document(*arguments: str) -> dict[str, Any]:
    result = run(*arguments, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = one_of_each(tmp_path_factory.mktemp("tables") / "lmsp.db")
    db = sqlite3.connect(path, isolation_level=None)
    db.execute('CREATE TABLE "o""dd\x1b]0;t\x07" (a, "b\u202e")')
    db.execute("INSERT INTO \"o\"\"dd\x1b]0;t\x07\" VALUES (9223372036854775807, 'x\x1b[2J'), (1e999, x'00ff')")
    db.execute("INSERT INTO clients VALUES ('c', 'c', ?, '[]', 1, NULL, NULL)", ["ab" * 32])
    db.execute("INSERT INTO service_config VALUES ('api_token', ?, 1)", [CANARY])
    db.execute("CREATE VIEW endless AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n")
    db.close()
    return path


ODD = 'o"dd\x1b]0;t\x07'


def test_every_table_is_listed_and_nothing_of_it_acts_on_a_terminal(path: Path) -> None:
    result = run("tables", str(path))

    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0].split()[:2] == ["TABLE", "ROWS"]
    assert r'o"dd\u001b]0;t\u0007' in result.stdout
    assert r"b\u202e" in result.stdout
    assert "A view is not read" in result.stdout
    assert not set(result.stdout) & {"\x1b", "\x07", "\u202e"}


def test_the_document_says_what_each_table_is(path: Path) -> None:
    found = document("tables", str(path))

    assert list(found) == ["tables", "left_off", "opened"]
    by_name = {table["name"]: table for table in found["tables"]}
    assert by_name["tasks"]["lmsp"] is True
    assert by_name[ODD]["lmsp"] is False
    assert by_name[ODD]["rows_at_most"] == 2
    assert by_name["endless"]["kind"] == "view"
    assert by_name["clients"]["columns"][2]["why_not"] is not None


def test_rows_are_typed_json_with_every_digit(path: Path) -> None:
    result = run("tables", str(path), ODD, "--json")

    assert "9223372036854775807" in result.stdout
    assert json.loads(result.stdout)["rows"] == [
        [9223372036854775807, "x\x1b[2J"],
        [{"real": "Inf"}, {"blob": "00ff", "length": 2}],
    ]


def test_rows_for_a_person_are_plain_and_say_whether_there_are_more(path: Path) -> None:
    result = run("tables", str(path), ODD, "--limit", "1")

    assert result.stdout.splitlines()[1].split() == ["9223372036854775807", r"x\u001b[2J"]
    assert "1 row; there are more." in result.stdout


def test_more_rows_than_a_page_come_as_one_list(path: Path) -> None:
    assert len(document("tables", str(path), "task_events", "--limit", "1000")["rows"]) > 7
    assert document("tables", str(path), "task_events", "--limit", "3")["more"] is True


@pytest.mark.threat(id="T19")
def test_no_secret_is_printed(path: Path) -> None:
    for table in ("clients", "service_config"):
        for arguments in (("tables", str(path), table), ("sql", str(path), f"SELECT * FROM {table}")):
            for options in ((), ("--json",)):
                result = run(*arguments, *options)
                assert result.exit_code == 0
                assert CANARY not in result.stdout
                assert "ab" * 32 not in result.stdout


def test_columns_that_are_not_read_are_named_with_the_reason(tmp_path: Path) -> None:
    path = one_of_each(tmp_path / "lmsp.db")
    db = sqlite3.connect(path, isolation_level=None)
    db.execute(f"CREATE TABLE wide ({', '.join(f'c{at}' for at in range(100))})")
    db.execute("INSERT INTO wide (c0) VALUES (1)")
    db.execute("CREATE TABLE made (a, worked AS (a) VIRTUAL, kept AS (a) STORED, secret)")
    db.execute("INSERT INTO made (a, secret) VALUES (5, ?)", [CANARY])
    db.close()

    wide, generated = run("tables", str(path), "wide").stdout, run("tables", str(path), "made").stdout
    assert (
        "Not read: c80, c81, c82, c83, c84, c85, c86, c87 and 12 more. "
        "Of 100 columns only the first 80 are read: 20 more are there.\n"
    ) in wide
    assert "Not read: worked. It is VIRTUAL: each value is worked out when it is read" in generated
    assert generated.splitlines()[1].split() == ["5", "(not", "read)", "5", "(hidden)"]
    assert generated.count("Not read:") == 1, "of a secret its cell says it"
    assert document("tables", str(path), "made")["rows"] == [[5, {"left_out": True}, 5, {"hidden": True}]]
    assert "Not read:" not in run("tables", str(path), "tasks").stdout


def test_what_is_no_table_ends_with_one_line_and_status_1_or_2(path: Path) -> None:
    missing, view = run("tables", str(path), "none"), run("tables", str(path), "endless")

    assert (missing.exit_code, missing.stderr) == (1, "lmsp-inspector: There is no table none in this database.\n")
    assert view.exit_code == 2
    assert len(view.stderr.splitlines()) == 1


def test_a_statement_gives_its_rows_and_touches_nothing(path: Path) -> None:
    before = touch_state(path)

    found = document("sql", str(path), "SELECT count(*) AS n, 'a' FROM tasks")
    plain = run("sql", str(path), "SELECT id FROM tasks ORDER BY id", "--limit", "2")

    assert (found["columns"], found["rows"], found["more"]) == (["n", "'a'"], [[7, "a"]], False)
    assert [line.strip() for line in plain.stdout.splitlines()[:3]] == ["id", "cancelled", "cancelling"]
    assert "there are more" in plain.stdout
    assert differences(before, touch_state(path)) == ()


def test_a_private_copy_is_read_where_only_a_copy_can_be(tmp_path: Path) -> None:
    copied = without_shm(tmp_path / "lmsp.db", ("task-1", "queued", "fail"))
    before = touch_state(copied)

    found = document("sql", str(copied), "SELECT id FROM tasks")

    assert found["rows"] == [["task-1"]]
    assert found["opened"]["mode"] == "copy"
    assert differences(before, touch_state(copied)) == ()


def test_a_statement_that_would_write_or_never_ends_is_ended_in_one_line(path: Path) -> None:
    write = run("sql", str(path), "DELETE FROM tasks")
    endless = "SELECT trim(hex(zeroblob(480000)), replace(hex(zeroblob(40000)), '0', '1') || '0')"
    slow = run("sql", str(path), endless, "--seconds", "1")

    assert (write.exit_code, slow.exit_code) == (2, 2)
    assert "only reads" in write.stderr
    assert slow.stderr == "lmsp-inspector: This took longer than 1 s and was stopped.\n"


def test_a_long_name_makes_neither_the_listing_nor_a_sentence_as_long(tmp_path: Path) -> None:
    path, long = tmp_path / "long.db", "n" * 200_000
    db = sqlite3.connect(path)
    db.execute(f'CREATE TABLE "{long}" ("{long}")')
    db.execute("CREATE TABLE other (a)")
    db.close()
    listing = run("tables", str(path))
    assert listing.exit_code == 0
    assert max(map(len, listing.stdout.splitlines())) < 1_300
    other = next(line for line in listing.stdout.splitlines() if line.startswith("other"))
    assert len(other) < 200
    assert [table["name"] for table in document("tables", str(path))["tables"]] == [long, "other"]
    refused = run("tables", str(path), long + "x")
    assert refused.exit_code == 1
    assert "(200,001 characters)" in refused.stderr
    assert len(refused.stderr) < 300


@pytest.mark.parametrize(
    "description",
    [
        '[tasks]\ntable = "{long}"\n[tasks.columns]\nid = "a"\nstatus = "a"',
        '[tasks]\ntable = "other"\n[tasks.columns]\nid = "{long}"\nstatus = "a"',
        '[tasks]\ntable = "other"\n{long} = 1',
        '[tasks]\ntable = "other"\ntimes = "{long}"\n[tasks.columns]\nid = "a"\nstatus = "a"',
        '[tasks]\ntable = "other"\nzone = "{long}"\n[tasks.columns]\nid = "a"\nstatus = "a"',
        '[tasks]\ntable = "other"\n[tasks.columns]\nid = "a"\nstatus = "a"\n[tasks.statuses]\n{long} = "{long}"',
    ],
)
def test_a_long_name_in_a_description_does_not_make_its_refusal_long(tmp_path: Path, description: str) -> None:
    path, own = tmp_path / "a.db", tmp_path / "own.toml"
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE other (a)")
    db.close()
    own.write_text(description.replace("{long}", "n" * 50_000))
    refused = run("tasks", str(path), "--layout", str(own))
    assert refused.exit_code == 2
    assert "50,000 characters" in refused.stderr
    assert len(refused.stderr) < 500
    assert refused.stderr.count("\n") == 1


def test_what_is_no_number_of_seconds_is_refused(path: Path) -> None:
    refused = run("sql", str(path), "SELECT 1", "--seconds", "nan")

    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "nan is not in the range 1<=x<=3600." in refused.stderr
