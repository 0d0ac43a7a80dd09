"""What a session asks the reader process, each with the answer it gets."""

from typing import Final, Generic, TypeAlias, TypeVar

from inspector.layout.health import Health
from inspector.layout.pages import (
    PAGE_ROWS,
    Counts,
    EventHits,
    EventPage,
    Leftovers,
    LogStretch,
    ModelPage,
    TaskFilter,
    TaskKey,
    TaskPage,
    TaskPlaces,
)
from inspector.layout.rows import StoredText, TaskDetail, TaskRow
from inspector.layout.tables import RowKey, RowPage, StatementAnswer, StoredCell, TableList
from inspector.layout.traces import TouchState
from inspector.layout.whole import Part, PartEnds, WholePage
from inspector.lmsp.retention import RetentionPlan
from inspector.lmsp.values import value

EVENT_DATA_CHARS: Final = 1 << 20
"""The most of one event's data in one answer, in bytes as stored."""

_ANY: Final = TaskFilter()

BEFORE_ALL: Final = -(1 << 63)
"""No sequence number is lower, also in a file that was made to mislead."""

STRETCH_EVENTS: Final = 4_000
"""The most events that are read for one stretch of a log: a few milliseconds of the reader's time."""

WHOLE_PAGE_BYTES: Final = 1 << 20
"""A page of whole rows ends with the row that makes it so large, in bytes of text as stored."""


AnswerT = TypeVar("AnswerT", covariant=True)


class Question(Generic[AnswerT]):
    """A request, which knows the type of its answer."""

    __slots__ = ()


@value
class TaskPageRequest(Question[TaskPage]):
    """One page of tasks, newest first. Answer: TaskPage.

    With ``after`` it begins behind the task at this key, with ``start`` at it, or at the next older one where that task
    is gone or does not pass. At most one of the two.
    """

    wanted: TaskFilter = _ANY
    after: TaskKey | None = None
    limit: int = PAGE_ROWS
    start: TaskKey | None = None


@value
class TaskPlacesRequest(Question[TaskPlaces]):
    """How many tasks pass the filter, and the key of each ``every``-th. Answer: TaskPlaces.

    A question for the background: it takes as long as a walk over all of them.
    """

    wanted: TaskFilter = _ANY
    every: int = PAGE_ROWS


@value
class TasksByPrefixRequest(Question[tuple[TaskRow, ...]]):
    """The tasks whose id begins with ``prefix``, as typed, or in small letters or capitals. Answer: a tuple of TaskRow.

    Those that pass ``wanted``, newest first, at most PAGE_ROWS: by the index on the ids, however many tasks there are.
    """

    prefix: str
    wanted: TaskFilter = _ANY


@value
class TasksByIdRequest(Question[tuple[TaskRow, ...]]):
    """These tasks, as far as they are there; at most PAGE_ROWS ids. Answer: a tuple of TaskRow."""

    ids: tuple[str, ...]


@value
class TaskDetailRequest(Question[TaskDetail | None]):
    """One task with its large columns, cut to 64 KiB each. Answer: TaskDetail, or None where it is not there."""

    task_id: str


@value
class EventPageRequest(Question[EventPage]):
    """Events of one task: those after a sequence number, those before one, or with neither the last. Answer: EventPage.

    The data of each is cut to a preview of 4 KiB; EventDataRequest has the whole.
    """

    task_id: str
    after_seq: int | None = None
    before_seq: int | None = None
    limit: int = PAGE_ROWS


@value
class EventDataRequest(Question[StoredText | None]):
    """The data of one event. Answer: StoredText cut to ``limit`` bytes, or None where there is no such event."""

    task_id: str
    seq: int
    limit: int = EVENT_DATA_CHARS


@value
class TimelineRequest(Question[LogStretch]):
    """The next ``limit`` events of one task's log, without data, after ``after_seq``. Answer: LogStretch.

    One of ``every`` events stays, and each with another status than the one before; ``status`` is the one at
    ``after_seq``.
    """

    task_id: str
    after_seq: int = BEFORE_ALL
    status: str = ""
    every: int = 1
    limit: int = STRETCH_EVENTS


@value
class CountsRequest(Question[Counts]):
    """How many tasks pass the whole filter, for each status. Answer: Counts."""

    wanted: TaskFilter = _ANY


