"""What a plan says in words. Pure: no Qt, so that every sentence is read by a test.

Whatever comes from the database passes through ``visible`` and is cut to what a line can hold.
"""

import json
from collections import Counter
from dataclasses import dataclass
from textwrap import indent
from typing import Final

from inspector.desktop.recovery.grouping import Kind, Narrowing, Place, Tally
from inspector.desktop.widgets.words import NOTHING, counted, grouped
from inspector.layout.visible import visible
from inspector.lmsp import recovery as rules
from inspector.lmsp.events import EventType
from inspector.lmsp.statuses import FINAL, Status, known_status

NOTHING_LEFT: Final = "No leftover tasks: a restart would change nothing."
NO_APPLY: Final = "Recovery belongs to the service that starts next. From here it can be previewed, not applied."
AT_RESTART: Final = "time of the restart"
SAME: Final = "same"
ARROW: Final = "→"

_SHOWN_CHARACTERS: Final = 300
_INLINE: Final = 72
"""The most characters of an event's data that stand on one line."""


def one_line(text: str) -> str:
    """Return stored text as a cell shows it: nothing in it acts, and no more than 300 characters of it are laid out."""
    return visible(text[:_SHOWN_CHARACTERS])


def preview_words(plan: rules.RecoveryPlan, read_at: str) -> str:
    """Return the sentence of consequence in the bar above the table; ``read_at`` is the moment of the read in words."""
    outcomes = plan.outcomes()
    strangers = sum(many for outcome, many in outcomes.items() if outcome.effective is None)
    leftovers = outcomes.total() - strangers
    these = f"{'this' if leftovers == 1 else 'these'} {counted(leftovers, 'leftover task')}"
    if leftovers:
        does = f"This is what a service does with {these} when it starts on this file, as read at {read_at}."
    else:
        does = f"As read at {read_at}, this file has no leftover task that a restart would move."
    match strangers:
        case 0:
            pass
        case 1:
            does += f" One {'more ' if leftovers else ''}task has a status it does not know."
        case _:
            does += f" {grouped(strangers)} {'more ' if leftovers else ''}tasks have a status it does not know."
    if plan.more:
        does += f" The list shows the oldest {grouped(len(plan.steps))}; the command recover lists them all."
    return does


@dataclass(frozen=True, slots=True)
class SummaryLine:
    """One line of "After a restart"."""

    tasks: int
    status: str
    """Whose shape stands before the words; the empty text, which is none of the seven, for those left alone."""
    words: str


def summary(plan: rules.RecoveryPlan) -> tuple[SummaryLine, ...]:
    """Return what a restart would leave behind: a line for each status it moves to, and one for tasks left alone."""
    outcomes = plan.outcomes()
    targets = Counter[str]()
    strangers = stay = blind = 0
    for outcome, many in outcomes.items():
        if outcome.effective is None:
            strangers += many
            continue
        targets[outcome.target] += many
        if outcome.target == Status.QUEUED and not outcome.writes_event:
            stay += many
        if outcome.lacks_snapshot:
            blind += many
    queued = targets[Status.QUEUED]
    lines = [
        SummaryLine(targets[Status.FAILED], Status.FAILED, f"failed with {rules.SERVER_RESTARTED}"),
        SummaryLine(queued, Status.QUEUED, "queued" + _queued_parts(stay, queued - stay)),
        SummaryLine(
            targets[Status.RUNNING],
            Status.RUNNING,
            "running again" + (f", {grouped(blind)} without a snapshot" if blind else ""),
        ),
        SummaryLine(targets[Status.CANCELLED], Status.CANCELLED, "cancelled"),
    ]
    if strangers:
        lines.append(SummaryLine(strangers, "", "left alone: status is none of the seven"))
    return tuple(lines)


def _queued_parts(stay: int, back: int) -> str:
    parts = []
    if stay:
        parts.append(f"{grouped(stay)} {'stays' if stay == 1 else 'stay'}")
    if back:
        parts.append(f"{grouped(back)} {'goes back' if back == 1 else 'go back'}")
    return f": {', '.join(parts)}" if parts else ""


def cell_target(place: Place) -> tuple[Status, EventType | None]:
    """Return the status a cell's tasks are moved to, and the event that is written, or None where they stay."""
    target = rules.recovery_target(place.found, place.policy)
    return target, rules.recovery_event(place.found, target)


def cell_words(place: Place, tally: Tally) -> str:
    """Return a cell of the table as one sentence, for those who hear it."""
    target, event = cell_target(place)
    becomes = f"stays {target}, no event" if event is None else f"{target}, {event}"
    warned = f", {grouped(tally.warnings)} with a warning" if tally.warnings else ""
    return f"{place.found} under {place.policy}: {counted(tally.tasks, 'task')}, {becomes}{warned}"


