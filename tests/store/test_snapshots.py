"""Snapshots: saved without an event, at the last event that they cover."""

from typing import Any

import pytest

from tests.support.store_factory import Rig, put
from tests.support.subject import store


def test_a_snapshot_stands_at_the_last_event(rig: Rig) -> None:
    put(rig.db, "running")
    log = rig.log("t")
    store.save_snapshot(rig.db, "t", {"tokens": [1, 2]}, attempt=1, now_ms=200)
    task = rig.task("t")
    assert (task["snapshot"], task["snapshot_seq"], task["updated_at"]) == ('{"tokens":[1,2]}', 3, 200)
    assert rig.log("t") == log


def test_a_later_snapshot_takes_the_place_of_the_earlier(rig: Rig) -> None:
    put(rig.db, "running", snapshot={"n": 1})
    store.append_events(rig.db, "t", [("response.output_text.delta", {})] * 2, attempt=1, now_ms=200)
    store.save_snapshot(rig.db, "t", {"n": 2}, attempt=1, now_ms=201)
    task = rig.task("t")
    assert (task["snapshot"], task["snapshot_seq"]) == ('{"n":2}', 5)


def test_others_notice_a_snapshot_though_it_writes_no_event(rig: Rig) -> None:
    put(rig.db, "running")
    other = store.open_service_database(rig.path)
    seen = other.conn.execute("PRAGMA data_version").fetchall()
    store.save_snapshot(rig.db, "t", {"n": 1}, attempt=1, now_ms=200)
    assert other.conn.execute("PRAGMA data_version").fetchall() != seen
    other.close()


@pytest.mark.parametrize("snapshot", [None, [], "text", 7, {"n": float("nan")}, {"o": object()}, b"bytes"], ids=repr)
def test_what_is_no_json_object_is_refused(rig: Rig, snapshot: Any) -> None:  # noqa: ANN401
    put(rig.db, "running", snapshot={"n": 1})
    with rig.unchanged(), pytest.raises(store.Refused):
        store.save_snapshot(rig.db, "t", snapshot, attempt=1, now_ms=200)
