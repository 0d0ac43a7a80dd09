"""Databases for the commands, and the program as a process of its own."""

import hashlib
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, Final, Literal

from sqlite_utils import Database

from inspector import store
from inspector.lmsp.recovery import Policy
from inspector.lmsp.statuses import Status

NOW: Final = 1_764_597_737_412
ROOT: Final = Path(__file__).parents[2]

WRITER: Final = """
import sys
from tests.commands.databases import task_in
from inspector import store
db = store.open_service_database(sys.argv[1])
for task_id, status, policy in zip(sys.argv[2::3], sys.argv[3::3], sys.argv[4::3]):
    task_in(db, task_id, status, policy)
print("ready", flush=True)
for line in sys.stdin:
    exec(line)
    print("done", flush=True)
"""
"""A service in a process of its own: it makes tasks (id, status, policy), then does what it is told line by line."""


def task_in(
    db: Database,
    task_id: str,
    status: str,
    policy: str = "fail",
    *,
    snapshot: bool = False,
    model: str | None = None,
) -> None:
    """Bring a new task into ``status`` with the store's own functions."""
    store.accept_task(
        db,
        request={"prompt": "?"},
        on_restart=policy,
        now_ms=NOW,
        task_id=task_id,
        model_id=model,
        client_id="client-1",
    )
    if status in (Status.QUEUED, Status.CANCELLED):
        if status == Status.CANCELLED:
            store.cancel_task(db, task_id, now_ms=NOW + 1)
        return
    first: Literal["loading", "running"] = "loading" if status == Status.LOADING else "running"
    store.start_task(db, task_id, status=first, attempt=1, now_ms=NOW + 1, warm=True)
    if status == Status.LOADING:
        return
    store.append_events(db, task_id, [("response.output_text.delta", {"text": "é"})], attempt=1, now_ms=NOW + 2)
    if snapshot:
        store.save_snapshot(db, task_id, {"at": 3}, attempt=1, now_ms=NOW + 2)
    if status == Status.COMPLETED:
        store.complete_task(db, task_id, {"text": "!"}, attempt=1, now_ms=NOW + 3)
    elif status == Status.FAILED:
        store.fail_task(db, task_id, code="out_of_memory", message="no", attempt=1, now_ms=NOW + 3)
    elif status == Status.CANCELLING:
        store.cancel_task(db, task_id, now_ms=NOW + 3)


def one_of_each(path: Path) -> Path:
    """Make a database at rest with one task in each status, its id the status."""
    with closing_db(path) as db:
        for status in Status:
            task_in(db, status.value, status, model="model-1" if status is Status.RUNNING else None)
    return path


def every_cell(path: Path) -> Path:
    """Make a database at rest with a task for each cell of the 11.3 table, and the odd ones beside it."""
    with closing_db(path) as db:
        for status in (Status.QUEUED, Status.LOADING, Status.RUNNING, Status.CANCELLING):
            for policy in Policy:
                task_in(db, f"{status}-{policy}", status, policy, snapshot=status is Status.RUNNING)
        task_in(db, "running-resume-without-snapshot", Status.RUNNING, "resume")
        task_in(db, "loading-no-policy", Status.LOADING)
        task_in(db, "queued-odd-policy", Status.QUEUED)
        task_in(db, "completed", Status.COMPLETED, "retry")
        db.conn.execute("UPDATE tasks SET on_restart = NULL WHERE id = 'loading-no-policy'")
        db.conn.execute("UPDATE tasks SET on_restart = 'perhaps' WHERE id = 'queued-odd-policy'")
    return path


@contextmanager
def closing_db(path: Path) -> Iterator[Database]:
    """Open a service's database, and close it. No test here cuts the power, so no write waits for the disk."""
    db = store.open_service_database(path)
    try:
        db.conn.execute("PRAGMA synchronous = OFF")
        yield db
    finally:
        db.close()


def foreign(path: Path, *rows: tuple[str, str, str | None], data: str | bytes | None = "{}") -> Path:
    """Make a database of another layout: tasks of any status (id, status, policy), each with one event."""
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE tasks (id TEXT PRIMARY KEY, status TEXT, on_restart TEXT, created_at INTEGER)")
        db.execute("CREATE TABLE task_events (task_id TEXT, seq INTEGER, type TEXT, status TEXT, data TEXT)")
        for at, (task_id, status, policy) in enumerate(rows):
            db.execute("INSERT INTO tasks VALUES (?, ?, ?, ?)", (task_id, status, policy, at))
            db.execute("INSERT INTO task_events VALUES (?, 1, 'response.created', ?, ?)", (task_id, status, data))
    return path


