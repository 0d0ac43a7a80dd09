"""The clients at work: each sends its requests at its own pace, and now and then changes its mind."""

from inspector.demo.chance import chance
from inspector.demo.clients import CLIENTS, EMBEDDING, Wish
from inspector.demo.playing import Play
from inspector.demo.service import Service

MOST_WAITING = 12
"""Where more is queued, clients wait before they send more."""


def send(service: Service, client_id: str, mean_s: float) -> Play:
    """Send requests of one client, a mean of ``mean_s`` seconds apart, for as long as the service lives."""
    client = CLIENTS[client_id]

    def embeds(wish: Wish) -> bool:
        return wish.client_id == client_id and wish.kind == EMBEDDING

    rng = chance(service.staging.seed, "client", client_id, service.life)
    while True:
        yield min(rng.expovariate(1 / mean_s), 4 * mean_s) * 1000
        if service.clients_wait or service.waiting > MOST_WAITING:
            continue
        wish = service.next_wish(client_id, lambda wish: wish.client_id == client_id)
        service.submit(wish)
        if wish.kind == EMBEDDING:
            # They seldom come alone.
            for _ in range(rng.randint(1, 5)):
                yield rng.uniform(30, 220)
                service.submit(service.next_wish(client_id, embeds))
        elif rng.random() < client.changes_mind:
            service.loop.start(change_mind(service, wish.task_id), after_ms=rng.uniform(400, 15_000))


def change_mind(service: Service, task_id: str) -> Play:
    """Cancel a task, whatever has become of it, unless a scene is being set: that has its own cancel."""
    if not service.clients_wait:
        service.cancel(task_id)
    yield from ()
