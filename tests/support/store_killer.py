"""A process that recovers copies of a database and is killed at each statement in turn, until one recovery ends.

Run as ``python -m tests.support.store_killer DATABASE FOLDER BATCH``: the copy that was killed before the statement of
number n (from 0, and not counting those of the plan) is FOLDER/n.db, with the companions that the kill left. The last
one was killed at no statement, but right after its recovery had returned. BATCH is the most tasks in one transaction.
"""

import os
import shutil
import signal
import sys
from pathlib import Path
from typing import NoReturn
from unittest.mock import patch

from inspector.store import recovery
from tests.support.store_factory import tapped
from tests.support.subject import store


def _die() -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("killed, and still here")


def _recover(path: Path, killed_at: int) -> NoReturn:
    db = store.open_service_database(path)
    plan = store.plan_recovery(db)
    number = -1

    def listen(_: str) -> None:
        nonlocal number
        number += 1
        if number == killed_at:
            _die()

    with tapped(db, before=listen):
        store.apply_recovery(db, plan, now_ms=5000)
    path.with_suffix(".ended").touch()
    _die()


def _main(made: Path, folder: Path) -> None:
    number = 0
    while not list(folder.glob("*.ended")):
        path = folder / f"{number}.db"
        shutil.copyfile(made, path)
        # No database is open here: one that is must not be carried over into another process.
        child = os.fork()
        if child == 0:
            _recover(path, number)
        _, status = os.waitpid(child, 0)
        if os.waitstatus_to_exitcode(status) != -signal.SIGKILL:
            sys.exit(f"the recovery that was to be killed at statement {number} ended by itself")
        number += 1


if __name__ == "__main__":
    with patch.object(recovery, "BATCH_TASKS", int(sys.argv[3])):
        _main(Path(sys.argv[1]), Path(sys.argv[2]))
