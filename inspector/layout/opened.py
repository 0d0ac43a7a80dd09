"""How a database was opened, and why: what the header shows and ``--json`` says."""

from enum import StrEnum

from inspector.lmsp.values import value


class Mode(StrEnum):
    """How a file is read (design 6)."""

    LIVE = "live"
    """Another process has it open: short reads, no lock that a WAL writer waits for."""
    RESTING = "resting"
    """Nobody has it open and nothing waits to be read: in place, with a guard."""
    CRASHED = "crashed"
    """A -wal and -shm lie there and nobody has it open: in place, without a lock."""
    COPY = "copy"
    """Read from a private copy."""


class LayoutKind(StrEnum):
    """Whose layout a file has."""

    NATIVE = "native"
    NEWER = "newer"
    """Ours by its application id, of a version we do not know: read with a note, never written."""
    UNKNOWN = "unknown"
    """No table of tasks was recognised: only the tables themselves can be looked at."""
    OTHER = "other"
    """The tables ``tasks`` and ``task_events`` can be read as ours, but the file is not marked as ours."""


@value
class FileIdentity:
    """Which file it is that was opened at a path, for whoever opens that path later."""

    device: int
    inode: int
    changes: int
    """How many transactions its header counted then."""
    cookie: int
    """How many changes of its schema."""

    @property
    def counts(self) -> tuple[int, int]:
        """What a service's own transactions only ever raise."""
        return self.changes, self.cookie

    def __str__(self) -> str:
        """Return it as an argument of a command."""
        return f"{self.device}:{self.inode}:{self.changes}:{self.cookie}"

    @classmethod
    def parsed(cls, told: str) -> "FileIdentity":
        """Return what :meth:`__str__` told. Raises ValueError for anything else."""
        device, inode, changes, cookie = map(int, told.split(":"))
        return cls(device, inode, changes, cookie)


@value
class Opened:
    """How a file was opened; sentences are whole, for a person.

    ``path`` is absolute with links resolved. Of a database in an archive it is that of the archive.
    """

    path: str
    mode: Mode
    why: str
    notes: tuple[str, ...]
    holder: str | None
    """The process that has it open, as ``name (pid 123)``, where one is known."""
    layout: LayoutKind
    user_version: int
    sqlite_version: str
    may_act: bool
    """Whether an action may write here at all: the native layout with its own triggers only, and not a copy."""
    why_not_act: str | None
    """One sentence where ``may_act`` is False."""
    copy_path: str | None = None
    """Where the private copy lies that is read, in mode ``copy``."""
    modes: tuple[Mode, ...] = ()
    """The modes in which it may be read now."""
    faulty: bool = False
    """Whether opening it found what one should know before one trusts what is shown: the notes say it."""
    layout_name: str | None = None
    """What the layout that it is read as calls itself, where it is not the native one."""
    member: str | None = None
    """Which member of the archive ``path`` was asked for, where it is one and one was."""
    file: FileIdentity | None = None
    """Which file lay at ``path`` when it was first opened."""
    missing: tuple[tuple[str, str], ...] = ()
    """Parts that the layout does not have or that are not in the file: ``tasks``, ``events``, ..., and the reason."""
    last_moment_ms: int | None = None
    """The latest time that its newest rows tell, where nobody writes to it: until then lasted what is unfinished."""

    @property
    def place(self) -> str:
        """What to open to have the same again: the path, and within an archive the member that was asked for."""
        return self.path if self.member is None else f"{self.path}/{self.member}"
