"""Models: the file stays where it is, and its digest is kept (section 11.1)."""

import hashlib
import json
import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from inspector.layout.rows import ModelRow
from inspector.lmsp.digests import is_digest
from tests.support.store_factory import Rig, failing_at, one, put, statements_of, tapped
from tests.support.store_race import race
from tests.support.subject import store


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.gguf"
    path.write_bytes(b"weights" * 300_000)  # more than one chunk
    return path


def test_the_digest_and_the_size_are_of_the_file(rig: Rig, model: Path) -> None:
    row = store.register_model(
        rig.db, model, name="Llama", now_ms=5, model_id="m", format="gguf", metadata={"parameters": 7}
    )
    digest = f"sha256:{hashlib.sha256(model.read_bytes()).hexdigest()}"
    assert one(rig.db, "SELECT * FROM models") == {
        "id": "m",
        "name": "Llama",
        "digest": digest,
        "size_bytes": 2_100_000,
        "path": str(model),
        "format": "gguf",
        "metadata": '{"parameters":7}',
        "added_at": 5,
    }
    assert (row.id, row.digest, row.size_bytes, row.metadata) == ("m", digest, 2_100_000, '{"parameters":7}')
    assert (row.tasks, row.unfinished) == (0, 0)


def test_no_byte_of_the_file_is_in_the_database(rig: Rig, model: Path) -> None:
    store.register_model(rig.db, model, name="Llama", now_ms=5)
    rig.db.conn.execute("PRAGMA wal_checkpoint")
    stored = rig.path.read_bytes() + rig.path.with_name("service.db-wal").read_bytes()
    assert b"weightsweights" not in stored
    assert model.read_bytes() == b"weights" * 300_000


