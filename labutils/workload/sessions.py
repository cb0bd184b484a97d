"""Generated conversations: each turn's prompt is all that was said before, and a little more."""

import itertools
import math
from dataclasses import dataclass

import numpy as np

from labutils.ground import arguments

from .trace import RequestTrace

PAGE_TOKENS = 64
_SPREAD = 0.7  # sigma of the log-normal lengths


@dataclass(frozen=True)
class Sessions:
    """Users of a few assistants, who talk for some turns.

    A session begins with its assistant's ``system_tokens``, the same for all its sessions; the
    k-th most used of ``assistants`` has 1/k of the first one's. Its number of turns is geometric
    with mean ``turns``. ``first_tokens`` (the first message), ``added_tokens`` (each later one)
    and ``output_tokens`` are medians of log-normal lengths. The next turn comes after the answer,
    at ``token_s`` a token, and exponential ``think_s``: when, does not depend on who serves it.
    """

    assistants: int = 6
    system_tokens: int = 2_000
    turns: float = 6.0
    first_tokens: int = 2_000
    added_tokens: int = 400
    output_tokens: int = 250
    think_s: float = 20.0
    token_s: float = 0.02

    def __post_init__(self):
        for name in ("assistants", "first_tokens", "added_tokens", "output_tokens"):
            arguments.whole(name, getattr(self, name))
        for name in ("system_tokens", "think_s", "token_s"):
            arguments.non_negative(name, getattr(self, name))
        if not (math.isfinite(self.turns) and self.turns >= 1):
            raise ValueError(f"turns = {self.turns}: expected a number of at least 1")

    def trace(self, sessions: int, per_s: float, *, seed: int) -> RequestTrace:
        """So many sessions, which begin ``per_s`` a second on average (a Poisson process)."""
        arguments.whole("sessions", sessions)
        rng = np.random.default_rng(seed)
        starts_s = np.cumsum(rng.exponential(1 / arguments.positive("per_s", per_s), sessions))
        pages = int(self.system_tokens) // PAGE_TOKENS
        names = itertools.count(pages * self.assistants)  # of pages that belong to one session
        shares = 1 / np.arange(1, self.assistants + 1)
        whose = rng.choice(self.assistants, sessions, p=shares / shares.sum())
        rows = []
        for start_s, assistant in zip(starts_s.tolist(), whose.tolist(), strict=True):
            known = list(range(assistant * pages, (assistant + 1) * pages))
            rows += self._session(rng, start_s, known, names)
        rows.sort(key=lambda row: row[0])
        arrival_s, prompt, output, keys = zip(*rows, strict=True)
        return RequestTrace(
            np.array(arrival_s), np.array(prompt), np.array(output), keys, PAGE_TOKENS, "sessions"
        )

    def _session(self, rng, now_s, known: list, names):
        """The turns of one session; its own pages are named as they come."""
        context, said = int(self.system_tokens), self.first_tokens
        for _ in range(rng.geometric(1 / self.turns)):
            prompt = context + _length(rng, said)
            known += itertools.islice(names, prompt // PAGE_TOKENS - len(known))
            output = _length(rng, self.output_tokens)
            yield now_s, prompt, output, tuple(known)
            context, said = prompt + output, self.added_tokens
            now_s += output * self.token_s + rng.exponential(self.think_s)


def _length(rng, median: int) -> int:
    return max(1, round(median * math.exp(_SPREAD * rng.standard_normal())))
