"""Where an action may write, and where it is the user's to say."""

from dataclasses import replace

import pytest

from inspector.desktop.session.acting import Acting, acting_on
from inspector.layout.opened import LayoutKind, Mode, Opened

LIVE = Opened(
    path="/data/service.db",
    mode=Mode.LIVE,
    why="A service has it open.",
    notes=(),
    holder="lmspd (pid 1)",
    layout=LayoutKind.NATIVE,
    user_version=1,
    sqlite_version="3.40.1",
    may_act=True,
    why_not_act=None,
)


@pytest.mark.parametrize("allowed", [False, True])
def test_a_live_native_file_may_be_written_at_once(allowed: bool) -> None:
    assert acting_on(LIVE, allowed=allowed) == Acting(True, None, needs_allowance=False)


@pytest.mark.parametrize("mode", [Mode.RESTING, Mode.CRASHED])
def test_a_file_that_no_service_has_open_is_written_only_when_the_user_allowed_it(mode: Mode) -> None:
    before = acting_on(replace(LIVE, mode=mode), allowed=False)
    assert (before.may_act, before.needs_allowance) == (False, True)
    assert before.why_not is not None
    assert acting_on(replace(LIVE, mode=mode), allowed=True) == Acting(True, None, needs_allowance=True)


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("allowed", [False, True])
def test_what_may_not_be_written_is_not_the_user_s_to_allow(mode: Mode, allowed: bool) -> None:
    refused = replace(LIVE, mode=mode, may_act=False, why_not_act="It carries triggers that are not the layout's own.")
    assert acting_on(refused, allowed=allowed) == Acting(False, refused.why_not_act, needs_allowance=False)


def test_without_a_file_nothing_can_be_done() -> None:
    assert not acting_on(None, allowed=True).may_act
