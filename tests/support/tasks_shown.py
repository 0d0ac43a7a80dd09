"""Which tasks a reader shows."""

from inspector.layout.pages import TaskPage
from inspector.reading.reader import Reader
from inspector.reading.requests import TaskPageRequest


def shown(reader: Reader) -> list[str]:
    """Return the ids of the tasks on the reader's first page, in the order of the alphabet."""
    page = reader.answer(TaskPageRequest())
    assert isinstance(page, TaskPage)
    return sorted(task.id for task in page.tasks)
