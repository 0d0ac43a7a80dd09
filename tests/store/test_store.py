"""The room as a whole: what it gives, and that no display, no clock and no reader comes with it."""

import inspect
import re
import subprocess
import sys
from collections.abc import Callable

import pytest

from tests.support.subject import store

pytestmark = pytest.mark.ours


def test_all_that_is_promised_is_there() -> None:
    assert sorted(store.__all__) == sorted(set(store.__all__))
    for name in store.__all__:
        assert hasattr(store, name)


def test_whatever_is_returned_has_a_name_that_can_be_imported() -> None:
    functions = [getattr(store, name) for name in store.__all__ if inspect.isfunction(getattr(store, name))]
    told = {name for each in functions for name in re.findall(r"\w+", str(inspect.signature(each).return_annotation))}
    rows = {name for name in told if name[:1].isupper() and name not in ("None", "Database", "Any")}
    assert rows >= {"TaskRow", "ClientRow", "ModelRow", "ResponseRow", "EventRow", "RecoveryPlan", "RetentionPlan"}
    assert rows <= set(store.__all__)
    assert {"Status", "CancelOutcome"} <= set(store.__all__)


def test_every_moment_comes_in_as_an_argument() -> None:
    writes: list[Callable[..., object]] = [
        store.accept_task,
        store.append_events,
        store.apply_recovery,
        store.authenticate,
        store.cancel_in_file,
        store.cancel_task,
        store.claim_next_task,
        store.complete_task,
        store.fail_task,
        store.finish_cancel,
        store.pair_client,
        store.register_model,
        store.revoke_client,
        store.save_snapshot,
        store.set_config,
        store.start_task,
        store.stored_response,
    ]
    for write in writes:
        moment = inspect.signature(write).parameters["now_ms"]
        assert (moment.kind, moment.default) == (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.empty)


def test_a_service_gets_no_qt_and_no_read_side() -> None:
    code = (
        "import sys, inspector.store; "
        "sys.exit([m for m in sys.modules if m.split('.')[0] in ('PySide6', 'shiboken6', 'qasync') "
        "or m.startswith(('inspector.reading', 'inspector.desktop'))] or None)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
