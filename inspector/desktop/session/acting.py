"""Whether an action may write to the open file now (design 6, the row ``action``), and the action itself."""

from pathlib import Path
from typing import Final

from inspector.layout.opened import FileIdentity, Mode, Opened
from inspector.lmsp.cancelling import CancelOutcome, CancelResult
from inspector.lmsp.values import value

_NO_SERVICE: Final = "No service has this file open. Allow actions in the Task menu to write to it."


@value
class Acting:
    """Whether tasks can be cancelled here."""

    may_act: bool
    why_not: str | None
    """One sentence where ``may_act`` is False."""
    needs_allowance: bool
    """Whether it is the user's to allow: the file could be written, and no service has it open."""


def acting_on(how: Opened | None, *, allowed: bool, why_lost: str | None = None) -> Acting:
    """Return whether an action may write, for a file opened like this and what the user allowed for it.

    ``why_lost`` is one sentence where it is not there any more: what lies at its path is another one.
    """
    if how is None:
        return Acting(False, "No database is open.", False)
    if why_lost is not None:
        return Acting(False, why_lost, False)
    if not how.may_act:
        return Acting(False, how.why_not_act, False)
    if how.mode is Mode.LIVE:
        return Acting(True, None, False)
    if allowed:
        return Acting(True, None, True)
    return Acting(False, _NO_SERVICE, True)


def cancel_in_file(
    path: Path, task_id: str, *, now_ms: int, needs_service: bool, same_as: FileIdentity | None
) -> CancelResult:
    """Cancel one task over a connection that is opened and closed for it. For a thread beside the window.

    ``needs_service``: only while a service has the file open. It may have died since the reader looked, or during a
    pause; then the file is the user's to allow. ``same_as``: which file has to lie there. A file that cannot be used
    is an outcome too: ``refused``, with the reason.
    """
    # None of this before the first action: the store's sqlite-utils takes as long to import as Qt.
    from inspector import store  # noqa: PLC0415
    from inspector.reading.errors import Unreadable  # noqa: PLC0415
    from inspector.reading.holders import holders_listed  # noqa: PLC0415
    from inspector.reading.identity import require_same  # noqa: PLC0415
    from inspector.reading.locks import WAL_OPEN  # noqa: PLC0415

    try:
        if same_as is not None:
            require_same(str(path), same_as)
    except Unreadable as error:
        return CancelResult(task_id, CancelOutcome.REFUSED, None, None, error.sentence)
    if needs_service and holders_listed(f"{path}-shm", WAL_OPEN, others_only=False) == ():
        return CancelResult(task_id, CancelOutcome.REFUSED, None, None, _NO_SERVICE)
    try:
        return store.cancel_in_file(path, task_id, now_ms=now_ms)
    except store.Unusable as error:
        return CancelResult(task_id, CancelOutcome.REFUSED, None, None, error.sentence)
