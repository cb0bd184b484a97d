"""watching.service · The quantile of a service · 3 minutes

> How would the counts look if one server had answered all these requests?
> A request that is counted up to an edge on its replica is counted up to that edge in the service:
  add the replicas' counts, edge by edge. Then take the quantile.
> up_to = [sum(column) for column in zip(*replicas)], then your quantile of edges_s, up_to and q.

Counts add, quantiles do not. That is the reason for histograms: a summary that a server computes
for itself (`quantile="0.99"` in its metrics) can never be put together with that of another. In
PromQL: `histogram_quantile(0.99, sum by (le) (rate(…_bucket[5m])))`, the sum inside.
"""

import math
from itertools import accumulate
from statistics import mean, median

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise, mistakes_in, says

from .bucket_quantile import BUCKET_QUANTILE

_one = BUCKET_QUANTILE.checker.reference


def _service(edges_s, replicas, q):
    return _one(edges_s, [sum(counts) for counts in zip(*replicas)], q)


def _of_each(combine):
    """Combines the replicas' own results: value with value, bound with bound."""

    def service_quantile(edges_s, replicas, q):
        each = [_one(edges_s, up_to, q) for up_to in replicas]
        weights = [up_to[-1] for up_to in replicas]
        return tuple(combine(column, weights) for column in zip(*each))

    return service_quantile


def _weighted(column, weights):
    return sum(value * weight for value, weight in zip(column, weights)) / sum(weights)


class Wrong:
    mean_of_quantiles = says("""You average the replicas' quantiles. That is no quantile of
        anything: which request of the service waited so long?""")(
        _of_each(lambda column, weights: sum(column) / len(column))
    )
    weighted_mean_of_quantiles = says("""You weight the replicas' quantiles by their requests. An
        average of quantiles stays one. What can be added are counts.""")(_of_each(_weighted))
    worst_replica = says("""That is the worst replica's quantile. Few of the service's requests may
        have been there.""")(_of_each(lambda column, weights: max(column)))
    best_replica = says("""That is the best replica's quantile. What of the requests of the
        others?""")(_of_each(lambda column, weights: min(column)))
    median_replica = says("""You take the replica in the middle. What of the requests of the
        others?""")(_of_each(lambda column, weights: median(column)))

    def busiest_replica(edges_s, replicas, q):
        """You look at the busiest replica alone. What of the requests of the others?"""
        return _one(edges_s, max(replicas, key=lambda up_to: up_to[-1]), q)

    def adds_within_replicas(edges_s, replicas, q):
        """You add up the counts of one replica, edge after edge. Which counts belong to the same
        edge?"""
        # A sum for each replica, walked through from the first: such sums need not ascend.
        sums = [sum(up_to) for up_to in replicas]
        rank = q * sums[-1]
        at = next(at for at, count in enumerate(sums) if count >= rank)
        low, below = (edges_s[at - 1], sums[at - 1]) if at else (0.0, 0)
        return low + (edges_s[at] - low) * (rank - below) / (sums[at] - below), low, edges_s[at]

    def accumulates_again(edges_s, replicas, q):
        """The replicas are added edge by edge, and then you accumulate. These counts are cumulative
        already: what would the last of them be?"""
        return _one(edges_s, list(accumulate(sum(counts) for counts in zip(*replicas))), q)

    def mean_between_right_bounds(edges_s, replicas, q):
        """Your bounds are the service's. Your value is still the mean of the replicas' values: from
        which counts does it have to come?"""
        return mean(_one(edges_s, up_to, q)[0] for up_to in replicas), *_service(
            edges_s, replicas, q
        )[1:]

    def mean_in_the_widest_bounds(edges_s, replicas, q):
        """You average the replicas' values, and take the widest bounds of any. Which counts would
        one server have that answered all of it?"""
        values, lows, highs = zip(*(_one(edges_s, up_to, q) for up_to in replicas))
        return mean(values), min(lows), max(highs)

    def shares_added(edges_s, replicas, q):
        """You add shares, so a replica with few requests counts as much as one with many. Which
        numbers say how many there were?"""
        shares = [[count / up_to[-1] for count in up_to] for up_to in replicas]
        return _one(edges_s, [sum(column) for column in zip(*shares)], q)


def _some_replicas():
    """Two to four replicas, unequal in number and in speed, with the same edges."""
    from hypothesis import strategies as st

    edges = [0.1, 0.25, 1.0, 4.0, math.inf]
    counts = st.lists(st.sampled_from([0, 1, 4, 9, 30]), min_size=5, max_size=5)
    sums = counts.filter(any).map(lambda found: [sum(found[: at + 1]) for at in range(5)])
    replicas = st.lists(sums, min_size=2, max_size=4)
    return st.tuples(st.just(edges), replicas, st.sampled_from([0.5, 0.75, 0.875, 0.9375]))


SERVICE_QUANTILE = exercise(
    __doc__,
    Function(
        _service,
        _some_replicas,
        always=(
            ([0.1, 0.25, 1.0, math.inf], [[90, 100, 100, 100], [0, 2, 8, 8]], 0.9375),
            ([0.1, 0.25, 1.0, math.inf], [[3, 5, 6, 6], [40, 90, 93, 93], [0, 0, 7, 9]], 0.75),
        ),
        misconceptions=mistakes_in(Wrong),
    ),
)
