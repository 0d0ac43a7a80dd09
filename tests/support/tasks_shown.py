"""Which tasks a reader shows."""

from inspector.layout.pages import TaskPage
from inspector.reading.reader import Reader
from inspector.reading.requests import TaskPageRequest


def shown(reader: Reader) -> set[str]:
    """Return the ids of the tasks on the reader's first page."""
    page = reader.answer(TaskPageRequest())
    assert isinstance(page, TaskPage)
    return {task.id for task in page.tasks}
