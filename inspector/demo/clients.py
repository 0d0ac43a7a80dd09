"""The simulated clients, and what each of them asks for."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from inspector.demo.chance import chance
from inspector.demo.texts import CODE, DOCUMENTS, HOME, NOTES, PASSAGES, SHELL, Subject
from inspector.lmsp.recovery import Policy

EMBEDDING: Final = "embedding"
RESPONSE: Final = "response"
"""The two kinds of tasks."""

EMBEDDING_MODEL: Final = "nomic-embed-text-v1.5"


@dataclass(frozen=True, slots=True)
class Client:
    """One client: what it asks, of which models, and what it wants after a restart."""

    id: str
    subjects: tuple[Subject, ...]
    system: str
    models: tuple[str, ...]
    policies: tuple[Policy, ...]
    """Drawn from; one that stands here twice is asked for twice as often."""
    embeds: float = 0.0
    """The share of its requests that are bursts of embeddings."""
    changes_mind: float = 0.0
    """The share of its responses that it cancels."""
    calls_tools: bool = False


CLIENTS: Final[Mapping[str, Client]] = {
    client.id: client
    for client in (
        Client(
            "notes-desktop",
            NOTES,
            "You help with notes. Be brief and friendly.",
            ("llama-3.2-3b-instruct-q4", "llama-3.2-3b-instruct-q4", "gemma-2-2b-it-q6"),
            (Policy.RESUME, Policy.RESUME, Policy.RETRY),
            changes_mind=0.06,
        ),
        Client(
            "vscode-lmsp",
            CODE,
            "You are a careful programmer. Answer with code where code says it better.",
            ("qwen2.5-7b-instruct-q4",),
            (Policy.FAIL, Policy.FAIL, Policy.RETRY),
            changes_mind=0.12,
        ),
        Client(
            "batch-indexer",
            DOCUMENTS,
            "You index the papers of a small archive.",
            ("mistral-7b-instruct-q5", "gemma-2-2b-it-q6"),
            (Policy.RETRY, Policy.RESUME),
            embeds=0.55,
        ),
        Client(
            "home-assistant",
            HOME,
            "You control a house. Use the tools; answer in one or two sentences.",
            ("phi-3.5-mini-q8",),
            (Policy.FAIL,),
            changes_mind=0.02,
            calls_tools=True,
        ),
        Client(
            "cli",
            (*SHELL, *NOTES),
            "",
            ("llama-3.2-3b-instruct-q4", "qwen2.5-7b-instruct-q4", "phi-3.5-mini-q8"),
            (Policy.FAIL, Policy.RETRY, Policy.RESUME),
            changes_mind=0.05,
        ),
    )
}


@dataclass(frozen=True, slots=True)
class Wish:
    """One request, as its client sends it, and the answer that the model will give."""

    task_id: str
    client_id: str
    kind: str
    model: str
    on_restart: Policy
    request: Mapping[str, object]
    answer: str


def wish_of(seed: int, task_id: str) -> Wish:
    """Return what was asked for, or will be, with the task of this id: it depends on the arguments alone.

    So a service that was restarted knows what to go on with, without having remembered anything.
    """
    rng = chance(seed, "wish", task_id)
    client = rng.choice(tuple(CLIENTS.values()))
    if rng.random() < client.embeds:
        passages = rng.sample(PASSAGES, rng.randint(1, 4))
        request: dict[str, object] = {"model": EMBEDDING_MODEL, "input": passages, "dimensions": 768}
        return Wish(task_id, client.id, EMBEDDING, EMBEDDING_MODEL, Policy.RETRY, request, "")
    subject = rng.choice(client.subjects)
    model = rng.choice(client.models)
    messages = [{"role": "system", "content": client.system}] if client.system else []
    request = {
        "model": model,
        "input": [*messages, {"role": "user", "content": subject.prompt}],
        "temperature": rng.choice((0, 0.2, 0.7, 0.7, 1.0)),
        "max_output_tokens": rng.choice((512, 1024, 2048)),
        "stream": client.id != "batch-indexer",
    }
    if client.calls_tools:
        request["tools"] = [{"type": "function", "name": name} for name in ("set_light", "read_sensor", "set_alarm")]
    return Wish(task_id, client.id, RESPONSE, model, rng.choice(client.policies), request, subject.answer)
