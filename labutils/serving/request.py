"""What a scheduler knows about a request before the answer exists."""

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from labutils import arguments

from .keys import unshared


@dataclass(frozen=True, slots=True)
class Request:
    """A prompt of ``prompt_tokens`` that may be answered with up to ``max_output_tokens``.

    How long the answer really gets stands nowhere: a scheduler learns it when the answer ends.
    ``keys(page_tokens)`` gives the chained keys of the prompt's full pages, in order; the default
    gives none, and such a request shares nothing. Lower ``priority`` comes first. ``arrival_s`` is
    in seconds on whatever clock drives the scheduler.

    ``ValueError`` for a prompt or an answer of no tokens.
    """

    id: int | str
    prompt_tokens: int
    max_output_tokens: int
    arrival_s: float = 0.0
    keys: Callable[[int], tuple[Hashable, ...]] | None = None
    priority: int = 0

    def __post_init__(self):
        # Clean input, of which there may be a million, pays for one comparison only.
        for name in ("prompt_tokens", "max_output_tokens"):
            value = getattr(self, name)
            if type(value) is not int or value < 1:
                object.__setattr__(self, name, arguments.whole(name, value))
        if type(self.arrival_s) is not float or not math.isfinite(self.arrival_s):
            object.__setattr__(self, "arrival_s", arguments.finite("arrival_s", self.arrival_s))
        if self.keys is None:
            object.__setattr__(self, "keys", unshared)

    @property
    def max_tokens(self) -> int:
        """Tokens of prompt and longest allowed answer together."""
        return self.prompt_tokens + self.max_output_tokens
