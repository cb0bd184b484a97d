"""What an expiring key does to its backend: a stampede, and three ways to be spared it."""

import heapq
import math
from dataclasses import dataclass

import numpy as np

from labutils.ground.arguments import non_negative, positive, whole

from .streams import poisson_times

MOST = 10_000_000  # keys, and windows of time


def refreshes_early(now_s: float, expiry_s: float, recompute_s: float, beta: float, u: float):
    """XFetch: whether a request at ``now_s`` recomputes a value that lives until ``expiry_s``.

    now - δ·β·ln(u) >= expiry, where u is uniform on (0, 1] and δ = ``recompute_s`` (Vattani,
    Chierichetti and Lowenstein, VLDB 2015). The probability is exp(-(expiry - now) / δβ): small
    while there is time, certain at the end. ``beta`` above 1 begins earlier.
    """
    return now_s - recompute_s * beta * math.log(u) >= expiry_s


@dataclass(frozen=True, eq=False)
class HotKeyRun:
    """One key under load. ``waiting_s`` holds each request's wait for a recomputation, 0 for a hit.

    ``at_once`` holds, per recomputation, how many ran when it began, itself included. A wave is a
    recomputation that begins while none runs, with all that join; ``early_waves`` began before the
    value had expired.
    """

    waiting_s: np.ndarray
    at_once: np.ndarray
    waves: int
    early_waves: int

    @property
    def recomputations(self) -> int:
        """How many computations the backend was asked for."""
        return len(self.at_once)

    @property
    def per_wave(self) -> float:
        """Recomputations per wave: about 1 + λS where nothing guards the key."""
        return self.recomputations / self.waves


def hot_key(
    num_requests: int,
    rate: float,
    *,
    ttl_s: float,
    recompute_s: float,
    single_flight: bool = False,
    beta: float | None = None,
    seed: int = 1,
) -> HotKeyRun:
    """Ask for one key ``rate`` times a second (Poisson); it lives ``ttl_s`` after each recompute.

    Whoever finds it expired recomputes it, in ``recompute_s``, or with ``single_flight`` waits for
    the one who does. With ``beta`` some requests recompute before the end (XFetch) and wait for
    their own result. The backend takes the same time however many ask, which flatters a stampede.
    """
    key = _HotKey(positive("ttl_s", ttl_s), positive("recompute_s", recompute_s), single_flight)
    beta = 0.0 if beta is None else non_negative("beta", beta)
    times = poisson_times(num_requests, rate, seed)
    draws = 1 - np.random.default_rng([seed, 1]).random(num_requests)  # on (0, 1]
    waiting_s = [key.ask(now, beta, u) for now, u in zip(times.tolist(), draws.tolist())]
    return HotKeyRun(np.array(waiting_s), np.array(key.at_once), key.waves, key.early_waves)


class _HotKey:
    """The key's value and the recomputations under way, as a request finds them."""

    def __init__(self, ttl_s: float, recompute_s: float, single_flight: bool):
        self.ttl_s, self.recompute_s, self.single_flight = ttl_s, recompute_s, single_flight
        self.dies_s = -math.inf
        self.lands_s: list[float] = []  # a heap: when each recomputation ends
        self.at_once: list[int] = []
        self.waves = self.early_waves = 0

    def ask(self, now_s: float, beta: float, u: float) -> float:
        """One request for the key; returns the seconds that it waits."""
        while self.lands_s and self.lands_s[0] <= now_s:
            self.dies_s = heapq.heappop(self.lands_s) + self.ttl_s
        is_fresh = now_s < self.dies_s
        if is_fresh and not refreshes_early(now_s, self.dies_s, self.recompute_s, beta, u):
            return 0.0
        if self.single_flight and self.lands_s:  # a fresh value serves while it is renewed
            return 0.0 if is_fresh else self.lands_s[0] - now_s
        self._begin(now_s, is_fresh)
        return self.recompute_s

    def _begin(self, now_s: float, is_fresh: bool) -> None:
        self.waves += not self.lands_s
        self.early_waves += is_fresh and not self.lands_s
        heapq.heappush(self.lands_s, now_s + self.recompute_s)
        self.at_once.append(len(self.lands_s))


def refill_rates(
    num_keys: int, *, ttl_s: float, jitter: float, window_s: float, periods: int = 3, seed: int = 1
) -> np.ndarray:
    """Backend requests per second in windows of ``window_s``, after all keys were filled at 0.

    Every key is popular: it is recomputed as soon as it expires. Each life lasts ``ttl_s`` less a
    uniform share of up to ``jitter`` of it (0 to 1). Without jitter all keys come back together,
    ``num_keys`` in one window; with it they first spread over jitter·ttl, later over everything,
    where ``num_keys / ttl`` a second is the least that any timing can reach.
    """
    if not 0 <= jitter <= 1:
        raise ValueError(f"jitter = {jitter!r}: expected a share from 0 to 1")
    ttl_s, window_s = positive("ttl_s", ttl_s), positive("window_s", window_s)
    end_s = whole("periods", periods) * ttl_s
    rng = np.random.default_rng(seed)
    now_s = np.zeros(whole("num_keys", num_keys, at_most=MOST))
    if not end_s / window_s < MOST:
        raise ValueError(f"window_s = {window_s!r}: expected at most {MOST:,} windows in {end_s} s")
    counts = np.zeros(math.ceil(end_s / window_s) + 1)
    while now_s.size:
        now_s = now_s + ttl_s * (1 - jitter * rng.random(len(now_s)))
        now_s = now_s[now_s <= end_s]
        np.add.at(counts, (now_s / window_s).astype(int), 1)
    return counts / window_s
