"""The ends of a task: the response with the completion, the error with the failure, and who wins against a cancel."""

import json
from typing import Any

import pytest

from tests.support.store_factory import Rig, one, put
from tests.support.subject import store


def test_the_response_is_stored_with_the_completion(rig: Rig) -> None:
    store.accept_task(rig.db, request={}, on_restart="fail", task_id="t", client_id="c", model_id="m", now_ms=100)
    store.start_task(rig.db, "t", status="running", attempt=1, now_ms=101, warm=True)
    store.complete_task(rig.db, "t", {"text": "é"}, attempt=1, now_ms=200)
    assert one(rig.db, "SELECT * FROM responses") == {
        "id": "resp_t",
        "task_id": "t",
        "client_id": "c",
        "model_id": "m",
        "status": "completed",
        "body": '{"text":"é"}',
        "created_at": 200,
        "expires_at": None,
    }
    assert json.loads(rig.data("t", 3)) == {"response_id": "resp_t"}


def test_the_response_may_have_an_id_of_its_own(rig: Rig) -> None:
    put(rig.db, "running")
    store.complete_task(rig.db, "t", {}, attempt=1, now_ms=200, response_id="mine")
    assert one(rig.db, "SELECT id, task_id FROM responses") == {"id": "mine", "task_id": "t"}


def test_the_id_of_another_response_is_refused(rig: Rig) -> None:
    put(rig.db, "completed", task_id="first")
    put(rig.db, "running")
    with rig.unchanged(), pytest.raises(store.Refused, match="resp_first") as refused:
        store.complete_task(rig.db, "t", {}, attempt=1, now_ms=200, response_id="resp_first")
    assert (refused.value.task_id, refused.value.found, refused.value.wanted) == ("t", "running", "completed")


def test_a_response_that_somebody_else_has_stored_stops_the_completion(rig: Rig) -> None:
    put(rig.db, "running")
    rig.db.conn.execute("""
        INSERT INTO responses (id, task_id, status, body, created_at) VALUES ('x', 't', 'completed', '{}', 1)""")
    with rig.unchanged(), pytest.raises(store.Unusable, match="own rules"):
        store.complete_task(rig.db, "t", {}, attempt=1, now_ms=200)
    rig.db.conn.execute("DELETE FROM responses")


@pytest.mark.parametrize("response", [None, [], "text", 7, {"n": float("inf")}, {"o": object()}], ids=repr)
def test_a_response_that_is_no_json_object_is_refused(rig: Rig, response: Any) -> None:  # noqa: ANN401
    put(rig.db, "running")
    with rig.unchanged(), pytest.raises(store.Refused):
        store.complete_task(rig.db, "t", response, attempt=1, now_ms=200)


def test_a_cancelled_task_is_never_completed(rig: Rig) -> None:
    put(rig.db, "running")
    store.cancel_task(rig.db, "t", now_ms=200)
    with rig.unchanged(), pytest.raises(store.Refused):
        store.complete_task(rig.db, "t", {}, attempt=1, now_ms=201)
    store.finish_cancel(rig.db, "t", attempt=1, now_ms=202)
    with rig.unchanged(), pytest.raises(store.Refused):
        store.complete_task(rig.db, "t", {}, attempt=1, now_ms=203)


def test_a_failure_keeps_its_error(rig: Rig) -> None:
    put(rig.db, "running")
    store.fail_task(rig.db, "t", code="out_of_memory", message="no memory", attempt=1, now_ms=200)
    task = rig.task("t")
    assert (task["error_code"], task["error_message"], task["finished_at"]) == ("out_of_memory", "no memory", 200)
    assert json.loads(rig.data("t", 4)) == {"error": {"code": "out_of_memory", "message": "no memory"}}


def test_a_failure_that_arrives_while_cancelling_ends_as_cancelled_and_loses_nothing(rig: Rig) -> None:
    put(rig.db, "running")
    store.cancel_task(rig.db, "t", now_ms=200)
    written = store.fail_task(rig.db, "t", code="out_of_memory", message="no memory", attempt=1, now_ms=201)
    assert written.status == "cancelled"
    task = rig.task("t")
    assert (task["status"], task["error_code"], task["error_message"]) == ("cancelled", None, None)
    assert rig.log("t")[-1][1:3] == ("response.cancelled", "cancelled")
    assert json.loads(rig.data("t", 5)) == {"error": {"code": "out_of_memory", "message": "no memory"}}


def test_a_failure_has_a_code(rig: Rig) -> None:
    put(rig.db, "running")
    with rig.unchanged(), pytest.raises(store.Refused, match="code"):
        store.fail_task(rig.db, "t", code="", message="m", attempt=1, now_ms=200)


def test_a_message_that_is_no_text_does_not_keep_a_task_from_failing(rig: Rig) -> None:
    put(rig.db, "running")
    store.fail_task(rig.db, "t", code="c\udc80", message="no such file: caf\udce9", attempt=1, now_ms=200)
    assert rig.task("t")["error_code"] == "c\\udc80"
    assert rig.task("t")["error_message"] == "no such file: caf\\udce9"


def test_a_task_is_finished_once(rig: Rig) -> None:
    put(rig.db, "completed")
    before = rig.task("t")
    with rig.unchanged(), pytest.raises(store.Refused):
        store.complete_task(rig.db, "t", {"second": True}, attempt=1, now_ms=999)
    assert rig.task("t") == before
