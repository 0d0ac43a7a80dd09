"""The registered models: digests and paths, and no bytes (section 11.1)."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

from inspector.checks.findings import Finding
from inspector.checks.ranges import damage_of
from inspector.checks.rule import Tally
from inspector.checks.rulebook import ALL_CAN_BE_READ, Rulebook
from inspector.checks.tables import BELOW_ALL, LARGE_METADATA_BYTES, SIZE, Tables, quoted_name
from inspector.checks.values import Model
from inspector.reading.connection import Reads, Value
from inspector.reading.errors import SqliteTrouble, Unanswered, is_too_big, require_behind
from inspector.reading.values import integer

_MODELS_AT_ONCE: Final = 100
_COLUMNS_AT_ONCE: Final = 40
_TEXT_CHARS: Final = 300


def check_models(
    ask: Callable[[Callable[[Reads], Any]], Any], tables: Tables, book: Rulebook
) -> Iterator[tuple[list[Finding], int]]:
    """Give for some models at a time what was found, and how many they were."""
    after = BELOW_ALL
    while True:
        try:
            last, models = ask(partial(_models, tables=tables, after=after))
        except (*SqliteTrouble, Unanswered) as error:
            yield [ALL_CAN_BE_READ.finding(None, f"The table models cannot be read. {damage_of(error)}")], 0
            return
        if not models:
            return
        findings: list[Finding] = []
        for model in models:
            tally = Tally(None)
            tally.ask(book.model, model)
            findings += tally.findings()
        yield findings, len(models)
        after = last


def _models(reads: Reads, tables: Tables, after: int) -> tuple[int, list[Model]]:
    rowid = tables.rowid("models")
    texts = ", ".join(
        f"CASE WHEN typeof({column}) = 'text' THEN substr({column}, 1, {_TEXT_CHARS}) END"
        for column in (tables.column(f"models.{name}", "NULL") for name in ("id", "digest", "path"))
    )
    with reads.one_moment():
        rows = reads.rows(
            f"SELECT {rowid}, {texts} FROM models WHERE {rowid} > ? ORDER BY {rowid} LIMIT ?",  # noqa: S608  names of ours
            [after, _MODELS_AT_ONCE],
        )
        if not rows:
            return after, []
        last = integer(rows[-1][0])
        require_behind(last, after, "models")
        kinds = _column_kinds(reads, tables, after, last)
        return last, [_model(reads, tables, at, found, kinds.get(at, {})) for at, *found in rows]


def _model(reads: Reads, tables: Tables, at: Value, found: list[Value], kinds: dict[str, object]) -> Model:
    model_id, digest, path = (text if isinstance(text, str) else None for text in found)
    blobs = tuple(name for name, kind in kinds.items() if kind == "blob")
    large = tuple(name for name, kind in kinds.items() if kind == "text" and _is_large(reads, tables, at, name))
    return Model(model_id, digest, path, blobs, large)


def _column_kinds(reads: Reads, tables: Tables, after: int, last: Value) -> dict[Value, dict[str, object]]:
    """Return for each model the storage class of each column, also of columns that are not ours."""
    rowid = tables.rowid("models")
    names = sorted(tables.by_name["models"].columns)
    kinds: dict[Value, dict[str, object]] = {}
    for start in range(0, len(names), _COLUMNS_AT_ONCE):
        some = names[start : start + _COLUMNS_AT_ONCE]
        typed = ", ".join(f"typeof({quoted_name(name)})" for name in some)
        for at, *found in reads.rows(
            f"SELECT {rowid}, {typed} FROM models WHERE {rowid} > ? AND {rowid} <= ?",  # noqa: S608  quoted names
            [after, last],
        ):
            kinds.setdefault(at, {}).update(zip(some, found, strict=True))
    return kinds


def _is_large(reads: Reads, tables: Tables, at: Value, name: str) -> bool:
    size = SIZE.format(quoted_name(name))
    try:
        rows = reads.rows(f"SELECT {size} FROM models WHERE {tables.rowid('models')} = ?", [at])  # noqa: S608
    except SqliteTrouble as error:
        if is_too_big(error):
            return True
        raise
    return any(isinstance(found, int) and found > LARGE_METADATA_BYTES for (found,) in rows)
