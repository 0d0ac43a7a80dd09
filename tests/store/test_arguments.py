"""Arguments of the wrong kind: refused by their name, in one way by every function, and nothing is changed."""

import inspect
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from inspector.store.writing import reading
from tests.support.store_factory import Rig, put
from tests.support.subject import store

NUMBER: list[Any] = [None, "1", 1.5, True, b"1", 1 << 63, float("nan"), []]
MOMENT: list[Any] = [*NUMBER, -1]
TEXT: list[Any] = [None, 5, b"t", ["t"], {}, object()]
TEXT_OR_NONE = TEXT[1:]
FLAG: list[Any] = [None, 0, 1, "yes"]
OBJECT: list[Any] = [None, 5, "text", b"{}", [1], ["ab"]]
DATABASE: list[Any] = [None, "service.db", Path("service.db"), 5]
TO_KEEP: list[Any] = [0, -1, 1.5, True, "5", 1 << 63]
FUNCTION: list[Any] = [5, "print"]


class PathInBytes:
    """A path as ``os.scandir(b".")`` gives them."""

    def __fspath__(self) -> bytes:
        return b"service.db"

    def __repr__(self) -> str:
        return "path in bytes"


PATH: list[Any] = [None, 5, b"service.db", ["service.db"], PathInBytes()]
WORKER = {"db": DATABASE, "task_id": TEXT, "attempt": [*NUMBER, -1], "now_ms": MOMENT}

WRONG: dict[str, dict[str, list[Any]]] = {
    "accept_task": {
        "db": DATABASE,
        "request": OBJECT,
        "on_restart": ["never", 5, b"retry", []],
        "now_ms": MOMENT,
        "kind": TEXT,
        "client_id": [*TEXT_OR_NONE, ""],
        "model_id": TEXT_OR_NONE,
        "task_id": [*TEXT_OR_NONE, ""],
        "idempotency_key": [*TEXT_OR_NONE, ""],
        "keep_key_ms": TO_KEEP,
    },
    "append_events": {
        **WORKER,
        "events": [None, 5, "text", b"bytes", {"type": {}}, ["type"], ["ab"], [("type",)], [("type", {}, 1)], [5]],
    },
    "apply_recovery": {"db": DATABASE, "plan": [None, {}, ()], "now_ms": MOMENT},
    "apply_retention": {
        "db": DATABASE,
        "plan": [None, {}, 5],
        "now_ms": MOMENT,
        "hold_ms": [None, "20", 0, -1, float("nan")],
        **dict.fromkeys(("proceed", "patient", "deleted", "monotonic", "pause"), FUNCTION),
    },
    "authenticate": {"db": DATABASE, "now_ms": MOMENT, "seen_every_ms": MOMENT},
    "cancel_in_file": {"path": PATH, "task_id": TEXT, "now_ms": MOMENT, "wait_ms": NUMBER},
    "cancel_task": {"db": DATABASE, "task_id": TEXT, "now_ms": MOMENT},
    "claim_next_task": {"db": DATABASE, "now_ms": MOMENT, "warm": FLAG},
    "complete_task": {
        **WORKER,
        "response": OBJECT,
        "response_id": [*TEXT_OR_NONE, ""],
        "keep_response_ms": TO_KEEP,
    },
    "config_value": {"db": DATABASE, "key": TEXT},
    "fail_task": {**WORKER, "code": [*TEXT, ""], "message": TEXT},
    "find_task": {"db": DATABASE, "task_id": TEXT},
    "finish_cancel": WORKER,
    "list_clients": {"db": DATABASE},
    "list_models": {"db": DATABASE},
    "next_queued_task": {"db": DATABASE},
    "open_group_writer": {"path": PATH, "wait_ms": NUMBER, "most_calls": [*NUMBER, 0, -1]},
    "open_service_database": {"path": PATH, "wait_ms": NUMBER},
    "pair_client": {
        "db": DATABASE,
        "name": [*TEXT, ""],
        "scopes": [None, 5, "read", b"read"],
        "now_ms": MOMENT,
        "client_id": [*TEXT_OR_NONE, ""],
    },
    "plan_recovery": {"db": DATABASE},
    "plan_retention": {"db": DATABASE, "now_ms": MOMENT, "keep_ms": MOMENT[1:]},
    "register_model": {
        "db": DATABASE,
        "name": [*TEXT, ""],
        "now_ms": MOMENT,
        "model_id": [*TEXT_OR_NONE, ""],
        "format": TEXT_OR_NONE,
        "metadata": OBJECT[1:],
        "progress": FUNCTION,
    },
    "require_scope": {"client": [None, "c", 5], "scope": TEXT},
    "revoke_client": {"db": DATABASE, "client_id": TEXT, "now_ms": MOMENT},
    "save_snapshot": {**WORKER, "snapshot": OBJECT},
    "set_config": {"db": DATABASE, "key": [*TEXT, ""], "now_ms": MOMENT},
    "start_task": {**WORKER, "status": [None, 5, "queued", "Running", []], "warm": FLAG},
    "stored_response": {"db": DATABASE, "task_id": TEXT, "now_ms": MOMENT},
    "task_events": {"db": DATABASE, "task_id": TEXT, "after_seq": NUMBER, "limit": [*NUMBER, 0, -1]},
    "task_request": {"db": DATABASE, "task_id": TEXT},
}

