"""A disk under SQLite that writes down all that is asked of it, and fails when it was told to.

SQLite calls it as its file system (a VFS of APSW); the files themselves lie in a folder, through SQLite's own file
system. Only the database, its -wal and its -journal are written down: the -shm is made anew after a crash.
"""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

import apsw

SYNC_TAKES_THE_FOLDER_ALONG = apsw.SQLITE_OPEN_MAIN_JOURNAL | apsw.SQLITE_OPEN_WAL

_numbers = itertools.count()


class Kind(StrEnum):
    """What is asked of a disk."""

    CREATE = "create"
    DELETE = "delete"
    WRITE = "write"
    TRUNCATE = "truncate"
    SYNC = "sync"
    FAILED_SYNC = "failed sync"


@dataclass(frozen=True, slots=True)
class Op:
    """One thing that was asked of the disk, and done."""

    kind: Kind
    name: str
    """The file's name in its folder."""
    node: int
    """The file itself: one that was deleted and made again under the same name is another."""
    offset: int = 0
    """Where a write begins; the new size of a truncate; both in bytes."""
    data: bytes = b""
    syncs_folder: bool = False
    """Whether the folder's own entries were synced with it."""


@dataclass(slots=True)
class Failure:
    """Which call fails, how often, and with which result code of SQLite."""

    kind: Kind
    code: int
    after: int
    """How many calls of this kind succeed before."""
    times: int
    hit: int = 0
    """How many have failed."""

    def strikes(self, kind: Kind) -> bool:
        """Say whether this call fails."""
        if kind is not self.kind:
            return False
        if self.after > 0:
            self.after -= 1
            return False
        if self.hit >= self.times:
            return False
        self.hit += 1
        return True


@dataclass
class Disk:
    """What was asked of the files in ``folder``, in its order, and what they held before."""

    folder: Path
    vfs: str = field(default_factory=lambda: f"recorded {next(_numbers)}")
    ops: list[Op] = field(default_factory=list)
    before: dict[str, bytes] = field(default_factory=dict)
    """The files that were there, with their bytes: all of them are taken as durable. Node n is the n-th of them."""
    failure: Failure | None = None
    _nodes: dict[str, int] = field(default_factory=dict)
    _made: int = 0

    def __post_init__(self) -> None:
        for path in sorted(self.folder.iterdir()):
            if not path.name.endswith("-shm"):
                self.before[path.name] = path.read_bytes()
                self._nodes[path.name] = self._made
                self._made += 1

    def fail(self, kind: Kind, code: int, *, after: int = 0, times: int = 1) -> Failure:
        """Let a later call of this kind fail: the one that follows ``after`` more, and ``times`` in all."""
        self.failure = Failure(kind, code, after, times)
        return self.failure

    def mend(self) -> None:
        """Let every call succeed from now on."""
        self.failure = None

    def syncs(self, suffix: str) -> int:
        """Return how often the file with this suffix (empty: the database) was synced."""
        return sum(op.kind is Kind.SYNC and op.name.rpartition(".db")[2] == suffix for op in self.ops)

    def created(self, name: str) -> int:
        """Note that a file is made, and return its node."""
        self._nodes[name] = self._made
        self._made += 1
        self.ops.append(Op(Kind.CREATE, name, self._nodes[name]))
        return self._nodes[name]

    def node(self, name: str) -> int | None:
        """Return the node of the file that has this name now."""
        return self._nodes.get(name)

    def deleted(self, name: str, *, syncs_folder: bool) -> None:
        """Note that a file is gone from its folder."""
        self.ops.append(Op(Kind.DELETE, name, self._nodes.pop(name), syncs_folder=syncs_folder))

    def check(self, kind: Kind) -> None:
        """Raise what SQLite is told when this call fails."""
        if self.failure is not None and self.failure.strikes(kind):
            raise apsw.exception_for(self.failure.code)


class _Files(apsw.VFS):
    def __init__(self, disk: Disk) -> None:
        super().__init__(disk.vfs, "")
        self._disk = disk

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        if path is None:  # a temporary file: nothing of it outlives the connection
            return apsw.VFSFile("", name, flags)
        is_new = not Path(path).exists()
        opened = _File(self._disk, name, flags, Path(path).name)
        if is_new:
            opened.made(takes_folder=bool(flags[0] & SYNC_TAKES_THE_FOLDER_ALONG))
        return opened

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        name = Path(filename).name
        if self._disk.node(name) is not None:
            self._disk.check(Kind.DELETE)
        super().xDelete(filename, syncdir)
        if self._disk.node(name) is not None:
            self._disk.deleted(name, syncs_folder=syncdir)


class _File(apsw.VFSFile):
    def __init__(self, disk: Disk, name: str | apsw.URIFilename | None, flags: list[int], known_as: str) -> None:
        super().__init__("", name, flags)
        self._disk = disk
        self._name = known_as
        node = disk.node(known_as)
        self._node = -1 if node is None else node
        self._takes_folder = False

    def made(self, *, takes_folder: bool) -> None:
        """Note that this file was not there before; the first sync of a journal and of a -wal syncs the folder too."""
        self._node = self._disk.created(self._name)
        self._takes_folder = takes_folder

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        self._disk.check(Kind.WRITE)
        super().xWrite(data, offset)
        self._disk.ops.append(Op(Kind.WRITE, self._name, self._node, offset, bytes(data)))

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        self._disk.check(Kind.TRUNCATE)
        super().xTruncate(newsize)
        self._disk.ops.append(Op(Kind.TRUNCATE, self._name, self._node, newsize))

    def xSync(self, flags: int) -> None:  # noqa: ARG002, N802
        # The real disk is not asked: what would have been durable is told by the ops.
        try:
            self._disk.check(Kind.SYNC)
        except apsw.Error:
            self._disk.ops.append(Op(Kind.FAILED_SYNC, self._name, self._node))
            raise
        self._disk.ops.append(Op(Kind.SYNC, self._name, self._node, syncs_folder=self._takes_folder))
        self._takes_folder = False


@contextmanager
def recorded_disk(folder: Path) -> Iterator[Disk]:
    """Give a disk that writes down what SQLite asks of the files in ``folder``, which exists."""
    disk = Disk(folder)
    files = _Files(disk)
    try:
        yield disk
    finally:
        files.unregister()
