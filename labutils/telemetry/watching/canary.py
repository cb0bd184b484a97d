"""A canary: a new version gets a share of the traffic, and is compared with the rest.

What is compared is a share of requests: those that failed, or those slower than the old p99 (of
which the old version has one in a hundred). Requests count as independent; those of one replica
share its luck, so real samples have to be larger.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from labutils.ground import arguments


@dataclass(frozen=True)
class Verdict:
    """``word`` about the canary; its bad share minus the rest's lies between ``low`` and ``high``.

    "worse": even ``low`` is more than is tolerated. "good enough": even ``high`` is not. "too
    early": the interval holds what is tolerated.
    """

    word: str
    difference: float
    low: float
    high: float


def compare(
    canary: tuple[int, int], rest: tuple[int, int], *, tolerated: float, confidence: float = 0.95
) -> Verdict:
    """The verdict from (bad, all) requests of the canary and of the rest, looked at once.

    Compare with a rest that started when the canary did: an old fleet has warm caches.
    """
    tolerated = arguments.positive("tolerated", tolerated)
    low, high = difference_interval(canary, rest, confidence=confidence)
    word = "worse" if low > tolerated else "good enough" if high <= tolerated else "too early"
    return Verdict(word, canary[0] / canary[1] - rest[0] / rest[1], low, high)


def difference_interval(
    canary: tuple[int, int], rest: tuple[int, int], *, confidence: float = 0.95
) -> tuple[float, float]:
    """The interval around the difference of two shares, each given as (bad, all).

    One good and one bad request are added to each side, then the normal interval is taken: so it
    has a width where nothing was bad, and holds for small counts. Source: Agresti & Caffo 2000, The
    American Statistician 54.
    """
    z = float(ndtri((1 + arguments.fraction("confidence", confidence)) / 2))
    (p, n), (q, m) = _added("canary", canary), _added("rest", rest)
    half = z * math.sqrt(p * (1 - p) / n + q * (1 - q) / m)
    return max(p - q - half, -1.0), min(p - q + half, 1.0)


def canary_size(
    old: float, new: float, *, ratio: float = 1.0, alpha: float = 0.05, power: float = 0.8
) -> int:
    """Requests that the canary needs so that a bad share of ``new`` against ``old`` is noticed.

    ``ratio`` is requests of the rest for each of the canary's; ``alpha`` the chance of an alarm, to
    either side, where nothing changed; ``power`` the chance to notice. Source: Fleiss, Levin & Paik
    2003, "Statistical Methods for Rates and Proportions", chapter 4, without its correction for
    continuity.
    """
    if arguments.fraction("old", old) == arguments.fraction("new", new):
        raise ValueError(f"new = {new!r}: expected another share than old = {old!r}")
    under_null, unpooled = _spreads(old, new, arguments.positive("ratio", ratio))
    z_alpha = ndtri(1 - arguments.fraction("alpha", alpha) / 2)
    z_power = ndtri(arguments.fraction("power", power))
    return math.ceil(((z_alpha * under_null + z_power * unpooled) / (new - old)) ** 2)


def canary_power(
    size: int, old: float, new: float, *, ratio: float = 1.0, alpha: float = 0.05
) -> float:
    """The chance that so many requests of the canary notice the change: ``canary_size`` inverted.

    It counts an alarm on the right side only.
    """
    old, new = arguments.fraction("old", old), arguments.fraction("new", new)
    under_null, unpooled = _spreads(old, new, arguments.positive("ratio", ratio))
    moved = abs(new - old) * math.sqrt(arguments.whole("size", size))
    z_alpha = ndtri(1 - arguments.fraction("alpha", alpha) / 2)
    return float(ndtr((moved - z_alpha * under_null) / unpooled))


def share_above_old_quantile(values, q: float, factor: float) -> float:
    """The share above the old ``q``-quantile once every value is ``factor`` times as large.

    ``values`` are latencies of the old version. A quantile that moves is a share that changes, from
    1 - q to this: so ``canary_size(1 - q, …)`` says how many requests show it.
    """
    old = arguments.sample("values", values)
    limit = np.quantile(old, arguments.fraction("q", q), method="inverted_cdf")
    return float((old * arguments.positive("factor", factor) > limit).mean())


def z_score(canary_bad, canary_all, rest_bad, rest_all):
    """The difference of two shares in its own standard errors, the spread pooled; arrays welcome.

    0 where nothing or everything was bad on both sides.
    """
    pooled = (canary_bad + rest_bad) / (canary_all + rest_all)
    spread = np.sqrt(pooled * (1 - pooled) * (1 / canary_all + 1 / rest_all))
    difference = canary_bad / canary_all - rest_bad / rest_all
    return np.divide(difference, spread, out=np.zeros_like(spread), where=spread > 0)


def peeking_false_alarms(
    looks: int, per_look: int, share: float, *, rng: np.random.Generator, ratio: int = 1,
    alpha: float = 0.05, runs: int = 4000,
) -> float:  # fmt: skip
    """How often an unchanged canary is found guilty if one looks ``looks`` times; simulated.

    Between looks come ``per_look`` requests of the canary and ``ratio`` times as many others, each
    bad with chance ``share``; whoever sees a p-value below ``alpha`` stops. One look is wrong with
    chance ``alpha``, ten looks are wrong in a fifth of all cases (Armitage, McPherson & Rowe 1969,
    Journal of the Royal Statistical Society A 132). Looking k times at ``alpha`` / k is safe
    (Bonferroni).
    """
    looks, ratio = arguments.whole("looks", looks), arguments.whole("ratio", ratio)
    per_look, share = arguments.whole("per_look", per_look), arguments.fraction("share", share)
    shape = arguments.whole("runs", runs), looks
    canary = rng.binomial(per_look, share, shape).cumsum(axis=1)
    rest = rng.binomial(ratio * per_look, share, shape).cumsum(axis=1)
    seen = per_look * np.arange(1, looks + 1)
    scores = z_score(canary, seen, rest, ratio * seen)
    limit = ndtri(1 - arguments.fraction("alpha", alpha) / 2)
    return float((np.abs(scores) > limit).any(axis=1).mean())


def _spreads(old: float, new: float, ratio: float) -> tuple[float, float]:
    """√n times the standard error of the difference, without a change and with it."""
    mean = (new + ratio * old) / (1 + ratio)
    under_null = math.sqrt(mean * (1 - mean) * (1 + 1 / ratio))
    return under_null, math.sqrt(new * (1 - new) + old * (1 - old) / ratio)


def _added(name: str, counts: tuple[int, int]) -> tuple[float, int]:
    """(share, requests) with one good and one bad request more."""
    bad, total = counts
    total = arguments.whole(f"{name}[1]", total)
    bad = arguments.whole(f"{name}[0]", bad, at_least=0, at_most=total)
    return (bad + 1) / (total + 2), total + 2
