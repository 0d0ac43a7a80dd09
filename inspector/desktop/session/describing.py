"""What the open file is read as, written into a file of its own."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from inspector.desktop.session.reader_link import RequestFailed
from inspector.desktop.session.session import Session
from inspector.layout.visible import visible
from inspector.reading.layouts import NotSaved, save_description
from inspector.reading.requests import DescriptionRequest


async def layout_saved(session: Session, path: Path) -> str | None:
    """Write the layout that the open file is read as into a new file, and return the sentence on why not, or None.

    Raises ReaderGone as asking the reader does.
    """
    try:
        text = await session.ask(DescriptionRequest())
    except RequestFailed as error:
        return error.sentence
    if text is None:
        return f"{visible(path.name)} is not written: there is nothing to describe."
    # A disk may be slow, and the window never waits for one.
    thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="layout")
    try:
        await asyncio.get_running_loop().run_in_executor(thread, partial(save_description, text, path))
    except NotSaved as error:
        return error.sentence
    finally:
        thread.shutdown(wait=False)
    return None
