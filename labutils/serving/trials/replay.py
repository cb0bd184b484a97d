"""Send a workload to an engine at the times at which its users would, ready or not."""

import time
from collections.abc import Hashable, Sequence
from dataclasses import replace
from functools import partial
from hashlib import blake2b

import numpy as np

from labutils.engine import Engine, Generation, Request
from labutils.ground import arguments
from labutils.metrics import RequestLog, RequestRecord, RequestStatus
from labutils.serving.runs.arrivals import arrivals_of

LONGEST_NAP_S = 0.05
LONGEST_SPIN_S = 0.25
LONGEST_WINDOW_S, A_MOMENT_S, A_TRIFLE_S = 1.0, 1e-3, 1e-9
_TIMES = (
    "intended_arrival_s", "sent_s", "admitted_s", "first_token_s", "last_token_s", "finish_s",
)  # fmt: skip
_STATUS = {
    "length": RequestStatus.OK, "stop": RequestStatus.OK, "cancelled": RequestStatus.CANCELLED,
    "failed": RequestStatus.FAILED, "rejected": RequestStatus.REJECTED,
}  # fmt: skip


def replay(
    engine: Engine, source, *, output_tokens=None, max_output_tokens: int | None = None,
    time_limit_s: float | None = None, seed: int = 0,
) -> RequestLog:  # fmt: skip
    """Serve a trace, or requests in order of arrival, in real time; the times count from its start.

    The same arguments as ``simulate``, and the same rows: a request is sent when its time has come,
    however busy the engine is (an open loop), counts from that intended arrival, asks for
    ``max_output_tokens``, and is answered with as many tokens as the workload says, which no
    scheduler learns before. Prompts are random tokens from ``seed``; where two requests share page
    keys, they share tokens. After ``time_limit_s`` whatever has not ended is cancelled.

    An engine whose clock can ``skip`` (a ``TrialClock``) skips the pauses between requests.
    """
    pool = engine.pool
    page_tokens = pool.page_tokens if hasattr(pool, "find") else None
    arrivals, _ = arrivals_of(source, output_tokens, max_output_tokens, page_tokens=page_tokens)
    prompts = Prompts(engine, seed)
    coming = [(request, tokens, prompts.of(request)) for request, tokens in arrivals]
    limit_s = np.inf if time_limit_s is None else arguments.positive("time_limit_s", time_limit_s)
    start_s, ids, pauses = engine.clock(), [], Pauses(engine)
    while len(ids) < len(coming) or engine.open:
        now_s = engine.clock() - start_s
        if now_s >= limit_s:
            break
        while len(ids) < len(coming) and coming[len(ids)][0].arrival_s <= now_s:
            ids.append(_send(engine, *coming[len(ids)], start_s))
        if engine.step() is None:
            next_s = coming[len(ids)][0].arrival_s if len(ids) < len(coming) else np.inf
            pauses.wait(start_s + min(next_s, limit_s))
        else:
            pauses.since_s = None
    for id in ids:
        engine.cancel(id)
    return shifted(RequestLog.of(record_of(engine.requests[id]) for id in ids), start_s)


def record_of(request: Generation) -> RequestRecord:
    """What the metrics want to know about a request that has ended."""
    return RequestRecord(
        request.id, request.arrival_s, sent_s=request.sent_s,
        admitted_s=np.nan if request.admitted_s is None else request.admitted_s,
        token_times_s=request.times_s,
        finish_s=np.nan if request.finish_s is None else request.finish_s,
        status=_STATUS[request.finish_reason], prompt_tokens=request.prompt_tokens,
        cached_tokens=request.cached or 0, preemptions=request.preemptions,
    )  # fmt: skip


class Prompts:
    """Random prompts for requests of which only lengths and page keys are known."""

    def __init__(self, engine: Engine, seed: int):
        self.vocabulary, self.page_tokens = engine.model.spec.vocab_size, engine.pool.page_tokens
        self.seed = arguments.whole("seed", seed, at_least=0)
        self._random = np.random.default_rng(self.seed)

    def of(self, request: Request) -> list[int]:
        """A prompt for ``request``: pages with equal keys get equal tokens."""
        pages = [self._page(key) for key in request.keys]
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
        prompt, max_output_tokens=request.max_output_tokens, stop=partial(is_full, tokens),
        arrival_s=start_s + request.arrival_s,
    )  # fmt: skip


def is_full(tokens: int, answer: Sequence[int]) -> bool:
    """A rule that ends an answer at so many ``tokens``: ``stop=partial(is_full, tokens)``."""
    return len(answer) >= tokens


class Pauses:
    """Lets time pass while an engine has no step, since nothing is open or a batch has a window."""

    def __init__(self, engine: Engine):
        self.clock, self.open = engine.clock, engine.open
        self.since_s: float | None = None  # when the engine last had nothing to compute

    def wait(self, until_s: float) -> None:
        """Until ``until_s``, or a moment if requests are open; ``RuntimeError`` if that goes on."""
        now_s = self.clock()
        self.since_s = now_s if self.since_s is None else self.since_s
        if self.open:
            if now_s - self.since_s > LONGEST_WINDOW_S:
                raise RuntimeError(f"schedule planned no step; open: {list(self.open)[:4]}")
            until_s = min(until_s, now_s + A_MOMENT_S)
        if hasattr(self.clock, "skip"):
            self.clock.skip(max(until_s - now_s, A_TRIFLE_S))  # rounding must not stop the clock
        else:
            _nap(until_s - now_s)


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
