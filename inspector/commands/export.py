"""``export``: tasks and events as lines of JSON or as CSV, with secrets, prompts and outputs taken out."""

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import click

from inspector.commands.arguments import FilePath, database_argument, json_option, layout_option, mode_option
from inspector.commands.clock import Clock
from inspector.commands.ending import NotDone
from inspector.commands.opening import (
    DEADLINE_MS,
    damage_document,
    damage_lines,
    layouts_of_others,
    opened_document,
    opened_lines,
    reading,
)
from inspector.commands.output import write_json, write_lines
from inspector.commands.progress import ProgressLine
from inspector.handover.cells import WORDS
from inspector.handover.exporting import Exported, Wanted, export
from inspector.handover.forms import Form
from inspector.handover.targets import NotWritten, require_free
from inspector.layout.opened import Mode, Opened
from inspector.layout.visible import visible
from inspector.layout.whole import Part
from inspector.reading.messages import Lost
from inspector.reading.reader import Reader
from inspector.reading.requests import Request

_LOOK_EVERY_S: Final = 1.0
_WORDS: Final = {"tasks": "task", "events": "event", "responses": "response", "models": "model"}


@click.command("export")
@database_argument
@click.option(
    "--format",
    "form",
    required=True,
    type=click.Choice([form.value for form in Form]),
    callback=lambda _ctx, _param, value: None if value is None else Form(value),
    help="ndjson: one file, a line of JSON for each row. csv: a folder with a file for each table.",
)
@click.option("--out", metavar="PATH", required=True, type=FilePath(), help="Where to; nothing may be there yet.")
@click.option("--with-secrets", is_flag=True, help="With requests, outputs, snapshots, error messages and paths.")
@json_option
@mode_option
@layout_option
@click.pass_obj
def export_command(
    clock: Clock,
    database: Path,
    form: Form,
    out: Path,
    with_secrets: bool,
    as_json: bool,
    mode: Mode | None,
    layout: Path | None,
) -> None:
    """Write all tasks of DB with their events, responses and models to PATH, a new file or folder.

    Requests, snapshots, outputs, the data of events, error messages and the paths of models are taken out, and marked
    as such; clients and idempotency keys are never in it. PATH is there when it is whole, and not before.
    """
    wanted = Wanted(out, form, with_secrets=with_secrets, exported_at=clock.now_ms())
    progress = ProgressLine()
    try:
        require_free(out, database)
        with reading(database, mode, clock, layouts=layouts_of_others(layout)) as reader:
            asking = _Asking(reader, clock)
            written = export(asking, reader.opened, database, wanted, lambda counts: progress.tell(_sum(counts)))
            opened = reader.opened
    except NotWritten as error:
        raise NotDone(error.sentence) from error
    finally:
        progress.clear()
    if as_json:
        write_json(_document(written, form, opened))
    else:
        write_lines(*_listing(written), *damage_lines(written.damage), *opened_lines(opened))


class _Asking:
    """Asks the reader, and lets it look in between what becomes of the file, and the program whether it is to end."""

    def __init__(self, reader: Reader, clock: Clock) -> None:
        self._reader = reader
        self._clock = clock
        self._look_at = time.monotonic() + _LOOK_EVERY_S

    def __call__(self, request: Request) -> object:
        """Return the answer."""
        self._clock.wait(0)
        if time.monotonic() > self._look_at:
            for push in self._reader.look():
                if isinstance(push, Lost):
                    raise NotDone(push.sentence)
            self._look_at = time.monotonic() + _LOOK_EVERY_S
        return self._reader.answer(request, deadline_ms=DEADLINE_MS)


def _sum(counts: Mapping[str, int]) -> str:
    told = [f"{number:,} {_WORDS[name]}{'' if number == 1 else 's'}" for name, number in counts.items()]
    return f"Exported {', '.join(told[:-1])} and {told[-1]}" if len(told) > 1 else f"Exported {told[0]}"


def _listing(written: Exported) -> list[str]:
    lines = [f"{_sum(written.counts)} to {visible(str(written.path))}."]
    if written.redacted:
        lines.append(f"Taken out: {_columns(written.redacted)}.")
        lines.append(f"Taken out where it is no single word: {_columns(WORDS)}.")
    if written.as_of_event is not None:
        lines.append(f"No event is newer than the one of id {written.as_of_event}.")
    return [*lines, *(f"Note: {note}" for note in written.notes)]


def _columns(by_table: Mapping[str, Sequence[str]] | Mapping[Part, Sequence[str]]) -> str:
    return ", ".join(f"{table}.{column}" for table, columns in by_table.items() for column in columns)


def _document(written: Exported, form: Form, opened: Opened) -> str:
    known = {
        "path": str(written.path),
        "files": written.files,
        "format": form,
        "counts": written.counts,
        "redacted": written.redacted,
        "as_of_event": written.as_of_event,
        "notes": written.notes,
    }
    members = ",\n".join(f"{json.dumps(key)}: {json.dumps(member)}" for key, member in known.items())
    return f'{{{members},\n"opened": {json.dumps(opened_document(opened))}{damage_document(written.damage)}}}'
