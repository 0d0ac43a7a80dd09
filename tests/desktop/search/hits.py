"""Hits for the Search view."""

from typing import Any

from inspector.layout.pages import EventHit, EventHits, Progress

NOW_MS = 1_796_000_100_000


def hit(number: int, excerpt: str = '{"delta":"a needle in it"}', text: str = "needle", **fields: Any) -> EventHit:  # noqa: ANN401  any field
    """Return hit ``number``; a greater number is a newer event."""
    at = excerpt.lower().find(text)
    values: dict[str, Any] = {
        "id": number,
        "task_id": f"task_{number:04}",
        "seq": number,
        "type": "response.output_text.delta",
        "excerpt": excerpt,
        "match_at": max(0, at),
        "match_length": len(text) if at >= 0 else 0,
        "created_at": NOW_MS + number,
    }
    return EventHit(**(values | fields))


def answer(*hits: EventHit, searched_to: int | None = None) -> EventHits:
    """Return what a search found."""
    return EventHits(hits, searched_to, NOW_MS)


def progress(done: int, of: int | None, *hits: EventHit) -> Progress:
    """Return how far a search is."""
    return Progress(done, of, hits)
