"""How much work one step holds."""

from typing import NamedTuple


class StepShape(NamedTuple):
    """All that a ``StepCost`` needs to know about a step.

    A request with more than one token to compute prefills. A chunk of n new tokens behind c
    computed ones has n·c + n(n + 1)/2 attention pairs: each token attends to itself and to all
    before it. A request with one token to compute decodes; it counts its context, the new token
    included, in ``context_tokens`` instead.

    It is a named tuple, since one is made for every step: a frozen dataclass takes three times as
    long to make.
    """

    prefill_tokens: int = 0
    attention_pairs: int = 0
    decode_sequences: int = 0
    context_tokens: int = 0


def attention_pairs(new_tokens: int, computed_tokens: int) -> int:
    """Pairs (token, token that it attends to) of a chunk behind ``computed_tokens``.

    >>> attention_pairs(3, 10)
    36
    """
    return new_tokens * computed_tokens + new_tokens * (new_tokens + 1) // 2
