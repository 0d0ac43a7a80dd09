"""Columns whose values are secrets: no list, no statement and no copy of a row has them (faults.md T19).

A name alone decides, in whatever table it stands and however it is written.
"""

import sqlite3
from collections.abc import Callable
from typing import Final, TypeAlias

Authorizer: TypeAlias = Callable[[int, str | None, str | None, str | None, str | None], int]

_IN_ANY_TABLE: Final = frozenset({"token_hash", "secret", "password"})
_IN_TABLE: Final = frozenset({("idempotency_keys", "key"), ("sqlite_stat4", "sample"), ("sqlite_stat3", "sample")})
"""Statistics hold what they were made of."""
_RAW: Final = frozenset({"sqlite_dbpage"})
"""Whoever reads pages reads everything."""
_CONFIG: Final = ("service_config", "value")
_WORDS: Final = ("secret", "token", "password", "passwd", "credential", "private", "key", "auth")
"""In the key of a setting they say that its value is nobody's business."""


def is_secret(table: str, column: str) -> bool:
    """Say whether no value of this column is ever read."""
    return column.lower() in _IN_ANY_TABLE or (table.lower(), column.lower()) in _IN_TABLE


def may_be_secret(table: str, column: str) -> bool:
    """Say whether the ``key`` beside a value of this column decides whether it is read."""
    return (table.lower(), column.lower()) == _CONFIG


def secret_setting(key: str) -> str:
    """Return what is true in SQL where the setting whose key is the column ``key``, quoted, has a secret value."""
    lower = f"lower(CAST({key} AS TEXT))"
    return f"({' OR '.join(f'instr({lower}, {_literal(word)})' for word in _WORDS)})"


def hiding(allowed: Authorizer) -> Authorizer:
    """Return an authorizer that reads every secret as NULL, and for the rest says what ``allowed`` does.

    A statement begins and ends no transaction: it would hold back a service's checkpoints after its end.
    """

    def judge(action: int, first: str | None, second: str | None, database: str | None, source: str | None) -> int:
        if action == sqlite3.SQLITE_TRANSACTION:
            return sqlite3.SQLITE_DENY
        if action == sqlite3.SQLITE_READ and first is not None:
            if first.lower() in _RAW:
                return sqlite3.SQLITE_DENY
            if is_secret(first, second or "") or may_be_secret(first, second or ""):
                return sqlite3.SQLITE_IGNORE
        return allowed(action, first, second, database, source)

    return judge


def _literal(word: str) -> str:
    return f"'{word}'"
