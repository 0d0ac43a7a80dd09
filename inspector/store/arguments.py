"""What is handed to a function of the store: where it is of the wrong kind, Refused names it and says what it must be.

A public function asks this before it does anything else, so that nothing is changed by a call that was wrong. Numbers
are whole ones that SQLite can store; True is none, and neither is 1.0.
"""

from collections.abc import Callable, Iterable
from typing import Final

from sqlite_utils import Database

from inspector.store.errors import Refused

LARGEST: Final = (1 << 63) - 1
"""The largest number that SQLite stores."""

_TOLD_CHARS: Final = 100
_OF_TIME: Final = "a time in whole milliseconds since 1970, from 0 on"


def require_database(db: object) -> None:
    """Refuse what is no database: a path, a connection."""
    if not isinstance(db, Database):
        raise wrong("db", "an open database, as open_service_database returns it", db)


def require_text(name: str, value: object) -> None:
    """Refuse what is no text."""
    if not isinstance(value, str):
        raise wrong(name, "text", value)


def require_text_or_none(name: str, value: object) -> None:
    """Refuse what is neither text nor None."""
    if value is not None and not isinstance(value, str):
        raise wrong(name, "text or None", value)


def require_filled(name: str, value: object) -> None:
    """Refuse what is no text, or empty."""
    if not isinstance(value, str) or not value:
        raise wrong(name, "text that is not empty", value)


def require_filled_or_none(name: str, value: object) -> None:
    """Refuse what is neither None nor text that is not empty."""
    if value is not None and (not isinstance(value, str) or not value):
        raise wrong(name, "text that is not empty, or None", value)


def require_whole(name: str, value: object, *, least: int, most: int = LARGEST) -> None:
    """Refuse what is no whole number from ``least`` to ``most``."""
    if not is_whole(value) or not least <= value <= most:  # type: ignore[operator]  # a number by then
        raise wrong(name, f"a whole number from {least} on", value)


def require_moment(value: object) -> None:
    """Refuse what is no moment as ``now_ms`` gives one."""
    if not is_whole(value) or not 0 <= value <= LARGEST:  # type: ignore[operator]  # a number by then
        raise wrong("now_ms", _OF_TIME, value)


def require_time_to_keep(name: str, value: object) -> None:
    """Refuse what nothing can be kept for: a time is a whole number of milliseconds above 0, or None for no end."""
    if value is not None and (not is_whole(value) or not 0 < value <= LARGEST):  # type: ignore[operator]
        raise wrong(name, "a whole number of milliseconds above 0, or None", value)


def require_above_zero(name: str, value: object) -> None:
    """Refuse what is no number above 0, a fraction or a whole one."""
    if not isinstance(value, int | float) or not value > 0:
        raise wrong(name, "a number above 0", value)


def require_flag(name: str, value: object) -> None:
    """Refuse what is neither True nor False."""
    if value is not True and value is not False:
        raise wrong(name, "True or False", value)


def require_kind(name: str, value: object, kind: type, what: str) -> None:
    """Refuse what is not of this type, which ``what`` stands for."""
    if not isinstance(value, kind):
        raise wrong(name, what, value)


def require_function(name: str, value: object) -> None:
    """Refuse what cannot be called."""
    if not isinstance(value, Callable):  # type: ignore[arg-type]  # it is a class there
        raise wrong(name, "a function", value)


def require_many(name: str, value: object, what: str) -> None:
    """Refuse what is not several of something: one text is none, though it has characters."""
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise wrong(name, what, value)


def require_worker(task_id: object, attempt: object, now_ms: object) -> None:
    """Refuse what no worker's call can come with: asked at every write, so in one step where all is well."""
    if (
        type(task_id) is str
        and type(attempt) is int
        and type(now_ms) is int
        and 0 <= attempt <= LARGEST
        and 0 <= now_ms <= LARGEST
    ):
        return
    require_text("task_id", task_id)
    require_whole("attempt", attempt, least=0)
    require_moment(now_ms)


def is_whole(value: object) -> bool:
    """Say whether ``value`` is a whole number."""
    return isinstance(value, int) and not isinstance(value, bool)


def wrong(name: str, must_be: str, value: object, *, is_word: bool = False) -> Refused:
    """Return the refusal of an argument. Of a text nothing is told, which may be a secret, unless it ``is_word``."""
    shown = repr(value[:_TOLD_CHARS]) if is_word and isinstance(value, str) else _shown(value)
    return Refused(f"{name} must be {must_be}, not {shown}: nothing was changed.")


def _shown(value: object) -> str:
    if isinstance(value, int) and value.bit_length() > 64:
        return "a number of more than 64 bits"
    if value is None or isinstance(value, int | float):
        return repr(value)
    if value == "" and isinstance(value, str):
        return "empty text"
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
