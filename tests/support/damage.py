"""Databases damaged by chance, the same for the same seed, and all that is asked of them."""

import random
from collections.abc import Callable
from pathlib import Path

from inspector.reading.errors import Unanswered, Unreadable
from inspector.reading.messages import Answer
from inspector.reading.reader import Reader, open_reader
from inspector.reading.requests import (
    CountsRequest,
    EventDataRequest,
    EventPageRequest,
    EventSearchRequest,
    LeftoversRequest,
    ModelsRequest,
    Request,
    RetentionRequest,
    TaskDetailRequest,
    TaskPageRequest,
    TaskPlacesRequest,
    TasksByIdRequest,
    TasksByPrefixRequest,
    TimelineRequest,
    Watch,
)
from inspector.reading.wire import Decoder, encode
from tests.support.proof import differences, touch_state
from tests.support.reading_databases import add_deltas, add_task, create, move_task, read_at


def many_pages(path: Path, tasks: int = 60) -> bytes:
    """Return a database of many pages, as bytes; ``path`` is free again afterwards."""
    db = create(path, journal="delete")
    db.execute("PRAGMA synchronous=OFF")
    for number in range(tasks):
        add_task(db, f"task-{number:03}", request="{}" * 200, client_id="c", model_id="m")
        move_task(db, f"task-{number:03}", "running")
        add_deltas(db, f"task-{number:03}", 20)
    db.close()
    data = path.read_bytes()
    path.unlink()
    return data


QUESTIONS: tuple[Request, ...] = (
    TaskPageRequest(),
    TasksByIdRequest(("task-001", "task-059")),
    TaskDetailRequest("task-030"),
    EventPageRequest("task-030"),
    EventDataRequest("task-030", 3),
    TimelineRequest("task-030", limit=10),
    CountsRequest(),
    ModelsRequest(),
    LeftoversRequest(),
    RetentionRequest(1),
    TaskPlacesRequest(),
    TasksByPrefixRequest("task-0"),
    EventSearchRequest("delta"),
    Watch(("task-001",)),
)


def answers(reader: Reader) -> int:
    """Ask everything, take each answer over the wire as a window does, and return how many questions were answered."""
    answered = 0
    refusals = []
    for request in QUESTIONS:
        try:
            answer = Answer(1, reader.answer(request))
            assert Decoder().feed(encode(answer)) == [answer]
            answered += 1
        except Unanswered as error:
            refusals.append(error.sentence)
    reader.look()
    assert all(sentence.isprintable() and sentence.endswith(".") for sentence in refusals)
    return answered


def noise_anywhere(data: bytearray, chance: random.Random) -> None:
    at = chance.randrange(len(data) - 32)
    data[at : at + 32] = chance.randbytes(32)


def noise_in_the_schema(data: bytearray, chance: random.Random) -> None:
    at = chance.randrange(100, 4096 - 32)
    data[at : at + 32] = chance.randbytes(32)


def noise_in_the_header(data: bytearray, chance: random.Random) -> None:
    at = chance.randrange(16, 92)
    data[at : at + 8] = chance.randbytes(8)


def a_page_of_noise(data: bytearray, chance: random.Random) -> None:
    at = 4096 * chance.randrange(1, len(data) // 4096)
    data[at : at + 4096] = chance.randbytes(4096)


def a_page_of_nothing(data: bytearray, chance: random.Random) -> None:
    at = 4096 * chance.randrange(1, len(data) // 4096)
    data[at : at + 4096] = bytes(4096)


def one_byte(data: bytearray, chance: random.Random) -> None:
    data[chance.randrange(100, len(data))] = chance.randrange(256)


def cut_off(data: bytearray, chance: random.Random) -> None:
    del data[chance.randrange(100, len(data)) :]


Damage = Callable[[bytearray, random.Random], None]

DAMAGES: tuple[Damage, ...] = (
    *(noise_anywhere, noise_in_the_schema, noise_in_the_header, a_page_of_noise, a_page_of_nothing, one_byte, cut_off),
)


def read_damaged(path: Path) -> int | None:
    """Read a damaged file; None where it cannot be opened at all."""
    before = touch_state(path)
    answered: int | None = None
    sentence = "service.db "
    try:
        with open_reader(path, now_ms=read_at) as reader:
            answered = answers(reader)
    except Unreadable as error:
        sentence = error.sentence
    assert sentence.startswith("service.db ")
    assert sentence.isprintable()
    assert differences(before, touch_state(path)) == ()
    return answered
