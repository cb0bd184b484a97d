"""One run of a service whose cache is emptied: what each second saw, and whether it came back."""

from dataclasses import dataclass

import numpy as np

from labutils.ground.arguments import non_negative, whole
from labutils.simulation.flush import flush_kernels as kernels
from labutils.simulation.flush.service import CachedService, FlushDraws, Remedy, checked_draws

SMOOTHED_S = 10
"""A second is judged by the ten around it: seconds alone are noisy."""
WELL = 0.98
"""A service is well while this share of the requests of these seconds is answered."""


@dataclass(frozen=True, eq=False)
class FlushRun:
    """What happened in each second from 0 on (``table``), and when each request was answered.

    Requests that never were have NaN in ``finish_s``.
    """

    arrival_s: np.ndarray
    finish_s: np.ndarray
    table: np.ndarray
    flush_s: float

    @property
    def seconds(self) -> np.ndarray:
        """The second of each row, from 0."""
        return np.arange(len(self.table))

    @property
    def requests_per_s(self) -> np.ndarray:
        """Requests that came, each counted once."""
        return self.table[:, kernels.REQUESTS]

    @property
    def attempts_per_s(self) -> np.ndarray:
        """Requests and retries that the service saw."""
        return self.table[:, kernels.ATTEMPTS]

    @property
    def hit_rate(self) -> np.ndarray:
        """Share of the attempts that the cache answered; NaN in a second without any."""
        with np.errstate(invalid="ignore"):
            return self.table[:, kernels.HITS] / self.attempts_per_s

    @property
    def goodput_per_s(self) -> np.ndarray:
        """Requests that were answered to a client who still waited."""
        return self.table[:, kernels.ANSWERED]

    @property
    def timed_out_per_s(self) -> np.ndarray:
        """Attempts whose client left."""
        return self.table[:, kernels.TIMED_OUT]

    @property
    def rejected_per_s(self) -> np.ndarray:
        """Attempts that a full queue refused."""
        return self.table[:, kernels.REJECTED]

    @property
    def computed_per_s(self) -> np.ndarray:
        """Computations that ended."""
        return self.table[:, kernels.COMPUTED]

    @property
    def wasted_per_s(self) -> np.ndarray:
        """Computations that ended when nobody waited any more."""
        return self.table[:, kernels.WASTED]

    @property
    def queue_length(self) -> np.ndarray:
        """Computations waiting for a server at the end of each second."""
        return self.table[:, kernels.QUEUE]

    @property
    def good_share(self) -> np.ndarray:
        """Answered over asked, in the ten seconds around each (fewer near the ends)."""
        asked, answered = (
            np.convolve(column, np.ones(SMOOTHED_S), mode="same")
            for column in (self.requests_per_s, self.goodput_per_s)
        )
        return answered / np.maximum(asked, 1)

    @property
    def back_at_s(self) -> float:
        """The second from which on the service stays well until the end; inf if it does not."""
        ill = np.flatnonzero(self.good_share < WELL)
        if not ill.size:
            return 0.0
        return float(ill[-1] + 1) if ill[-1] + SMOOTHED_S < len(self.table) else np.inf

    @property
    def lost(self) -> int:
        """Requests that came after the flush and were never answered."""
        return int(np.isnan(self.finish_s[self.arrival_s >= self.flush_s]).sum())


def run_flush(
    service: CachedService,
    draws: FlushDraws,
    *,
    duration_s: int,
    flush_s: float = np.inf,
    remedy: Remedy | None = None,
) -> FlushRun:
    """Run a service whose cache is emptied at ``flush_s``, for ``duration_s`` whole seconds.

    It begins with the most popular keys in the cache and nobody inside. The same ``draws`` serve
    every remedy: a retry asks for the same key and would take the same time. What is still open
    at the end counts as not answered. The remedy comes into force at ``remedy.from_s``; what waits
    in the queue by then stays there.

    Raises ``ValueError`` naming the argument that is wrong.
    """
    plan = flush_plan(service, draws, duration_s, flush_s, remedy)
    finish_s, table = blank(plan[0], duration_s)
    kernels.run_service(*plan, finish_s, table)
    return FlushRun(plan[0], finish_s, table, float(flush_s))


def flush_plan(service, draws, duration_s, flush_s, remedy) -> tuple:
    """The checked arguments of ``run_flush`` as kernel and twin take them."""
    draws, remedy = checked_draws(service, draws), remedy or Remedy()
    whole("duration_s", duration_s)
    if flush_s != np.inf:
        non_negative("flush_s", flush_s)
    limit = service.queue_limit if remedy.queue_limit is None else remedy.queue_limit
    rules = (
        int(service.num_keys), int(service.capacity), int(service.servers),
        float(service.timeout_s), int(service.max_attempts), float(service.retry_budget),
        float(service.retry_burst), float(service.backoff_s), int(service.queue_limit),
    )  # fmt: skip
    change = (
        float(flush_s), float(remedy.from_s), bool(remedy.single_flight), int(limit),
        min(int(remedy.warm_keys), rules[0]), bool(remedy.drop_abandoned),
        bool(remedy.late_fills),
    )  # fmt: skip
    first_s, life_s = _lives_s(service)
    return draws.arrival_s, draws.keys, draws.service_s, first_s, life_s, rules, change


def _lives_s(service: CachedService) -> tuple[np.ndarray, np.ndarray]:
    """When each key expires that the cache begins with, and how long each lives after a fill.

    The cache begins as a long run leaves it: each key somewhere in a life of its own. Where it is
    says nothing about how long it lives, or keys that stay would come to expire together.
    """
    irrational = 5**0.5 / 2 - 0.5, 2**0.5 - 1  # their multiples, modulo 1, fill a square evenly
    jitter, at = np.outer(irrational, np.arange(1, service.num_keys + 1)) % 1
    if service.ttl_s == np.inf:
        return np.full((2, at.size), np.inf)
    life_s = service.ttl_s * (1 - service.ttl_jitter * jitter)
    return at * life_s, life_s


def blank(arrivals: np.ndarray, duration_s: int) -> tuple[np.ndarray, np.ndarray]:
    """A column of answers and a table of seconds, to be filled."""
    return np.full(arrivals.size, np.nan), np.zeros((int(duration_s), 9), dtype=np.int64)
