r"""batch.least_stable · The smallest batch that keeps up · 5 minutes

> While a batch of B runs, requests go on coming. The batch keeps up if fewer than B come.
> arrival_rate * (fixed_s + per_item_s * B) < B. Bring B to one side: what must 1 - arrival_rate *
  per_item_s be?
> The edge is arrival_rate * fixed_s / (1 - arrival_rate * per_item_s); the first whole number above
  it is math.floor(edge) + 1. With nothing free below the line: math.inf.

A batch of $B$ keeps up if fewer than $B$ requests come while it runs: $\lambda(c_0 + c_1 B) < B$,
so $B > \lambda c_0 / (1 - \lambda c_1)$. The denominator is what the requests' own share of the
time leaves free. At $\lambda c_1 \ge 1$ nothing is left, and no batch helps: the machine is too
slow by its arithmetic, not by its fixed cost.
"""

import math

from labutils.exercises.checkers import Function
from labutils.exercises.definition.exercise import NeverReturns, Raises
from labutils.exercises.definition.sheet import exercise, mistakes_in, says


def _least_batch(arrival_rate, fixed_s, per_item_s):
    free = 1 - arrival_rate * per_item_s
    return math.floor(arrival_rate * fixed_s / free) + 1 if free > 0 else math.inf


def _some_machines():
    """Machines at loads (rate times cost per head) from 0.02 to 1.4, some of exactly 1.

    Where an edge is a whole number, all numbers are exact in binary; elsewhere none is met, since
    rounding alone would settle it.
    """
    from hypothesis import strategies as st

    rate = st.integers(3, 90).map(lambda k: 10 * k)
    load = st.one_of(st.integers(2, 97), st.integers(90, 99), st.integers(102, 140))
    fixed = st.integers(1, 40).map(lambda k: k / 2000)
    machines = st.tuples(rate, fixed, load).map(lambda m: (m[0], m[1], round(m[2] / 100 / m[0], 6)))
    at_the_limit = st.sampled_from([(100, 0.01), (200, 0.005), (250, 0.004), (500, 0.002)])
    uneven = fixed.map(lambda fixed_s: round(fixed_s + 0.00013, 5))
    full = st.tuples(at_the_limit, uneven).map(lambda m: (m[0][0], m[1], m[0][1]))
    return st.one_of(machines.filter(_decided), machines.filter(_decided), full, _met())


def _met():
    """Machines on which as many requests come as a batch holds, of 2 to 40, while it runs."""
    from hypothesis import strategies as st

    parts = st.tuples(
        st.sampled_from([32, 64, 256]), st.sampled_from([0.25, 0.5]), st.integers(2, 40)
    )
    return parts.map(lambda m: (m[0], m[2] * m[1] / m[0], (1 - m[1]) / m[0]))


def _decided(machine) -> bool:
    arrival_rate, fixed_s, per_item_s = machine
    free = 1 - arrival_rate * per_item_s
    if abs(free) < 0.004:
        return False
    edge = arrival_rate * fixed_s / free
    return edge < 0 or abs(edge - round(edge)) > 1e-6


def _first_of(sizes):
    """Takes the first of ``sizes``, in their order, that keeps up."""
    tried = tuple(sizes)

    def least_batch(arrival_rate, fixed_s, per_item_s):
        least = _least_batch(arrival_rate, fixed_s, per_item_s)
        return next((size for size in tried if size >= least), math.inf)

    return least_batch


_FIXED = (
    "You count the requests that come during the fixed cost. Each request in the batch adds time "
    "of its own, in which more of them come."
)

_ENDS = (
    "Your search ends before a batch keeps up, and you call the machine too slow. Which machines "
    "are too slow for every batch?"
)


