"""The k-th of n leaves to answer, where one common factor makes all leaves alike.

The one-factor Gaussian copula (Vasicek 1987): leaf i is slow when
√r · Z + √(1-r) · Xᵢ lies above a threshold. Z, the state of the world, is shared by all leaves
of a page, and the Xᵢ are their own; all are standard normal, and r is the correlation. Given Z
the leaves are independent. At r = 0 they always are; at r = 1 a page has one fate.
"""

import numpy as np
from scipy.optimize import brentq
from scipy.special import betainc, betaincinv, log_ndtr, ndtr, ndtri

from labutils.ground import arguments

_NODES = 1601
_FAR = 1e-30  # probability beyond the ends of the grid
_FAR_OUT = 37.0  # beyond, a float64 holds no normal probability


def late_share(leaf_slow_share: float, k: int, n: int, *, correlation: float = 0.0) -> float:
    """P(the k-th of n leaves to answer is slow), when a leaf is slow with ``leaf_slow_share``.

    That is the chance that more than n - k leaves are slow. ``k = n`` waits for all of them.
    Raises ``ValueError`` naming the argument that is out of range.
    """
    share = arguments.fraction("leaf_slow_share", leaf_slow_share)
    n = arguments.whole("n", n)
    k, r = rank("k", k, n), correlation_from("correlation", correlation)
    if r == 0:
        return float(_late_if_independent(share, k, n))
    return _late_share(-ndtri(share), k, n, r)


def order_statistic_quantile(q: float, k: int, n: int, *, correlation: float = 0.0) -> float:
    """Which quantile of one leaf is the ``q``-quantile of the k-th of n leaves to answer.

    ``order_statistic_quantile(0.5, 95, 100)`` = 0.943: half of the pages have 95 of their 100
    answers within the leaf's 94.3rd percentile. Independent leaves: the quantile of a
    Beta(k, n - k + 1) distribution (David & Nagaraja 2003, section 2.1).
    """
    q, n = arguments.fraction("q", q), arguments.whole("n", n)
    k, r = rank("k", k, n), correlation_from("correlation", correlation)
    if r == 0:
        return float(betaincinv(k, n - k + 1, q))
    return float(ndtr(slow_threshold(1 - q, k, n, r)))


def rank(name: str, value, n: int) -> int:
    """``value`` as an int, if it is a rank among ``n``."""
    value = arguments.whole(name, value)
    if value > n:
        raise ValueError(f"{name} = {value}: expected at most n = {n}")
    return value


def correlation_from(name: str, value) -> float:
    """``value`` as a float, if it lies between 0 and 1, both included."""
    correlation = arguments.non_negative(name, value)
    if correlation > 1:
        raise ValueError(f"{name} = {value!r}: expected a number from 0 to 1")
    return correlation


def slow_threshold(late: float, k: int, n: int, correlation: float) -> float:
    """The normal threshold at which the k-th of n leaves is slow with probability ``late``."""
    return brentq(
        lambda c: _late_share(c, k, n, correlation) - late, -_FAR_OUT, _FAR_OUT, xtol=1e-14
    )


def _late_share(threshold: float, k: int, n: int, r: float) -> float:
    """Average over what is shared or over what is not, whichever integrand is the smoother."""
    own, density, spread = _order_statistic_of_normals(k, n)
    if r > (1 - r) * spread**2:
        return float(density @ ndtr((np.sqrt(1 - r) * own - threshold) / np.sqrt(r)))
    z = np.linspace(-12.0, 12.0, _NODES)
    weight = np.exp(-z * z / 2)
    share_given_z = ndtr((np.sqrt(r) * z - threshold) / np.sqrt(1 - r))
    return float(weight @ _late_if_independent(share_given_z, k, n) / weight.sum())


def _late_if_independent(share, k: int, n: int):
    """P(more than n - k of n independent leaves are slow): a binomial tail, as a beta integral."""
    return betainc(n - k + 1, k, share)


def _order_statistic_of_normals(k: int, n: int):
    """Grid, probabilities and rough standard deviation of the k-th smallest of n normals."""
    low, high = ndtri(betaincinv(k, n - k + 1, _FAR)), -ndtri(betaincinv(n - k + 1, k, _FAR))
    grid = np.linspace(low, high, _NODES)
    logs = (k - 1) * log_ndtr(grid) + (n - k) * log_ndtr(-grid) - grid**2 / 2
    density = np.exp(logs - logs.max())
    return grid, density / density.sum(), (high - low) / 23  # 1e-30 lies 11.5 deviations out