def test_the_path_is_absolute(rig: Rig, model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(model.parent)
    row = store.register_model(rig.db, "model.gguf", name="Llama", now_ms=5)
    assert row.path == str(model)
    assert one(rig.db, "SELECT path FROM models") == {"path": str(model)}


def test_an_empty_file_has_a_digest(rig: Rig, tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    row = store.register_model(rig.db, tmp_path / "empty", name="Empty", now_ms=5)
    assert row.size_bytes == 0
    assert is_digest(row.digest)


def test_ids_that_are_made_up_differ(rig: Rig, model: Path) -> None:
    first = store.register_model(rig.db, model, name="Llama", now_ms=5)
    second = store.register_model(rig.db, model, name="Llama 2", now_ms=5)
    assert first.id != second.id
    assert json.loads(first.metadata) == {}


@pytest.mark.parametrize("model_id", ["m", None])
def test_a_model_that_is_registered_again_is_the_one_that_is_there(
    rig: Rig, model: Path, monkeypatch: pytest.MonkeyPatch, model_id: str | None
) -> None:
    first = store.register_model(
        rig.db, model, name="Llama", now_ms=5, model_id=model_id, format="gguf", metadata={"parameters": 7}
    )
    monkeypatch.chdir(model.parent)
    with rig.unchanged():
        for path in (model, model.name, f"./{model.name}"):
            assert store.register_model(rig.db, path, name="Llama", now_ms=9, model_id=model_id) == first
        again = store.register_model(rig.db, model, name="Llama", now_ms=9, format="gguf", metadata={"parameters": 7})
        assert again == first
    os.utime(model, (1, 1))
    assert store.register_model(rig.db, model, name="Llama", now_ms=9) == first


@pytest.mark.parametrize("model_id", ["m", None])
@pytest.mark.parametrize(
    ("described", "what"),
    [
        ({"format": "other"}, "another format"),
        ({"metadata": {"parameters": 8}}, "another metadata"),
        ({"metadata": {}}, "another metadata"),
        ({"format": "other", "metadata": {}}, "another format and another metadata"),
    ],
)
def test_a_model_that_is_registered_again_as_something_else_is_refused(
    rig: Rig, model: Path, model_id: str | None, described: dict[str, Any], what: str
) -> None:
    first = store.register_model(
        rig.db, model, name="Llama", now_ms=5, model_id="m", format="gguf", metadata={"parameters": 7, "bits": 4}
    )
    with rig.unchanged(), pytest.raises(store.Refused, match=rf"m already, with {what}\."):
        store.register_model(rig.db, model, name="Llama", now_ms=9, model_id=model_id, **described)
    again = store.register_model(
        rig.db, model, name="Llama", now_ms=9, model_id=model_id, metadata={"bits": 4, "parameters": 7}
    )
    assert again == first


def test_a_model_that_is_registered_again_tells_who_uses_it_now(rig: Rig, model: Path) -> None:
    first = store.register_model(rig.db, model, name="Llama", now_ms=5, model_id="m")
    put(rig.db, "running")
    rig.db.conn.execute("UPDATE tasks SET model_id = 'm'")
    again = store.register_model(rig.db, model, name="Llama", now_ms=9)
    assert ((first.tasks, first.unfinished), (again.tasks, again.unfinished)) == ((0, 0), (1, 1))


def test_another_id_name_path_or_content_is_another_model(rig: Rig, model: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.gguf"
    copy.write_bytes(model.read_bytes())
    rows = [
        store.register_model(rig.db, model, name="Llama", now_ms=5),
        store.register_model(rig.db, model, name="llama", now_ms=5),
        store.register_model(rig.db, copy, name="Llama", now_ms=5),
        store.register_model(rig.db, model, name="Llama", now_ms=5, model_id="mine"),
    ]
    copy.write_bytes(b"other weights")
    rows.append(store.register_model(rig.db, copy, name="Llama", now_ms=5))
    assert len({row.id for row in rows}) == 5
    assert len(rig.rows()["models"]) == 5


def test_of_several_the_first_is_the_one_that_is_there(rig: Rig, model: Path) -> None:
    for model_id, now_ms in (("c", 7), ("a", 6), ("b", 6)):
        store.register_model(rig.db, model, name="Llama", now_ms=now_ms, model_id=model_id)
    assert store.register_model(rig.db, model, name="Llama", now_ms=9).id == "a"


@pytest.mark.parametrize(
    ("name", "moved", "written", "what"),
    [
        ("Other", False, False, "another name"),
        ("Llama", True, False, "another path"),
        ("Llama", False, True, "another content"),
        ("Other", True, True, "another name and another path and another content"),
    ],
)
def test_the_id_of_another_model_is_refused(
    rig: Rig, model: Path, tmp_path: Path, name: str, moved: bool, written: bool, what: str
) -> None:
    store.register_model(rig.db, model, name="Llama", now_ms=5, model_id="m")
    path = model
    if moved:
        path = tmp_path / "moved.gguf"
        path.write_bytes(model.read_bytes())
    if written:
        path.write_bytes(b"other weights")
    with rig.unchanged(), pytest.raises(store.Refused, match=rf"m already, with {what}\."):
        store.register_model(rig.db, path, name=name, now_ms=6, model_id="m")


def test_tasks_that_name_the_model_are_counted(rig: Rig, model: Path) -> None:
    for number, status in enumerate(("queued", "running", "completed", "failed")):
        put(rig.db, status, task_id=f"t{number}")
    for table in ("tasks", "responses"):
        rig.db.conn.execute(f"UPDATE {table} SET model_id = 'm'")
    put(rig.db, "queued", task_id="other")
    row = store.register_model(rig.db, model, name="Llama", now_ms=5, model_id="m")
    assert (row.tasks, row.unfinished) == (4, 2)


def test_all_models_are_listed_in_the_order_of_their_registration(rig: Rig, model: Path) -> None:
    assert store.list_models(rig.db) == ()
    for model_id, now_ms in (("c", 7), ("b", 5), ("a", 7)):
        store.register_model(rig.db, model, name="Llama", now_ms=now_ms, model_id=model_id)
    for number, status in enumerate(("queued", "running", "completed")):
        put(rig.db, status, task_id=f"t{number}")
    for table in ("tasks", "responses"):
        rig.db.conn.execute(f"UPDATE {table} SET model_id = 'a'")
    with rig.unchanged():
        listed = store.list_models(rig.db)
    assert [(row.id, row.tasks, row.unfinished) for row in listed] == [("b", 0, 0), ("a", 3, 2), ("c", 0, 0)]
    assert listed[1] == store.register_model(rig.db, model, name="Llama", now_ms=9, model_id="a")


def test_a_link_to_a_model_is_followed(rig: Rig, model: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(model)
    row = store.register_model(rig.db, link, name="Llama", now_ms=5)
    assert (row.path, row.size_bytes) == (str(link), 2_100_000)


@pytest.mark.parametrize("content", [b"/bin/sh", bytearray(b"weights"), memoryview(b"weights"), 3, None], ids=repr)
def test_bytes_are_refused(rig: Rig, content: Any) -> None:  # noqa: ANN401
    with rig.unchanged(), pytest.raises(store.Refused, match="path"):
        store.register_model(rig.db, content, name="Llama", now_ms=5)


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": ""},
        {"model_id": ""},
        {"name": "\udc80"},
        {"metadata": {"n": float("nan")}},
        {"metadata": {"weights": b"bytes"}},
        {"metadata": ["a", "list"]},
        {"metadata": "{}"},
    ],
    ids=str,
)
def test_what_cannot_be_stored_as_it_is_meant_is_refused(rig: Rig, model: Path, wrong: dict[str, Any]) -> None:
    with rig.unchanged(), pytest.raises(store.Refused):
        store.register_model(rig.db, model, **{"name": "Llama", "now_ms": 5, **wrong})


class PathOfBytes:
    def __fspath__(self) -> bytes:
        return b"/bin/sh"


def test_a_path_of_bytes_is_refused(rig: Rig) -> None:
    path: Any = PathOfBytes()
    with rig.unchanged(), pytest.raises(store.Refused, match="path"):
        store.register_model(rig.db, path, name="Llama", now_ms=5)


def test_a_working_directory_that_is_gone_is_said(rig: Rig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with rig.unchanged(), pytest.raises(store.Unusable, match="cannot be read"):
        store.register_model(rig.db, "model.gguf", name="Llama", now_ms=5)


@pytest.mark.parametrize("wrong", ["path", "name", "model_id", "format"])
def test_a_text_without_utf8_is_refused_before_the_file_is_read(rig: Rig, tmp_path: Path, wrong: str) -> None:
    path = tmp_path / (os.fsdecode(b"caf\xe9") if wrong == "path" else "model")
    path.write_bytes(b"weights")
    told: list[int] = []
    texts: dict[str, Any] = {"name": "Llama", **({} if wrong == "path" else {wrong: "caf\udce9"})}
    with rig.unchanged(), pytest.raises(store.Refused, match="UTF-8"):
        store.register_model(rig.db, path, now_ms=5, progress=lambda *_: told.append(1), **texts)
    assert told == []


@pytest.mark.parametrize(
    ("path", "kind"), [("/dev/zero", "not a regular file"), ("/dev/null", "not a regular file"), ("/", "a folder")]
)
def test_what_is_no_regular_file_is_refused(rig: Rig, path: str, kind: str) -> None:
    with rig.unchanged(), pytest.raises(store.Refused, match=f"^{path} is {kind}, "):
        store.register_model(rig.db, path, name="Llama", now_ms=5)


def test_a_fifo_is_refused_and_not_waited_for(rig: Rig, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    with rig.unchanged(), pytest.raises(store.Refused, match="regular"):
        store.register_model(rig.db, tmp_path / "fifo", name="Llama", now_ms=5)


@pytest.mark.parametrize("name", ["missing", "missing/model", "nul\0", "x" * 5000])
def test_a_file_that_cannot_be_read_is_unusable(rig: Rig, tmp_path: Path, name: str) -> None:
    with rig.unchanged(), pytest.raises(store.Unusable, match="cannot be read"):
        store.register_model(rig.db, tmp_path / name, name="Llama", now_ms=5)


def test_the_database_is_not_locked_while_the_file_is_read(
    rig: Rig, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = os.read
    locked = []

    def read_and_look(descriptor: int, size: int) -> bytes:
        locked.append(rig.db.conn.in_transaction)
        return read(descriptor, size)

    monkeypatch.setattr(os, "read", read_and_look)
    store.register_model(rig.db, model, name="Llama", now_ms=5)
    assert len(locked) > 2
    assert not any(locked)


@pytest.mark.parametrize(
    ("size", "told"),
    [
        (0, [(0, 0)]),
        (10, [(10, 10)] * 2),
        (1 << 20, [(1 << 20, 1 << 20)] * 2),
        ((1 << 20) + 1, [(1 << 20, (1 << 20) + 1)] + [((1 << 20) + 1, (1 << 20) + 1)] * 2),
    ],
)
def test_the_progress_is_told_after_each_chunk_and_at_the_end(
    rig: Rig, tmp_path: Path, size: int, told: list[tuple[int, int]]
) -> None:
    path = tmp_path / "model"
    path.write_bytes(b"w" * size)
    seen: list[tuple[int, int]] = []
    row = store.register_model(rig.db, path, name="Llama", now_ms=5, progress=lambda *where: seen.append(where))
    assert seen == told
    assert row.size_bytes == size
    seen.clear()
    store.register_model(rig.db, path, name="Llama", now_ms=5, progress=lambda *where: seen.append(where))
    assert seen == told


@pytest.mark.parametrize(
    "error", [RuntimeError("stop"), OSError("no terminal"), ValueError("closed"), KeyboardInterrupt()]
)
@pytest.mark.parametrize("call", [1, 2, 4])
def test_what_the_progress_raises_ends_the_reading(rig: Rig, model: Path, error: BaseException, call: int) -> None:
    calls: list[int] = []
    opened = len(list(Path("/proc/self/fd").iterdir()))

    def stop(read_bytes: int, _: int) -> None:
        calls.append(read_bytes)
        if len(calls) == call:
            raise error

    with rig.unchanged(), pytest.raises(type(error)) as raised:
        store.register_model(rig.db, model, name="Llama", now_ms=5, progress=stop)
    assert raised.value is error
    assert len(calls) == call
    assert len(list(Path("/proc/self/fd").iterdir())) == opened


def grow(model: Path) -> None:
    with model.open("ab") as file:
        file.write(b"more")


def shrink(model: Path) -> None:
    os.truncate(model, 100)


def write_into(model: Path) -> None:
    os.utime(model, ns=(1, model.stat().st_mtime_ns + 1))


def replace(model: Path) -> None:
    other = model.with_name("other")
    other.write_bytes(model.read_bytes())
    found = model.stat()
    os.utime(other, ns=(found.st_atime_ns, found.st_mtime_ns))
    other.rename(model)


@pytest.mark.parametrize("change", [grow, shrink, write_into, replace])
@pytest.mark.parametrize("call", [1, 3])
def test_a_file_that_changes_while_it_is_read_is_unusable(
    rig: Rig, model: Path, change: Callable[[Path], None], call: int
) -> None:
    calls: list[int] = []

    def act(read_bytes: int, _: int) -> None:
        calls.append(read_bytes)
        if len(calls) == call:
            change(model)

    with rig.unchanged(), pytest.raises(store.Unusable, match="changed while it was read"):
        store.register_model(rig.db, model, name="Llama", now_ms=5, progress=act)
    assert store.register_model(rig.db, model, name="Llama", now_ms=5).size_bytes == model.stat().st_size


def test_a_file_that_grows_as_fast_as_it_is_read_is_not_followed(rig: Rig, tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"x" * 100)
    calls: list[int] = []

    def grow_more(read_bytes: int, _: int) -> None:
        calls.append(read_bytes)
        if len(calls) < 10:
            with path.open("ab") as file:
                file.write(b"y" * 2_000_000)

    with rig.unchanged(), pytest.raises(store.Unusable, match="changed while it was read"):
        store.register_model(rig.db, path, name="Llama", now_ms=5, progress=grow_more)
    assert calls == [100]


def test_a_file_that_is_longer_than_it_says_is_unusable(rig: Rig) -> None:
    with rig.unchanged(), pytest.raises(store.Unusable, match="changed while it was read"):
        store.register_model(rig.db, "/proc/self/status", name="Llama", now_ms=5)


def test_a_file_that_goes_away_while_it_is_read_is_unusable(rig: Rig, model: Path) -> None:
    with rig.unchanged(), pytest.raises(store.Unusable, match="cannot be read"):
        store.register_model(rig.db, model, name="Llama", now_ms=5, progress=lambda *_: model.unlink(missing_ok=True))


def test_a_disk_that_fails_while_the_file_is_read_is_unusable(
    rig: Rig, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = os.read
    chunks: list[int] = []

    def fail(descriptor: int, size: int) -> bytes:
        chunks.append(size)
        if len(chunks) == 2:
            raise OSError(5, "Input/output error")
        return read(descriptor, size)

    monkeypatch.setattr(os, "read", fail)
    with rig.unchanged(), pytest.raises(store.Unusable, match="cannot be read"):
        store.register_model(rig.db, model, name="Llama", now_ms=5)


def test_a_file_of_which_less_is_read_than_there_is_said_to_be_is_unusable(
    rig: Rig, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = os.read
    chunks: list[int] = []

    def end_early(descriptor: int, size: int) -> bytes:
        chunks.append(size)
        return read(descriptor, size) if len(chunks) == 1 else b""

    monkeypatch.setattr(os, "read", end_early)
    with rig.unchanged(), pytest.raises(store.Unusable, match="changed while it was read"):
        store.register_model(rig.db, model, name="Llama", now_ms=5)


@pytest.mark.ours
@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize(("model_id", "there"), [("m", False), (None, False), ("m", True), (None, True)])
def test_what_fails_halfway_changes_nothing(
    rig: Rig, tmp_path: Path, model_id: str | None, there: bool, moment: str
) -> None:
    small = tmp_path / "small"
    small.write_bytes(b"weights")
    if there:
        store.register_model(rig.db, small, name="Llama", now_ms=5, model_id=model_id)

    def register(name: str) -> ModelRow:
        return store.register_model(rig.db, small, name=name, now_ms=9, model_id=model_id)

    # Which files are the database's own is asked before the transaction.
    steps = 5 if there else 6
    for number in range(steps - (moment == "after")):
        with (
            rig.unchanged(),
            pytest.raises(store.Unusable, match="disk"),
            tapped(rig.db, **{moment: failing_at(number)}),
        ):
            register("Llama")
    assert len(statements_of(rig.db, lambda: register("Llama"))) == steps


@pytest.mark.process
def test_of_many_that_register_one_file_at_once_each_is_told_of_the_same_model(tmp_path: Path) -> None:
    paths = []
    for number in range(20):
        paths.append(str(tmp_path / f"{number}.gguf"))
        Path(paths[-1]).write_bytes(b"weights")
    path = tmp_path / "service.db"
    store.open_service_database(path).close()
    answers = race(path, [("register", paths)] * 3)
    assert answers[0] == answers[1] == answers[2]
    with closing(store.open_service_database(path)) as db:
        assert db.conn.execute("SELECT count(*), count(DISTINCT path) FROM models").fetchall() == [(20, 20)]
