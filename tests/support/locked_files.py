"""A file that a service of a test keeps locked, and what is said of it."""

from pathlib import Path

from tests.support.reading_databases import add_task
from tests.support.reading_service import Service

SENTENCE_WITHIN_S = 2.0
"""By when a person is told of a lock."""


def lock(service: Service, task_id: str = "late") -> None:
    """Let a service in rollback-journal mode keep every reader out, from the commit of a task on."""
    service.execute("PRAGMA locking_mode=EXCLUSIVE")
    add_task(service, task_id)


def free(service: Service) -> None:
    """Let it give the file free again."""
    service.execute("PRAGMA locking_mode=NORMAL")
    service.execute("SELECT count(*) FROM tasks")


def locked_by(service: Service, name: str = "service.db") -> str:
    """Return the sentence on the file called ``name``."""
    called = Path(f"/proc/{service.pid}/comm").read_text().strip()
    return f"{name} is locked by another process (SQLITE_BUSY): {called} (pid {service.pid})."
