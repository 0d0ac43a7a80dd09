"""The Recovery view says what of the leftovers cannot be read."""

from pathlib import Path

import pytest

from inspector.desktop.session.launch import Target
from inspector.desktop.widgets.message_bar import MessageBar
from tests.commands.databases import by_hand, one_of_each
from tests.support.broken_pages import without_a_root
from tests.support.inspectors import an_inspector
from tests.support.waiting import until

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("qloop")]


async def test_what_of_the_leftovers_cannot_be_read_is_said_in_a_bar(tmp_path: Path) -> None:
    path = one_of_each(tmp_path / "lmsp.db")
    by_hand(path, "VACUUM")
    without_a_root(path, "task_events")
    async with an_inspector() as inspector:
        inspector.window.show()
        inspector.open(Target(path))
        await until(lambda: inspector.window.views.tasks.rows.rowCount() == 7)

        inspector.window.show_view("recovery")

        def bars() -> list[str]:
            return [bar.text() for bar in inspector.window.findChildren(MessageBar) if bar.isVisible()]

        await until(lambda: any("The logs of 4 tasks cannot be read" in bar for bar in bars()))