TOLD_OTHERWISE = {
    "authenticate": {"token"},  # one that is no text is as unknown as any other
    "register_model": {"path"},  # bytes could be those of the model: a sentence of its own
    "set_config": {"value"},  # any value, as far as JSON can say it
}

CASES = [
    pytest.param(name, parameter, value, id=f"{name}-{parameter}-{value!r:.20}")
    for name, parameters in WRONG.items()
    for parameter, values in parameters.items()
    for value in values
]


def right(rig: Rig, name: str, folder: Path) -> dict[str, Any]:
    """Return arguments that the function takes."""
    by_name: dict[str, Any] = {
        "db": rig.db,
        "task_id": "t",
        "attempt": 1,
        "now_ms": 2_000,
        "request": {},
        "on_restart": "retry",
        "events": [],
        "response": {},
        "snapshot": {},
        "status": "loading",
        "code": "c",
        "message": "m",
        "key": "k",
        "value": 1,
        "name": "n",
        "scopes": ["read"],
        "token": "?",
        "scope": "read",
        "client_id": "c",
        "path": folder / "other.db",
    }
    if name == "apply_recovery":
        by_name["plan"] = store.plan_recovery(rig.db)
    if name == "apply_retention":
        by_name["plan"] = store.plan_retention(rig.db, now_ms=2_000, keep_ms=0)
    if name == "require_scope":
        by_name["client"] = store.pair_client(rig.db, name="n", scopes=["read"], now_ms=1).client
    needed = inspect.signature(getattr(store, name)).parameters.values()
    return {
        parameter.name: by_name[parameter.name] for parameter in needed if parameter.default is inspect.Parameter.empty
    }


@pytest.mark.parametrize(("name", "parameter", "value"), CASES)
def test_an_argument_of_the_wrong_kind_is_refused_by_its_name(
    rig: Rig,
    tmp_path: Path,
    name: str,
    parameter: str,
    value: Any,  # noqa: ANN401
) -> None:
    put(rig.db, "running")
    given = {**right(rig, name, tmp_path), parameter: value}
    with rig.unchanged(), pytest.raises(store.Refused, match=rf"^(each of the )?{parameter} must be [^\n]*\.$"):
        getattr(store, name)(**given)
    assert not (tmp_path / "other.db").exists()


@pytest.mark.ours
def test_every_parameter_of_every_function_is_asked_for() -> None:
    functions = {name for name in store.__all__ if inspect.isfunction(getattr(store, name))}
    assert set(WRONG) == functions
    for name in functions:
        parameters = set(inspect.signature(getattr(store, name)).parameters)
        assert set(WRONG[name]) == parameters - TOLD_OTHERWISE.get(name, set()), name


