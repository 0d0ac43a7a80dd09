"""What is said of a model and its file. Pure: no Qt, so that every sentence is read by a test.

Whatever comes from the database or the disk passes through ``visible`` and is cut to what a line can hold.
"""

from typing import Final

from inspector.desktop.digests.standing import WRONG, Progress, Standing
from inspector.desktop.widgets.words import NOTHING, byte_size, duration, grouped
from inspector.layout.files import FileCheck, FileState
from inspector.layout.visible import visible
from inspector.lmsp.digests import is_digest

NO_MODELS: Final = "No models yet: the service has registered none."
GROUP_DIGITS: Final = 8
_GROUPS: Final = 8
_SHOWN_CHARACTERS: Final = 300

_STATE_WORDS: Final = {
    FileState.MATCH: "match",
    FileState.MISMATCH: "mismatch",
    FileState.EMPTY: "empty",
    FileState.TRUNCATED: "truncated",
    FileState.MISSING: "missing",
    FileState.UNREADABLE: "unreadable",
    FileState.NOT_A_FILE: "not a file",
    FileState.BAD_DIGEST: "bad digest",
    FileState.UNCHECKED: "not checked",
}

_STATE_ICONS: Final = {
    FileState.MATCH: "file-match",
    FileState.MISMATCH: "file-mismatch",
    FileState.EMPTY: "file-empty",
    FileState.TRUNCATED: "file-truncated",
    FileState.MISSING: "file-missing",
    FileState.UNREADABLE: "file-unreadable",
    FileState.NOT_A_FILE: "folder",
    FileState.BAD_DIGEST: "warning",
    FileState.UNCHECKED: "file-unchecked",
}

_MEANINGS: Final = {
    FileState.MATCH: (
        "The file has the stored size and the stored content. "
        "Tasks that use it run on the bytes that the database describes."
    ),
    FileState.EMPTY: (
        "The file is there and has no bytes: a download or a copy left off before its first one. "
        "Tasks that need this model cannot load it."
    ),
    FileState.TRUNCATED: (
        "The file is shorter than stored: a download or a copy of it left off, or the disk was full. "
        "Tasks that need this model fail when they load it, or read a part of it only."
    ),
    FileState.MISSING: (
        "No file is at this path: it was moved, renamed or removed after it was registered. "
        "Tasks that need this model cannot load it."
    ),
    FileState.UNREADABLE: (
        "A file is there, and this program may not or cannot read it. Whether it is the stored one is not known."
    ),
    FileState.NOT_A_FILE: (
        "What is at this path is no plain file but a folder, a device or the like, and was not read. "
        "Tasks that need this model cannot load it."
    ),
    FileState.BAD_DIGEST: (
        "What is stored as digest is none: sha256: and 64 hex digits are expected. "
        "There is nothing that the file could be compared with."
    ),
    FileState.UNCHECKED: (
        "The file has not been compared with its digest yet. A file of the right size can still have other content."
    ),
}


def one_line(text: str | None) -> str:
    """Return stored text as a cell shows it, or a dash where nothing is stored."""
    return NOTHING if text is None else visible(text[:_SHOWN_CHARACTERS])


def state_words(state: FileState) -> str:
    """Return the word for a file's state."""
    return _STATE_WORDS[state]


def standing_icon(standing: Standing) -> tuple[str, str]:
    """Return the name of the icon for a file's state, and its tone: that of the task state which means the same."""
    if standing.progress is not None or standing.waits:
        return "file-waiting", "text2"
    tone = "failed" if standing.state in WRONG else "completed" if standing.state is FileState.MATCH else "text2"
    return _STATE_ICONS[standing.state], tone


def standing_words(standing: Standing) -> str:
    """Return what is going on with a file, or its state where nothing is."""
    if standing.progress is not None:
        return f"{standing.progress.percent} %"
    return "waiting" if standing.waits else state_words(standing.state)


def meaning(standing: Standing) -> str:
    """Return in two sentences what the state of a file is, and what it means for tasks."""
    if standing.state is not FileState.MISMATCH:
        return _MEANINGS[standing.state]
    check = standing.check
    same_size = check is not None and check.found_size is not None and check.found_size == standing.model.size_bytes
    has = (
        "The file has the stored size but other content" if same_size else "The file has another size and other content"
    )
    return (
        f"{has}: it was replaced or damaged after it was registered. "
        "Tasks that use it run on bytes that the database does not describe."
    )


def progress_words(progress: Progress, bytes_per_s: float, waiting: int) -> str:
    """Return how a verification goes: how much, how fast, how long yet, and how many files follow."""
    parts = [_read_of(progress)]
    if bytes_per_s >= 1:
        parts.append(f"{byte_size(int(bytes_per_s))}/s")
        rest = progress.total_bytes - progress.done_bytes
        if rest > 0:
            parts.append(f"{_rest(int(rest * 1_000 / bytes_per_s))} left")
    then = f" Then {grouped(waiting)} more." if waiting > 0 else ""
    return f"{', '.join(parts)}.{then}"


def _read_of(progress: Progress) -> str:
    done, total = byte_size(progress.done_bytes), byte_size(progress.total_bytes)
    if progress.total_bytes <= 0:
        return done
    number, _, unit = done.rpartition(" ")
    return f"{number if total.endswith(f' {unit}') else done} of {total}"


def _rest(ms: int) -> str:
    seconds = max(1, -(-ms // 1_000))
    return f"{seconds} s" if seconds < 60 else duration(seconds * 1_000)


def size_words(size: int | None) -> str:
    """Return a size with every digit."""
    return NOTHING if size is None else f"{grouped(size)} {'byte' if size == 1 else 'bytes'}"


def digest_groups(digest: str) -> tuple[str, ...]:
    """Return the hex digits of a digest in eight groups, or nothing where the text is not a digest."""
    if not is_digest(digest):
        return ()
    digits = digest.removeprefix("sha256:")
    return tuple(digits[at : at + GROUP_DIGITS] for at in range(0, _GROUPS * GROUP_DIGITS, GROUP_DIGITS))


def short_digest(digest: str) -> str:
    """Return the hex digits of a digest for a narrow column, which cuts their middle; any other text as it is."""
    return digest.removeprefix("sha256:") if is_digest(digest) else one_line(digest)


def found_words(check: FileCheck | None) -> str:
    """Return why there is no found digest to show."""
    match FileState.UNCHECKED if check is None else check.state:
        case FileState.UNCHECKED:
            return "not verified yet"
        case FileState.MISSING:
            return "no file"
        case FileState.EMPTY:
            return "no bytes"
        case FileState.TRUNCATED:
            return "not read: too short"
        case _:
            return "not read"
