"""The native layout, version 1: how it is known, and the text that makes it (design 5; our choice)."""

import re
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

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


STATEMENTS: Final = tuple(_statements(DDL))
"""The statements of ``DDL``, one by one: Python's ``executescript`` would commit before it runs."""


def _triggers() -> Mapping[str, str]:
    named = ((re.match(r"CREATE TRIGGER (\w+)", statement), statement) for statement in STATEMENTS)
    return MappingProxyType({found[1]: statement for found, statement in named if found})


TRIGGERS: Final = _triggers()
"""The layout's own triggers, name to text as ``sqlite_schema.sql`` holds it. A file with any other is never written."""


def foreign_triggers(stored: Mapping[str, str | None]) -> tuple[str, ...]:
    """Return the names in ``stored`` (name to text) that are not the layout's own, or not in its own words, sorted."""
    return tuple(sorted(name for name, sql in stored.items() if TRIGGERS.get(name) != sql))


def missing_triggers(stored: Mapping[str, str | None]) -> tuple[str, ...]:
    """Return the names of the layout's own triggers that ``stored`` (name to text) does not hold, sorted."""
    return tuple(sorted(set(TRIGGERS) - set(stored)))
