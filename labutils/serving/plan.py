"""What a scheduler answers: who computes how many tokens in the next step, or how long to wait.

These are named tuples, not dataclasses: one is made for every step, and a frozen dataclass takes
three times as long to make.
"""

from collections.abc import Hashable
from typing import NamedTuple


class StepShape(NamedTuple):
    """How much work one step holds: all that a ``StepCost`` needs to know about it.

    A chunk of n new tokens behind c computed ones has n·c + n(n + 1)/2 attention pairs: each token
    attends to itself and to all before it. A sequence that decodes counts its context, the new
    token included, in ``context_tokens`` instead.
    """

    prefill_tokens: int = 0
    attention_pairs: int = 0
    decode_sequences: int = 0
    context_tokens: int = 0


class StepPlan(NamedTuple):
    """The next step: ``chunks`` are pairs (request id, new tokens to compute), each request once.

    A request whose chunk reaches its last known token gets one output token; a shorter chunk gets
    none. ``cached`` are pairs (request id, tokens) of requests that start in this step behind a
    prefix that memory still holds. ``preempted`` are requests that lost their memory just before
    this step, and have to compute everything again. ``shape`` sums up the work (the simulator works
    it out where it is None). For ``repeat`` steps the same plan would come again, but for contexts
    that grow; whoever drives the scheduler may run fewer of them.
    """

    chunks: tuple[tuple[Hashable, int], ...]
    preempted: tuple[Hashable, ...] = ()
    shape: StepShape | None = None
    repeat: int = 1
    cached: tuple[tuple[Hashable, int], ...] = ()


class WaitUntil(NamedTuple):
    """Nothing to compute before the time ``t_s``, unless a request arrives earlier."""

    t_s: float


def attention_pairs(new_tokens: int, computed_tokens: int) -> int:
    """Pairs (token, token that it attends to) of a chunk behind ``computed_tokens``."""
    return new_tokens * computed_tokens + new_tokens * (new_tokens + 1) // 2
