"""What was promised to one request, and to one tenant."""

import math
from dataclasses import dataclass

from labutils.ground import arguments


@dataclass(frozen=True, kw_only=True)
class Promise:
    """The promise that a request came with: limits in seconds, each for this request alone.

    Its first token is due ``ttft_s`` after its arrival, and its tokens come ``tpot_s`` apart in the
    mean; infinity promises nothing. A lower ``priority`` goes first. ``tenant`` is who pays,
    ``kind`` what the request is for ("chat", "batch"): results are told by kind. Nothing here says
    how long the answer will be.

    ``ValueError`` for a limit that is not above 0: it would be missed before the request arrives.
    """

    ttft_s: float = math.inf
    tpot_s: float = math.inf
    priority: float = 0
    tenant: str = "anybody"
    kind: str = "any"

    def __post_init__(self):
        for name in ("ttft_s", "tpot_s"):
            object.__setattr__(self, name, _limit(name, getattr(self, name)))
        object.__setattr__(self, "priority", arguments.finite("priority", self.priority))

    @classmethod
    def due(cls, first_token_by_s: float, *, arrival_s: float, **options) -> "Promise":
        """The promise of a first token by a moment of the clock on which it arrives."""
        due_s, arrival_s = _moments(first_token_by_s=first_token_by_s, arrival_s=arrival_s)
        if due_s <= arrival_s:
            raise ValueError(
                f"first_token_by_s = {due_s}: expected a moment after the arrival at {arrival_s} s"
            )
        return cls(ttft_s=due_s - arrival_s, **options)


@dataclass(frozen=True, kw_only=True)
class Tenant:
    """Who sends requests: its ``weight`` in a fair share, and its budget in tokens.

    ``tokens_per_s`` flow into its budget, which holds at most ``burst_tokens``; infinitely many
    where nothing is limited. Prompt and answer count alike.
    """

    name: str
    weight: float = 1.0
    tokens_per_s: float = math.inf
    burst_tokens: float = math.inf

    def __post_init__(self):
        object.__setattr__(self, "weight", arguments.positive("weight", self.weight))
        for name in ("tokens_per_s", "burst_tokens"):
            object.__setattr__(self, name, _limit(name, getattr(self, name)))
        if self.is_limited != (self.burst_tokens != math.inf):
            raise ValueError(
                f"tokens_per_s = {self.tokens_per_s}, burst_tokens = {self.burst_tokens} of tenant "
                f"{self.name!r}: expected both or neither to be limited"
            )

    @property
    def is_limited(self) -> bool:
        """Whether the tenant has a budget."""
        return self.tokens_per_s != math.inf


def _limit(name: str, value) -> float:
    """``value`` as a float, if it is above 0; infinity is a limit that nothing exceeds."""
    try:
        return value if value == math.inf else arguments.positive(name, value)
    except ValueError:
        raise ValueError(f"{name} = {value!r}: expected a number above 0, or infinity") from None


def _moments(**named) -> list[float]:
    return [arguments.finite(name, value) for name, value in named.items()]