@pytest.mark.parametrize("event_type", [None, 5, b"delta", "", ["delta"]], ids=repr)
def test_the_type_of_an_event_is_text(rig: Rig, event_type: Any) -> None:  # noqa: ANN401
    put(rig.db, "running")
    with rig.unchanged(), pytest.raises(store.Refused, match=r"^the type of an event must be text that is not empty, "):
        store.append_events(rig.db, "t", [("delta", {}), (event_type, {})], attempt=1, now_ms=2_000)


@pytest.mark.parametrize("scope", [None, 5, b"read", "", "two words", "\x1b"], ids=repr)
def test_each_scope_is_a_word(rig: Rig, scope: Any) -> None:  # noqa: ANN401
    with rig.unchanged(), pytest.raises(store.Refused, match=r"^each of the scopes must be "):
        store.pair_client(rig.db, name="n", scopes=["read", scope], now_ms=1)


def test_a_secret_is_not_told_in_a_refusal(rig: Rig) -> None:
    with pytest.raises(store.Refused) as refused:
        store.accept_task(rig.db, request="my prompt", on_restart="retry", now_ms=1)  # type: ignore[arg-type]
    assert "my prompt" not in refused.value.sentence
    assert refused.value.sentence.endswith(", not a str: nothing was changed.")


CALLS: dict[str, Callable[[Any], object]] = {
    "a rule": lambda db: store.accept_task(db, request={}, on_restart="retry", now_ms=1),
    "a look": lambda db: store.find_task(db, "t"),
    "a plan": store.plan_recovery,
    "a cleanup": lambda db: store.apply_retention(db, plan_of_nothing(), now_ms=1),
    "a cancel": lambda db: store.cancel_task(db, "t", now_ms=1),
    "a model": lambda db: store.register_model(db, __file__, name="n", now_ms=1),
    "a client": lambda db: store.authenticate(db, "?", now_ms=1),
}


def plan_of_nothing() -> Any:  # noqa: ANN401  a plan of another store's kind
    return store.RetentionPlan(0, 0, 0, 0, 0, 0, 0, 0, 0, 0)


@pytest.mark.ours
@pytest.mark.parametrize("name", CALLS)
def test_a_database_that_was_closed_says_so_also_when_it_is_closed_again(tmp_path: Path, name: str) -> None:
    db = store.open_service_database(tmp_path / "service.db")
    db.close()
    db.close()
    with pytest.raises(store.Unusable, match=r"^The database was closed: open it again"):
        CALLS[name](db)


@pytest.mark.ours
@pytest.mark.parametrize("name", CALLS)
def test_the_database_of_another_thread_says_so_and_stays_as_it_is(rig: Rig, name: str) -> None:
    told: list[BaseException] = []

    def call() -> None:
        try:
            CALLS[name](rig.db)
        except BaseException as error:
            told.append(error)

    with rig.unchanged():
        thread = threading.Thread(target=call)
        thread.start()
        thread.join()
    (error,) = told
    assert isinstance(error, store.Unusable)
    assert error.sentence.startswith("The database was opened in another thread")
    assert not rig.db.conn.in_transaction


@pytest.mark.ours
def test_a_statement_of_ours_that_is_wrong_stays_a_bug(rig: Rig) -> None:
    with pytest.raises(sqlite3.ProgrammingError), reading(rig.db) as conn:
        conn.execute("SELECT ?", ())


def test_a_path_may_hold_what_a_uri_and_sql_would_take_apart(tmp_path: Path) -> None:
    for name in ("a?mode=memory", "a#b", "50% done.db", 'it\'s "quoted"; --.db', "\N{SNOWMAN} \t.db"):
        path = tmp_path / name
        with closing(store.open_service_database(path)) as db:
            store.accept_task(db, request={}, on_restart="retry", task_id="t", now_ms=1)
        assert path.is_file()
        assert store.cancel_in_file(path, "t", now_ms=2).outcome == "cancelled"
    assert len(list(tmp_path.iterdir())) == 5
