"""A service that registers a file as a model, and then acknowledges tasks until it is killed.

Run as ``python -m tests.support.store_own_files DATABASE FILE``: says how the registration ended, and answers each line
of its input, the id of a task, with the same line once the task was accepted.
"""

import sys
from pathlib import Path

from tests.support.subject import store


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _main(path: Path, file: Path) -> None:
    db = store.open_service_database(path)
    store.accept_task(db, request={}, on_restart="retry", task_id="before", now_ms=1)
    try:
        store.register_model(db, file, name="Llama", now_ms=2)
    except store.Refused as refused:
        _say(f"refused: {refused}")
    else:
        _say("registered")
    for line in sys.stdin:
        store.accept_task(db, request={}, on_restart="retry", task_id=line.strip(), now_ms=3)
        _say(line.strip())


if __name__ == "__main__":
    _main(Path(sys.argv[1]), Path(sys.argv[2]))
