"""Which function answers a question about any table. Loaded when the first one is asked: most windows ask none."""

from typing import TypeAlias

from inspector.reading.connection import ReadConnection
from inspector.reading.requests import StatementRequest, TableRowsRequest, TablesRequest, TableValueRequest
from inspector.reading.statements import run_statement
from inspector.reading.table_rows import table_rows, table_value
from inspector.reading.tables import table_list

TableQuestion: TypeAlias = TablesRequest | TableRowsRequest | TableValueRequest | StatementRequest


def table_answer(request: TableQuestion, connection: ReadConnection, now_ms: int) -> object:
    """Read the answer to ``request``, of the type that it names."""
    match request:
        case TablesRequest():
            return table_list(connection, now_ms)
        case TableRowsRequest():
            return table_rows(connection, request, now_ms)
        case TableValueRequest():
            return table_value(connection, request)
        case StatementRequest():
            return run_statement(connection, request, now_ms)
