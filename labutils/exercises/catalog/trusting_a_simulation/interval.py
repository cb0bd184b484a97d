r"""trusting.interval · An interval by batch means · 8 minutes

> First reduce the run to num_batches numbers. From then on it is the textbook's interval for those
  few numbers.
> Stretch k holds values[k * size : (k + 1) * size] with size = len(values) // num_batches. Half
  width: t times the standard deviation of the means (ddof=1) over the root of num_batches.
> means = np.reshape(values, (num_batches, -1)).mean(axis=1); half = t * means.std(ddof=1) /
  num_batches ** 0.5; return means.mean() - half, means.mean() + half.

The means of long stretches forget each other: with $b$ stretches of a run their spread $s$ shows
honestly how much a stretch's mean varies, and the mean of all varies by $s/\sqrt b$. Few stretches
cost little: Student's factor grows from 1.96 to 2.09 at 20. Many short ones bring the neighbours
back in, and the interval turns naive again. `labutils.simulation.batch_means` does the same and
drops a remainder at the beginning of the run.
"""

import math
from statistics import fmean, pstdev, stdev, variance

import numpy as np

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise, mistakes_in, says


def _ends(means, t, *, spread=stdev, count=None):
    plain = [float(value) for value in means]
    half_width = t * spread(plain) / math.sqrt(count or len(plain))
    return fmean(plain) - half_width, fmean(plain) + half_width


def _stretches(values, num_batches):
    size = len(values) // num_batches
    parts = (values[k * size : (k + 1) * size] for k in range(num_batches))
    return [float(np.mean(part)) for part in parts]  # numpy: the page hands in long runs


_INTERLEAVED = (
    "Each of your stretches takes every so-many-th value of the whole run, so all of them live "
    "through the same ups and downs and resemble each other. Cut the run one piece after the other."
)
_SIZE = "You make stretches of num_batches values. It is the number of stretches; how long is each?"


class Wrong:
    def naive(values, num_batches, t):
        """This is the textbook's interval for independent values: it treats every request as a
        measurement of its own. Where do the stretches enter?"""
        return _ends(values, t)

    @says(_INTERLEAVED)
    def interleaved(values, num_batches, t):
        return _ends([fmean(values[k::num_batches]) for k in range(num_batches)], t)

    @says(_INTERLEAVED)
    def across_the_stretches(values, num_batches, t):
        size = len(values) // num_batches
        return _ends([fmean(values[k::size]) for k in range(size)], t, count=num_batches)

    @says(_SIZE)
    def number_as_size_in_the_means(values, num_batches, t):
        return _ends(_stretches(values, len(values) // num_batches), t, count=num_batches)

    @says(_SIZE)
    def number_as_size(values, num_batches, t):
        size = num_batches
        whole = range(0, len(values) - size + 1, size)
        means = [fmean(values[k : k + size]) for k in whole]
        return _ends(means, t) if len(means) > 1 else (fmean(values), fmean(values))

    def spread_of_the_values(values, num_batches, t):
        """You take the standard deviation of the single values. Which numbers are nearly
        independent measurements?"""
        return _ends(values, t, count=num_batches)

    def one_less_twice(values, num_batches, t):
        """You divide by the root of the number of stretches less one. That one less belongs to the
        standard deviation: whose mean is it that scatters?"""
        return _ends(_stretches(values, num_batches), t, count=num_batches - 1)

    def no_root(values, num_batches, t):
        """Your interval says where a single stretch's mean lies. The mean of all of them scatters
        less: by which factor?"""
        return _ends(_stretches(values, num_batches), t, count=1)

    def root_of_all_values(values, num_batches, t):
        """You divide by the root of the number of requests. How many nearly independent
        measurements did you take the standard deviation of?"""
        return _ends(_stretches(values, num_batches), t, count=len(values))

    def population(values, num_batches, t):
        """Your standard deviation divides by the number of stretches. For a sample it divides by
        one less (ddof=1), and with few stretches that shows."""
        return _ends(_stretches(values, num_batches), t, spread=pstdev)

    def normal_for_student(values, num_batches, t):
        """Your factor is 1.96 whatever t is. It would be right for very many stretches; which
        argument stands for the few that there are?"""
        return _ends(_stretches(values, num_batches), 1.96)

    def by_the_number(values, num_batches, t):
        """You divide by the number of stretches. The mean of n values scatters less by the *root*
        of n."""
        return _ends(_stretches(values, num_batches), t, count=num_batches**2)

    def without_the_factor(values, num_batches, t):
        """Your half width is one standard error. How many of them does t say?"""
        return _ends(_stretches(values, num_batches), 1.0)

    def half_to_each_side(values, num_batches, t):
        """You share the half width out to both sides. It reaches that far to *each* side."""
        return _ends(_stretches(values, num_batches), t / 2)

    def variance(values, num_batches, t):
        """You take the variance of the means. In which unit is it, and in which are the two
        ends?"""
        return _ends(_stretches(values, num_batches), t, spread=variance)

    def mean_and_margin(values, num_batches, t):
        """You return the mean and the half width. Asked for are the two ends."""
        low, high = _batch_interval(values, num_batches, t)
        return (low + high) / 2, (high - low) / 2


def _batch_interval(values, num_batches, t):
    return _ends(_stretches(values, num_batches), t)


def _some_runs():
    """Runs of 2 to 5 stretches of 2 to 5 values, in quarters of a second, and some factor t."""
    from hypothesis import strategies as st

    def run_of(shape):
        num_batches, size = shape
        length = num_batches * size
        values = st.lists(st.integers(0, 40), min_size=length, max_size=length)
        factor = st.integers(5, 50).map(lambda k: k / 4)
        quarters = values.map(lambda drawn: np.array(drawn) / 4)  # an array, as on the page
        return st.tuples(quarters, st.just(num_batches), factor)

    return st.tuples(st.integers(2, 5), st.integers(2, 5)).flatmap(run_of)


INTERVAL = exercise(
    __doc__, Function(_batch_interval, _some_runs, misconceptions=mistakes_in(Wrong))
)
