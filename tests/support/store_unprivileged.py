"""Opens a database without root's rights, accepts a task and closes it.

Run as ``python -m tests.support.store_unprivileged DATABASE``: prints what came of it.
"""

import os
import sys

from tests.support.subject import store

_NOBODY = 65534


def _outcome(path: str) -> str:
    try:
        db = store.open_service_database(path, wait_ms=300)
    except store.Unusable as unusable:
        return f"not opened: {unusable.sentence}"
    try:
        store.accept_task(db, request={}, on_restart="retry", now_ms=1)
    except store.Unusable as unusable:
        return f"opened, but not written: {unusable.sentence}"
    finally:
        db.close()
    return "written"


if __name__ == "__main__":
    # First once with all rights: the modules may lie where only root may read.
    _outcome(":memory:/nowhere")
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(_NOBODY)
        os.setuid(_NOBODY)
    sys.stdout.write(_outcome(sys.argv[1]))
