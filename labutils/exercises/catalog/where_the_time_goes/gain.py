"""where.saved · What a faster stage saves of a percentile · 6 minutes

> Compute the total of every request twice: as it was, and with the faster stage.
> The new total of a row is sum(row) - row[stage] + row[stage] / factor. Then take the percentile of
  both lists.
> return percentile(before, q) - percentile(after, q), with before and after as lists of totals.

Amdahl's law speaks of a sum, so it holds for the mean. A percentile is one request, and after the
change it is another one. What a stage is worth at the p99 is found by recomputing all requests, not
by multiplying with a share.
"""

import math

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise, mistakes_in
from labutils.metrics.latency import percentile


def _totals(times):
    return [sum(row) for row in times]


def _faster(times, stage, factor):
    return [sum(row) - row[stage] + row[stage] / factor for row in times]


def _saved(times, stage, factor, q):
    return percentile(_totals(times), q) - percentile(_faster(times, stage, factor), q)


class Wrong:
    def follows_the_same_request(times, stage, factor, q):
        """You follow the request that was at the percentile before. When the stage is faster,
        another request may be there: sort again."""
        row = sorted(times, key=sum)[math.ceil(q * len(times) - 1e-9) - 1]
        return row[stage] - row[stage] / factor

    def follows_the_first_such(times, stage, factor, q):
        """You follow the request that was at the percentile before. When the stage is faster,
        another request may be there: sort again."""
        before = _totals(times)
        row = times[before.index(percentile(before, q))]
        return row[stage] - row[stage] / factor

    def faster_in_both(times, stage, factor, q):
        """Before and after are alike with you, each time. If you work on a copy: does it have rows
        of its own, or are they the caller's?"""
        return 0.0

    def stages_from_one(times, stage, factor, q):
        """You make another stage faster. From which number on are stages counted?"""
        return _saved(times, stage - 1, factor, q)

    def percentile_of_the_stage(times, stage, factor, q):
        """You take the percentile of the stage, or of what each request gains there. The requests
        that are slow there need not be the slow requests."""
        return percentile([row[stage] for row in times], q) * (1 - 1 / factor)

    def between_two_requests(times, stage, factor, q):
        """Your percentile lies between two requests, as numpy's does unless it is told otherwise.
        Here it is the time of one of them: what does `percentile` do?"""
        import numpy as np

        before, after = _totals(times), _faster(times, stage, factor)
        return float(np.quantile(before, q) - np.quantile(after, q))

    def one_rank_too_high(times, stage, factor, q):
        """Where q times their number is whole, your percentile is a request too high. Counted from
        0, which place has the request that half of two do not exceed?"""
        place = min(int(q * len(times) + 1e-9), len(times) - 1)
        before, after = sorted(_totals(times)), sorted(_faster(times, stage, factor))
        return before[place] - after[place]

    def slowest(times, stage, factor, q):
        """You take the slowest request whatever `q` is."""
        return max(_totals(times)) - max(_faster(times, stage, factor))

    def mean(times, stage, factor, q):
        """That is what the mean saves. The slow requests may spend a larger part of their time in
        this stage, or a smaller one."""
        return sum(row[stage] for row in times) / len(times) * (1 - 1 / factor)

    def amdahl_on_the_mean(times, stage, factor, q):
        """You take the stage's share of the mean and apply it to the percentile. The stage's share
        of the slow requests is another one."""
        part = sum(row[stage] for row in times) / sum(_totals(times))
        return percentile(_totals(times), q) * part * (1 - 1 / factor)

    def stage_gone(times, stage, factor, q):
        """You take the stage away altogether. It becomes `factor` times as fast."""
        gone = [sum(row) - row[stage] for row in times]
        return percentile(_totals(times), q) - percentile(gone, q)

    def saves_what_is_left(times, stage, factor, q):
        """You subtract `stage time / factor`. That is what remains of the stage, not what it
        saves."""
        after = [sum(row) - row[stage] / factor for row in times]
        return percentile(_totals(times), q) - percentile(after, q)

    def whole_division(times, stage, factor, q):
        """You cut the stage's new time to whole milliseconds, as `//` does, or an array of whole
        numbers that it is written into. Keep the fractions."""
        after = [sum(row) - row[stage] + row[stage] // factor for row in times]
        return percentile(_totals(times), q) - percentile(after, q)

    def slower(times, stage, factor, q):
        """You multiply the stage's time by `factor`. A stage that is twice as fast takes half the
        time."""
        slower = [sum(row) - row[stage] + row[stage] * factor for row in times]
        return percentile(_totals(times), q) - percentile(slower, q)

    def new_value(times, stage, factor, q):
        """That is the percentile afterwards. How much lower is it than before?"""
        return percentile(_faster(times, stage, factor), q)

    def wrong_sign(times, stage, factor, q):
        """The sign is turned round: a saving is before less after."""
        return -_saved(times, stage, factor, q)

    def ratio(times, stage, factor, q):
        """That is the ratio of before and after. Asked is the difference, in ms."""
        after = percentile(_faster(times, stage, factor), q)
        return percentile(_totals(times), q) / after


def _some_times():
    """3 to 30 requests through two to four stages, in whole milliseconds; factors 2, 4 or 8."""
    from hypothesis import strategies as st

    def rows(stages):
        row = st.lists(st.integers(1, 90), min_size=stages, max_size=stages)
        return st.tuples(
            st.lists(row, min_size=3, max_size=30), st.integers(0, stages - 1),
            st.sampled_from([2, 4, 8]), st.sampled_from([0.5, 0.9, 0.99]),
        )  # fmt: skip

    return st.integers(2, 4).flatmap(rows)


SAVED = exercise(
    __doc__,
    Function(
        _saved,
        _some_times,
        tolerance=1e-9,
        always=(
            ([[10, 80], [60, 20], [20, 20], [30, 30], [10, 10]], 1, 8, 0.99),
            ([[10, 80], [60, 20], [20, 20], [30, 30], [10, 10]], 0, 2, 0.5),
            ([[10.5, 80.25], [60.75, 20.5], [20.0, 24.5]], 1, 2, 0.99),
        ),
        misconceptions=mistakes_in(Wrong),
    ),
)
