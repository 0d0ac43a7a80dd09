"""A view that had no answer says why none comes; one that had keeps what it shows."""

import pytest
from PySide6.QtCore import QObject, Signal

from inspector.desktop.session.reader_link import ReaderGone, RequestFailed
from inspector.desktop.wiring.first_read import NOTHING_READ, FirstRead

pytestmark = pytest.mark.usefixtures("qloop")


class Losing(QObject):
    """A session that can be lost."""

    lost = Signal(str, object)

    def __init__(self, *, is_lost: bool = False) -> None:
        super().__init__()
        self.is_lost = is_lost

    def lose(self) -> None:
        self.is_lost = True
        self.lost.emit("It is gone.", 1)


async def raising(error: Exception) -> None:
    raise error


def first_read(session: Losing) -> tuple[FirstRead, list[str]]:
    told: list[str] = []
    return FirstRead(session, told.append), told  # type: ignore[arg-type]  # as much of a session as is needed


def test_a_file_that_is_lost_before_the_first_answer_is_told_at_once_and_to_a_view_made_later() -> None:
    session = Losing()
    _early, told = first_read(session)
    assert told == []
    session.lose()
    assert told == [NOTHING_READ]

    assert first_read(session)[1] == [NOTHING_READ]


@pytest.mark.parametrize("error", [RequestFailed("It is gone."), ReaderGone()])
async def test_an_answer_that_never_came_of_a_lost_file_is_told(error: Exception) -> None:
    session = Losing()
    first, told = first_read(session)
    session.is_lost = True

    with pytest.raises(type(error)):
        await first.awaited(raising(error))

    assert told == [NOTHING_READ]


async def test_why_the_first_answer_fails_is_told_and_a_reader_that_is_replaced_is_not() -> None:
    first, told = first_read(Losing())

    with pytest.raises(RequestFailed):
        await first.awaited(raising(RequestFailed("Its page is damaged\u202e.")))
    with pytest.raises(ReaderGone):
        await first.awaited(raising(ReaderGone()))

    assert told == ["Its page is damaged\\u202e."]


async def test_who_had_an_answer_is_told_nothing_until_another_file_is_read() -> None:
    session = Losing()
    first, told = first_read(session)
    first.take()
    session.lose()
    with pytest.raises(RequestFailed):
        await first.awaited(raising(RequestFailed("It is gone.")))
    assert told == []

    first.forget()
    session.lose()
    assert told == [NOTHING_READ]
