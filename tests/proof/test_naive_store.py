"""What the layout's own triggers refuse of a store that decides on what it has read before, and what it cannot refuse.

A naive call has looked at its task; then somebody else writes; then the naive call does. Most such pairs the native
layout refuses, whoever writes. A task that two workers have claimed, or that an old attempt has ended, is one that the
layout takes: there the store's guard is all there is. Without the triggers the checker finds every one of them.
"""

import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlite_utils import Database

from inspector import store
from tests.support import naive_store
from tests.support.store_factory import put, tapped
from tests.support.store_invariants import broken_invariants

pytestmark = pytest.mark.ours

Call = Callable[[Any, Database], object]
"""A call of a store, ours or the naive one, on a task ``t``."""

CALLS: dict[str, Call] = {
    "claim": lambda s, db: s.start_task(db, "t", status="loading", attempt=1, now_ms=500),
    "append": lambda s, db: s.append_events(db, "t", [("x", {})], attempt=1, now_ms=500),
    "complete": lambda s, db: s.complete_task(db, "t", {}, attempt=1, now_ms=500),
    "fail": lambda s, db: s.fail_task(db, "t", code="c", message="m", attempt=1, now_ms=500),
    "cancel": lambda s, db: s.cancel_task(db, "t", now_ms=500),
    "finish": lambda s, db: s.finish_cancel(db, "t", attempt=1, now_ms=500),
    "recover": lambda s, db: s.apply_recovery(db, s.plan_recovery(db), now_ms=500),
}


@dataclass(frozen=True)
class Pair:
    found: str
    late: str
    """The naive call: it has looked before ``first`` wrote, and writes after it."""
    first: str
    policy: str = "retry"


REFUSED = (
    Pair("queued", "claim", "cancel"),
    Pair("queued", "cancel", "recover", "fail"),
    Pair("running", "append", "cancel"),
    Pair("running", "append", "complete"),
    Pair("running", "complete", "cancel"),
    Pair("running", "complete", "fail"),
    Pair("running", "complete", "recover", "fail"),
    Pair("running", "fail", "cancel"),
    Pair("running", "fail", "complete"),
    Pair("running", "cancel", "complete"),
    Pair("cancelling", "finish", "fail"),
    Pair("cancelling", "append", "finish"),
)
TAKEN = (
    Pair("queued", "claim", "claim"),
    Pair("queued", "cancel", "claim"),
    Pair("running", "complete", "recover", "retry"),
    Pair("running", "complete", "recover", "resume"),
)


def name_of(pair: Pair) -> str:
    return f"{pair.late} after {pair.first} ({pair.policy}), seen {pair.found}"


def carry_out(pair: Pair, db: Database, path: Path, late: object = naive_store) -> None:
    """Let the late call look, another connection write, and the late call write."""
    put(db, pair.found, on_restart=pair.policy)
    others = [CALLS[pair.first]]

    def before(sql: str) -> None:
        if sql == "BEGIN IMMEDIATE" and others:
            with closing(naive_store.open_service_database(path)) as other:
                others.pop()(store, other)

    with tapped(db, before=before):
        CALLS[pair.late](late, db)
    assert not others


@pytest.mark.parametrize("pair", REFUSED, ids=name_of)
def test_the_layout_refuses_what_a_naive_store_would_write(tmp_path: Path, pair: Pair) -> None:
    path = tmp_path / "service.db"
    with closing(store.open_service_database(path)) as db:
        with pytest.raises(sqlite3.IntegrityError, match=r"nothing follows a final event, and only cancelled follows"):
            carry_out(pair, db, path)
        assert broken_invariants(db.conn) == []


@pytest.mark.parametrize("pair", TAKEN, ids=name_of)
def test_the_layout_takes_what_only_a_guard_can_refuse(tmp_path: Path, pair: Pair) -> None:
    path = tmp_path / "service.db"
    with closing(store.open_service_database(path)) as db:
        carry_out(pair, db, path)
        assert broken_invariants(db.conn)


@pytest.mark.parametrize("pair", REFUSED + TAKEN, ids=name_of)
def test_without_its_triggers_the_checker_finds_it(tmp_path: Path, pair: Pair) -> None:
    path = tmp_path / "service.db"
    with closing(naive_store.open_service_database(path)) as db:
        carry_out(pair, db, path)
        assert broken_invariants(db.conn)


@pytest.mark.parametrize("pair", REFUSED + TAKEN, ids=name_of)
def test_the_store_comes_to_no_such_end(tmp_path: Path, pair: Pair) -> None:
    path = tmp_path / "service.db"
    with closing(store.open_service_database(path)) as db:
        with suppress(store.Refused):
            carry_out(pair, db, path, late=store)
        assert broken_invariants(db.conn) == []


@pytest.mark.parametrize("end", [("complete",), ("fail",), ("cancel", "finish")], ids=" and ".join)
def test_one_naive_caller_at_a_time_breaks_nothing(tmp_path: Path, end: tuple[str, ...]) -> None:
    with closing(naive_store.open_service_database(tmp_path / "service.db")) as db:
        put(db, "queued")
        CALLS["claim"](naive_store, db)
        naive_store.start_task(db, "t", status="running", attempt=1, now_ms=500)
        for call in ("append", *end):
            CALLS[call](naive_store, db)
        assert broken_invariants(db.conn) == []
