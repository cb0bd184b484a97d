"""Experts on several devices: the share that each of them gets, and how busy the busiest is."""

from functools import lru_cache

import numpy as np
from scipy.special import ndtr

from labutils.ground import arguments


def even(experts: int) -> tuple[float, ...]:
    """Each of ``experts`` gets as many picks as any other."""
    count = arguments.whole("experts", experts)
    return (1 / count,) * count


def one_hot_expert(experts: int, share: float) -> tuple[float, ...]:
    """The first expert gets ``share`` of all picks, the others the rest, evenly."""
    count = arguments.whole("experts", experts, at_least=2)
    hot = arguments.fraction("share", share)
    return (hot, *((1 - hot) / (count - 1),) * (count - 1))


def device_shares(popularity, devices: int) -> tuple[float, ...]:
    """Each device's share of all picks, equally many experts on each, in their order.

    ``popularity`` has a share of the picks for each expert; together they are 1.
    """
    shares = arguments.sample("popularity", popularity)
    count = arguments.whole("devices", devices)
    if (shares < 0).any() or abs(shares.sum() - 1) > 1e-9:
        raise ValueError(f"popularity sums to {shares.sum()}: expected shares, together 1")
    if shares.size % count:
        raise ValueError(f"devices = {devices!r}: expected a divisor of {shares.size} experts")
    return tuple(shares.reshape(count, -1).sum(axis=1).tolist())


def busiest_over_even(shares) -> float:
    """How many times an even share the busiest device gets, of many picks: largest share · p."""
    return max(shares) * len(shares)


def expected_busiest(shares, tokens: float, picks: int, experts: int) -> float:
    """Expected picks of the busiest device in one layer, over the mean of all devices.

    ``tokens`` pick ``picks`` different experts each. Even with even shares some device gets more:
    its picks are near a normal with mean n·q and variance n·q·(E − k)/(E − 1), n = tokens · picks
    (a token never picks an expert twice), and the largest of p of them counts. Good to a few
    percent from some ten picks a device on; at least 1, and 1 for a single device.

    >>> round(expected_busiest(even(8), tokens=32, picks=2, experts=8), 2)
    1.47
    """
    count = arguments.positive("tokens", tokens) * arguments.whole("picks", picks)
    total = arguments.whole("experts", experts)
    if picks > total:
        raise ValueError(f"picks = {picks!r}: expected at most experts = {experts}")
    apart = (total - picks) / (total - 1) if total > 1 else 0.0
    return _largest_normal(tuple(shares), count, apart)


@lru_cache(maxsize=4096)
def _largest_normal(shares: tuple[float, ...], count: float, apart: float) -> float:
    p = len(shares)
    mean = count * np.array(shares)
    spread = np.sqrt(mean * apart)
    if p == 1 or not spread.any():
        return busiest_over_even(shares)
    low, high = (mean - 8 * spread).min(), (mean + 8 * spread).max()
    grid = np.linspace(low, high, 2001)
    below = np.prod(ndtr((grid[:, None] - mean) / np.maximum(spread, 1e-300)), axis=1)
    largest = high - np.trapezoid(below, grid)
    return float(max(1.0, largest * p / count))
