"""How a task goes when the simulated service runs it: how long it takes, and whether and how it fails."""

from collections.abc import Sequence
from dataclasses import dataclass

from inspector.demo.chance import chance
from inspector.demo.clients import CLIENTS, EMBEDDING, Wish
from inspector.demo.model_files import MODELS_BY_NAME, DemoModel
from inspector.demo.texts import tokens_of

_FAILS = 0.1
_STALLS = 0.02


@dataclass(frozen=True, slots=True)
class Failure:
    """How a task fails. Nothing of this happens to a task that is cancelled before."""

    code: str
    message: str
    at_token: int | None
    """After this many tokens; None for a failure while the model is loaded, which a warm model is spared."""
    after_ms: float = 0
    """How long nothing happens before it."""


@dataclass(frozen=True, slots=True)
class Script:
    """How one attempt at a task goes, unless somebody cancels it. Times are in milliseconds at speed 1."""

    load_ms: float
    think_ms: float
    """From running to the first token."""
    tokens: Sequence[str]
    token_ms: float
    stall_at: int | None
    """The token before which the model stops for ``stall_ms``; None for a model that does not stall."""
    stall_ms: float
    stop_ms: float
    """What the worker needs to stop after it has seen that it is cancelled."""
    failure: Failure | None
    calls_tool: bool

    @property
    def is_plain(self) -> bool:
        """Whether nothing out of the ordinary happens."""
        return self.failure is None and self.stall_at is None


def script_of(seed: int, wish: Wish, *, attempt: int) -> Script:
    """Return how this attempt at a task goes; the same for the same arguments."""
    model = MODELS_BY_NAME[wish.model]
    rng = chance(seed, "script", wish.task_id, attempt)
    load_ms = model.load_ms * rng.uniform(0.8, 1.3)
    if wish.kind == EMBEDDING:
        return Script(load_ms, rng.uniform(60, 150), (), model.token_ms, None, 0, 20, None, calls_tool=False)
    calls_tools = CLIENTS[wish.client_id].calls_tools
    tokens = tokens_of(wish.answer)
    stalls = rng.random() < _STALLS
    stall_ms = rng.uniform(32_000, 50_000)
    fails = rng.random() < _FAILS
    return Script(
        load_ms=load_ms,
        think_ms=rng.uniform(180, 1_100),
        tokens=tokens,
        token_ms=model.token_ms,
        stall_at=rng.randrange(len(tokens)) if stalls else None,
        stall_ms=stall_ms,
        stop_ms=rng.uniform(200, 1_800),
        failure=_failure(rng.random(), len(tokens), model, calls_tools=calls_tools) if fails else None,
        calls_tool=calls_tools,
    )


def _failure(kind: float, tokens: int, model: DemoModel, *, calls_tools: bool) -> Failure:
    if calls_tools:
        return Failure("tool_call_invalid", "The arguments of set_light are not what its schema asks for.", 0)
    if kind < 0.45:
        holds = model.metadata["context_length"]
        return Failure("context_length_exceeded", f"The request is longer than the context of {holds} tokens.", 0)
    if kind < 0.75:
        return Failure("model_out_of_memory", f"There is no memory left to load {model.name}.", None)
    return Failure("timeout", "The model gave no token for 20 seconds.", max(1, int(tokens * kind)), 20_000)
