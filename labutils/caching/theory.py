"""What a cache will hit, what remains for the backend, and what users see of it: closed forms.

All of it assumes independent references: each key is asked for by a Poisson process of its own.
"""

import math
from dataclasses import dataclass
from numbers import Real

import numpy as np
from scipy.optimize import brentq

from labutils.ground.arguments import fraction, non_negative, positive, sample, whole

_SERIES = 60  # characteristic times that a fixed time to live may span before the cut


@dataclass(frozen=True, eq=False)
class CheHitRates:
    """``time_s``: how long an unused key survives; ``per_key`` hit rates; ``total`` over requests.

    ``time_s`` is infinite where every key fits.
    """

    time_s: float
    per_key: np.ndarray
    total: float


def che_hit_rates(
    rates, capacity: int, *, ttl_s: float | None = None, renew: bool = False
) -> CheHitRates:
    """LRU hit rates by Che's approximation (Che, Tung and Wang 2002), for requests/s per key.

    A key is there if it was asked for within the last T seconds, and T is such that ``capacity``
    keys are expected there: Σ (1 - exp(-λT)) = C. With a renewed ``ttl_s`` an entry dies after
    min(T, ttl) without a request; with a fixed one at the first of that and its age ``ttl_s``. Good
    to about 1 % for Zipf popularity and a capacity of at least 100.
    """
    rates = _rates(rates)
    capacity = whole("capacity", capacity)
    ttl_s = math.inf if ttl_s is None else positive("ttl_s", ttl_s)
    time_s = _characteristic_time_s(rates, capacity)
    if renew or ttl_s == math.inf:
        per_key = -np.expm1(-rates * min(time_s, ttl_s))
    else:
        per_key = _fixed_hit_rates(rates, time_s, ttl_s)
    return CheHitRates(time_s, per_key, float(rates @ per_key / rates.sum()))


def ttl_hit_rate(rate, ttl_s: float, *, renew: bool = False):
    """Hit rate of a key asked ``rate`` times a second in a cache with room for all.

    λT / (1 + λT) when T counts from the fill: each miss is followed by λT hits on average. With
    ``renew`` 1 - exp(-λT): a hit needs a gap shorter than T. ``rate`` may be an array.
    """
    asked = np.asarray(rate, dtype=float) * positive("ttl_s", ttl_s)
    if not (np.isfinite(asked) & (asked >= 0)).all():
        raise ValueError(f"rate = {rate!r}: expected finite numbers of at least 0")
    hit = -np.expm1(-asked) if renew else asked / (1 + asked)
    return hit if np.ndim(rate) else float(hit)


def backend_load(rate: float, hit_rate: float) -> float:
    """Requests per second that pass the cache: λ(1 - h). From h = 0.95 to 0.90 it doubles."""
    return non_negative("rate", rate) * (1 - _part("hit_rate", hit_rate))


def mean_latency(hit_rate: float, *, hit_s: float, lookup_s: float, miss_s: float) -> float:
    """Mean seconds of a request: h·t_hit + (1 - h)(t_lookup + t_miss).

    A miss pays for the look-up in vain, so a cache with few hits makes the mean worse.
    """
    hit_rate = _part("hit_rate", hit_rate)
    miss_s = non_negative("lookup_s", lookup_s) + non_negative("miss_s", miss_s)
    return hit_rate * non_negative("hit_s", hit_s) + (1 - hit_rate) * miss_s


def percentile_with_cache(p: float, hit_rate: float, hit_s, miss_s) -> float:
    """The ``p``-th percentile (0 < p < 100) of a mixture: ``hit_rate`` hits, the rest misses.

    ``hit_s`` and ``miss_s`` are samples of latencies in seconds (a miss includes its look-up). The
    smallest latency that at least p % of the requests do not exceed. While misses exceed 1 %,
    p99 is a latency of misses.
    """
    p = fraction("p / 100", positive("p", p) / 100)
    hit_rate = _part("hit_rate", hit_rate)
    hits, misses = sample("hit_s", hit_s), sample("miss_s", miss_s)
    latencies = np.concatenate([hits, misses])
    shares = np.repeat(
        [hit_rate / len(hits), (1 - hit_rate) / len(misses)], [len(hits), len(misses)]
    )
    order = np.argsort(latencies, kind="stable")
    below = np.cumsum(shares[order])
    at = np.searchsorted(below, p * (1 - 1e-12))  # sums of shares round
    return float(latencies[order[min(at, len(latencies) - 1)]])


def expected_stampede(rate: float, recompute_s: float) -> float:
    """Recomputations of one expired key, if nobody waits for anybody: 1 + λS.

    The first to find it expired begins; all who arrive within its ``recompute_s`` find nothing
    either, at ``rate`` requests a second.
    """
    return 1 + non_negative("rate", rate) * non_negative("recompute_s", recompute_s)


def _characteristic_time_s(rates: np.ndarray, capacity: int) -> float:
    """The T at which ``capacity`` keys are expected to have been asked for within T."""
    if capacity >= len(rates):
        return math.inf

    def too_many(log_time: float) -> float:
        return float(-np.expm1(-rates * math.exp(log_time)).sum()) - capacity

    # No key is there with more than certainty, nor more often than asked: C <= T · Σλ.
    low = math.log(capacity / rates.sum())
    high = low + 1
    while too_many(high) < 0:
        high += 1
    return math.exp(brentq(too_many, low - 1e-9, high, xtol=1e-12))


def _fixed_hit_rates(rates: np.ndarray, time_s: float, ttl_s: float) -> np.ndarray:
    """Hits per fill m, as m / (1 + m): requests before ``ttl_s`` with no gap beyond ``time_s``.

    m = λ ∫ G, where G(t) = P(no gap of length T ended by t) is the inclusion-exclusion series over
    how many such gaps there are. Without gaps that long, for ttl_s <= T, it is λ·ttl_s.
    """
    ttl_s = min(ttl_s, _SERIES * time_s)  # later terms change nothing that the gaps have not ended
    asked, hits = rates * time_s, rates * ttl_s
    for j in range(1, math.ceil(ttl_s / time_s - 1e-9) if math.isfinite(time_s) else 0):
        left = rates * ttl_s - j * asked
        term = np.exp(j * (np.log(left) - asked) - math.lgamma(j + 1))
        hits = hits + (-1) ** j * term * (left / (j + 1) + 1)
    return hits / (1 + hits)


def _rates(rates) -> np.ndarray:
    rates = sample("rates", rates)
    if (rates <= 0).any():
        at = int(np.flatnonzero(rates <= 0)[0])
        raise ValueError(f"rates[{at}] = {rates[at]}: expected requests per second above 0")
    return rates


def _part(name: str, value: float) -> float:
    if not isinstance(value, Real) or not 0 <= value <= 1:
        raise ValueError(f"{name} = {value!r}: expected a share from 0 to 1")
    return float(value)
