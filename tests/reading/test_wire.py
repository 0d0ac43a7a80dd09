"""Messages survive the wire in pieces of any size, and nothing else does."""

import os
import pickle
import pickletools
import struct
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.layout.opened import LayoutKind, Mode, Opened
from inspector.layout.pages import (
    Counts,
    EventHit,
    EventHits,
    EventPage,
    LogStretch,
    ModelPage,
    Progress,
    TaskFilter,
    TaskKey,
    TaskPage,
    TaskPlaces,
    Tick,
)
from inspector.layout.rows import (
    EventRow,
    ModelRow,
    OddEventRow,
    OddTaskRow,
    ResponseRow,
    StoredText,
    TaskDetail,
    TaskRow,
)
from inspector.layout.tables import (
    RowPage,
    StatementAnswer,
    Storage,
    StoredCell,
    StoredColumn,
    StoredRow,
    StoredTable,
    TableList,
)
from inspector.layout.whole import Part, PartEnd, PartEnds, WholePage
from inspector.lmsp.recovery import Leftover
from inspector.lmsp.retention import RetentionPlan
from inspector.lmsp.values import extended
from inspector.reading.messages import Answer, Asked, Failed, Locked, Lost, Message, Moved, Progressed, Stop, Unlocked
from inspector.reading.requests import (
    CountsRequest,
    DescriptionRequest,
    EventDataRequest,
    EventPageRequest,
    EventSearchRequest,
    LeftoversRequest,
    ModelsRequest,
    PartEndsRequest,
    RetentionRequest,
    StatementRequest,
    TableRowsRequest,
    TablesRequest,
    TableValueRequest,
    TaskDetailRequest,
    TaskPageRequest,
    TaskPlacesRequest,
    TasksByIdRequest,
    TasksByPrefixRequest,
    TimelineRequest,
    Watch,
    WholePageRequest,
)
from inspector.reading.wire import CAP, Decoder, TooLarge, WireError, encode

TASK = TaskRow("t\u202e\0", None, "m", "response", "queued", None, None, 2**63 - 1, 1, None, -(2**63), None, None, 0)
EVENT = EventRow(1, "t", 1, "response.created", "queued", 1, None, "{}", 2)
ODD_TASK = extended(OddTaskRow, TASK, (("created_at", "yesterday"),))
ODD_EVENT = extended(OddEventRow, EVENT, (("seq", "one"),))
CELL = StoredCell(Storage.TEXT, "a\0", 2)
TABLE = StoredTable('a"b', "table", False, (StoredColumn("c", "TEXT"),), ("c",), None)

MESSAGES: tuple[Message, ...] = (
    Opened("/a", Mode.CRASHED, "why", ("note",), "lmspd (pid 1)", LayoutKind.NATIVE, 1, "3.40.1", True, None),
    Moved((TASK, ODD_TASK), ("gone",), 7, 1, True, False, 5),
    Lost("The file is gone. It was removed.", 5),
    Locked("service.db is locked by another process (SQLITE_BUSY)."),
    Unlocked(),
    Failed(3, "This took too long to read and was stopped."),
    Asked(1, TaskPageRequest(TaskFilter(frozenset({"queued"}), "x", "m"), TaskKey(None, "t"), 10)),
    Asked(2, TasksByIdRequest(("a", "b")), 100),
    Asked(3, TaskDetailRequest("a")),
    Asked(4, EventPageRequest("a", before_seq=9)),
    Asked(5, EventDataRequest("a", 1)),
    Asked(6, TimelineRequest("a")),
    Asked(7, CountsRequest()),
    Asked(8, ModelsRequest()),
    Asked(9, LeftoversRequest()),
    Asked(10, Watch(("a",), None)),
    Asked(11, RetentionRequest(2**63 - 1)),
    Asked(12, TaskPageRequest(start=TaskKey(5, "t"))),
    Asked(13, TaskPlacesRequest(TaskFilter(text="x"), 50)),
    Asked(14, TasksByPrefixRequest("task_1", TaskFilter(model_id="m"))),
    Asked(15, EventSearchRequest("x", before_id=5)),
    Asked(16, TablesRequest()),
    Asked(17, TableRowsRequest('a"b', ((b"\xff",), 1, 0.5, b"\0"), backwards=True)),
    Asked(18, TableValueRequest('a"b', (1,), "c")),
    Asked(19, StatementRequest("SELECT 1")),
    Asked(20, DescriptionRequest()),
    Asked(21, PartEndsRequest()),
    Asked(22, WholePageRequest(Part.EVENTS, 5, 9, texts=False)),
    Answer(21, PartEnds((PartEnd(Part.TASKS, None),), by_task=True)),
    Answer(22, WholePage((EVENT, ResponseRow("r", "t", None, None, "s", StoredText("", 1), 1, None)), 1, "Damaged.")),
    Answer(16, TableList((TABLE,), 3, 1)),
    Answer(17, RowPage(TABLE, (StoredRow(((b"\xff",), 1), (CELL,)),), True, "Damaged.", (1,), 1)),
    Answer(18, CELL),
    Answer(19, StatementAnswer(("c",), ((CELL,),), False, 1, 1)),
    Stop(15),
    Progressed(15, Progress(5, None, (EventHit(1, "t", 1, "response.created", "{}", 0, 2, None),))),
    Failed(15, "This took too long to read and was stopped.", took_too_long=True),
    Answer(15, EventHits((), 5, 1)),
    Answer(1, TaskPage((TASK,), more=True, read_at_ms=1)),
    Answer(2, (TASK,)),
    Answer(3, TaskDetail(TASK, StoredText("{}", 2), None, None, None)),
    Answer(4, EventPage("a", (EVENT, ODD_EVENT), more_before=True, more_after=False)),
    Answer(5, StoredText("x", 10)),
    Answer(6, LogStretch("a", (Tick(1, "response.created", "queued", 1),), 1, 1, "queued", more=True)),
    Answer(7, Counts({"queued": 1}, 2, 3)),
    Answer(8, ModelPage((ModelRow("m", "m", "d", None, "/m", None, "{}", None, 1, 1),), 1)),
    Answer(9, (Leftover("a", "queued", None, 1, 1, None),)),
    Answer(10, None),
    Answer(13, TaskPlaces(2, 50, (TaskKey(None, "t"),), 1)),
    Answer(11, RetentionPlan(-(2**63), 2**63 - 1, 1, 2, 3, 4, 5, 6, 7, 8)),
)


