"""sealed.fit · A fit of two constants · 8 minutes

> Which four numbers of a row are known? Write the step with 1/share and the seconds a layer as the
  two unknowns, and divide it by the measured time.
> Two columns belong to the unknowns: what is read and the layers, each by the measured time. What
  is left is 1 less the exchange's part of the measured time.
> left = np.column_stack([read, layers]) / measured[:, None]; np.linalg.lstsq(left, 1 - other /
  measured)[0] holds 1/share and the seconds a layer.

Relative errors let a step of 8 ms count as much as one of 30. The exchange is known, so it moves to
the other side and costs no constant. Two constants ask for stages that differ in what they read
for each layer. Where all are alike, many pairs fit equally well, and the fit does not say so.
"""

from itertools import combinations

import numpy as np

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise, mistakes_in, says


def _parts(rows):
    """What is read, the layers, the exchange, what was measured; each as an array."""
    return np.array(rows, dtype=float).T


def _solved(columns, target):
    return np.linalg.lstsq(np.column_stack(columns), target, rcond=None)[0]


def _fit(*, by=lambda read, other, measured: measured, known=lambda other: other, more=None):
    """The fit with other weights, another exchange, or a third constant."""

    def fit_two(rows):
        read, layers, other, measured = _parts(rows)
        unit = by(read, other, measured)
        third = [more(unit)] if more else []
        columns = [read / unit, layers / unit, *third]
        inverse, per_layer_s, *_ = _solved(columns, (measured - known(other)) / unit)
        return 1 / inverse, per_layer_s

    return fit_two


_right = _fit()


_ONE_COLUMN = "You divide a row by its measured time, all but one of its numbers. Which?"


class Wrong:
    absolute = says("""You add up squares of seconds. Then long steps decide alone: by what does
        each row have to be divided?""")(_fit(by=lambda read, other, measured: 1.0))
    half_way = says("""Your rows count by 1/measured, or are divided by its root. The error itself
        is divided by the measured time, and squared afterwards.""")(
        _fit(by=lambda read, other, measured: np.sqrt(measured))
    )
    by_the_rest = says("""You divide by what is left of the measured time. Relative to what is the
        error of a step?""")(_fit(by=lambda read, other, measured: measured - other))
    by_the_reading = says("""You divide by what is read. Relative to what is the error of a
        step?""")(_fit(by=lambda read, other, measured: read))
    exchange_forgotten = says("""You give the time of the exchange to the two constants. What of a
        step is known before?""")(_fit(known=lambda other: 0 * other))
    exchange_added = says("""You add the exchange to the measured time. It is a part of it: on which
        side of the equation does it stand?""")(_fit(known=lambda other: -other))
    constant_seconds = says("""You fit a third constant, some seconds in each step. Asked are
        two.""")(_fit(more=lambda unit: 1 / unit))
    intercept = says(
        """You fit an intercept beside the two. Is there a third constant in the step?"""
    )(_fit(more=np.ones_like))

    @says(_ONE_COLUMN)
    def layers_undivided(rows):
        read, layers, other, measured = _parts(rows)
        inverse, per_layer_s = _solved([read / measured, layers], 1 - other / measured)
        return 1 / inverse, per_layer_s

    @says(_ONE_COLUMN)
    def reading_undivided(rows):
        read, layers, other, measured = _parts(rows)
        inverse, per_layer_s = _solved([read, layers / measured], 1 - other / measured)
        return 1 / inverse, per_layer_s

    @says(_ONE_COLUMN)
    def exchange_undivided(rows):
        read, layers, other, measured = _parts(rows)
        inverse, per_layer_s = _solved([read / measured, layers / measured], 1 - other)
        return 1 / inverse, per_layer_s

    def left_side_alone(rows):
        """You divide the columns by the measured time, and not what they have to add up to."""
        read, layers, other, measured = _parts(rows)
        inverse, per_layer_s = _solved([read / measured, layers / measured], measured - other)
        return 1 / inverse, per_layer_s

    def right_side_alone(rows):
        """You divide what the columns have to add up to, and not the columns."""
        read, layers, other, measured = _parts(rows)
        inverse, per_layer_s = _solved([read, layers], 1 - other / measured)
        return 1 / inverse, per_layer_s

    def the_inverse(rows):
        """Your first number is the factor of what is read. What is it to the share?"""
        share, per_layer_s = _right(rows)
        return 1 / share, per_layer_s

    def exchanged(rows):
        """You return the seconds a layer first."""
        return _right(rows)[::-1]

    def exchanged_inverse(rows):
        """You return the seconds a layer first, and the factor of what is read, not the share."""
        share, per_layer_s = _right(rows)
        return per_layer_s, 1 / share

    def both_inverse(rows):
        """You take the inverse of both. Which of the two stands below a line in the step?"""
        share, per_layer_s = _right(rows)
        return share, 1 / per_layer_s

    def microseconds(rows):
        """You return microseconds a layer. Asked are seconds."""
        share, per_layer_s = _right(rows)
        return share, 1e6 * per_layer_s

    def share_alone(rows):
        """You fit the share, and layers cost nothing. Then the share has to explain both."""
        read, _, other, measured = _parts(rows)
        return 1 / _solved([read / measured], 1 - other / measured)[0], 0.0

    def layers_alone(rows):
        """You read at the peak and fit the layers. Fit both at once."""
        read, layers, other, measured = _parts(rows)
        return 1.0, _solved([layers / measured], 1 - (read + other) / measured)[0]

    def one_after_the_other(rows):
        """You fit the share first, and the layers to what it leaves. Then the share has taken their
        time already: fit both at once."""
        read, layers, other, measured = _parts(rows)
        inverse = _solved([read / measured], 1 - other / measured)[0]
        left = 1 - other / measured - inverse * read / measured
        return 1 / inverse, _solved([layers / measured], left)[0]

    def mean_of_ratios(rows):
        """You average a ratio of each row, and layers cost nothing there. One number a row cannot
        tell two constants apart."""
        read, _, other, measured = _parts(rows)
        return np.mean(read / (measured - other)), 0.0

    def first_two_rows(rows):
        """You solve for the first two rows exactly. What do the others say?"""
        return _right(rows[:2])

    def mean_of_pairs(rows):
        """You solve for every two rows exactly, and average. Two rows that are alike then throw the
        mean far off: fit all rows at once."""
        return np.mean([_right(pair) for pair in combinations(rows, 2)], axis=0)

    def wrong_way(rows):
        """You fit what is read from what was measured. The noise is in the measured time: that is
        what the constants have to explain."""
        read, layers, other, measured = _parts(rows)
        share, product = _solved([measured - other, -layers], read)
        return share, product / share

    def smallest_absolute(rows):
        """You make the sum of absolute errors small. Asked are their squares."""
        read, layers, other, measured = _parts(rows)

        def total(found):
            return np.abs((read / found[0] + layers * found[1] + other) / measured - 1).sum()

        return min((_right(pair) for pair in combinations(rows, 2)), key=total)

    def no_time_below_zero(rows):
        """You do not let a layer take less than no time. If the data say so, that is worth
        knowing: return what fits best."""
        share, per_layer_s = _right(rows)
        return share, max(0.0, per_layer_s)

    def no_share_above_one(rows):
        """You do not let the share exceed 1. If the data say so, that is worth knowing: return what
        fits best."""
        share, per_layer_s = _right(rows)
        return min(share, 1.0), per_layer_s

    def sign_dropped(rows):
        """You drop the sign of a layer's time. If the data say less than nothing, that is worth
        knowing."""
        share, per_layer_s = _right(rows)
        return share, abs(per_layer_s)

    def logarithms(rows):
        """You compare logarithms. They are nearly the relative errors, and not these."""
        read, layers, other, measured = _parts(rows)
        share, per_layer_s = _right(rows)
        for _ in range(30):  # Gauss and Newton
            step = read / share + layers * per_layer_s + other
            more, longer_s = _solved([read / step, layers / step], np.log(measured / step))
            share, per_layer_s = 1 / (1 / share + more), per_layer_s + longer_s
        return share, per_layer_s


