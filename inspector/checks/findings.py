"""What a check found, and what it looked at."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Severity(StrEnum):
    """How sure it is that something is wrong."""

    ERROR = "error"
    """A rule is broken."""
    WARNING = "warning"
    """It may have an innocent reason: a clock that was set, a service that is just starting."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One rule that one task, or the file, does not keep."""

    rule: str
    """The rule's short name, which stays the same."""
    section: str
    """Where the rule stands: a section of the specification, or ``design`` and a number for a choice of ours."""
    severity: Severity
    task_id: str | None
    """None where it is about no single task."""
    message: str
    """Whole sentences with the numbers found. They quote data, and have to be made visible where they are shown."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What was looked at so far."""

    tasks: int = 0
    events: int = 0
    responses: int = 0
    keys: int = 0
    models: int = 0
    rules: tuple[str, ...] = ()
    """The names of the rules that are asked."""
    skipped: Mapping[str, str] = field(default_factory=dict)
    """The rules that this file cannot be asked about, each with the reason."""


@dataclass(frozen=True, slots=True)
class Part:
    """What one step of a check found, and what has been looked at since its start."""

    findings: tuple[Finding, ...]
    checked: Checked
