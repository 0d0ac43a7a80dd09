"""``check``: each rule of section 11, asked about everything in a database."""

import json
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Final, TypeVar

import click

from inspector.checks.files import check_file
from inspector.checks.findings import Checked, Finding, Severity
from inspector.checks.rulebook import ALL_NAMES, FILE_IS_SOUND
from inspector.checks.walking import check_database
from inspector.commands.arguments import database_argument, json_option, mode_option, proof_option
from inspector.commands.clock import Clock
from inspector.commands.ending import REFUSED, NotDone
from inspector.commands.opening import DEADLINE_MS, opened_document, opened_lines, reading
from inspector.commands.output import write_json, write_lines
from inspector.commands.progress import ProgressLine
from inspector.commands.proving import Proof, proof_document, proof_lines
from inspector.layout.opened import Mode, Opened
from inspector.layout.visible import visible
from inspector.reading.connection import Reads
from inspector.reading.errors import TookTooLong
from inspector.reading.messages import Lost
from inspector.reading.reader import Reader

_Read = TypeVar("_Read")

_LIVE_FILE_MS: Final = 2_000
"""How long the check of the whole file may keep a service's checkpoint waiting."""
_FILE_MS: Final = 600_000
_LOOK_EVERY_S: Final = 1.0
_LISTED: Final = 10
"""How many findings of one rule are listed in words; the document has them all."""


@click.command()
@database_argument
@json_option
@mode_option
@proof_option
@click.pass_obj
def check(clock: Clock, database: Path, as_json: bool, mode: Mode | None, proving: bool) -> None:
    """Check everything in the database against the rules of section 11, and the file itself.

    Exit status 1 where a rule is broken. A warning, which may have an innocent reason, leaves it 0. Rules that need a
    table or a column that is not there are skipped, and named. A database at work can be checked: nothing is written,
    and no read is long.
    """
    proof = Proof(database, mode, clock) if proving else None
    progress = ProgressLine()
    try:
        with reading(database, mode, clock) as reader:
            findings, checked = _checked(reader, progress)
            opened = reader.opened
    finally:
        progress.clear()
    if as_json:
        write_json(_document(findings, checked, opened, proof_document(proof)))
    else:
        write_lines(
            *_listing(findings),
            *_skipped(checked),
            *opened_lines(opened),
            *proof_lines(proof),
            _sum(findings, checked),
        )
    if any(finding.severity is Severity.ERROR for finding in findings):
        raise click.exceptions.Exit(REFUSED)


def _checked(reader: Reader, progress: ProgressLine) -> tuple[list[Finding], Checked]:
    limit_ms = _LIVE_FILE_MS if reader.opened.mode is Mode.LIVE else _FILE_MS
    progress.tell("Checking the file")
    try:
        findings, left_out = check_file(_Asking(reader, limit_ms))
    except TookTooLong:
        findings = []
        left_out = f"The file is too large to be checked as a whole within {limit_ms // 1000} seconds."
    checked = Checked()
    for part in check_database(_Asking(reader, DEADLINE_MS)):
        findings += part.findings
        checked = part.checked
        progress.tell(f"{checked.tasks:,} tasks and {checked.events:,} events checked, {len(findings):,} findings")
    if left_out:
        return findings, replace(checked, skipped={FILE_IS_SOUND.name: left_out, **checked.skipped})
    return findings, replace(checked, rules=(FILE_IS_SOUND.name, *checked.rules))


class _Asking:
    """Lets the checker read through a reader, and lets that look in between what becomes of the file."""

    def __init__(self, reader: Reader, deadline_ms: int) -> None:
        self._reader = reader
        self._deadline_ms = deadline_ms
        self._look_at = time.monotonic() + _LOOK_EVERY_S

    def __call__(self, question: Callable[[Reads], _Read], /) -> _Read:
        """Return what the question read."""
        if time.monotonic() > self._look_at:
            for push in self._reader.look():
                if isinstance(push, Lost):
                    raise NotDone(push.sentence)
            self._look_at = time.monotonic() + _LOOK_EVERY_S
        return self._reader.read(lambda connection, _shape: question(connection), deadline_ms=self._deadline_ms)


def _document(findings: Iterable[Finding], checked: Checked, opened: Opened, proof: str) -> str:
    listed = ",\n ".join(json.dumps(asdict(finding)) for finding in findings)
    return (
        f'{{"findings": [{listed}],\n"checked": {json.dumps(asdict(checked))},\n'
        f'"opened": {json.dumps(opened_document(opened))}{proof}}}'
    )


def _listing(findings: list[Finding]) -> Iterator[str]:
    by_rule: dict[str, list[Finding]] = {}
    for finding in findings:
        by_rule.setdefault(finding.rule, []).append(finding)
    for severity in Severity:
        for rule in (name for name in ALL_NAMES if name in by_rule):
            found = by_rule[rule]
            if found[0].severity is severity:
                number = f"{len(found):,} findings" if len(found) > 1 else "1 finding"
                yield f"{severity.upper()} {rule} ({_place(found[0].section)}): {number}"
                yield from (_line(finding) for finding in found[:_LISTED])
                if len(found) > _LISTED:
                    yield f"  and {len(found) - _LISTED:,} more"


def _line(finding: Finding) -> str:
    task = "" if finding.task_id is None else f"{finding.task_id}: "
    return f"  {visible(task + finding.message)}"


def _place(section: str) -> str:
    return f"section {section}" if section[:1].isdigit() else section


def _skipped(checked: Checked) -> Iterator[str]:
    reasons: dict[str, list[str]] = {}
    for rule, reason in checked.skipped.items():
        reasons.setdefault(reason, []).append(rule)
    for reason, rules in reasons.items():
        yield f"Not checked: {', '.join(rules)}. {visible(reason)}"


def _sum(findings: list[Finding], checked: Checked) -> str:
    errors = sum(finding.severity is Severity.ERROR for finding in findings)
    warnings = len(findings) - errors
    told = [
        f"{number:,} {word}{'' if number == 1 else 's'}"
        for number, word in ((errors, "error"), (warnings, "warning"))
        if number
    ]
    looked_at = ", ".join(
        f"{number:,} {word}{'' if number == 1 else 's'}"
        for number, word in (
            (checked.tasks, "task"),
            (checked.events, "event"),
            (checked.responses, "response"),
            (checked.keys, "idempotency key"),
            (checked.models, "model"),
        )
    )
    return f"{' and '.join(told) or 'No findings'}: {len(checked.rules)} rules asked about {looked_at}."
