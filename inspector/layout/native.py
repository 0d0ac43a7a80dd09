"""The native layout, version 1: how it is known, and the text that makes it (design 5; our choice)."""

import re
import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from inspector.lmsp.values import value

APPLICATION_ID: Final = 0x4C4D5350
"""``LMSP`` in the database header."""

USER_VERSION: Final = 1

# A plain path: importlib.resources would take longer to import than all the rest of this.
DDL: Final = Path(__file__).with_name("native_v1.sql").read_text(encoding="utf-8")
"""The whole layout as SQL, with its application id and version. Run it in one transaction on an empty database."""

TABLES: Final = ("service_config", "clients", "models", "tasks", "task_events", "responses", "idempotency_keys")
"""The seven tables of section 11.1."""


def _statements(sql: str) -> list[str]:
    statements: list[str] = []
    pending = ""
    for line in sql.splitlines(keepends=True):
        if not pending and (not line.strip() or line.startswith("--")):
            continue
        pending += line
        if sqlite3.complete_statement(pending):
            statements.append(pending.strip().removesuffix(";"))
            pending = ""
    return statements


@value
class Layout:
    """One version of the native layout, as the statements that make it."""

    version: int
    statements: tuple[str, ...]
    """Make the whole layout in an empty database, with its application id and version."""
    upgrade: tuple[str, ...]
    """Turn a database of the version before into this one, all but its number; none for the first version."""

    @property
    def triggers(self) -> Mapping[str, str]:
        """The layout's own triggers, name to text as ``sqlite_schema.sql`` holds it."""
        named = ((re.match(r"CREATE TRIGGER (\w+)", statement), statement) for statement in self.statements)
        return MappingProxyType({found[1]: statement for found, statement in named if found})


LAYOUTS: Final = MappingProxyType({USER_VERSION: Layout(USER_VERSION, tuple(_statements(DDL)), ())})
"""Every version that is known, by its number. The newest is what is written; older ones are brought up to it."""

STATEMENTS: Final = LAYOUTS[USER_VERSION].statements
"""The statements of ``DDL``, one by one: Python's ``executescript`` would commit before it runs."""

TRIGGERS: Final = LAYOUTS[USER_VERSION].triggers
"""The triggers of the newest version, name to text. A file with any other is never written."""


NO_TRIGGERS: Final = ("table", "index", "view")
"""The types of rows of ``sqlite_schema`` that are no triggers. SQLite takes any other spelling of "trigger" for one."""


def triggers_of(schema: Iterable[tuple[object, str, str | None]]) -> dict[str, str | None]:
    """Return the triggers among rows of ``sqlite_schema`` (type, name, text), name to text.

    A row is one unless it says that it is something else: "TRIGGER", a blob, or a text with a NUL behind the word runs
    just the same.
    """
    return {name: sql for kind, name, sql in schema if kind not in NO_TRIGGERS}


def foreign_triggers(stored: Mapping[str, str | None], own: Mapping[str, str] = TRIGGERS) -> tuple[str, ...]:
    """Return the names in ``stored`` (name to text) that are not among ``own``, or not in its words, sorted."""
    return tuple(sorted(name for name, sql in stored.items() if own.get(name) != sql))


def missing_triggers(stored: Mapping[str, str | None], own: Mapping[str, str] = TRIGGERS) -> tuple[str, ...]:
    """Return the names in ``own`` that ``stored`` (name to text) does not hold, sorted."""
    return tuple(sorted(set(own) - set(stored)))
