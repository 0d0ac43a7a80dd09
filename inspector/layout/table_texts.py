"""Tables as their statements say: each column and each constraint apart, however the text is spaced.

The layout's triggers hold what its tables do not: foreign keys, CHECKs and unique keys. A table that lacks one of them
takes the same statements and keeps less.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

Clauses: TypeAlias = frozenset[str]
"""The columns and constraints of a table, each as its words, and what follows them (STRICT)."""

_WORD: Final = re.compile(
    r"""--[^\n]*|/\*.*?(?:\*/|\Z)|'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|\w+|\s+|.""", re.DOTALL
)

_ACTING: Final = re.compile(r"\bON (?:CONFLICT (?!ABORT\b)|(?:DELETE|UPDATE) (?:CASCADE|SET)\b)", re.IGNORECASE)
"""What deletes or changes rows beside the one that is written, or lets a write pass without a word."""

_BETWEEN: Final = (("(", 0), (",", 1), (")", 0))
"""What stands between two clauses, with the number of parentheses that are open around it."""


def tables_of(statements: Iterable[str | None]) -> dict[str, Clauses]:
    """Return the tables that the CREATE TABLE statements among these make, by name."""
    made = {}
    for statement in statements:
        words = _words(statement or "")
        if words[:2] == ["CREATE", "TABLE"] and len(words) > 2:
            made[words[2]] = _clauses(words[3:])
    return made


def lacking(stored: Mapping[str, Clauses], own: Mapping[str, Clauses]) -> list[str]:
    """Return what of its own tables a database lacks, in words, sorted: a table, or a column or constraint of one."""
    found = [name for name in own if name not in stored]
    found += [f"{name}: {clause}" for name in own if name in stored for clause in own[name] - stored[name]]
    return sorted(found)


def acting(stored: Mapping[str, Clauses], own: Mapping[str, Clauses]) -> list[str]:
    """Return what the tables of the layout have more in a database that acts on other rows, in words, sorted."""
    more = ((name, clause) for name in own for clause in stored.get(name, frozenset()) - own[name])
    return sorted(f"{name}: {clause}" for name, clause in more if _ACTING.search(clause))


def _words(statement: str) -> list[str]:
    words = (word for word in _WORD.findall(statement) if not word.isspace() and not word.startswith(("--", "/*")))
    # SQLite writes a name in quotes after a table was renamed.
    return [word[1:-1] if word.startswith('"') and word[1:-1].isidentifier() else word for word in words]


def _clauses(body: list[str]) -> Clauses:
    clauses: list[list[str]] = [[]]
    depth = 0
    for word in body:
        depth -= word == ")"
        if (word, depth) in _BETWEEN:
            clauses.append([])
        else:
            clauses[-1].append(word)
        depth += word == "("
    return frozenset(" ".join(clause) for clause in clauses if clause)
