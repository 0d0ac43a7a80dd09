"""What SQLite's own check found in a file, a table at a time."""

from inspector.lmsp.values import value


@value
class TableHealth:
    """One table with its indexes. Sound where ``notes`` is empty."""

    table: str
    notes: tuple[str, ...]
    """Whole sentences for a person."""
    said: tuple[str, ...] = ()
    """SQLite's own words, a line each, at most 20."""
    part_unread: bool = False
    """Whether some of its rows, or all, cannot be read."""
    missing: int | None = None
    """About how many rows that are, where it can be known."""


@value
class Health:
    """What was found in a file."""

    full: bool
    """Whether the indexes were compared with their tables too."""
    tables: tuple[TableHealth, ...]
    unchecked: tuple[str, ...]
    """Sentences on what was not checked."""
    read_at_ms: int
    schema: str = ""
    """What is wrong with the list of the tables itself, in one sentence; empty where all of it can be understood."""

    @property
    def is_damaged(self) -> bool:
        """Whether anything of the file cannot be read, or is not as it should be."""
        return bool(self.schema) or any(table.notes for table in self.tables)