class Wrong:
    def to_the_nearest(arrival_rate, fixed_s, per_item_s):
        """You round to the nearest whole number, and for half of the machines that is the one
        below. Does such a batch hold as many as come while it runs?"""
        free = 1 - arrival_rate * per_item_s
        return round(arrival_rate * fixed_s / free) if free > 0 else math.inf

    def rounded_down(arrival_rate, fixed_s, per_item_s):
        """Your batch is one too small: put it into the cost, and more requests come while it runs
        than it holds."""
        return max(1, _least_batch(arrival_rate, fixed_s, per_item_s) - 1)

    @says(_FIXED)
    def fixed_cost_alone(arrival_rate, fixed_s, per_item_s):
        return math.floor(arrival_rate * fixed_s) + 1

    def batch_of_one(arrival_rate, fixed_s, per_item_s):
        """You count the requests that come while one request runs alone. How many come while the
        batch runs that you propose?"""
        return math.floor(arrival_rate * (fixed_s + per_item_s)) + 1

    def ignores_the_limit(arrival_rate, fixed_s, per_item_s):
        """For some machines you divide by a number below 0. What does it mean if requests come
        faster than their own share of the time is worked off?"""
        free = 1 - arrival_rate * per_item_s
        return math.floor(arrival_rate * fixed_s / free) + 1 if free else math.inf

    def refuses_above_alone(arrival_rate, fixed_s, per_item_s):
        """You divide by 0 where requests come exactly as fast as their own share of the time is
        worked off. Which batch keeps up there?"""
        if arrival_rate * per_item_s == 1:
            return Raises(ZeroDivisionError)
        return _least_batch(arrival_rate, fixed_s, per_item_s)

    def never_refuses(arrival_rate, fixed_s, per_item_s):
        """You give a batch to every machine. Where requests come faster than their own share of the
        time is worked off, which batch keeps up?"""
        free = 1 - arrival_rate * per_item_s
        if not free:
            return Raises(ZeroDivisionError)
        return math.floor(arrival_rate * fixed_s / free) + 1

    def never_gives_up(arrival_rate, fixed_s, per_item_s):
        """Your search tries one batch after the other, and on some machines none keeps up. What
        tells you so before the first try?"""
        if arrival_rate * per_item_s >= 1:
            raise NeverReturns
        return _least_batch(arrival_rate, fixed_s, per_item_s)

    def one_pass(arrival_rate, fixed_s, per_item_s):
        """You let the batch grow once, by the requests that come in its own time. Those add time,
        too: at which batch does the growing end?"""
        if arrival_rate * per_item_s >= 1:
            return math.inf
        first = math.floor(arrival_rate * fixed_s) + 1
        return math.floor(arrival_rate * (fixed_s + per_item_s * first)) + 1

    def half_efficiency(arrival_rate, fixed_s, per_item_s):
        """You divide the fixed cost by the cost of a request. That batch halves the efficiency,
        whatever the rate: at which batch do fewer come than it holds?"""
        return math.ceil(fixed_s / per_item_s) if arrival_rate * per_item_s < 1 else math.inf

    @says(_FIXED)
    def fixed_cost_alone_or_none(arrival_rate, fixed_s, per_item_s):
        stable = arrival_rate * per_item_s < 1
        return math.floor(arrival_rate * fixed_s) + 1 if stable else math.inf

    def milliseconds(arrival_rate, fixed_s, per_item_s):
        """All your batches come out as 1, or nearly so. Do you divide seconds by 1,000? In which
        unit are the costs, and in which the rate?"""
        return _least_batch(arrival_rate, fixed_s / 1000, per_item_s / 1000)

    def costs_swapped(arrival_rate, fixed_s, per_item_s):
        """You exchange the two costs. Which one is paid once a batch, and which one once a
        request?"""
        return _least_batch(arrival_rate, per_item_s, fixed_s)

    def not_whole(arrival_rate, fixed_s, per_item_s):
        """Half a request cannot be batched. Which whole number is the first that keeps up?"""
        free = 1 - arrival_rate * per_item_s
        return arrival_rate * fixed_s / free if free > 0 else math.inf

    def met_exactly(arrival_rate, fixed_s, per_item_s):
        """On average exactly as many come as your batch holds. Now and then more come: when are
        they caught up with?"""
        free = 1 - arrival_rate * per_item_s
        return math.ceil(arrival_rate * fixed_s / free) if free > 0 else math.inf

    def one_too_many(arrival_rate, fixed_s, per_item_s):
        """Your batch is one larger than it needs to be, except where as many come as it holds.
        Which whole number is the first above the edge?"""
        free = 1 - arrival_rate * per_item_s
        return math.ceil(arrival_rate * fixed_s / free) + 1 if free > 0 else math.inf

    powers_of_two = says("""You try powers of two alone. Does a batch between the last two that you
        tried keep up?""")(_first_of(2**k for k in range(20)))
    ends_at_64 = says(_ENDS)(_first_of(range(1, 65)))
    ends_at_500 = says(_ENDS)(_first_of(range(1, 501)))
    ends_at_1000 = says(_ENDS)(_first_of(range(1, 1001)))

    def always_some_batch(arrival_rate, fixed_s, per_item_s):
        """Where your search ends without a batch that keeps up, you return the last one that you
        tried. Is there always one?"""
        # A search that ends at 1,000 and takes that for the answer.
        return min(1000, _least_batch(arrival_rate, fixed_s, per_item_s))


LEAST_STABLE = exercise(
    __doc__,
    Function(
        _least_batch,
        _some_machines,
        # 11,667 and 778: beyond the ends of searches that give up
        always=((700, 0.1, 0.00142), (700, 0.1, 0.0013)),
        misconceptions=mistakes_in(Wrong),
    ),
)
