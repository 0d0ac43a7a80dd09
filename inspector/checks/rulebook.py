"""All rules, and which of them can be asked of a file with given tables and columns."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from inspector.checks import content_rules, log_rules, task_rules
from inspector.checks.findings import Severity
from inspector.checks.log_rules import Break
from inspector.checks.rule import Rule
from inspector.checks.tables import JSON
from inspector.checks.values import Ended, Model, Owned, Restarted, Stored, Stretch, Task

_Subject = TypeVar("_Subject")
_Break = TypeVar("_Break")


def _asked_by_the_walk(_subject: object) -> Iterator[str]:
    """Stand for the function of a rule that takes more than values: the walk itself asks it."""
    return iter(())


VALUES_HAVE_THEIR_TYPES: Final[Rule[object, str]] = Rule("value-type", "design 5", _asked_by_the_walk, ("tasks.id",))
ALL_CAN_BE_READ: Final[Rule[object, str]] = Rule("unreadable", "11.1", _asked_by_the_walk, ("tasks.id",))
VALUES_ARE_SMALL: Final[Rule[object, str]] = Rule(
    "large-value", "11.1", _asked_by_the_walk, ("tasks.id",), severity=Severity.WARNING
)
EVENTS_HAVE_THEIR_TASK: Final[Rule[object, str]] = Rule(
    "event-without-task", "11.2", _asked_by_the_walk, ("tasks.id", "task_events.task_id")
)
RESPONSES_HAVE_THEIR_TASK: Final[Rule[object, str]] = Rule(
    "response-without-task", "11.2", _asked_by_the_walk, ("tasks.id", "responses.task_id")
)
KEYS_HAVE_THEIR_TASK: Final[Rule[object, str]] = Rule(
    "key-without-task", "11.2", _asked_by_the_walk, ("tasks.id", "idempotency_keys.task_id")
)
IDS_ARE_THERE_ONCE: Final[Rule[object, str]] = Rule("id-twice", "design 5", _asked_by_the_walk)
KEYS_LEAD_TO_ONE_TASK: Final[Rule[object, str]] = Rule(
    "key-twice",
    "11.1",
    _asked_by_the_walk,
    tuple(f"idempotency_keys.{name}" for name in ("client_id", "key", "task_id")),
)
LAYOUT_IS_WHOLE: Final[Rule[object, str]] = Rule("own-layout", "design 5", _asked_by_the_walk)
FILE_IS_SOUND: Final[Rule[object, str]] = Rule("file-damaged", "11.1", _asked_by_the_walk)

_WALK: Final = (
    VALUES_HAVE_THEIR_TYPES,
    ALL_CAN_BE_READ,
    VALUES_ARE_SMALL,
    EVENTS_HAVE_THEIR_TASK,
    RESPONSES_HAVE_THEIR_TASK,
    KEYS_HAVE_THEIR_TASK,
    IDS_ARE_THERE_ONCE,
    KEYS_LEAD_TO_ONE_TASK,
    LAYOUT_IS_WHOLE,
)

_STATUS: Final = ("tasks.status",)
_LOG: Final = ("task_events.task_id", "task_events.seq")
_LOG_STATUS: Final = (*_LOG, "task_events.status")
_LOG_TYPE: Final = (*_LOG, "task_events.type")
_LOG_TYPE_STATUS: Final = (*_LOG_STATUS, "task_events.type")
_LOG_ATTEMPT: Final = (*_LOG, "task_events.attempt")

_LOG_RULES: Final[tuple[Rule[Stretch, Break], ...]] = (
    Rule("event-status", "11.3", log_rules.event_statuses_are_known, _LOG_STATUS),
    Rule("sequence-gap", "11.2", log_rules.sequence_has_no_gap, _LOG),
    Rule("after-final-event", "11.2", log_rules.nothing_follows_a_final_event, _LOG_STATUS),
    Rule("cancel-undone", "11.2", log_rules.cancelling_ends_as_cancelled, _LOG_STATUS),
    Rule("illegal-move", "design 3", log_rules.moves_are_legal, _LOG_TYPE_STATUS),
    Rule("event-type", "design 4", log_rules.types_fit_statuses, _LOG_TYPE_STATUS),
    Rule("progress-moves", "design 4", log_rules.progress_keeps_the_status, _LOG_TYPE_STATUS),
    Rule("created-again", "design 4", log_rules.created_comes_once, _LOG_TYPE),
    Rule("attempt-falls", "design 3", log_rules.attempts_never_fall, _LOG_ATTEMPT),
    Rule("attempt-raised", "design 3", log_rules.attempts_rise_by_recovery, (*_LOG_ATTEMPT, "task_events.type")),
    Rule("attempt-start", "design 3", log_rules.attempts_start_at_one, _LOG_ATTEMPT, Severity.WARNING),
    Rule("event-time", "design 5", log_rules.event_times_never_fall, (*_LOG, "task_events.created_at")),
    Rule("event-id", "design 5", log_rules.event_ids_rise, (*_LOG, "task_events.id")),
    Rule(
        "snapshot-status", "design 4", log_rules.snapshot_stands_at_running, (*_LOG_STATUS, "tasks.snapshot_seq")
    ),
)  # fmt: skip

_TASK_RULES: Final[tuple[Rule[Task, str], ...]] = (
    Rule("task-status", "11.3", task_rules.status_is_known, _STATUS),
    Rule("error-code", "11.3", task_rules.failures_have_their_code, (*_STATUS, "tasks.error_code")),
    Rule("finished-at", "design 5", task_rules.finished_at_fits_the_status, (*_STATUS, "tasks.finished_at")),
    Rule(
        "task-times",
        "design 5",
        task_rules.times_are_in_order,
        tuple(f"tasks.{name}_at" for name in ("created", "started", "finished", "updated")),
    ),
    Rule(
        "snapshot-seq",
        "11.3",
        task_rules.snapshot_fits,
        ("tasks.snapshot", "tasks.snapshot_seq", "tasks.last_seq"),
    ),
    Rule("started-at", "design 5", task_rules.claims_have_a_start, (*_STATUS, "tasks.started_at")),
)

_ENDED_RULES: Final[tuple[Rule[Ended, str], ...]] = (
    Rule("log-start", "design 4", task_rules.log_starts_with_created, _LOG_TYPE),
    Rule("last-seq", "11.2", task_rules.last_seq_is_that_of_the_log, (*_LOG, "tasks.last_seq")),
    Rule("log-status", "11.2", task_rules.status_is_that_of_the_log, (*_LOG_STATUS, *_STATUS)),
    Rule("one-final-event", "11.2", task_rules.final_event_is_the_only_one, (*_LOG_STATUS, *_STATUS)),
    Rule(
        "log-times",
        "design 5",
        task_rules.times_are_those_of_the_log,
        (*_LOG, "task_events.created_at", *(f"tasks.{name}" for name in ("created_at", "updated_at", "finished_at"))),
    ),
    Rule("log-attempt", "design 3", task_rules.attempt_is_that_of_the_log, (*_LOG_ATTEMPT, "tasks.attempt")),
    Rule(
        "restart-code",
        "11.3",
        task_rules.code_is_that_of_the_event,
        (*_LOG_TYPE, *_STATUS, "task_events.data", "tasks.error_code"),
    ),
)

_RESPONSE: Final = tuple(f"responses.{name}" for name in ("task_id", "status", "client_id", "model_id"))

_OWNED_RULES: Final[tuple[Rule[Owned, str], ...]] = (
    Rule("response-status", "11.2", task_rules.responses_are_of_completed_tasks, ("responses.task_id", *_STATUS)),
    Rule("one-response", "design 5", task_rules.task_has_one_response, ("responses.task_id",)),
    Rule(
        "response-ids",
        "design 4",
        task_rules.responses_carry_their_task,
        (*_RESPONSE, "tasks.client_id", "tasks.model_id"),
    ),
    Rule("one-key", "11.1", task_rules.task_has_one_key, ("idempotency_keys.task_id",)),
    Rule(
        "key-client",
        "11.1",
        task_rules.keys_are_of_their_client,
        ("idempotency_keys.task_id", "idempotency_keys.client_id", "tasks.client_id"),
    ),
)

_RESTARTED_RULES: Final[tuple[Rule[Restarted, str], ...]] = (
    Rule(
        "left-of-restart",
        "11.2",
        task_rules.nothing_is_left_of_a_restart,
        (*_STATUS, "tasks.updated_at", "tasks.on_restart", "service_config.key", "service_config.value"),
        # Another service's clock, or one that is recovering at this moment.
        Severity.WARNING,
    ),
)

_MODEL_RULES: Final[tuple[Rule[Model, str], ...]] = (
    Rule("model-digest", "11.1", task_rules.digests_are_well_formed, ("models.digest",)),
    Rule("model-path", "11.1", task_rules.models_have_a_path, ("models.path",)),
    Rule("model-bytes", "11.1", task_rules.models_hold_no_bytes, ("models.id",)),
)

_CONTENT_RULES: Final[tuple[Rule[Stored, str], ...]] = (
    Rule("stored-json", "design 5", content_rules.json_can_be_read, (JSON,)),
    Rule("stored-bytes", "11.1", content_rules.values_hold_no_bytes, severity=Severity.WARNING),
    Rule("client-scopes", "design 5", content_rules.scopes_are_texts, ("clients.scopes",)),
    Rule("client-token", "design 5", content_rules.tokens_are_hashed, ("clients.token_hash",)),
    Rule("key-digest", "design 8", content_rules.keys_have_their_digest, ("idempotency_keys.request_digest",)),
    Rule(
        "retention-period",
        "design 8",
        content_rules.period_is_a_number,
        ("service_config.key", "service_config.value"),
        # The store takes any value there; cleanup then says no.
        severity=Severity.WARNING,
    ),
)


@dataclass(frozen=True, slots=True)
class Rulebook:
    """The rules that a file can be asked about, by what they are asked of."""

    walk: tuple[Rule[object, str], ...]
    """Those that the walk itself asks."""
    log: tuple[Rule[Stretch, Break], ...]
    task: tuple[Rule[Task, str], ...]
    ended: tuple[Rule[Ended, str], ...]
    owned: tuple[Rule[Owned, str], ...]
    restarted: tuple[Rule[Restarted, str], ...]
    model: tuple[Rule[Model, str], ...]
    content: tuple[Rule[Stored, str], ...]
    skipped: Mapping[str, str] = field(default_factory=dict)
    """The names of all others, each with the reason."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the rules that are asked."""
        groups: tuple[tuple[Rule[Any, Any], ...], ...] = (
            *(self.walk, self.log, self.task, self.ended, self.owned, self.restarted, self.model, self.content),
        )
        return tuple(rule.name for group in groups for rule in group)


def rulebook_for(why_not: Callable[[str], str | None]) -> Rulebook:
    """Return the rules that can be asked; ``why_not`` says why a column (``table.column``) cannot be read, if so."""
    skipped: dict[str, str] = {}

    def possible(rules: Iterable[Rule[_Subject, _Break]]) -> tuple[Rule[_Subject, _Break], ...]:
        kept = []
        for rule in rules:
            reason = next(filter(None, map(why_not, ("tasks.id", *rule.needs))), None)
            if reason is None:
                kept.append(rule)
            else:
                skipped[rule.name] = reason
        return tuple(kept)

    return Rulebook(
        walk=possible(_WALK),
        log=possible(_LOG_RULES),
        task=possible(_TASK_RULES),
        ended=possible(_ENDED_RULES),
        owned=possible(_OWNED_RULES),
        restarted=possible(_RESTARTED_RULES),
        model=possible(_MODEL_RULES),
        content=possible(_CONTENT_RULES),
        skipped=skipped,
    )


ALL_NAMES: Final = (FILE_IS_SOUND.name, *rulebook_for(lambda _: None).names)
"""The names of all rules."""
