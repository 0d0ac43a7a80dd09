"""Runs a scenario of ``disk_full`` in a process of its own, on a disk that this process has made small for itself.

``python -m tests.support.disk_child WAY SCENARIO FOLDER``; the ways are ``tmpfs`` (a file system is mounted on the
folder: run it in a mount namespace of its own, as root) and ``limit`` (on the size of any file). Says JSON.
"""

import json
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from tests.support.disk_full import opened_without_room, until_it_is_refused, without_room
from tests.support.disk_writes import prepare
from tests.support.subject import store

TMPFS_BYTES = 6_000_000
LEFT_FOR_A_WHILE_BYTES = 400_000

Room = Callable[[], object]
"""Takes the room there is, or gives it back."""


def _ballast(path: Path, leave_bytes: int) -> None:
    with path.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            size = file.tell()
    with path.open("r+b") as file:
        file.truncate(max(0, size - leave_bytes))


def _tmpfs(path: Path, leave_bytes: int) -> tuple[Room, Room]:
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={TMPFS_BYTES}", "tmpfs", path.parent], check=True)
    ballast = path.with_name("ballast")
    return lambda: _ballast(ballast, leave_bytes), ballast.unlink


def _limit(path: Path, leave_bytes: int) -> tuple[Room, Room]:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a write beyond the limit is an error then, not the end

    def take() -> None:
        size = max(file.stat().st_size for file in path.parent.iterdir()) + leave_bytes
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    def give_back() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

    return take, give_back


def _each_rule(path: Path, take: Room, give_back: Room) -> dict[str, object]:
    with closing(store.open_service_database(path)) as db:
        prepare(db)
        return without_room(db, take=take, give_back=give_back).as_dict()


def _until_full(path: Path, take: Room, give_back: Room) -> dict[str, object]:
    with closing(store.open_service_database(path)) as db:
        return dict(until_it_is_refused(db, take=take, give_back=give_back))


def _opening(path: Path, take: Room, give_back: Room) -> dict[str, object]:
    store.open_service_database(path).close()
    return opened_without_room(path, take=take, give_back=give_back)


WAYS = {"tmpfs": _tmpfs, "limit": _limit}
SCENARIOS = {
    "each rule": (_each_rule, 0),
    "until full": (_until_full, LEFT_FOR_A_WHILE_BYTES),
    "opening": (_opening, 0),
}
"""What is done, and how many bytes of room are left for it."""


def main(way: str, scenario: str, folder: Path) -> None:
    """Run it, and say what came of it."""
    run, leave_bytes = SCENARIOS[scenario]
    path = folder / "service.db"
    take, give_back = WAYS[way](path, leave_bytes)
    sys.stdout.write(json.dumps(run(path, take, give_back)))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
