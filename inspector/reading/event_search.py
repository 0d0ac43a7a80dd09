"""A search of all events for a text, newest first, in short steps along their ids."""

from collections.abc import Generator
from typing import Final

from inspector.layout.pages import EventHit, EventHits, Progress, ascii_lower
from inspector.reading.connection import ReadConnection, Row, Value
from inspector.reading.errors import SqliteTrouble, Unanswered, around_damage, is_damage, is_too_big, require_behind
from inspector.reading.recognising import Shape, Table
from inspector.reading.requests import EventSearchRequest
from inspector.reading.rowids import first_readable
from inspector.reading.shown_ids import in_portions, shown_id
from inspector.reading.steps import Ask, Stride
from inspector.reading.values import integer, integer_or_none, odd_ones, text

_MOST_HITS: Final = 10_000
_BEFORE: Final = 40
_EXCERPT: Final = 160
_GROWS: Final = 4
"""How many times as many rows are looked at after a look that went well near damage."""
_DAMAGE: Final = "Some events cannot be read and were not searched: their table is damaged."
_BEHIND_ALL: Final = (1 << 63) - 1
_BEFORE_ALL: Final = -(1 << 63)


def event_search(request: EventSearchRequest, ask: Ask, read_at_ms: int) -> Generator[Progress, None, EventHits]:
    """Search all events for the text. Raises Unanswered where the events have no rowid, and so no order.

    An event too large for SQLite to hand out is passed over, and so is damage, which the answer tells.
    """
    limit = max(1, min(request.limit, _MOST_HITS))
    search = _Search(request.text, request.before_id)
    hits: list[EventHit] = []
    newest = None
    while request.text:
        found = _step(ask, search, limit - len(hits))
        if found is None:
            break
        hits += found
        if len(hits) >= limit:
            return EventHits(tuple(hits), hits[-1].id, read_at_ms, search.damage)
        newest = newest or search.came_from
        of = newest - search.oldest + 1
        yield Progress(min(newest - search.before + 1, of), of, tuple(found))
    return EventHits(tuple(hits), None, read_at_ms, search.damage)


def _step(ask: Ask, search: "_Search", limit: int) -> list[EventHit] | None:
    return ask(lambda connection, shape: search.step(connection, shape, limit))


