"""A latency budget: what a total may promise, given how long its stages take.

Quantiles do not add. The sum of the stages' p99s is the p99 of the total only if one and the same
request is slow at every stage; where stages are independent the total does far better, and under
other dependence it may do worse. So a budget is checked on the totals of real requests.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from labutils.ground import arguments

from .percentiles import percentile, percentile_interval
from .ranks import nearest_rank
from .stage_samples import columns_of


@dataclass(frozen=True)
class BudgetAudit:
    """What stage samples say about a promise: a share ``p`` of requests within ``limit_s``.

    Times are in seconds and quantiles nearest-rank. ``stage_s`` are the stages' own p-quantiles and
    ``sum_s`` their sum. ``total_s`` is the p-quantile of the total with its 95 % interval (for
    independent requests), ``independent_s`` the same if the stages were independent, and ``kept``
    the share of requests whose total is within the limit.

    ``equal_q`` is the largest quantile that all stages may promise so that the promises
    (``equal_s``) add up to at most the limit; 0 if not even their fastest requests do.
    ``union_q`` = 1 - (1 - p) / k is the quantile that k stages must keep to guarantee p for the
    total whatever the dependence (union bound); ``union_s`` is what those promises add up to.
    """

    p: float
    limit_s: float
    num_requests: int
    stage_s: Mapping[str, float]
    sum_s: float
    total_s: float
    interval_s: tuple[float, float]
    independent_s: float
    kept: float
    equal_q: float
    equal_s: Mapping[str, float]
    union_q: float
    union_s: float

    @property
    def equal_guarantee(self) -> float:
        """The share that promises at ``equal_q`` guarantee, whatever the dependence (0 at least).

        The union bound: with k stages at most a share k (1 - q) breaks any of the promises.
        """
        return max(0.0, 1 - len(self.stage_s) * (1 - self.equal_q))


@dataclass(frozen=True)
class BudgetSplit:
    """A limit for each stage, adding up to the whole, and what the measured requests make of them.

    ``stage_kept`` is the share of requests within their limit at each stage, ``all_kept`` the share
    within it at every stage, ``total_kept`` that whose total is within the sum. ``guarantee`` is
    what the stages' shares guarantee for the total whatever their dependence (union bound).
    """

    limits_s: Mapping[str, float]
    stage_kept: Mapping[str, float]
    all_kept: float
    total_kept: float
    guarantee: float


def audit_budget(
    stage_samples,
    *,
    limit_s: float,
    p: float = 0.99,
    rng: np.random.Generator,
    joint: bool = True,
) -> BudgetAudit:
    """Hold stage samples against a promise on their total.

    ``stage_samples`` maps names to one time in seconds for each request, or is an array of shape
    (requests, stages). ``joint`` says that a row is one request. Where the stages were measured
    apart it must be False: then only their independent total is known, and ``total_s``,
    ``interval_s`` and ``kept`` are that one's. ``rng`` shuffles each stage on its own, which keeps
    its distribution and breaks every dependence.

    Raises ``ValueError`` naming what is wrong.
    """
    names, times = columns_of(stage_samples)
    limit, p = arguments.positive("limit_s", limit_s), arguments.fraction("p", p)
    if not isinstance(rng, np.random.Generator):
        raise ValueError(f"rng = {rng!r}: expected a numpy random generator")
    shuffled = rng.permuted(times, axis=0).sum(axis=1)
    totals = times.sum(axis=1) if joint else shuffled
    in_order = np.sort(times, axis=0)
    stage_s, union_q = _at(in_order, p), 1 - (1 - p) / len(names)
    rank = _equal_rank(in_order, limit)
    equal_s = in_order[rank - 1] if rank else np.full(len(names), np.nan)
    return BudgetAudit(
        p, limit, len(times),
        stage_s=dict(zip(names, stage_s.tolist())),
        sum_s=float(stage_s.sum()),
        total_s=percentile(totals, p),
        interval_s=percentile_interval(totals, p),
        independent_s=percentile(shuffled, p),
        kept=float((totals <= limit).mean()),
        equal_q=rank / len(times),
        equal_s=dict(zip(names, equal_s.tolist())),
        union_q=union_q,
        union_s=float(_at(in_order, union_q).sum()),
    )  # fmt: skip


def split_budget(
    stage_samples, *, limit_s: float, p: float = 0.99, how: str = "equal-quantile"
) -> BudgetSplit:
    """Share a limit out among the stages, and say what it is worth for the total.

    ``"proportional"`` gives each stage a part in proportion to its own p-quantile;
    ``"equal-quantile"`` finds the one quantile at which the stages' times add up to the limit, so
    that every team breaks its promise equally often; what is left over is shared in proportion.
    Rows of ``stage_samples`` are requests. Raises ``ValueError`` naming what is wrong, and where
    not even the stages' fastest times fit.
    """
    names, times = columns_of(stage_samples)
    limit, p = arguments.positive("limit_s", limit_s), arguments.fraction("p", p)
    parts = _parts(np.sort(times, axis=0), limit, p, how)
    if not parts.sum():
        raise ValueError(f"stage_samples = all 0 up to the quantile {p}: expected some time")
    limits = parts * (limit / parts.sum())
    kept = (times <= limits).mean(axis=0)
    return BudgetSplit(
        limits_s=dict(zip(names, limits.tolist())),
        stage_kept=dict(zip(names, kept.tolist())),
        all_kept=float((times <= limits).all(axis=1).mean()),
        total_kept=float((times.sum(axis=1) <= limit).mean()),
        guarantee=max(0.0, float(1 - (1 - kept).sum())),
    )


def _parts(in_order: np.ndarray, limit: float, p: float, how: str) -> np.ndarray:
    if how == "proportional":
        return _at(in_order, p)
    if how != "equal-quantile":
        raise ValueError(f"how = {how!r}: expected 'proportional' or 'equal-quantile'")
    if not (rank := _equal_rank(in_order, limit)):
        least = in_order[0].sum()
        raise ValueError(f"limit_s = {limit:.6g}: expected at least {least:.6g}, the fastest times")
    return in_order[rank - 1]


def _equal_rank(in_order: np.ndarray, limit: float) -> int:
    """How many of the rows of sorted stage times add up to at most the limit."""
    # Row r holds every stage's r-th smallest: the total of a request that is equally slow at all.
    return int(np.searchsorted(in_order.sum(axis=1), limit, side="right"))


def _at(in_order: np.ndarray, q: float) -> np.ndarray:
    return in_order[nearest_rank(len(in_order), q) - 1]
