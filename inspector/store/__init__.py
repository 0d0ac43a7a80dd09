"""The LMSP persistence rules: everything that writes, each rule in one short transaction.

A service calls these functions as its persistence layer; the inspector calls a few of them. They take an open database
and plain values, and the time as an argument.

May import lmsp, layout and sqlite_utils. Never Qt, never the clock, never the read side.
"""

from inspector.layout.rows import ClientRow, EventRow, ModelRow, ResponseRow, TaskRow
from inspector.lmsp.cancelling import CancelOutcome, CancelResult
from inspector.lmsp.recovery import RecoveryPlan
from inspector.lmsp.retention import RetentionPlan
from inspector.lmsp.statuses import Status
from inspector.store.accepting import Accepted, accept_task
from inspector.store.appending import append_events
from inspector.store.cancel import cancel_in_file, cancel_task
from inspector.store.clients import Paired, authenticate, list_clients, pair_client, require_scope, revoke_client
from inspector.store.config import config_value, set_config
from inspector.store.connecting import open_service_database
from inspector.store.errors import Busy, NotOurs, Refused, Unusable
from inspector.store.finishing import complete_task, fail_task, finish_cancel
from inspector.store.group_writer import GroupWriter, open_group_writer
from inspector.store.looking import find_task, stored_response, task_events, task_request
from inspector.store.models import list_models, register_model
from inspector.store.recovery import RecoveryResult, Resumed, apply_recovery, plan_recovery
from inspector.store.retention import RetentionResult, apply_retention, plan_retention
from inspector.store.snapshots import save_snapshot
from inspector.store.starting import claim_next_task, start_task
from inspector.store.tasks import Written, next_queued_task

__all__ = [
    "Accepted",
    "Busy",
    "CancelOutcome",
    "CancelResult",
    "ClientRow",
    "EventRow",
    "GroupWriter",
    "ModelRow",
    "NotOurs",
    "Paired",
    "RecoveryPlan",
    "RecoveryResult",
    "Refused",
    "ResponseRow",
    "Resumed",
    "RetentionPlan",
    "RetentionResult",
    "Status",
    "TaskRow",
    "Unusable",
    "Written",
    "accept_task",
    "append_events",
    "apply_recovery",
    "apply_retention",
    "authenticate",
    "cancel_in_file",
    "cancel_task",
    "claim_next_task",
    "complete_task",
    "config_value",
    "fail_task",
    "find_task",
    "finish_cancel",
    "list_clients",
    "list_models",
    "next_queued_task",
    "open_group_writer",
    "open_service_database",
    "pair_client",
    "plan_recovery",
    "plan_retention",
    "register_model",
    "require_scope",
    "revoke_client",
    "save_snapshot",
    "set_config",
    "start_task",
    "stored_response",
    "task_events",
    "task_request",
]