def by_hand(path: Path, *statements: str) -> None:
    """Run statements on the file, as nothing of ours would."""
    with closing(sqlite3.connect(path)) as db, db:
        for statement in statements:
            db.execute(statement)


def with_event_data(path: Path, *data: str) -> Path:
    """Make a database with one running task, ``t``, whose events after the second hold ``data`` as it stands."""
    with closing_db(path) as db:
        store.accept_task(db, request={}, on_restart="fail", now_ms=NOW, task_id="t")
        store.start_task(db, "t", status="running", attempt=1, now_ms=NOW, warm=True)
        for seq, text in enumerate(data, start=3):
            db.conn.execute(
                "INSERT INTO task_events (task_id, seq, type, status, attempt, created_at, data)"
                " VALUES ('t', ?, 'response.output_text.delta', 'running', 1, ?, ?)",
                (seq, NOW, text),
            )
            db.conn.execute("UPDATE tasks SET last_seq = ? WHERE id = 't'", (seq,))
    return path


@contextmanager
def service(path: Path, *tasks: tuple[str, str, str]) -> Iterator["subprocess.Popen[str]"]:
    """Run a service in a process of its own that has the file open; each task is (id, status, policy)."""
    words = [word for task in tasks for word in task]
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, path.absolute(), *words],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


def tell(process: "subprocess.Popen[str]", line: str) -> None:
    """Let the service run one line of Python, and wait until it has."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{line}\n")
    process.stdin.flush()
    assert process.stdout.readline() == "done\n"


def killed_service(path: Path, *tasks: tuple[str, str, str]) -> Path:
    """Leave the files of a service that was killed: the database with its -wal and -shm."""
    with service(path, *tasks) as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert Path(f"{path}-wal").stat().st_size > 0
    return path


def without_shm(path: Path, *tasks: tuple[str, str, str]) -> Path:
    """Leave the files of a copy that lacks its -shm."""
    killed_service(path, *tasks)
    Path(f"{path}-shm").unlink()
    return path


def state_of(folder: Path) -> dict[str, tuple[object, ...]]:
    """Return all that a command must not change in a folder: names, kinds, inodes, sizes, times and bytes."""
    found: dict[str, tuple[object, ...]] = {}
    for entry in sorted(os.scandir(os.fsencode(folder)), key=lambda entry: entry.name):
        stat = entry.stat(follow_symlinks=False)
        digest = (
            hashlib.sha256(Path(os.fsdecode(entry.path)).read_bytes()) if entry.is_file(follow_symlinks=False) else None
        )
        found[os.fsdecode(entry.name)] = (
            # Not the ctime: for root, SQLite gives a -wal and -shm once more the owner that they have.
            *(stat.st_mode, stat.st_ino, stat.st_size, stat.st_mtime_ns),
            digest and digest.hexdigest(),
        )
    return found


BUFFERED: Final = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
"""The environment of a program whose output waits in a buffer, as it does unless one asks for something else."""

AS_NOBODY: Final = """
import encodings.ascii, encodings.cp437, os, sys
import inspector.reading.unpacking
from inspector import cli
for name in cli.command_line.list_commands(None):
    cli.command_line.get_command(None, name)  # the modules may lie where only root may read
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
cli.main()
"""


def run(
    *arguments: str | bytes | Path,
    env: dict[str, str] | None = None,
    as_nobody: bool = False,
    stdout: IO[bytes] | int = subprocess.PIPE,
) -> "subprocess.CompletedProcess[bytes]":
    """Run the program as its own process, and wait for it; ``as_nobody`` without root's rights."""
    start = ["-c", AS_NOBODY] if as_nobody else ["-m", "inspector"]
    return subprocess.run(
        [sys.executable, "-W", "error", *start, *arguments],
        cwd=ROOT,
        env={**BUFFERED, **(env or {})},
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
        timeout=50,
        check=False,
    )
