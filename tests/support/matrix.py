"""What a database may look like when it comes from somebody else: one situation each, and what is to be said of it."""

import os
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from inspector.layout.opened import Mode
from tests.support.reading_databases import NOBODY, add_task, create, move_task
from tests.support.reading_service import service_on

CHECKPOINTED = 20
"""How many tasks stand in the main file of :func:`left_behind`."""

ALL = CHECKPOINTED + 5
"""How many there are with those that stand in its -wal alone."""


@dataclass(frozen=True)
class Parts:
    """A WAL database as its killed service left it, in pieces."""

    main: bytes
    wal: bytes
    shm: bytes


@dataclass(frozen=True)
class Situation:
    """One row of the matrix. ``build`` puts the file into an empty folder and returns its path."""

    name: str
    build: Callable[[Path, Parts], Path]
    refused: str = ""
    """The sentence, where it cannot be opened; how many bytes are missing is written as N."""
    mode: Mode | None = None
    why: str = ""
    """What the reason for the mode says, among other things."""
    note: str = ""
    """What one of the notes says, among other things."""
    tasks: int = CHECKPOINTED
    """How many tasks are to be seen."""
    folder_rights: int = 0o755
    file_rights: int = 0o644
    others: tuple[str, ...] = field(default=())
    """Suffixes of the files that belong to another user, who lets nobody else read them."""

    def is_refused_as(self, sentence: str) -> bool:
        """Return whether this is what is to be said of it."""
        return re.sub(r"\d[\d,]* bytes shorter", "N bytes shorter", sentence) == self.refused


def left_behind(folder: Path) -> Parts:
    """Return what a killed service leaves: five of its tasks are in the -wal alone."""
    path = folder / "service.db"
    db = create(path)
    for number in range(CHECKPOINTED):
        add_task(db, f"task-{number:03}", request="{}" * 500)
        move_task(db, f"task-{number:03}", "running")
    db.close()
    with service_on(path, "wal_autocheckpoint=0") as service:
        for number in range(CHECKPOINTED, ALL):
            add_task(service, f"task-{number:03}")
        service.kill()
    return Parts(*((folder / f"service.db{suffix}").read_bytes() for suffix in ("", "-wal", "-shm")))


def placed(folder: Path, parts: Parts, *suffixes: str) -> Path:
    """Put the main file and these companions into ``folder``."""
    for suffix, content in (("", parts.main), ("-wal", parts.wal), ("-shm", parts.shm)):
        if not suffix or suffix in suffixes:
            (folder / f"service.db{suffix}").write_bytes(content)
    return folder / "service.db"


def with_parts(*suffixes: str) -> Callable[[Path, Parts], Path]:
    """Return a builder that puts the main file and these companions into the folder."""
    return lambda folder, parts: placed(folder, parts, *suffixes)


def changed(path: Path, change: Callable[[bytearray], None]) -> Path:
    """Change the bytes of the file at ``path``."""
    data = bytearray(path.read_bytes())
    change(data)
    path.write_bytes(data)
    return path


def give_away(folder: Path, situation: Situation) -> None:
    """Give all to the user without rights, with the situation's permissions; what is another user's stays root's."""
    for path in (*folder.iterdir(), folder):
        if path.is_symlink():
            continue
        suffix = path.name.removeprefix("service.db") if path != folder else None
        if suffix in situation.others:
            path.chmod(0o600)
            continue
        if os.geteuid() == 0:
            os.chown(path, NOBODY, NOBODY)
        path.chmod(situation.folder_rights if path == folder else situation.file_rights)


def take_back(folder: Path) -> None:
    """Let the folder be removed again."""
    folder.chmod(0o755)
    shutil.rmtree(folder)
