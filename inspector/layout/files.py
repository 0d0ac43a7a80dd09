"""Model files as they lie on the disk, against what the database says of them (section 11.1: files stay outside)."""

from enum import StrEnum

from inspector.lmsp.values import value


class FileState(StrEnum):
    """What is known of one model file, spelled as ``verify`` says it (design 7)."""

    MATCH = "match"
    """Its bytes have the digest that is stored."""
    MISMATCH = "mismatch"
    EMPTY = "empty"
    TRUNCATED = "truncated"
    """Shorter than the size that is stored."""
    MISSING = "missing"
    UNREADABLE = "unreadable"
    NOT_A_FILE = "not_a_file"
    """A folder, a pipe or a device."""
    BAD_DIGEST = "bad_digest"
    """What is stored is no digest, so nothing can be compared."""
    UNCHECKED = "unchecked"
    """There, of the right size, and not yet read."""


@value
class FileCheck:
    """What a look at the file of one model found."""

    model_id: str
    state: FileState
    found_digest: str | None
    """Where the file was read to its end."""
    found_size: int | None
    modified_at_ms: int | None
    checked_at_ms: int
