"""watching.quantile · A quantile from buckets, and its bounds · 7 minutes

> The rank is q times all requests. Which is the first bucket up to whose edge at least so many
  requests lie?
> low is the edge before it (0 for the first), high its own edge. The value lies (rank - those below
  low) / (those in the bucket) of the way from low to high. If high is infinite, the value is low.
> at = bisect_left(up_to, q * up_to[-1]); low = edges_s[at - 1] if at else 0; below = up_to[at - 1]
  if at else 0; value = low + (high - low) * (rank - below) / (up_to[at] - below).

A histogram forgets everything but counts, so a quantile from it is an interval: the two edges. The
number on the dashboard is a guess inside of it, as if the requests of the bucket were spread
evenly. The guess cannot be better than the edges. So put edges where a decision is made: at what
was promised.
"""

import math
from bisect import bisect_left, bisect_right

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise, mistakes_in, says


def _bucket(up_to, rank, find=bisect_left):
    return min(find(up_to, rank), len(up_to) - 1)


def _quantile(*, find=bisect_left, counts=None, inside=None, first=0.0, rank=None, top=None):
    """The rule with another idea of the counts, the rank, the bucket or the place in it."""

    def bucket_quantile(edges_s, up_to, q):
        sums = counts(up_to) if counts else up_to
        wanted = rank(q, sums) if rank else q * sums[-1]
        at = _bucket(sums, wanted, find)
        low = edges_s[at - 1] if at else (edges_s[0] if first is None else first)
        high = edges_s[at]
        if math.isinf(high):
            return top(low) if top else (low, low, high)
        below = sums[at - 1] if at else 0
        share = (wanted - below) / (sums[at] - below)
        ways = low, high, share, wanted, sums[at], below
        value = inside(*ways) if inside else low + (high - low) * share
        return value, low, high

    return bucket_quantile


def _summed_again(up_to):
    return [sum(up_to[: at + 1]) for at in range(len(up_to))]


class Wrong:
    counts_of_single_buckets = says("""You add the counts up. `up_to` holds cumulative counts
        already: each is the number of requests up to its edge.""")(_quantile(counts=_summed_again))
    upper_edge = says("""You return the upper edge as the value. How far into the bucket is the
        rank?""")(_quantile(inside=lambda low, high, *_: high))
    lower_edge = says("""You return the lower edge as the value. How far into the bucket is the
        rank?""")(_quantile(inside=lambda low, high, *_: low))
    middle = says("""You return the middle of the bucket. Prometheus goes as far into it as the rank
        goes into its requests.""")(_quantile(inside=lambda low, high, *_: (low + high) / 2))

    def q_is_the_way(edges_s, up_to, q):
        """You go the share q into the bucket. q says which request of all; how far into its own
        bucket does that one lie?"""
        return _quantile(inside=lambda low, high, *_: low + (high - low) * q)(edges_s, up_to, q)

    def bounds_swapped(edges_s, up_to, q):
        """Your value is right. The bounds stand the other way round: (value, low, high)."""
        value, low, high = _quantile()(edges_s, up_to, q)
        return value, high, low

    def value_in_the_middle(edges_s, up_to, q):
        """All three are right, in another order: (value, low, high)."""
        value, low, high = _quantile()(edges_s, up_to, q)
        return low, value, high

    rank_rounded_down = says("""You round the rank down. It need not be whole: 0.75 of 26 requests
        is 19.5.""")(_quantile(rank=lambda q, sums: int(q * sums[-1])))
    rank_rounded_up = says("""You round the rank up. It need not be whole: 0.75 of 26 requests is
        19.5.""")(_quantile(rank=lambda q, sums: math.ceil(q * sums[-1])))
    share_of_all = says("""You divide the rank by all requests up to the upper edge. How many of
        them lie in this bucket, and how many of those come up to the rank?""")(
        _quantile(inside=lambda low, high, s, rank, at, _: low + (high - low) * rank / at)
    )
    counts_from_the_first = says("""You set the whole rank against the bucket's own requests. How
        many lie in the buckets before it?""")(
        _quantile(
            inside=lambda low, high, s, rank, at, below: low + (high - low) * rank / (at - below)
        )
    )
    part_of_all_below = says("""You divide by all requests up to the upper edge. How many of them
        lie in this bucket?""")(
        _quantile(
            inside=lambda low, high, s, rank, at, below: low + (high - low) * s * (at - below) / at
        )
    )
    without_the_lower_edge = says("""You return how far into the bucket it lies. Where does the
        bucket begin?""")(_quantile(inside=lambda low, high, share, *_: (high - low) * share))
    edge_for_width = says("""You go a part of the upper edge into the bucket. How wide is it?""")(
        _quantile(inside=lambda low, high, share, *_: low + high * share)
    )
    from_the_upper_edge = says("""You go backwards from the upper edge. From which one do ranks
        count?""")(_quantile(inside=lambda low, high, share, *_: high - (high - low) * share))
    next_bucket = says("""Where the rank is the count of an edge, you go on to the next bucket. The
        request of that rank still lies below the edge.""")(_quantile(find=bisect_right))
    first_begins_at_its_edge = says("""The first bucket begins at 0, not at its own upper edge.""")(
        _quantile(first=None)
    )
    infinite = says("""Beyond the last finite edge Prometheus shows that edge. It is wrong, and it
        is what stands on the wall; `high` says how wrong it may be.""")(
        _quantile(top=lambda low: (math.inf, low, math.inf))
    )
    top_is_certain = says("""Beyond the last finite edge nothing is known from above. What is `high`
        then?""")(_quantile(top=lambda low: (low, low, low)))


def _some_buckets():
    """Cumulative counts of up to six buckets, some of them empty, and quantiles inside them."""
    from hypothesis import strategies as st

    def ladder(counts):
        edges = [*[0.1, 0.25, 0.5, 1.0, 2.5, 10.0][: len(counts) - 1], math.inf]
        return edges, _summed_again(counts)

    counts = st.lists(st.sampled_from([0, 1, 3, 7, 20, 41]), min_size=3, max_size=7)
    full = counts.filter(lambda found: sum(found) > 1).map(ladder)
    quantiles = st.sampled_from([0.5, 0.75, 0.875, 0.9375])
    return st.tuples(full, quantiles).map(lambda pair: (*pair[0], pair[1]))


BUCKET_QUANTILE = exercise(
    __doc__,
    Function(
        _quantile(),
        _some_buckets,
        always=(
            ([0.1, 0.5, 2.0, math.inf], [8, 20, 20, 20], 0.5),
            ([0.1, 0.5, 2.0, math.inf], [8, 20, 26, 40], 0.75),
            ([0.1, 0.5, 2.0, math.inf], [8, 8, 16, 16], 0.75),
            ([0.1, 0.5, 2.0, math.inf], [8, 8, 16, 16], 0.5),
            ([0.1, 0.5, 2.0, math.inf], [12, 14, 16, 16], 0.5),
        ),
        misconceptions=mistakes_in(Wrong),
    ),
)
