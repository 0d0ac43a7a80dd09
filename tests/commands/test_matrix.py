"""A file of each kind that somebody may send, on the command line: the sentence, the tasks, and nothing touched."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from inspector.cli import command_line
from inspector.commands.clock import Clock
from tests.support.matrix import Parts, Situation, left_behind
from tests.support.matrix_rows import COMPANIONS, COPIES, HEADERS
from tests.support.proof import differences, touch_state

SAMPLE = (
    *("writable: db", "writable: db-wal", "writable: db-wal-shm", "rollback journal, folder 755, file 644"),
    *("hot journal, folder 755, file 644", "a -journal that names a victim", "-journal is a link"),
    *("-wal cut within a frame", "first frame of the -wal damaged beside its -shm", "100 bytes of header alone"),
    *("cut within its last pages", "a newer user_version", "format to read of a newer SQLite"),
)
SITUATIONS = {situation.name: situation for situation in (*COPIES, *COMPANIONS, *HEADERS)}


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Parts:
    return left_behind(tmp_path_factory.mktemp("left"))


@pytest.mark.parametrize("name", SAMPLE)
def test_each_kind_of_file_is_listed_or_ends_in_its_sentence(name: str, parts: Parts, tmp_path: Path) -> None:
    situation: Situation = SITUATIONS[name]
    path = situation.build(tmp_path, parts)
    before = touch_state(path)

    ended = CliRunner().invoke(
        command_line, ["tasks", str(path), "--limit", "1000", "--json"], obj=Clock(lambda: 1, lambda _: None)
    )

    assert differences(before, touch_state(path)) == ()
    if situation.refused:
        assert ended.exit_code == 2
        assert ended.stdout == ""
        assert situation.is_refused_as(ended.stderr.strip().removeprefix("lmsp-inspector: "))
        assert "Traceback" not in ended.stderr
        return
    told = json.loads(ended.stdout)
    assert len(told["tasks"]) == situation.tasks
    assert told["opened"]["mode"] == situation.mode
    assert situation.why in told["opened"]["why"]
    assert any(situation.note in note for note in ("", *told["opened"]["notes"]))
    victim = tmp_path / "victim.txt"
    assert not victim.exists() or victim.read_text() == "precious"
