"""Send a workload to an engine at the times at which its users would, ready or not."""

import time
from collections.abc import Hashable, Iterable
from dataclasses import replace
from functools import partial
from hashlib import blake2b

import numpy as np

from labutils import arguments
from labutils.metrics import RequestLog

from .arrivals import arrivals_of
from .engine import Engine
from .request import Request

LONGEST_NAP_S = 0.05
LONGEST_SPIN_S = 0.25
_TIMES = (
    "intended_arrival_s",
    "sent_s",
    "admitted_s",
    "first_token_s",
    "last_token_s",
    "finish_s",
)


def replay(
    engine: Engine,
    source,
    *,
    output_tokens=None,
    max_output_tokens: int | None = None,
    time_limit_s: float | None = None,
    seed: int = 0,
) -> RequestLog:
    """Serve a trace, or requests in order of arrival, in real time; the times count from its start.

    The same arguments as ``simulate``, and the same rows: a request is sent when its time has come,
    however busy the engine is (an open loop), counts from that intended arrival, asks for
    ``max_output_tokens``, and is answered with as many tokens as the workload says, which no
    scheduler learns before. Prompts are random tokens from ``seed``; where two requests share page
    keys, they share tokens. After ``time_limit_s`` whatever has not ended is cancelled.
    """
    arrivals, _ = arrivals_of(source, output_tokens, max_output_tokens)
    prompts = Prompts(engine, seed)
    coming = [(request, tokens, prompts.of(request)) for request, tokens in arrivals]
    limit_s = np.inf if time_limit_s is None else arguments.positive("time_limit_s", time_limit_s)
    ids, start_s = [], engine.clock()
    while len(ids) < len(coming) or engine.has_work:
        now_s = engine.clock() - start_s
        if now_s >= limit_s:
            break
        while len(ids) < len(coming) and coming[len(ids)][0].arrival_s <= now_s:
            ids.append(_send(engine, *coming[len(ids)], start_s))
        engine.step()
        if engine.idle_until_s is not None:
            next_s = coming[len(ids)][0].arrival_s if len(ids) < len(coming) else np.inf
            _nap(min(start_s + next_s, start_s + limit_s, engine.idle_until_s) - engine.clock())
    for id in ids:
        engine.cancel(id)
    return shifted(RequestLog.of(engine.answers[id].record for id in ids), start_s)


class Prompts:
    """Random prompts for requests of which only lengths and page keys are known."""

    def __init__(self, engine: Engine, seed: int):
        self.vocabulary, self.page_tokens = engine.model.spec.vocab_size, engine.page_tokens
        self.seed = arguments.whole("seed", seed, at_least=0)
        self._random = np.random.default_rng(self.seed)

    def of(self, request: Request) -> list[int]:
        """A prompt for ``request``: pages with equal keys get equal tokens."""
        pages = [self._page(key) for key in request.keys(self.page_tokens)]
        rest = request.prompt_tokens - len(pages) * self.page_tokens
        return np.concatenate([*pages, self._random.integers(self.vocabulary, size=rest)]).tolist()

    def _page(self, key: Hashable) -> np.ndarray:
        digest = blake2b(repr(key).encode(), digest_size=8).digest()
        stream = np.random.default_rng([self.seed, int.from_bytes(digest)])
        return stream.integers(self.vocabulary, size=self.page_tokens)


def shifted(log: RequestLog, start_s: float) -> RequestLog:
    """``log`` with times that count from ``start_s``."""
    return replace(log, **{name: getattr(log, name) - start_s for name in _TIMES})


def _send(engine: Engine, request: Request, tokens: int, prompt: list[int], start_s: float):
    """One request, whose answer is to have ``tokens`` tokens."""
    return engine.add_request(
        prompt,
        max_output_tokens=request.max_output_tokens,
        stop=partial(_is_full, tokens),
        arrival_s=start_s + request.arrival_s,
    )


def _is_full(tokens: int, answer: Iterable[int]) -> bool:
    return len(answer) >= tokens


def _nap(seconds: float) -> None:
    """Let ``seconds`` pass at most, wide awake if they are few.

    A processor that slept computes its next step more slowly, by a fifth and more on some machines,
    and so a half-idle engine would be measured slower than a busy one.
    """
    if seconds > LONGEST_SPIN_S:
        time.sleep(LONGEST_NAP_S)
        return
    end_s = time.perf_counter() + seconds
    while time.perf_counter() < end_s:
        pass