@given(st.lists(st.integers(min_value=1, max_value=4_000), min_size=1))
def test_messages_arrive_as_they_were_sent_in_pieces_of_any_size(sizes: list[int]) -> None:
    data = b"".join(map(encode, MESSAGES))
    decoder = Decoder()
    received: list[Message] = []
    at = 0
    for size in sizes:
        received += decoder.feed(data[at : at + size])
        at += size
    received += decoder.feed(data[at:])

    assert received == list(MESSAGES)


def framed(body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + body


class Runs:
    """What an attacker would send: a pickle that calls a function when it is read."""

    def __init__(self, *call: object) -> None:
        self._call = call

    def __reduce__(self) -> tuple[object, ...]:
        return self._call[0], tuple(self._call[1:])


HOSTILE = {
    "system": pickle.dumps(Runs(os.system, "echo gone > gone")),
    "eval": pickle.dumps(Runs(eval, "1 + 1")),
    "getattr": pickle.dumps(Runs(getattr, TASK, "id")),
    "of a message": pickle.dumps(Answer(1, Runs(os.getcwd))),
    "dotted": b"\x80\x04\x8c\x19inspector.reading.messages\x8c\x0fAnswer.__init__\x93.",
    "another module's class": pickle.dumps(Answer(1, struct.Struct)),
    "our function": pickle.dumps(encode),
    "no message": pickle.dumps(TASK),
    "a list": pickle.dumps([1, 2]),
    "half": pickle.dumps(MESSAGES[0])[:-10],
    "noise": bytes(range(256)),
    "nothing": b"",
    "persistent": b"\x80\x04\x8c\x01aQ.",
    "extension": b"\x80\x02\x82\x01.",
}


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE.keys())
def test_whatever_is_not_ours_is_refused_and_runs_nothing(
    body: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    with pytest.raises(WireError):
        Decoder().feed(framed(body))
    assert list(tmp_path.iterdir()) == []


@given(st.binary(max_size=200))
def test_garbage_is_refused_or_waited_for(garbage: bytes) -> None:
    with suppress(WireError):
        assert Decoder().feed(garbage) == []


def test_a_length_above_the_cap_is_refused_before_it_is_waited_for() -> None:
    with pytest.raises(WireError, match="cap"):
        Decoder().feed(struct.pack(">I", CAP + 1))


def test_a_message_above_the_cap_is_not_sent() -> None:
    with pytest.raises(TooLarge):
        encode(Answer(1, StoredText("x" * (CAP + 1), CAP + 1)))


def test_nothing_but_our_own_classes_is_named_on_the_wire() -> None:
    opened = Opened("/a", Mode.LIVE, "why", (), None, LayoutKind.NATIVE, 1, "3.40.1", True, None)
    named = [
        argument
        for message in (opened, Answer(1, (Mode.COPY, LayoutKind.OTHER)))
        for opcode, argument, _ in pickletools.genops(encode(message)[4:])
        if opcode.name in ("SHORT_BINUNICODE", "BINUNICODE")
    ]
    # Python before 3.11.4 would name builtins.getattr for an enum's member, which the other side refuses.
    assert "builtins" not in named
    assert "getattr" not in named
    assert "inspector.layout.opened" in named
