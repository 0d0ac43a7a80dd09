"""Which function answers which request."""

from collections.abc import Callable

from inspector.layout.pages import PAGE_ROWS
from inspector.reading.connection import ReadConnection
from inspector.reading.counts import counts
from inspector.reading.damaged import damaged_event_page, damaged_task_page
from inspector.reading.damaged_counts import damaged_counts
from inspector.reading.damaged_details import (
    damaged_leftovers,
    damaged_log_stretch,
    damaged_task_detail,
    damaged_tasks_by_id,
    damaged_tasks_by_prefix,
)
from inspector.reading.details import event_data, event_page, log_stretch, task_detail
from inspector.reading.errors import Unanswered, around_damage
from inspector.reading.jobs import answer_at_once, job_of
from inspector.reading.leftovers import counted_behind, leftovers
from inspector.reading.recognising import Shape
from inspector.reading.requests import (
    CountsRequest,
    DescriptionRequest,
    EventDataRequest,
    EventPageRequest,
    EventSearchRequest,
    HealthRequest,
    LeftoversRequest,
    ModelsRequest,
    PartEndsRequest,
    ProofRequest,
    Request,
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
from inspector.reading.retention import retention_plan
from inspector.reading.steps import Rests
from inspector.reading.task_pages import task_page, tasks_by_prefix
from inspector.reading.task_rows import tasks_by_id


def answer_of(
    request: Request,
    connection: ReadConnection,
    shape: Shape,
    now_ms: int,
    wait: Callable[[float], None] = lambda _seconds: None,
) -> object:
    """Read the answer to ``request``, of the type that it names. ``wait`` is how to wait between steps, in seconds.

    Raises Unanswered, also for what only an errand does.
    """
    match request:
        case TaskPageRequest(wanted, after, limit, start):
            asked = (connection, shape, wanted, after, limit, now_ms)
            return around_damage(lambda: task_page(*asked, start=start), lambda: damaged_task_page(*asked, start=start))
        case TasksByPrefixRequest(prefix, wanted):
            named = (connection, shape, prefix, wanted)
            return around_damage(lambda: tasks_by_prefix(*named), lambda: damaged_tasks_by_prefix(*named))
        case TasksByIdRequest(ids):
            some = (connection, shape, ids[:PAGE_ROWS])
            return around_damage(lambda: tasks_by_id(*some), lambda: damaged_tasks_by_id(*some))
        case TaskDetailRequest(task_id):
            one = (connection, shape, task_id)
            return around_damage(lambda: task_detail(*one), lambda: damaged_task_detail(*one))
        case EventPageRequest(task_id, after_seq, before_seq, limit):
            page = (connection, shape, task_id, after_seq, before_seq, limit)
            return around_damage(lambda: event_page(*page), lambda: damaged_event_page(*page))
        case EventDataRequest(task_id, seq, limit):
            return event_data(connection, shape, task_id, seq, limit)
        case TimelineRequest():
            log = (connection, shape, request)
            return around_damage(lambda: log_stretch(*log), lambda: damaged_log_stretch(*log))
        case CountsRequest(wanted) if not connection.holds_back:
            every = (connection, shape, wanted, now_ms)
            return around_damage(lambda: counts(*every), lambda: damaged_counts(*every))
        case LeftoversRequest(most):
            left = around_damage(lambda: leftovers(connection, shape), lambda: damaged_leftovers(connection, shape))
            return left if most is None else counted_behind(left, most)
        case RetentionRequest(keep_ms):
            return retention_plan(connection, shape, keep_ms, now_ms)
        case TablesRequest() | TableRowsRequest() | TableValueRequest() | StatementRequest():
            from inspector.reading.table_answers import table_answer  # noqa: PLC0415  most windows ask nothing of it

            return table_answer(request, connection, now_ms)
        case TaskPlacesRequest() | EventSearchRequest() | CountsRequest() | ModelsRequest():
            job = job_of(request, lambda question: question(connection, shape), lambda: now_ms)
            return answer_at_once(job, Rests(connection, wait).after)
        case PartEndsRequest() | WholePageRequest():
            from inspector.reading.whole_rows import part_ends, whole_page  # noqa: PLC0415  as above

            if isinstance(request, PartEndsRequest):
                return part_ends(connection, shape)
            return whole_page(connection, shape, request)
        case HealthRequest() | ProofRequest():
            raise Unanswered("This is asked of a process of its own.")
        case DescriptionRequest():
            from inspector.layout.description import toml_of  # noqa: PLC0415  a native file needs none of it

            return None if shape.description is None else toml_of(shape.description)
        case Watch():
            return None
