"""Messages as bytes: four bytes of length, big endian, then a pickle that may hold only our own frozen values.

The unpickler looks classes up in a fixed table and nowhere else, so that neither side can be made to run anything.
"""

import copyreg
import io
import pickle
import struct
from enum import Enum
from typing import Final

from inspector.layout import health, opened, pages, rows, tables, traces, whole
from inspector.lmsp import recovery, retention
from inspector.reading import messages, requests

CAP: Final = 32 << 20
"""The most bytes of one message, both ways."""

_LENGTH: Final = struct.Struct(">I")

_KNOWN: Final[dict[tuple[str, str], type]] = {
    (known.__module__, known.__qualname__): known
    for known in (
        *(opened.Mode, opened.LayoutKind, opened.Opened, opened.FileIdentity),
        *(pages.TaskFilter, pages.TaskKey, pages.TaskPage, pages.EventPage, pages.Tick, pages.LogStretch),
        *(pages.Counts, pages.ModelPage, pages.TaskPlaces, pages.Leftovers),
        *(rows.TaskRow, rows.StoredText, rows.TaskDetail, rows.EventRow, rows.ModelRow),
        *(rows.OddTaskRow, rows.OddEventRow),
        *(recovery.Leftover, recovery.Number, recovery.Outcome, retention.RetentionPlan),
        *(requests.TaskPageRequest, requests.TasksByIdRequest, requests.TaskDetailRequest, requests.EventPageRequest),
        *(requests.EventDataRequest, requests.TimelineRequest, requests.CountsRequest, requests.ModelsRequest),
        *(requests.LeftoversRequest, requests.RetentionRequest, requests.Watch, requests.TaskPlacesRequest),
        *(requests.TasksByPrefixRequest, requests.EventSearchRequest, pages.EventHit, pages.EventHits),
        *(tables.Storage, tables.StoredCell, tables.StoredColumn, tables.StoredTable, tables.TableList),
        *(tables.StoredRow, tables.RowPage, tables.StatementAnswer, requests.TablesRequest, requests.TableRowsRequest),
        *(requests.TableValueRequest, requests.StatementRequest, requests.DescriptionRequest),
        *(requests.HealthRequest, health.TableHealth, health.Health),
        *(requests.ProofRequest, traces.FileTrace, traces.TouchState),
        *(whole.Part, whole.PartEnd, whole.PartEnds, whole.WholePage, rows.ResponseRow),
        *(requests.PartEndsRequest, requests.WholePageRequest),
        *(pages.Progress, messages.Stop, messages.Progressed),
        *(messages.Asked, messages.Answer, messages.Failed, messages.Moved, messages.Lost),
        *(messages.Locked, messages.Unlocked),
    )
}

_MESSAGES: Final = (
    *(messages.Asked, messages.Stop, messages.Answer, messages.Failed, messages.Progressed),
    *(opened.Opened, messages.Moved, messages.Lost, messages.Locked, messages.Unlocked),
)


class WireError(Exception):
    """What came is no message of ours, or a message is too large. The connection is of no further use."""


class TooLarge(WireError):
    """A message is larger than the cap; nothing of it was sent."""


def encode(message: messages.Message) -> bytes:
    """Return ``message`` as it goes over the wire. Raises TooLarge above the cap."""
    written = io.BytesIO()
    _ByValue(written, protocol=5).dump(message)
    body = written.getvalue()
    if len(body) > CAP:
        raise TooLarge(f"A message of {len(body)} bytes is above the cap of {CAP}.")
    return _LENGTH.pack(len(body)) + body


class Decoder:
    """Takes what a pipe gives, in pieces of any size, and gives back whole messages."""

    def __init__(self) -> None:
        self._pending = bytearray()

    def feed(self, chunk: bytes) -> list[messages.Message]:
        """Take ``chunk`` and return the messages that are whole now. Raises WireError for anything that is not ours."""
        self._pending += chunk
        whole: list[messages.Message] = []
        start = 0
        while len(self._pending) - start >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(self._pending, start)
            if length > CAP:
                raise WireError(f"A message of {length} bytes was announced; the cap is {CAP}.")
            end = start + _LENGTH.size + length
            if len(self._pending) < end:
                break
            whole.append(_decoded(bytes(self._pending[start + _LENGTH.size : end])))
            start = end
        del self._pending[:start]
        return whole


def _by_value(member: Enum) -> tuple[type, tuple[object]]:
    return type(member), (member.value,)


class _ByValue(pickle.Pickler):
    """Writes an enum's member as a call of its class: Python before 3.11.4 would write a call of ``getattr``."""

    dispatch_table = copyreg.dispatch_table | {
        known: _by_value for known in _KNOWN.values() if issubclass(known, Enum)
    }  # by class, where a look at each value would take as long as all the rest


class _OursOnly(pickle.Unpickler):
    def find_class(self, module_name: str, global_name: str) -> type:
        known = _KNOWN.get((module_name, global_name))
        if known is None:
            raise WireError(f"{module_name}.{global_name} may not come over the wire.")
        return known


def _decoded(body: bytes) -> messages.Message:
    try:
        message = _OursOnly(io.BytesIO(body)).load()
    except WireError:
        raise
    except Exception as error:  # a broken pickle may raise anything at all
        raise WireError("What came over the wire is no message.") from error
    if not isinstance(message, _MESSAGES):
        raise WireError(f"A {type(message).__name__} came over the wire, which is no message.")
    return message
