"""What a rule is, and how what it says of one task becomes findings."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Final, Generic, TypeVar

from inspector.checks.findings import Finding, Severity

_Subject = TypeVar("_Subject")
_Break = TypeVar("_Break")

_LONGEST_QUOTE: Final = 80


@dataclass(frozen=True, slots=True)
class Rule(Generic[_Subject, _Break]):
    """One thing that is promised."""

    name: str
    section: str
    check: Callable[[_Subject], Iterable[_Break]]
    """Give each break: a sentence, or what it is about with the sentence."""
    needs: tuple[str, ...] = ()
    """The columns (``table.column``) without which it cannot be asked."""
    severity: Severity = Severity.ERROR

    def finding(self, task_id: str | None, message: str) -> Finding:
        """Return a break of this rule as a finding."""
        return Finding(self.name, self.section, self.severity, task_id, message)


class Tally:
    """The findings about one task: one for each rule that it breaks, which says how often."""

    def __init__(self, task_id: str | None) -> None:
        self._task_id = task_id
        self._found: dict[str, Finding] = {}
        self._times: dict[str, int] = {}

    def ask(self, rules: Iterable[Rule[_Subject, str]], subject: _Subject) -> None:
        """Ask each rule about ``subject``."""
        for rule in rules:
            for sentence in rule.check(subject):
                self.add(rule, sentence)

    def add(self, rule: Rule[_Subject, _Break], sentence: str) -> None:
        """Take note of one break; only the first one is told in words."""
        times = self._times[rule.name] = self._times.get(rule.name, 0) + 1
        if times == 1:
            self._found[rule.name] = rule.finding(self._task_id, sentence)

    def findings(self) -> list[Finding]:
        """Return what was found, in the order in which it was."""
        return [
            finding if (more := self._times[name] - 1) == 0 else _with(finding, more)
            for name, finding in self._found.items()
        ]


def _with(finding: Finding, more: int) -> Finding:
    again = "once more" if more == 1 else f"{more:,} more times"
    return replace(finding, message=f"{finding.message} The rule is broken {again} there.")


def quoted(value: object) -> str:
    """Return a stored value as a sentence quotes it: in quotes where it is text, cut where it is long."""
    if isinstance(value, bytes):
        return f"a BLOB of {len(value):,} bytes"
    if value is None:
        return "NULL"
    text = str(value)
    cut = text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}…"
    return f"“{cut}”" if isinstance(value, str) else cut