_READ_S = (9e-3, 5e-3, 14e-3, 4e-3, 11e-3, 6e-3, 7e-3, 12e-3)
_LAYERS = (32, 48, 80, 60, 40, 32, 80, 48)  # the first three tell the two constants apart


def _rows(share, per_layer_s, noises, others_s):
    return [
        (read_s, layers, other_s, (read_s / share + layers * per_layer_s + other_s) * noise)
        for read_s, layers, other_s, noise in zip(_READ_S, _LAYERS, others_s, noises)
    ]


def _some_rows():
    """Three to eight stages with a few percent of noise."""
    from hypothesis import strategies as st

    def rows(drawn):
        share, per_layer_us, percents, others = drawn
        noises = [1 + percent / 100 for percent in percents]
        return (_rows(share / 100, per_layer_us * 1e-6, noises, [150e-6 * n for n in others]),)

    percents = st.lists(st.integers(-4, 4), min_size=3, max_size=8)
    others = st.lists(st.integers(0, 9), min_size=8, max_size=8)
    return st.tuples(st.integers(60, 95), st.integers(25, 60), percents, others).map(rows)


FIT_TWO = exercise(
    __doc__,
    Function(
        _right,
        _some_rows,
        tolerance=1e-4,
        absolute=0.0,
        always=(
            (_rows(0.8, 30e-6, (1.02, 0.97, 1.04), (0.0, 3e-4, 9e-4)),),
            (_rows(0.7, 50e-6, (0.96, 1.03, 0.98, 1.01, 1.04), 5 * (6e-4,)),),
            (_rows(1.2, 40e-6, (1.01, 0.99, 1.02), (1e-4, 2e-4, 0.0)),),  # a data sheet too modest
            (_rows(0.6, -20e-6, (1.01, 0.98, 1.02, 0.99), 4 * (2e-4,)),),  # as one model alone says
        ),
        misconceptions=mistakes_in(Wrong),
    ),
)
