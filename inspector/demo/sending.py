"""The clients at work: each sends its requests at its own pace, and now and then changes its mind."""

from inspector.demo.chance import chance
from inspector.demo.clients import CLIENTS, RESPONSE, Client, Wish, embedding_wish, response_wish
from inspector.demo.playing import Play
from inspector.demo.service import Service

MOST_WAITING = 12
"""Where more is queued, clients wait before they send more."""


def send(service: Service, client_id: str, mean_s: float) -> Play:
    """Send requests of one client, a mean of ``mean_s`` seconds apart, for as long as the service lives."""
    client = CLIENTS[client_id]
    rng = chance(service.staging.seed, "client", client_id, service.life)
    while True:
        yield min(rng.expovariate(1 / mean_s), 4 * mean_s) * 1000
        if service.set_scene or service.waiting > MOST_WAITING:
            continue
        if rng.random() < client.embeds:
            for _ in range(rng.randint(2, 6)):
                task_id = service.new_task_id()
                service.submit(embedding_wish(service.staging.seed, task_id), client_id=client_id, task_id=task_id)
                yield rng.uniform(30, 220)
            continue
        task_id = service.new_task_id()
        wish = response_wish(service.staging.seed, task_id, client_id)
        service.submit(wish, client_id=client_id, task_id=task_id)
        if _changes_mind(client, wish, rng.random()):
            service.loop.start(change_mind(service, task_id), after_ms=rng.uniform(400, 15_000))


def change_mind(service: Service, task_id: str) -> Play:
    """Cancel a task, whatever has become of it, unless a scene is being set: that has its own cancel."""
    if not service.set_scene:
        service.cancel(task_id)
    yield from ()


def _changes_mind(client: Client, wish: Wish, drawn: float) -> bool:
    return wish.kind == RESPONSE and drawn < client.changes_mind
