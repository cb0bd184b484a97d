"""watching.rate · The rate of a counter that restarts · 4 minutes

> Go from scrape to scrape. How much was counted in between, if the value rose, and how much if it
  fell?
> A counter never falls by itself: it has started anew at 0, so after a fall everything that it
  shows is new. Add the steps and divide by the seconds from the first scrape to the last.
> grown += after - before if after >= before else after; then divide by times_s[-1] - times_s[0].

A counter is made to be subtracted: whatever a scraper misses, the next scrape still holds. Only
what was counted between the last scrape and a restart is lost. Correct each replica by itself and
add afterwards. In a sum of counters the restart of one hides in the rise of the others, or looks
like one of the sum.
"""

from itertools import accumulate, pairwise

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise, mistakes_in, says


def _rate(step, *, over=lambda times_s: times_s[-1] - times_s[0]):
    """Adds up what ``step`` makes of two values that follow each other."""

    def counter_rate(times_s, values):
        grown = sum(step(before, after) for before, after in pairwise(values))
        return grown / over(times_s)

    return counter_rate


def _step(before, after):
    return after - before if after >= before else after


def _last_restart(values) -> int:
    """The place of the first value behind the last fall, or 0."""
    return max((at for at in range(1, len(values)) if values[at] < values[at - 1]), default=0)


_RESTART = "You count from the last restart on. What was counted before it happened, too."


class Wrong:
    restarts_unseen = says("""You take the last value less the first. A counter that has started
        anew has forgotten what it had counted.""")(_rate(lambda before, after: after - before))
    restart_counts_nothing = says("""You leave out the step in which it fell. What has it counted
        between its start at 0 and that scrape?""")(
        _rate(lambda before, after: max(after - before, 0))
    )
    falls_count_as_rises = says("""You count a fall as a rise of the same size. A counter that fell
        has started anew at 0: how far has it come since?""")(
        _rate(lambda before, after: abs(after - before))
    )
    standstill_is_a_restart = says("""You take a counter that stands still for one that has started
        anew. What was counted while its value did not change?""")(
        _rate(lambda before, after: after - before if after > before else after)
    )

    def mean_of_step_rates(times_s, values):
        """You average the rates of the steps, so a step of half a second counts as much as one of
        seven. Add up what was counted, and divide once."""
        steps = list(zip(pairwise(times_s), pairwise(values)))
        return sum(_step(a, b) / (end - start) for (start, end), (a, b) in steps) / len(steps)

    @says(_RESTART)
    def since_the_last_restart(times_s, values):
        # What came since the last restart, over its own time.
        start = _last_restart(values)
        if start == len(values) - 1:
            return 0.0
        return (values[-1] - values[start]) / (times_s[-1] - times_s[start])

    @says(_RESTART)
    def since_the_scrape_before_the_restart(times_s, values):
        start = _last_restart(values)
        first, before = (0, start - 1) if start else (values[0], 0)
        return (values[-1] - first) / (times_s[-1] - times_s[before])

    def one_restart_alone(times_s, values):
        """You allow for one restart. After a second one, what has been forgotten once more?"""
        lost = next((before for before, after in pairwise(values) if after < before), 0)
        return (values[-1] + lost - values[0]) / (times_s[-1] - times_s[0])

    def above_the_highest(times_s, values):
        """You measure each value against the highest one so far. After a restart the scrape before
        is what it has grown from."""
        highest = accumulate(values, max)
        grown = sum(_step(before, after) for before, after in zip(highest, values[1:]))
        return grown / (times_s[-1] - times_s[0])

    def highest_less_first(times_s, values):
        """You take the highest value less the first. What was counted after the restart is
        missing."""
        return (max(values) - values[0]) / (times_s[-1] - times_s[0])

    def highest_less_lowest(times_s, values):
        """You take the highest value less the lowest. A counter that fell has started anew: add up
        what came between scrapes."""
        return (max(values) - min(values)) / (times_s[-1] - times_s[0])

    def last_step_alone(times_s, values):
        """You look at the last two scrapes. Asked is the rate from the first to the last."""
        return _step(*values[-2:]) / (times_s[-1] - times_s[-2])

    def without_the_steps_of_restarts(times_s, values):
        """You leave out the steps in which it fell, and their time. What came in them is known but
        for what the restart lost."""
        steps = [
            (after - before, end - start)
            for (before, after), (start, end) in zip(pairwise(values), pairwise(times_s))
            if after >= before
        ]
        return sum(rise for rise, _ in steps) / (sum(time for _, time in steps) or 1)

    def from_zero(times_s, values):
        """You count what it held at the first scrape. That was counted before the window began."""
        return _rate(_step)([times_s[0], *times_s], [0, *values])

    per_scrape = says("""You divide by the number of steps. Scrapes do not come once a second here:
        how long was it from the first to the last?""")(
        _rate(_step, over=lambda times_s: len(times_s) - 1)
    )
    per_reading = says("""You divide by the number of scrapes. They do not come once a second here:
        how long was it from the first to the last?""")(_rate(_step, over=len))
    since_time_zero = says("""You divide by the time of the last scrape. The first one need not be
        at 0: how many seconds lie between them?""")(_rate(_step, over=lambda times_s: times_s[-1]))
    increase = says("""That is the increase. Asked is how much it was per second.""")(
        _rate(_step, over=lambda times_s: 1)
    )


def _some_counters():
    """3 to 9 scrapes at uneven times, with up to a few restarts."""
    from hypothesis import strategies as st

    def counter(drawn):
        first, steps, gaps = drawn
        values, times_s = [first], [5.0]
        for (restarts, by), gap in zip(steps, gaps):
            values.append(by if restarts and by < values[-1] else values[-1] + by)
            times_s.append(times_s[-1] + gap)
        return times_s, values

    steps = st.lists(st.tuples(st.booleans(), st.integers(0, 60)), min_size=2, max_size=8)
    gaps = st.lists(st.sampled_from([0.5, 1.0, 2.0, 7.0]), min_size=8, max_size=8)
    return st.tuples(st.integers(1, 90), steps, gaps).map(counter)


COUNTER_RATE = exercise(
    __doc__,
    Function(
        _rate(_step),
        _some_counters,
        always=(
            ([0.0, 1.0, 2.0, 4.0], [100, 130, 12, 40]),
            ([0.0, 1.0, 2.0, 4.0], [100, 130, 0, 40]),
            ([0.0, 2.0, 3.0, 5.0, 9.0], [7, 3, 9, 2, 4]),
            ([1.0, 2.0, 5.0], [10, 13, 25]),
            ([0.0, 1.0, 2.0, 4.0], [10, 10, 13, 13]),
        ),
        misconceptions=mistakes_in(Wrong),
    ),
)
