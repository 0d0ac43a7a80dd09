"""How a task goes if nothing comes between: how long each part of it takes, how much it says, and how it ends."""

import random
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from inspector.demo.clients import EMBEDDING
from inspector.demo.model_files import MODELS_BY_NAME
from inspector.demo.simulating.asks import Asked
from inspector.demo.simulating.sizes import LONGEST_ANSWER_MS

_FAILS: Final = 0.06
_WITHDRAWN: Final = 0.02
_STALLS: Final = 0.01
_TOKENS_A_PIECE: Final = 36
QUICKEST_STEP_MS: Final = 30.0
_PATIENCE_MS: Final = 3_000


class Ending(Enum):
    """How a task ends."""

    COMPLETED = auto()
    FAILED = auto()
    CANCELLED = auto()
    """While a worker has it."""
    WITHDRAWN = auto()
    """While it is queued, if it is so for long enough."""


@dataclass(frozen=True, slots=True)
class Failure:
    """How a task fails."""

    code: str
    message: str
    loading: bool = False
    """Whether it happens while the model is loaded, which one that is warm is spared."""
    share: float = 0.0
    """How much of the answer is there by then."""
    after_ms: int = 0
    """How long nothing happens before it."""


_FAILURES: Final = (
    Failure("context_length_exceeded", "The request is longer than the context of the model."),
    Failure("context_length_exceeded", "The request is longer than the context of the model."),
    Failure("model_out_of_memory", "There is no memory left to load the model.", loading=True),
    Failure("model_out_of_memory", "There is no memory left to load the model.", loading=True),
    Failure("timeout", "The model gave no token for 20 seconds.", share=0.6, after_ms=20_000),
    Failure("inference_error", "The model gave a token that is none: its weights may be damaged.", share=0.3),
    Failure("content_filtered", "The answer was stopped by a rule of the service.", share=0.8),
)
_TOOL_FAILURE: Final = Failure("tool_call_invalid", "The arguments of set_light are not what its schema asks for.")


@dataclass(frozen=True, slots=True)
class Course:
    """The course of one task. It is the same in each of its attempts."""

    pieces: int
    """The pieces of its whole answer."""
    stops_at: int
    """How many of them there are when it ends."""
    load_ms: int
    think_ms: int
    step_ms: float
    stall_ms: int
    """How long nothing comes in the middle of the answer."""
    stop_ms: int
    """What the worker needs to stop after a cancel."""
    patience_ms: int
    """How long a client waits that withdraws its request."""
    ending: Ending
    failure: Failure | None = None


def course_of(asked: Asked, pieces: float, rng: random.Random) -> Course:
    """Draw the course of a task whose answer has, in the mean, so many pieces."""
    model = MODELS_BY_NAME[asked.ask.model]
    load_ms = int(model.load_ms * (0.8 + 0.5 * rng.random()))
    stop_ms = int(200 + 1_600 * rng.random())
    patience_ms = int(rng.expovariate(1 / _PATIENCE_MS))
    if asked.ask.kind == EMBEDDING:
        return Course(0, 0, load_ms, int(60 + 90 * rng.random()), 1.0, 0, stop_ms, patience_ms, Ending.COMPLETED)
    whole = max(1, round(pieces * (0.3 + 0.7 * rng.expovariate(1))))
    ending, failure, share = Ending.COMPLETED, None, 1.0
    drawn = rng.random()
    if drawn < _FAILS:
        failure = _TOOL_FAILURE if asked.ask.calls_tool else _FAILURES[int(rng.random() * len(_FAILURES))]
        ending, share = Ending.FAILED, failure.share
    elif asked.changes_mind:
        ending, share = Ending.CANCELLED, rng.random()
    elif drawn > 1 - _WITHDRAWN:
        ending = Ending.WITHDRAWN
    return Course(
        pieces=whole,
        stops_at=int(whole * share),
        load_ms=load_ms,
        think_ms=int(180 + 900 * rng.random()),
        step_ms=step_for(whole, model.token_ms * _TOKENS_A_PIECE * rng.lognormvariate(0, 0.25)),
        stall_ms=int(32_000 + 18_000 * rng.random()) if rng.random() < _STALLS else 0,
        stop_ms=stop_ms,
        patience_ms=patience_ms,
        ending=ending,
        failure=failure,
    )


def step_for(pieces: int, step_ms: float) -> float:
    """Return the time from one piece to the next: ``step_ms``, or less where the answer would take too long."""
    return max(QUICKEST_STEP_MS, min(step_ms, LONGEST_ANSWER_MS / max(1, pieces)))
