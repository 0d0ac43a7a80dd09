"""The suite is one that another store can run: seen with one that conforms, and with one that does not.

``LMSP_STORE`` names the store (see ``tests/support/subject.py``); what is about the inside of ours is skipped then.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.subject import NAME, OURS

pytestmark = [
    pytest.mark.ours,
    pytest.mark.process,
    pytest.mark.timeout(600),
    pytest.mark.skipif(NAME != OURS, reason="the suite runs itself once"),
]

ROOT = Path(__file__).parents[2]
RULES = ("accepting", "appending", "cancel", "finishing", "idempotency", "responses", "rules", "snapshots", "starting")


def outcomes(store: str, *arguments: str) -> dict[str, int]:
    """Run pytest with these arguments on a store, and return how many tests passed, failed and were skipped."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=no", "-rN", *arguments],
        env={**os.environ, "LMSP_STORE": store},
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        timeout=580,
    )
    return {word: int(number) for number, word in re.findall(r"(\d+) (passed|failed|skipped|error)", done.stdout)}


def test_a_store_behind_the_group_writer_passes_the_rules_on_cancels_and_keys() -> None:
    found = outcomes("tests.support.grouped_store", "tests/store/test_cancel.py", "tests/store/test_idempotency.py")
    assert found.keys() <= {"passed", "skipped"}
    assert found["passed"] > 20


@pytest.mark.large
def test_a_store_behind_the_group_writer_passes_the_suite() -> None:
    found = outcomes("tests.support.grouped_store", *(f"tests/store/test_{name}.py" for name in RULES))
    assert found.keys() <= {"passed", "skipped"}
    assert found["passed"] > 500


@pytest.mark.parametrize(
    ("store", "file"),
    [
        ("tests.support.wrong_stores:deaf", "cancel"),
        ("tests.support.wrong_stores:forgetful", "idempotency"),
        ("tests.support.wrong_stores:generous", "rules"),
    ],
)
def test_a_store_that_breaks_a_rule_fails_the_suite(store: str, file: str) -> None:
    assert outcomes(store, "--exitfirst", f"tests/store/test_{file}.py")["failed"] == 1
