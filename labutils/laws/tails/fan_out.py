"""A page that waits for all of its leaves."""

import math

from labutils.ground import arguments
from labutils.laws.tails.order import late_share, order_statistic_quantile
from labutils.laws.tails.quantiles import Tail


def slow_share(leaf_slow_share: float, num_leaves: int, *, correlation: float = 0.0) -> float:
    """P(at least one of ``num_leaves`` leaves is slow), each with ``leaf_slow_share``.

    Independent leaves give 1 - (1 - p)ⁿ. ``correlation`` is that of the one-factor Gaussian
    copula (Vasicek 1987): at 1 all leaves are slow together, and the page is slow as often as a
    leaf. It is the correlation of latent normal scores, not of the latencies themselves.

    Raises ``ValueError`` naming the argument that is out of range.
    """
    n = arguments.whole("num_leaves", num_leaves)
    return late_share(leaf_slow_share, n, n, correlation=correlation)


def page_quantile(leaf_quantile: float, num_leaves: int, *, correlation: float = 0.0) -> float:
    """The share of pages that are done within the leaf's ``leaf_quantile``.

    At 100 independent leaves the leaf's p99 is the page's p37.
    """
    leaf = arguments.fraction("leaf_quantile", leaf_quantile)
    return 1 - slow_share(1 - leaf, num_leaves, correlation=correlation)


def required_leaf_quantile(
    page_quantile: float, num_leaves: int, *, correlation: float = 0.0
) -> float:
    """The quantile of one leaf that bounds the page's ``page_quantile``: page_quantile's inverse.

    Independent leaves need q^(1/n): 100 leaves turn a p99 for the page into a p99.99 for each.
    """
    q = arguments.fraction("page_quantile", page_quantile)
    n = arguments.whole("num_leaves", num_leaves)
    if correlation == 0:
        return math.exp(math.log(q) / n)
    return order_statistic_quantile(q, n, n, correlation=correlation)


def page_tail(tail: Tail, num_leaves: int, *, correlation: float = 0.0) -> Tail:
    """The tail of the slowest of ``num_leaves`` leaves, from the tail of one.

    The copula joins the leaves as in ``slow_share``; ``tail_quantile`` inverts the result.
    """
    n = arguments.whole("num_leaves", num_leaves)

    def slowest(t: float) -> float:
        share = tail(t)
        if not 0 < share < 1:
            return float(share)
        return slow_share(share, n, correlation=correlation)

    return slowest