@value
class ModelsRequest(Question[ModelPage]):
    """The registered models, by name. Answer: ModelPage.

    ``counted``: with the number of tasks that name each; where there are many that is a question for the background.
    """

    counted: bool = True


@value
class LeftoversRequest(Question[Leftovers]):
    """Every task that is in no final status, also of unknown status, oldest first. Answer: Leftovers.

    Those behind the first ``most`` are only counted; None for all of them.
    """

    most: int | None = None


@value
class RetentionRequest(Question[RetentionPlan | None]):
    """What cleanup would delete now, with this period in milliseconds, or None for the one that the database stores.

    Answer: RetentionPlan, or None where there is no such period.
    """

    keep_ms: int | None = None


@value
class EventSearchRequest(Question[EventHits]):
    """The events whose data holds ``text``, A to Z in any case, newest first, at most ``limit``. Answer: EventHits.

    A question for the background: the hits come with its progress as they are found. ``before_id`` goes on where an
    earlier answer ended.
    """

    text: str
    before_id: int | None = None
    limit: int = 1_000


@value
class TablesRequest(Question[TableList]):
    """Every table of the file, whosever it is. Answer: TableList."""


@value
class TableRowsRequest(Question[RowPage]):
    """Rows of any table in the order of its key: those behind ``key``, or the first. Answer: RowPage.

    ``backwards``: those before it, or the last. ``inclusive``: with the row at the key itself.
    """

    table: str
    key: RowKey | None = None
    backwards: bool = False
    inclusive: bool = False
    limit: int = PAGE_ROWS


@value
class TableValueRequest(Question[StoredCell | None]):
    """One value of any table, at most 65,536 characters of it. Answer: StoredCell, or None where the row is gone."""

    table: str
    key: RowKey
    column: str


@value
class StatementRequest(Question[StatementAnswer]):
    """One statement in SQL that only reads, as somebody typed it. Answer: StatementAnswer.

    For a process that can be killed: what one function does in it can be ended in no other way.
    """

    sql: str
    limit: int = 1_000
    columns: int | None = None
    """At most so many of the first columns; None for all."""


@value
class HealthRequest(Question[Health]):
    """What SQLite's own check says, a table at a time; ``full``: with each index against its table. Answer: Health.

    For an errand (see errand): it reads all of the file.
    """

    full: bool = False


@value
class ProofRequest(Question[TouchState]):
    """The hashes, times and names of the file, its companions and its folder, as they are now. Answer: TouchState.

    For an errand: no process that has a connection to the file may open it otherwise.
    """


@value
class DescriptionRequest(Question[str | None]):
    """What the file is read as, as TOML that can be kept and corrected. Answer: text, None for the native layout."""


@value
class PartEndsRequest(Question[PartEnds]):
    """Where each table ends now, so that what comes later can be left out. Answer: PartEnds."""


@value
class WholePageRequest(Question[WholePage]):
    """Rows of one table in the order of their numbers: those above ``after``, up to ``up_to``. Answer: WholePage.

    At most PAGE_ROWS, and about WHOLE_PAGE_BYTES. Without ``texts`` no request, snapshot, error message, body or data
    is read: each that is stored comes as a StoredText of which nothing is there but that it is cut. A text of more
    than 16 MiB is cut in any case. Where the rows have no numbers, ``after`` is how many were had.
    """

    part: Part
    after: int | None = None
    up_to: int | None = None
    texts: bool = True


@value
class Watch(Question[None]):
    """Which tasks are on screen, and how often to look. Answer: None.

    ``every_ms`` None means paused: nothing at all is read until the next Watch, except what is asked for.
    """

    task_ids: tuple[str, ...] = ()
    every_ms: int | None = 250


Request: TypeAlias = (
    TaskPageRequest
    | TaskPlacesRequest
    | TasksByPrefixRequest
    | TasksByIdRequest
    | TaskDetailRequest
    | EventPageRequest
    | EventDataRequest
    | TimelineRequest
    | CountsRequest
    | ModelsRequest
    | LeftoversRequest
    | RetentionRequest
    | EventSearchRequest
    | HealthRequest
    | ProofRequest
    | TablesRequest
    | TableRowsRequest
    | TableValueRequest
    | StatementRequest
    | DescriptionRequest
    | PartEndsRequest
    | WholePageRequest
    | Watch
)
