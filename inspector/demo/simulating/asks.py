"""What the clients of a simulated history ask for: made once, and drawn from for each task."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Final, TypeVar

from inspector.demo.clients import CLIENTS, EMBEDDING, EMBEDDING_MODEL, RESPONSE, Client
from inspector.demo.simulating.pieces import first_piece
from inspector.demo.texts import PASSAGES
from inspector.lmsp.digests import request_digest
from inspector.lmsp.recovery import Policy
from inspector.store.stored_json import to_json

_Choice = TypeVar("_Choice")

_TEMPERATURES: Final = (0, 0.2, 0.7, 1.0)
_LIMITS: Final = (512, 1024, 2048)
_PASSAGES: Final = 4
_NO_CLIENT: Final = 0.02
"""The share of tasks that no client has asked for: the service's own."""
_MOST_OF_A_KIND: Final = 8
_TASKS_A_CLIENT: Final = 2_000
_WITH_KEY: Final = {"batch-indexer": 0.7, "cli": 0.2}
"""The kinds of clients that send idempotency keys, with the share of their requests that has one."""


@dataclass(frozen=True, slots=True)
class Ask:
    """One request, ready to be stored as often as it is made."""

    kind: str
    model: str
    request: str
    """As JSON."""
    digest: str
    first_piece: int
    """Where the answer begins."""
    calls_tool: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """A request of one client, with what it wants after a restart."""

    ask: Ask
    client_id: str | None
    policy: str
    changes_mind: bool
    has_key: bool

    def with_policy(self, policy: str) -> "Asked":
        """Return the same request with another policy."""
        return replace(self, policy=policy)


class Asking:
    """All clients of one history, and what each of them may ask for."""

    def __init__(self, tasks: int) -> None:
        self._kinds = tuple(CLIENTS.values())
        self._of_a_kind = max(1, min(_MOST_OF_A_KIND, tasks // _TASKS_A_CLIENT))
        self._responses = {kind.id: _responses(kind) for kind in self._kinds}
        self._embeddings = _embeddings()
        self._policies = {kind.id: tuple(policy.value for policy in kind.policies) for kind in self._kinds}

    @property
    def clients(self) -> tuple[str, ...]:
        """The ids of all clients."""
        return tuple(_named(kind.id, at) for kind in self._kinds for at in range(self._of_a_kind))

    def draw(self, rng: random.Random, *, streams: bool = False) -> Asked:
        """Return the next request; with ``streams`` one that is answered with text."""
        kind = _one_of(self._kinds, rng)
        client_id = _named(kind.id, int(rng.random() * self._of_a_kind))
        if not streams and rng.random() < kind.embeds:
            ask, policy = _one_of(self._embeddings, rng), Policy.RETRY.value
        else:
            ask, policy = _one_of(self._responses[kind.id], rng), _one_of(self._policies[kind.id], rng)
        return Asked(
            ask,
            None if rng.random() < _NO_CLIENT else client_id,
            policy,
            changes_mind=rng.random() < kind.changes_mind,
            has_key=rng.random() < _WITH_KEY.get(kind.id, 0.0),
        )


def _one_of(choices: Sequence[_Choice], rng: random.Random) -> _Choice:
    return choices[int(rng.random() * len(choices))]


def _named(kind: str, at: int) -> str:
    return f"{kind}-{at + 1}" if at else kind


def _responses(client: Client) -> tuple[Ask, ...]:
    system = [{"role": "system", "content": client.system}] if client.system else []
    tools = [{"type": "function", "name": name} for name in ("set_light", "read_sensor", "set_alarm")]
    asks = []
    for subject, model, temperature, limit in product(client.subjects, client.models, _TEMPERATURES, _LIMITS):
        request: dict[str, object] = {
            "model": model,
            "input": [*system, {"role": "user", "content": subject.prompt}],
            "temperature": temperature,
            "max_output_tokens": limit,
            "stream": client.id != "batch-indexer",
        }
        if client.calls_tools:
            request["tools"] = tools
        asks.append(_ask(RESPONSE, model, request, first_piece(subject), calls_tool=client.calls_tools))
    return tuple(asks)


def _embeddings() -> tuple[Ask, ...]:
    asks = []
    for first, number in product(range(len(PASSAGES)), range(1, _PASSAGES + 1)):
        passages = [PASSAGES[at % len(PASSAGES)] for at in range(first, first + number)]
        request = {"model": EMBEDDING_MODEL, "input": passages, "dimensions": 768}
        asks.append(_ask(EMBEDDING, EMBEDDING_MODEL, request, 0))
    return tuple(asks)


def _ask(kind: str, model: str, request: dict[str, object], first: int, *, calls_tool: bool = False) -> Ask:
    return Ask(kind, model, to_json(request, "The request"), request_digest(request), first, calls_tool)
