"""Plans for the tests of the recovery view, made by the rule itself from literal leftovers."""

from itertools import product

from inspector.lmsp.recovery import Leftover, RecoveryPlan, RecoveryStep, plan_recovery, plan_step

FOUND = ("queued", "loading", "running", "cancelling")
STORED_POLICIES = ("fail", "retry", "resume", None, "always")
HOSTILE = "<b>task</b>\u202e\x1b[2J\u200b<img src=file:///etc/hostname width=9000>"


def leftover(
    task_id: str,
    status: str = "running",
    on_restart: str | None = "resume",
    *,
    attempt: int = 1,
    last_seq: int = 10,
    snapshot_seq: int | None = 5,
) -> Leftover:
    return Leftover(task_id, status, on_restart, attempt, last_seq, snapshot_seq)


def step(
    status: str = "running", on_restart: str | None = "resume", *, snapshot_seq: int | None = 5, task_id: str = "task_a"
) -> RecoveryStep:
    return plan_step(leftover(task_id, status, on_restart, snapshot_seq=snapshot_seq))


def plan(*leftovers: Leftover) -> RecoveryPlan:
    return plan_recovery(leftovers)


def every_combination() -> RecoveryPlan:
    """Each state by each stored policy, with and without a snapshot, some of them twice, and two strangers."""
    rows = [
        leftover(f"task_{status}_{policy}_{snapshot}_{nth}", status, policy, snapshot_seq=snapshot)
        for (status, policy), snapshot in product(product(FOUND, STORED_POLICIES), (None, 5))
        for nth in range(1 + (status == "running"))
    ]
    return plan(*rows, leftover("task_x", "archived"), leftover("task_y", HOSTILE, None))
