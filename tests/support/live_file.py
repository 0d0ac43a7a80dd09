"""A native database with some tasks in it, and a service on it that a test moves by hand."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from inspector import store

START_MS = 1_796_000_000_000
"""The moment when the first task of every such file was accepted."""


class Service:
    """The writing side of a test: an open database, and a clock that goes on by a second with each write."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._db = store.open_service_database(path)
        self._now_ms = START_MS

    def now(self) -> int:
        """Let a second pass, and return the moment."""
        self._now_ms += 1_000
        return self._now_ms

    def accept(self, number: int = 1, *, on_restart: str = "retry") -> list[str]:
        """Accept some tasks, and return their ids, oldest first."""
        return [
            store.accept_task(
                self._db, request={"n": each}, on_restart=on_restart, model_id="small-model", now_ms=self.now()
            ).task.id
            for each in range(number)
        ]

    def run(self, task_id: str, *, deltas: int = 0) -> None:
        """Bring a queued task to running, and let it write."""
        store.start_task(self._db, task_id, status="running", attempt=1, now_ms=self.now(), warm=True)
        if deltas:
            events = [("response.output_text.delta", {"delta": f"word {each} "}) for each in range(deltas)]
            store.append_events(self._db, task_id, events, attempt=1, now_ms=self.now())

    def complete(self, task_id: str) -> None:
        """Complete a running task."""
        store.complete_task(self._db, task_id, {"output": "done"}, attempt=1, now_ms=self.now())

    def fail(self, task_id: str) -> None:
        """Fail an unfinished task."""
        store.fail_task(self._db, task_id, code="timeout", message="It took too long.", attempt=1, now_ms=self.now())

    def close(self) -> None:
        """Close the database, as a service that ends."""
        self._db.close()


@contextmanager
def service_on(path: Path) -> Iterator[Service]:
    """Open a service on ``path``, and close it at the end."""
    service = Service(path)
    try:
        yield service
    finally:
        service.close()
