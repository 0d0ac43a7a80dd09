"""``events``: the events of one task, in order, and those that come."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

import click

from inspector.commands.arguments import (
    database_argument,
    json_option,
    layout_option,
    mode_option,
    proof_option,
    task_argument,
)
from inspector.commands.clock import Clock
from inspector.commands.ending import NotDone, Refused
from inspector.commands.opening import (
    asked,
    damage_document,
    damage_lines,
    layouts_of_others,
    no_such_task,
    opened_document,
    opened_lines,
    reading,
)
from inspector.commands.output import NOTHING, utc, write_json, write_lines
from inspector.commands.patience import Patience
from inspector.commands.proving import Proof, proof_document, proof_lines
from inspector.commands.table import Column, aligned, line_of, terminal_width, widths_of
from inspector.layout.opened import Mode
from inspector.layout.pages import EventPage
from inspector.layout.rows import EventRow, StoredText, TaskRow
from inspector.layout.stored_json import spliced
from inspector.layout.visible import number_words, or_as_stored, visible
from inspector.lmsp.statuses import FINAL, known_status
from inspector.reading.errors import LockedOut
from inspector.reading.messages import Lost
from inspector.reading.reader import Reader
from inspector.reading.requests import BEFORE_ALL, EventDataRequest, EventPageRequest, TasksByIdRequest

_LOOK_EVERY_S: Final = 0.2
_WHOLE: Final = 1 << 40
"""More bytes than SQLite can store in one value."""
_COLUMNS: Final = (
    Column("SEQ", right=True, at_least=4),
    Column("TIME", at_least=len("2026-01-01T00:00:00.000Z")),
    Column("TYPE", at_least=len("response.output_text.delta")),
    Column("STATUS", at_least=len("cancelling")),
    Column("DATA", gives_way=True),
)


@click.command()
@database_argument
@task_argument
@json_option
@click.option(
    "--follow",
    is_flag=True,
    help="Go on with the events that come, until the task has ended. With --json: one line of JSON for each event.",
)
@mode_option
@layout_option
@proof_option
@click.pass_obj
def events(
    clock: Clock,
    database: Path,
    task_id: str,
    as_json: bool,
    follow: bool,
    mode: Mode | None,
    layout: Path | None,
    proving: bool,
) -> None:
    """List the events of task TASK in the order of their sequence numbers.

    Stored JSON is printed as it stands. Data that is no JSON, or nests too deep, is null in the document, and its
    text is in "data_text", which NULL has not; a text that is too large to be read whole has its "data_length" beside
    it.
    """
    if follow and mode is Mode.COPY:
        raise click.UsageError("--follow and --mode copy exclude each other: no event comes in a copy.")
    if follow and proving:
        raise click.UsageError("--follow and --proof exclude each other: a file that is followed may change.")
    proof = Proof(database, mode, clock) if proving else None
    patience = Patience(clock) if follow else None
    with reading(database, mode, clock, layouts=layouts_of_others(layout), patience=patience) as reader:
        if patience is not None:
            _follow(reader, task_id, clock, patience, as_json=as_json)
            return
        if _task(reader, task_id) is None:
            raise no_such_task(task_id)
        damage: list[str] = []
        log = list(_events_after(reader, task_id, BEFORE_ALL, damage))
        opened = reader.opened
    if as_json:
        listed = ",\n ".join(_document(event) for event in log)
        write_json(
            f'{{"task_id": {json.dumps(task_id)}, "events": [{listed}],\n'
            f'"opened": {json.dumps(opened_document(opened))}{damage_document(damage)}{proof_document(proof)}}}'
        )
    else:
        listing = aligned(_COLUMNS, [_cells(event) for event in log], terminal_width())
        none = [f"Task {visible(task_id)} has no events in this file."]
        write_lines(*(listing if log else none), *damage_lines(damage), *opened_lines(opened), *proof_lines(proof))


def _follow(reader: Reader, task_id: str, clock: Clock, patience: Patience, *, as_json: bool) -> None:
    """Write the task's events, then those that come, until it has ended or is gone; a lock is waited for."""
    last: int | None = None
    while True:
        try:
            # The row first: the events of a task that has ended are all there.
            task = _task(reader, task_id)
            if last is None:
                if task is None:
                    raise no_such_task(task_id)
                last = BEFORE_ALL
                if not as_json:
                    _write_row([column.word for column in _COLUMNS])
            for event in _events_after(reader, task_id, last):
                (_json_line if as_json else _row)(event)
                last = event.seq
        except LockedOut as error:
            patience.wait(error.sentence)
            continue
        patience.over()
        if task is None:
            raise Refused(f"Task {task_id} is not in the database any more: the service's cleanup took it.")
        if known_status(task.status) in FINAL:
            return
        _wait_for_a_change(reader, clock)


def _wait_for_a_change(reader: Reader, clock: Clock) -> None:
    while True:
        clock.wait(_LOOK_EVERY_S)
        pushes = reader.look()
        for push in pushes:
            if isinstance(push, Lost):
                raise NotDone(push.sentence)
        if pushes:
            return


def _task(reader: Reader, task_id: str) -> TaskRow | None:
    found: tuple[TaskRow, ...] = asked(reader, TasksByIdRequest((task_id,)), tuple)
    return found[0] if found else None


def _events_after(reader: Reader, task_id: str, seq: int, damage: list[str] | None = None) -> Iterator[EventRow]:
    """Give the task's events above this sequence number, each with the whole of its data.

    What of them cannot be read is added to ``damage``.
    """
    more = True
    while more:
        page = asked(reader, EventPageRequest(task_id, after_seq=seq), EventPage)
        if damage is not None and page.damage and page.damage not in damage:
            damage.append(page.damage)
        yield from (_whole(reader, event) for event in page.events)
        # What leads to the events rises; in a log that changes its kind meanwhile it may not.
        more = page.more_after and page.events[-1].seq > seq
        seq = page.events[-1].seq if page.events else seq


def _whole(reader: Reader, event: EventRow) -> EventRow:
    if not event.data.is_cut:
        return event
    request = EventDataRequest(event.task_id, event.seq, limit=_WHOLE)
    whole = asked(reader, request, StoredText)
    return replace(event, data_text=whole.text, data_length=whole.length)


def _document(event: EventRow) -> str:
    known: dict[str, object] = {name: event.told(name) for name in ("seq", "type", "status", "created_at")}
    data = None if event.data.is_cut else spliced(event.data.text)
    if data is not None:
        return f'{json.dumps(known)[:-1]}, "data": {data}}}'
    if event.told("data") is None:
        return json.dumps({**known, "data": None})
    length = {"data_length": event.data.length} if event.data.is_cut else {}
    return json.dumps({**known, "data": None, "data_text": event.data.text, **length})


def _json_line(event: EventRow) -> None:
    # JSON has line ends between its values only, never inside a string.
    write_json(_document(event).replace("\n", " "))


def _row(event: EventRow) -> None:
    _write_row(_cells(event))


def _write_row(cells: list[str]) -> None:
    limit = terminal_width()
    write_lines(line_of(_COLUMNS, widths_of(_COLUMNS, [cells], limit), cells, limit))


def _cells(event: EventRow) -> list[str]:
    return [
        number_words(event.told("seq"), str, NOTHING),
        or_as_stored(utc(event.created_at), event.as_stored("created_at")),
        *(number_words(event.told(name), str, NOTHING) for name in ("type", "status")),
        visible(event.data.text),
    ]