class _Search:
    """Where a search is: all events from :attr:`before` on were looked at."""

    def __init__(self, wanted: str, before: int | None) -> None:
        lower = ascii_lower(wanted)
        # JSON may hold a letter as it is or by its number; as it is typed a piece of the JSON itself is found.
        spellings = (lower, "".join(map(_escaped, lower)), "".join(map(_in_ascii, lower)))
        self._texts = {f"text_{at}": each for at, each in enumerate(dict.fromkeys(spellings))}
        self._stride = Stride()
        self.before = _BEHIND_ALL if before is None else before
        self.came_from = 0
        """The newest event of the last step."""
        self.oldest: int = _BEFORE_ALL
        """The oldest event that there was at the first step."""
        self._met_damage = False
        self._near_damage = 0
        """The most rows of the next look after one that came upon damage; 0 for any."""

    @property
    def damage(self) -> str:
        """What could not be looked at, in one sentence; empty where all could be."""
        return _DAMAGE if self._met_damage else ""

    def step(self, connection: ReadConnection, shape: Shape, limit: int) -> list[EventHit] | None:
        """Look at the next events, and return the newest ``limit`` hits among them; None where there are no more."""
        number = shape.events.rowid
        if number is None or "data" not in shape.events.columns:
            raise Unanswered("The events of this file cannot be searched: they hold no data, or have no order.")
        newest = self._newest(connection, number)
        if newest is None:
            return None
        if not self.came_from:
            oldest = f"SELECT min({number}) FROM task_events"  # noqa: S608  the same
            self.oldest = around_damage(lambda: integer(connection.value(oldest)), lambda: 1)
        self.came_from = newest
        found, before = self._stride.take(connection, lambda rows: self._look(connection, shape, rows, limit))
        self.before = before
        return found

    def _newest(self, connection: ReadConnection, number: str) -> int | None:
        """Return the number of the newest event that is left; where damage is met, of the newest that can be read."""
        sql = f"SELECT {number} FROM task_events WHERE {number} < ? ORDER BY {number} DESC LIMIT 1"  # noqa: S608  ours

        def below(bound: int) -> int | None:
            found = connection.value(sql, [bound])
            require_behind(found, bound, "events", falling=True)
            return None if found is None else integer(found)

        def reads(behind: int) -> tuple[bool, bool]:
            return around_damage(lambda: (True, below(-behind) is not None), lambda: (False, False))

        def passing() -> int | None:
            self._met_damage = True
            # From the newest on: numbers that fall are numbers of the other sign that rise.
            first = first_readable(reads, -self.before)
            return None if first is None else below(-first)

        return around_damage(lambda: below(self.before), passing)

    def _look(self, connection: ReadConnection, shape: Shape, rows: int, limit: int) -> tuple[list[EventHit], int]:
        rows = min(rows, self._near_damage or rows)
        while True:
            oldest = max(self.came_from - rows + 1, _BEFORE_ALL)
            try:
                found = connection.rows(self._sql(shape), self._values(oldest, limit))
            except SqliteTrouble as error:
                if not is_too_big(error) and not is_damage(error):
                    raise
                if rows == 1:
                    self._met_damage |= is_damage(error)
                    return [], oldest
                self._near_damage = rows = max(1, rows // 8)
            else:
                self._near_damage *= _GROWS
                places = _places(connection, shape.events, found)
                return [self._hit(row, shape.events, places.get(row[0])) for row in found], oldest

    def _sql(self, shape: Shape) -> str:
        number = shape.events.rowid
        places = [f"instr(lower(data), :{name})" for name in self._texts]
        place = f"max({', '.join(places)})" if len(places) > 1 else places[0]
        return f"""
            SELECT {number}, task_id, seq, {shape.events.select("type", "created_at")},
                substr(data, max(1, {place} - {_BEFORE}), {_EXCERPT})
            FROM task_events
            WHERE {number} BETWEEN :oldest AND :newest AND ({" OR ".join(f"{each} > 0" for each in places)})
            ORDER BY {number} DESC
            LIMIT :limit
        """  # noqa: S608  names of ours; every value is a parameter

    def _values(self, oldest: int, limit: int) -> dict[str, Value]:
        return {**self._texts, "oldest": oldest, "newest": self.came_from, "limit": limit}

    def _hit(self, row: Row, events: Table, place: int | None) -> EventHit:
        number, task_id, seq, kind, created_at, stored = row
        excerpt = text(stored)
        at, length = self._match(ascii_lower(excerpt))
        odd = odd_ones((("seq", seq), ("created_at", created_at)))
        if place is not None and isinstance(seq, int):
            odd += (("seq", seq),)
        return EventHit(
            id=integer(number),
            task_id=shown_id(task_id, events),
            seq=integer(seq) if place is None else place,
            type=text(kind),
            excerpt=excerpt,
            match_at=at,
            match_length=length,
            created_at=integer_or_none(created_at),
            odd=odd,
        )

    def _match(self, excerpt: str) -> tuple[int, int]:
        """Return where the text begins in an excerpt, and how much of it is there."""
        # Of a long text the excerpt has only the beginning.
        spellings = [each[: _EXCERPT - _BEFORE] for each in self._texts.values()]
        found = [(at, len(each)) for each in spellings if (at := excerpt.find(each)) >= 0]
        return min(found, default=(0, 0))


def _places(connection: ReadConnection, events: Table, found: list[Row]) -> dict[Value, int]:
    """Return the places, by their rowids, of those of these events that are found by their places."""
    if events.is_ours:
        return {}
    from inspector.reading.places import has_places, places_of  # noqa: PLC0415  a native file needs none

    by_task: dict[Value, list[Value]] = {}
    for number, task_id, *_ in found:
        by_task.setdefault(task_id, []).append(number)
    places: dict[Value, int] = {}
    for task_id, numbers in by_task.items():
        if has_places(connection, events, task_id):
            for portion in in_portions(numbers):
                places.update(places_of(connection, events, task_id, portion))
    return places


_SHORT: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}


def _escaped(character: str) -> str:
    """Return ``character`` as JSON has to write it, in small letters."""
    return _SHORT.get(character) or (_in_ascii(character) if character < " " else character)


def _in_ascii(character: str) -> str:
    """Return ``character`` as JSON writes it where it keeps to ASCII, in small letters."""
    if character in _SHORT:
        return _SHORT[character]
    if " " <= character <= "~":
        return character
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
