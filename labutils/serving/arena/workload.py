"""What is asked of the server in one match: requests of several kinds, each with its promise."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from labutils.engine import Request
from labutils.ground import arguments
from labutils.serving.promises import Promise, Promises, Tenant
from labutils.workload import mix

DAY_S = 600.0
"""Seconds after which a part that has hours of its own comes again: days are short here."""
LONGEST_PROMPT, LONGEST_ANSWER = 16_000, 2_000
"""Tokens; what a mix draws beyond is cut, so that every request fits into the memory."""


@dataclass(frozen=True, kw_only=True)
class Part:
    """Requests of one kind: ``share`` of all, with the lengths of a ``mix`` and one ``promise``.

    They arrive with gamma gaps of that ``burstiness`` (1: Poisson; the mix's own by default), all
    along; or from ``begins`` to ``ends`` of each day, as shares of it (``DAY_S``, or the whole time
    where that is shorter). With ``turns`` above 1 they are sessions of an agent: so many requests,
    ``pause_s`` apart in the mean while a tool runs, whether the answer is there or not; and each
    prompt holds the one before, its answer and ``tool_tokens`` more.
    """

    mix: str
    share: float
    promise: Promise
    burstiness: float | None = None
    begins: float = 0.0
    ends: float = 1.0
    turns: int = 1
    pause_s: float = 5.0
    tool_tokens: int = 300

    def draw(self, count: int, duration_s: float, seed: int) -> list[tuple[float, int, int]]:
        """Rows (arrival in seconds, prompt tokens, answer tokens) of ``count`` requests."""
        sessions = -(-count // self.turns)
        days = max(1, round(duration_s / DAY_S))
        day_s = duration_s / days
        open_s = (self.ends - self.begins) * day_s  # of a day
        options = {"seed": seed, "burstiness": self.burstiness}
        trace = mix(self.mix).trace(sessions, sessions / (days * open_s), **options)
        day = np.minimum(trace.arrival_s // open_s, days - 1)  # what is over comes late that day
        came_s = (day + self.begins) * day_s + (trace.arrival_s - day * open_s)
        columns = came_s, trace.prompt_tokens, trace.output_tokens
        rng = np.random.default_rng([seed, 1])
        rows = [row for first in zip(*columns) for row in self._session(*first, rng)]
        return rows[:count]

    def _session(self, now_s, prompt, answer, rng):
        for _ in range(self.turns):
            prompt, answer = min(int(prompt), LONGEST_PROMPT), min(int(answer), LONGEST_ANSWER)
            yield float(now_s), prompt, answer
            prompt += answer + self.tool_tokens
            now_s += rng.exponential(self.pause_s)


@dataclass(frozen=True, eq=False)
class Workload:
    """Requests in order of arrival with their promises, and apart from them their true lengths."""

    name: str
    requests: Sequence[Request]
    output_tokens: Sequence[int]
    promises: Promises

    @classmethod
    def of(
        cls, name: str, parts: Iterable[Part], *, num_requests: int, rate_per_s: float, seed: int
    ) -> "Workload":
        """Draw ``num_requests`` requests, ``rate_per_s`` in the mean, from ``parts``."""
        seed = arguments.whole("seed", seed, at_least=0)
        parts, n = list(parts), arguments.whole("num_requests", num_requests)
        duration_s = n / arguments.positive("rate_per_s", rate_per_s)
        whole = sum(arguments.positive("share", part.share) for part in parts)
        rows = []
        for number, part in enumerate(parts):
            count = max(1, round(n * part.share / whole))
            drawn = part.draw(count, duration_s, seed=1000 * seed + number)
            rows += [(*row, part.promise) for row in drawn]
        rows.sort(key=lambda row: row[0])
        requests = [
            Request(at, prompt, LONGEST_ANSWER, when) for at, (when, prompt, *_) in enumerate(rows)
        ]
        promises = [row[3] for row in rows]
        return cls(name, requests, [row[2] for row in rows],
                   Promises(promises, tenants=_tenants(rows, duration_s)))  # fmt: skip

    def fingerprint(self) -> str:
        """The same for the same requests with the same promises, and for no others (SHA-256)."""
        rows = [
            (one.arrival_s, one.prompt_tokens, tokens, self.promises[one.id])
            for one, tokens in zip(self.requests, self.output_tokens)
        ]
        return hashlib.sha256(repr(rows).encode()).hexdigest()


def _tenants(rows, duration_s: float) -> list[Tenant]:
    """Each tenant with a budget: one and a half equal shares of all tokens, 20 s of it at once."""
    names = sorted({promise.tenant for *_, promise in rows})
    tokens = sum(prompt + answer for _, prompt, answer, _ in rows)
    pace = 1.5 * tokens / duration_s / len(names)
    burst = max(20 * pace, LONGEST_PROMPT + LONGEST_ANSWER)
    return [Tenant(name=name, tokens_per_s=pace, burst_tokens=burst) for name in names]
