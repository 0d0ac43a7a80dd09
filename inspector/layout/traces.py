"""What a file, its companions and its folder looked like at one moment: a proof compares two of them."""

from inspector.lmsp.values import value


@value
class FileTrace:
    """One file at one moment."""

    name: str
    inode: int
    size: int
    modified_ns: int
    rights: tuple[int, int, int, int]
    """Mode, owner, group and number of links: each by itself, since opening a -wal as root moves its change time."""
    sha256: str | None
    """None for what is no file or cannot be read."""


@value
class TouchState:
    """A database, its companions and their folder at one moment."""

    path: str
    files: tuple[FileTrace, ...]
    listing: tuple[str, ...] | None
    """The names in the folder; None where it may not be listed."""
    folder_modified_ns: int
    at_ms: int
    """When the files were looked at, in Unix milliseconds; they were hashed right after."""
