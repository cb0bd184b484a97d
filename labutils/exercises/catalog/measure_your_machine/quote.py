"""machine.quote · What to quote · 4 minutes

> One figure for the machine, two for the luck. Which one is not moved by a single run, however slow
  it is?
> The 10th, the 50th and the 90th percentile, by nearest rank, from low to high.
> `percentile(durations_s, 0.5)` is the middle one. Return a tuple of three.

Interruptions only ever make a run longer, so durations have a tail on one side. The **median** says
what the machine does when left alone more often than not; half of the runs would have to be
disturbed to move it. The 10th and 90th percentile say how far apart runs lie: if the 90th is twice
the 10th, something else uses the machine. The mean answers another question: how long do a thousand
of these take *here*, disturbances included. For a capacity plan that is the one you want.
"""

import statistics

import numpy as np

from labutils.exercises.checkers import Function, Property
from labutils.exercises.definition.sheet import exercise, mistakes_in, says
from labutils.metrics.latency import percentile

SHARES = (0.1, 0.5, 0.9)


def _quoted(durations_s):
    return tuple(percentile(durations_s, share) for share in SHARES)


_BELL = (
    "A deviation to either side describes a bell. Durations have a floor on one side and a tail on "
    "the other. Which figures ask for no shape?"
)


class Wrong:
    def mean_in_the_middle(durations_s):
        """Your middle is the mean: one run in which somebody else had the machine drags it along.
        Which figure does not move when the slowest run gets ten times slower?"""
        low, _, high = _quoted(durations_s)
        return low, float(np.mean(durations_s)), high

    @says(_BELL)
    def mean_and_deviation(durations_s):
        mean, deviation = float(np.mean(durations_s)), float(np.std(durations_s))
        return mean - deviation, mean, mean + deviation

    @says(_BELL)
    def median_and_deviation(durations_s):
        middle, deviation = percentile(durations_s, 0.5), float(np.std(durations_s))
        return middle - deviation, middle, middle + deviation

    def fastest_to_slowest(durations_s):
        """From the fastest to the slowest: that range grows with every run that you add. Which two
        shares of the runs are asked for?"""
        return min(durations_s), percentile(durations_s, 0.5), max(durations_s)

    def five_and_ninety_five(durations_s):
        """You quote the 5th and the 95th percentile: nine runs in ten lie between them. How many
        shall?"""
        return tuple(percentile(durations_s, share) for share in (0.05, 0.5, 0.95))

    def up_to_the_95th(durations_s):
        """Your last figure is the 95th percentile. Which one mirrors the 10th?"""
        return tuple(percentile(durations_s, share) for share in (0.1, 0.5, 0.95))

    def quartiles(durations_s):
        """You quote the quartiles: half of the runs lie between them. How many shall?"""
        return tuple(percentile(durations_s, share) for share in (0.25, 0.5, 0.75))

    def interpolated(durations_s):
        """You quote durations between two runs. Quote ones that happened: `percentile` of
        labutils.latency takes the nearest rank."""
        return tuple(float(np.quantile(durations_s, share)) for share in SHARES)

    def averages_two(durations_s):
        """Your middle is the average of two runs where their number is even. Quote one that
        happened: the nearest rank."""
        low, _, high = _quoted(durations_s)
        return low, statistics.median(durations_s), high

    def one_too_far(durations_s):
        """Your places lie one too far: lists count from 0. How many of the runs took no longer than
        the one you quote?"""
        return tuple(sorted(durations_s)[int(len(durations_s) * share)] for share in SHARES)

    def unsorted(durations_s):
        """You take the right places of a list in the order of time. In which order do they mean a
        percentile?"""
        places = [max(0, -(-len(durations_s) * k // 10) - 1) for k in (1, 5, 9)]
        return tuple(durations_s[place] for place in places)

    def middle_first(durations_s):
        """The right three, in another order: low, middle, high."""
        low, middle, high = _quoted(durations_s)
        return middle, low, high


def _some_durations():
    """Durations with a tail, in no order; so many that no end is the 10th percentile, nor, where
    there are more than 20, the 5th."""
    from hypothesis import strategies as st

    def seconds(k):
        """A duration; one in four was held up by something else."""
        return (40 + k % 21 if k % 4 else 100 + k) / 8

    values = st.integers(1, 899).map(seconds)
    return st.tuples(st.lists(values, min_size=11, max_size=32))


QUOTE = exercise(
    __doc__,
    Function(
        _quoted,
        _some_durations,
        num_inputs=60,
        misconceptions=mistakes_in(Wrong),
        properties=(
            Property(
                "out-of-order",
                lambda result, *_: len(result) != 3 or result[0] <= result[1] <= result[2],
                "Your three figures do not ascend: low, middle, high.",
            ),
        ),
    ),
)
