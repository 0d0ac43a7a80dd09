"""Models: the file stays where it is, and its digest is kept (section 11.1)."""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

from inspector.lmsp.digests import is_digest
from tests.support.store_factory import Rig, one, put
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
    second = store.register_model(rig.db, model, name="Llama", now_ms=5)
    assert first.id != second.id
    assert json.loads(first.metadata) == {}


def test_tasks_that_name_the_model_are_counted(rig: Rig, model: Path) -> None:
    for number, status in enumerate(("queued", "running", "completed", "failed")):
        put(rig.db, status, task_id=f"t{number}")
    rig.db.conn.execute("UPDATE tasks SET model_id = 'm'")
    put(rig.db, "queued", task_id="other")
    row = store.register_model(rig.db, model, name="Llama", now_ms=5, model_id="m")
    assert (row.tasks, row.unfinished) == (4, 2)


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


def test_an_id_that_is_taken_is_refused(rig: Rig, model: Path) -> None:
    store.register_model(rig.db, model, name="Llama", now_ms=5, model_id="m")
    with rig.unchanged(), pytest.raises(store.Refused, match="m already"):
        store.register_model(rig.db, model, name="Other", now_ms=6, model_id="m")


def test_a_path_that_is_no_text_is_refused(rig: Rig, tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/caf\xe9"
    Path(os.fsdecode(path)).write_bytes(b"weights")
    with rig.unchanged(), pytest.raises(store.Refused):
        store.register_model(rig.db, os.fsdecode(path), name="Llama", now_ms=5)


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/null", "/"])
def test_what_is_no_regular_file_is_refused(rig: Rig, path: str) -> None:
    with rig.unchanged(), pytest.raises(store.Refused, match="regular"):
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
