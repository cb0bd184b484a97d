"""Closed forms for tails: what many leaves do to a page, and what a second copy buys.

A *page* is a request that asks many *leaves* at once and waits for all of them, or for most.
A tail is a function: ``tail(t)`` = P(T > t), for t in seconds; that of any queue of
``labutils.laws.queueing`` will do.

>>> round(slow_share(0.01, 100), 3)  # one leaf in a hundred is slow; how many pages?
0.634
>>> from math import exp
>>> hedge = Hedge(lambda t: exp(-t), trigger_s=3.0)
>>> round(hedge.extra_requests, 3), round(hedge.quantile(0.99), 3)
(0.05, 3.803)

All leaves are statistically alike. They are independent unless ``correlation`` says otherwise.
"""

from labutils.laws.tails.bounds import leaf_share_bounds, page_share_bounds
from labutils.laws.tails.fan_out import page_quantile, page_tail, required_leaf_quantile, slow_share
from labutils.laws.tails.feedback import collapse_load, collapse_load_at_quantile, effective_loads
from labutils.laws.tails.hedge import Hedge
from labutils.laws.tails.order import late_share, order_statistic_quantile
from labutils.laws.tails.published import TAIL_AT_SCALE_MS, TAIL_AT_SCALE_QUANTILES
from labutils.laws.tails.quantiles import Tail, tail_quantile
from labutils.laws.tails.tied import tied_tail

__all__ = [
    "TAIL_AT_SCALE_MS",
    "TAIL_AT_SCALE_QUANTILES",
    "Hedge",
    "Tail",
    "collapse_load",
    "collapse_load_at_quantile",
    "effective_loads",
    "late_share",
    "leaf_share_bounds",
    "order_statistic_quantile",
    "page_quantile",
    "page_share_bounds",
    "page_tail",
    "required_leaf_quantile",
    "slow_share",
    "tail_quantile",
    "tied_tail",
]
