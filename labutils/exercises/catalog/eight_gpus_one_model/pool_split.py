r"""layouts.pools · How many copies prefill · 4 minutes, optional

> If n copies prefill, what can the prefill side carry, and what the decode side? Which of the two
  limits the whole?
> Try n from 1 to copies - 1: the whole carries min(n · prefill, (copies - n) · decode).
> return max(range(1, copies), key=lambda n: min(n * prefill_per_s, (copies - n) * decode_per_s)).
  `max` takes the first of equals.

The two sides are balanced where $n\,\mu_p = (N - n)\,\mu_d$. Few copies cannot be split there, and
what rounding loses is the price of two pools: with four copies it can be a quarter. And the mix
moves over the day, while a split stands.
"""

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise, mistakes_in


def _best(copies, rate_of, choices=None, prefer=min):
    rates = {n: rate_of(n) for n in (choices or range(1, copies))}
    most = max(rates.values())
    return prefer(n for n, rate in rates.items() if rate == most)


def _split(copies, prefill_per_s, decode_per_s):
    return _best(copies, lambda n: min(n * prefill_per_s, (copies - n) * decode_per_s))


class Wrong:
    def in_proportion_to_rates(copies, prefill_per_s, decode_per_s):
        """You give the faster side more copies. It needs fewer."""
        return round(copies * prefill_per_s / (prefill_per_s + decode_per_s))

    def rounded(copies, prefill_per_s, decode_per_s):
        """You round the balanced share. Copies are whole, and rounding may leave one side without,
        or take the worse of two neighbours: compare what they carry."""
        return round(copies * decode_per_s / (prefill_per_s + decode_per_s))

    def to_the_nearest_within_bounds(copies, prefill_per_s, decode_per_s):
        """You round the balanced share to the nearest number. The nearer of two neighbours may
        carry less: compare."""
        nearest = round(copies * decode_per_s / (prefill_per_s + decode_per_s))
        return min(copies - 1, max(1, nearest))

    def closest_to_equal(copies, prefill_per_s, decode_per_s):
        """You take the split whose two sides come closest to each other. Asked is the one that
        carries most: what does the weaker side of each carry?"""
        return _best(copies, lambda n: -abs(n * prefill_per_s - (copies - n) * decode_per_s))

    def rounded_down(copies, prefill_per_s, decode_per_s):
        """You round the balanced share down. One copy more may carry more: compare."""
        return max(1, int(copies * decode_per_s / (prefill_per_s + decode_per_s)))

    def rates_exchanged(copies, prefill_per_s, decode_per_s):
        """You let the copies that prefill carry what one carries that decodes, and the other way
        round. Which rate belongs to which side?"""
        return _split(copies, decode_per_s, prefill_per_s)

    def sum_of_both(copies, prefill_per_s, decode_per_s):
        """You add what both sides carry, or take the larger. A request needs both: which side
        rules?"""
        return _best(copies, lambda n: n * prefill_per_s + (copies - n) * decode_per_s)

    def half(copies, prefill_per_s, decode_per_s):
        """You halve the copies, whatever the rates. Are the two jobs equal?"""
        return copies // 2

    def most_where_equal(copies, prefill_per_s, decode_per_s):
        """Two splits carry the same, and you take the one with more prefill. What is asked for?"""
        rate = lambda n: min(n * prefill_per_s, (copies - n) * decode_per_s)  # noqa: E731
        return _best(copies, rate, prefer=max)

    def decoding(copies, prefill_per_s, decode_per_s):
        """Those are the copies that decode. Asked are the others."""
        return copies - _split(copies, prefill_per_s, decode_per_s)

    def rate(copies, prefill_per_s, decode_per_s):
        """That is the rate it carries. Asked is the number of copies."""
        n = _split(copies, prefill_per_s, decode_per_s)
        return min(n * prefill_per_s, (copies - n) * decode_per_s)


def _some_pools():
    """Two to sixteen copies, and two rates of one copy that differ, up to twentyfold."""
    from hypothesis import strategies as st

    rate = st.sampled_from([0.5, 1.5, 2.0, 3.5, 6.0, 11.0])
    return st.tuples(st.integers(2, 16), rate, rate).filter(lambda case: case[1] != case[2])


POOL_SPLIT = exercise(
    __doc__,
    Function(
        _split,
        _some_pools,
        always=(
            (8, 6.0, 2.0),
            (7, 2.0, 6.0),
            (5, 3.5, 1.5),
            (2, 11.0, 0.5),
            (3, 2.0, 2.0),
            (9, 1.5, 11.0),
        ),
        misconceptions=mistakes_in(Wrong),
    ),
)
