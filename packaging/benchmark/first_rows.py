"""The program on a database, by the way the command line starts it, until the first rows are painted."""

import gc
import sys
import time
from pathlib import Path

from inspector.desktop.session.launch import Target, launch_with_first_page

gc.disable()
TARGET = Target(Path(sys.argv[1]))
READER = launch_with_first_page(TARGET)


def main() -> None:
    """Open the window, and print the moment when its table has painted with rows in it."""
    # After the start of the reader, as the command line does it.
    import asyncio

    from PySide6.QtCore import QEvent, QObject

    from inspector.desktop.app import SHOWN_WITHIN_S, run
    from inspector.desktop.composition import Inspector
    from inspector.desktop.settings import Settings

    async def until_rows(inspector: Inspector) -> None:
        painted: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        tasks = inspector.window.views.tasks

        class Watcher(QObject):
            def eventFilter(self, watched: QObject, event: QEvent) -> bool:
                if event.type() == QEvent.Type.Paint and tasks.rows.rowCount() and not painted.done():
                    # The filter runs before the paint: what follows it in the loop runs after.
                    asyncio.get_running_loop().call_soon(
                        lambda: painted.done() or painted.set_result(time.monotonic_ns())
                    )
                return False

        watcher = Watcher()
        tasks.table.viewport().installEventFilter(watcher)
        inspector.open(TARGET, reader=READER)
        await inspector.session.first_answers(SHOWN_WITHIN_S)
        inspector.window.show()
        print(await painted, flush=True)

    run(until_rows, Settings(None))


main()