def policy_words(step: rules.RecoveryStep) -> str:
    """Return the policy as stored, or a dash where none is."""
    return NOTHING if step.policy is None else one_line(step.policy)


def after_note(step: rules.RecoveryStep) -> str:
    """Return what stands beside the status afterwards, or nothing."""
    if step.effective is None:
        return "left alone"
    if step.event is None:
        return "stays"
    if step.event is EventType.RESUMED:
        return "no snapshot kept" if step.snapshot_seq is None else f"from snapshot {grouped(step.snapshot_seq)}"
    return ""


def attempt_words(step: rules.RecoveryStep) -> str:
    """Return the attempt, before and after where a restart raises it."""
    found = _number(step.known_attempt)
    if not step.raises_attempt or step.known_attempt is None:
        return found
    return f"{found} {ARROW} {_number(step.known_next_attempt)}"


def seq_words(step: rules.RecoveryStep) -> str:
    """Return the sequence number of the event that would be written, or nothing where none is."""
    return "" if step.event is None else f"seq {_number(step.known_next_seq)}"


def _number(known: int | None) -> str:
    """Return a number of a step, or a dash where it is not known."""
    return NOTHING if known is None else grouped(known)


def warning_words(step: rules.RecoveryStep) -> str:
    """Return the warnings of a step in words, or nothing."""
    return "; ".join(warning.sentence for warning in step.warnings)


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One column of a task's row, before and after."""

    name: str
    before: str
    """Empty where the plan does not know it."""
    after: str | None
    """None where it stays the same."""


def field_changes(step: rules.RecoveryStep) -> tuple[FieldChange, ...]:
    """Return what becomes of each column of the task's row that recovery looks at or writes."""
    changes = [
        _change("status", one_line(step.found), one_line(step.target)),
        _raised("attempt", step.known_attempt, step.known_next_attempt, is_raised=step.raises_attempt),
        _raised("last_seq", step.known_last_seq, step.known_next_seq, is_raised=step.event is not None),
        FieldChange("snapshot_seq", _number(step.snapshot_seq), None),
    ]
    if step.event is not None:
        if step.error_code is not None:
            changes.append(FieldChange("error_code", "", step.error_code))
            changes.append(FieldChange("error_message", "", rules.SERVER_RESTARTED_MESSAGE))
        if known_status(step.target) in FINAL:
            changes.append(FieldChange("finished_at", NOTHING, AT_RESTART))
        if step.target == Status.QUEUED:
            changes.append(FieldChange("started_at", "", NOTHING))
        changes.append(FieldChange("updated_at", "", AT_RESTART))
    return tuple(changes)


def _raised(name: str, before: int | None, after: int | None, *, is_raised: bool) -> FieldChange:
    """Return what becomes of a number. One that is not known is not said to stay the same where it is raised."""
    changes = is_raised and (after is None or after != before)
    return FieldChange(name, _number(before), _number(after) if changes else None)


def _change(name: str, before: str, after: str) -> FieldChange:
    return FieldChange(name, before, None if before == after else after)


def event_text(step: rules.RecoveryStep) -> str | None:
    """Return the event that would be written, as JSON, or None where none is.

    Its ``created_at`` is missing: it is the time of the restart.
    """
    if step.event is None:
        return None
    data = step.event_data()
    inline = json.dumps(data, ensure_ascii=False)
    lines = (
        f'"type": {json.dumps(step.event)},',
        f'"seq": {json.dumps(step.known_next_seq)},',
        f'"status": {json.dumps(step.target)},',
        f'"attempt": {json.dumps(step.known_next_attempt)},',
        f'"data": {inline if len(inline) <= _INLINE else json.dumps(data, ensure_ascii=False, indent=2)}',
    )
    return "{\n" + "\n".join(indent(line, "  ") for line in lines) + "\n}"


def no_event_words(step: rules.RecoveryStep) -> str:
    """Return why no event would be written."""
    if step.effective is None:
        return "No event: recovery never touches a task whose status is none of the seven."
    return f"No event: the task stays {step.target}, and nothing of its row is written."


_NOTHING_OF: Final = {
    Kind.ALL: "No leftover task",
    Kind.MOVES: "No task that would move",
    Kind.STAYS: "No task that would stay",
    Kind.WARNINGS: "No task with a warning",
    Kind.LEFT_ALONE: "No task that would be left alone",
}


def nothing_words(narrowing: Narrowing, listed: int, of: int) -> str:
    """Return what is said in the place of an empty list: of the oldest ``listed`` tasks there is none such.

    ``of`` is how many such tasks there are in all.
    """
    kind, place = narrowing.kind, narrowing.place
    if of:
        return f"{counted(of, 'such task')}, but none among the oldest {grouped(listed)}, which alone are listed."
    if place is None:
        return f"{_NOTHING_OF[kind]}."
    return f"{_NOTHING_OF[kind]} was found {place.found} with the policy {place.policy}."
