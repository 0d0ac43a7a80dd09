"""A file renamed to the place of one that a service has open: no command reads or writes it through that -wal."""

from pathlib import Path

import pytest

from tests.commands.databases import run
from tests.support.proof import differences, touch_state
from tests.support.reading_databases import add_task, make
from tests.support.reading_service import service_on

pytestmark = pytest.mark.timeout(60)


@pytest.mark.parametrize(
    "words",
    [
        ("tasks",),
        ("check",),
        ("cancel", "other"),
        ("retention", "--keep", "30d", "--apply"),
        ("recover", "--apply"),
        ("export", "--format", "ndjson", "--out", "out.ndjson"),
    ],
    ids=lambda words: words[0],
)
def test_it_is_refused_with_what_to_do_and_neither_file_is_touched(
    tmp_path: Path, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = make(tmp_path / "service.db", "early")
    with service_on(path) as service:
        add_task(service, "late")
        make(tmp_path / "new.db", "other").rename(path)
        before = touch_state(path)

        result = run(words[0], path, *words[1:])

        assert result.returncode == 2
        assert f"(pid {service.pid}) has another file open, which lay here before".encode() in result.stderr
        assert result.stdout == b""
        assert differences(before, touch_state(path)) == ()
        assert sorted(each.name for each in tmp_path.iterdir()) == ["service.db", "service.db-shm", "service.db-wal"]
