r"""tails.trigger · The smallest delay within the budget · 7 minutes

> Put the latencies in order. How many of them may lie above the delay?
> k = floor(budget * n) requests may need longer. A request answered exactly at the delay needs no
  copy.
> ordered = sorted(latencies); the delay is the latency that has exactly k others behind it:
  ordered[n - k - 1].

Of $n$ requests $k = \lfloor b\,n \rfloor$ may get a copy, so the delay is the $(n-k)$-th smallest
latency: no smaller one leaves at most $k$ above it. For a budget of 5 % that is the p95 by nearest
rank. It holds for the log that it was read from: a promise about extra requests is a promise about
the latency distribution, and that changes with the load.
"""

import math

import numpy as np

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise, mistakes_in


def _hedge_delay(latencies, budget):
    spared = len(latencies) - math.floor(budget * len(latencies))
    return sorted(latencies)[spared - 1]


class Wrong:
    def interpolated(latencies, budget):
        """Your delay lies between two latencies of the log. Count how many are above it: with few
        requests an interpolated percentile sends more copies than allowed."""
        return float(np.quantile(latencies, 1 - budget))

    def from_the_fast_end(latencies, budget):
        """You count from the fast end. Which requests get a copy: the quick ones or those that are
        still waiting?"""
        return sorted(latencies)[math.floor(budget * len(latencies))]

    def budget_as_quantile(latencies, budget):
        """You count from the fast end. Which requests get a copy: the quick ones or those that are
        still waiting?"""
        return sorted(latencies)[math.ceil(budget * len(latencies)) - 1]

    def one_over_budget(latencies, budget):
        """Count the latencies above your delay: there is one more than the budget allows."""
        ordered = sorted(latencies)
        return ordered[max(0, len(ordered) - math.floor(budget * len(ordered)) - 2)]

    def one_under_budget(latencies, budget):
        """Your delay keeps the budget, but a smaller one does too. Is a request hedged that is
        answered exactly at the delay?"""
        ordered = sorted(latencies)
        return ordered[min(len(ordered) - 1, len(ordered) - math.floor(budget * len(ordered)))]

    def one_more_when_not_whole(latencies, budget):
        """Where the budget does not come to a whole number of copies, you send one too many. At
        most 2.5 of them: how many is that?"""
        ordered = sorted(latencies)
        return ordered[max(0, len(ordered) - math.ceil(budget * len(ordered)) - 1)]

    def nearest_number_of_copies(latencies, budget):
        """You round the number of copies to the nearest whole one, and that may be the one above.
        At most 2.7 of them: how many is that?"""
        return sorted(latencies)[len(latencies) - round(budget * len(latencies)) - 1]

    def one_fewer_when_whole(latencies, budget):
        """Where the budget comes to a whole number of copies, you send one fewer. At most a share
        of 5 % includes 5 % itself: how many of twenty may then be later?"""
        allowed = budget * len(latencies)
        ordered = sorted(latencies)
        return next(x for x in ordered if sum(y > x for y in ordered) < allowed)

    def counts_the_delay_itself(latencies, budget):
        """You count requests that are answered exactly at the delay as late. They get no copy:
        which latencies lie *above* it?"""
        allowed = budget * len(latencies)
        ordered = sorted(latencies)
        return next((x for x in ordered if sum(y >= x for y in ordered) <= allowed), ordered[-1])

    def always_five_percent(latencies, budget):
        """You spend 5 % whatever the budget is. Use the argument."""
        return _hedge_delay(latencies, 0.05)

    def each_latency_once(latencies, budget):
        """You count each latency once. If three requests took 9 ms, how many copies do they
        cost?"""
        return _hedge_delay(list(set(latencies)), budget)

    def first_in_the_log(latencies, budget):
        """You take the first latency of the log that keeps the budget. A smaller one may come
        later."""
        allowed = budget * len(latencies)
        return next(x for x in latencies if sum(y > x for y in latencies) <= allowed)

    def unsorted(latencies, budget):
        """A log comes in order of arrival. Which place does the k-th slowest have in it?"""
        return latencies[len(latencies) - math.floor(budget * len(latencies)) - 1]

    def never_hedges(latencies, budget):
        """No request of the log needs longer than your delay, so none is ever hedged. The budget
        allows some."""
        return max(latencies)


def _some_logs():
    """One to sixty latencies, in ms and in any order, and a budget of 1 to 60 per cent.

    Budgets that come to a whole number of copies are frequent: a rank may go wrong there alone.
    """
    from hypothesis import strategies as st

    log = st.lists(st.integers(1, 400), min_size=1, max_size=60)
    drawn = st.tuples(log, st.integers(1, 60).map(lambda k: k / 100)).filter(_decided)
    halves = st.integers(1, 12).map(lambda k: (list(range(3, 6 * k + 1, 3)), 0.5))
    quarters = st.integers(1, 12).map(lambda k: (list(range(3, 12 * k + 1, 3)), 0.25))
    return st.one_of(drawn, halves, quarters, st.just((list(range(5, 101, 5)), 0.05)))


def _decided(log) -> bool:
    """Whether the number of copies is clear: some products are a whole number but for rounding."""
    latencies, budget = log
    copies = budget * len(latencies)
    others = (copies - 1e-9, copies + 1e-9, len(latencies) - (1 - budget) * len(latencies))
    return copies == round(copies) or len({math.floor(x) for x in (copies, *others)}) == 1


TRIGGER = exercise(
    __doc__,
    Function(
        _hedge_delay,
        _some_logs,
        # Ties: above the delay, and below it. Only there do some mistakes part from the truth.
        always=(([5, 9, 11, 9], 0.5), ([5, 11, 5, 9, 5, 9], 0.5)),
        misconceptions=mistakes_in(Wrong),
    ),
)
