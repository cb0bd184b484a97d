"""many.scale · An autoscaler's rule · 6 minutes

> Two numbers, one after the other: what does this moment want? What was wanted at most lately?
> wanted = max(1, math.ceil(in_flight / target)). Of `earlier`, those whose age is at most
  `window_s` count.
> recent = [n for age_s, n in earlier if age_s <= window_s]; return wanted, max([wanted, *recent]).

Growing is urgent, since a replica takes minutes to come; shrinking can wait, since a replica that
was sent away takes minutes to come back, with an empty cache. So the rule grows by what it sees and
shrinks by what it has not seen for a whole window. What is kept must be what was *wanted*. Who
keeps what was ordered never shrinks: yesterday's order is a reason for today's.
"""

import math

from labutils.exercises.checkers import Function
from labutils.exercises.definition.exercise import Raises
from labutils.exercises.definition.sheet import exercise, mistakes_in, says


def _wanted(in_flight, target):
    return max(1, math.ceil(in_flight / target))


def _recent(earlier, window_s):
    return [n for age_s, n in earlier if age_s <= window_s]


def _rule(*, wanted=_wanted, recent=_recent, ordered=lambda now, before: max([now, *before])):
    """The rule with another idea of one of its three steps."""

    def scale(in_flight, earlier, target, window_s):
        now = wanted(in_flight, target)
        return now, ordered(now, recent(earlier, window_s))

    return scale


_UP = "Round up: what is left over needs a replica, too."
_OLD = "You count those that are older than the window. Turn the comparison round."


class Wrong:
    rounded_down = says(_UP)(_rule(wanted=lambda flight, target: max(1, int(flight // target))))
    rounded = says(_UP)(_rule(wanted=lambda flight, target: max(1, round(flight / target))))
    not_rounded = says(_UP)(_rule(wanted=lambda flight, target: max(1, flight / target)))
    whole_signal = says("""You cut the signal to a whole number first. It may be a fraction: 64.5
        at a target of 32 want 3.""")(
        _rule(wanted=lambda flight, target: max(1, math.ceil(int(flight) / target)))
    )
    one_more = says("""You add one where nothing is left over: 64 in flight at a target of 32 are
        two replicas.""")(_rule(wanted=lambda flight, target: int(flight // target) + 1))
    none_at_night = says("""With nothing in flight you want no replica. One stays.""")(
        _rule(wanted=lambda flight, target: math.ceil(flight / target))
    )
    upside_down = says("""You divide the target by what is in flight.""")(
        _rule(wanted=lambda flight, target: max(1, math.ceil(target / flight)) if flight else 1)
    )
    no_window = says(
        """You order what this moment wants. What keeps replicas for the next moment?"""
    )(_rule(ordered=lambda now, before: now))
    smallest = says("""You order the least that was wanted. Then the window delays growing, and
        not shrinking.""")(_rule(ordered=lambda now, before: min([now, *before])))
    mean = says("""You order the mean of the window. Then a load that has just come waits for the
        window.""")(
        _rule(ordered=lambda now, before: math.ceil(sum([now, *before]) / (1 + len(before))))
    )
    last_alone = says("""You look at the last decision alone. The window may hold many.""")(
        _rule(ordered=lambda now, before: max([now, *before[-1:]]))
    )
    oldest_alone = says("""You look at the oldest decision of the window alone: the first in the
        list, or the greatest of pairs, which goes by age. The window may hold many.""")(
        _rule(ordered=lambda now, before: max([now, *before[:1]]))
    )
    added_up = says("""You add up what was wanted. Each number is for the whole fleet: which of them
        do you order?""")(_rule(ordered=lambda now, before: sum([now, *before])))
    without_now = says("""You leave out what is wanted now. How does the fleet grow?""")(
        _rule(ordered=lambda now, before: max(before, default=now))
    )
    never_forgets = says("""You count decisions that are older than the window. Then the fleet
        never shrinks.""")(_rule(recent=lambda earlier, window_s: [n for _, n in earlier]))
    the_old_ones = says(_OLD)(
        _rule(recent=lambda earlier, window_s: [n for age_s, n in earlier if age_s > window_s])
    )
    the_old_ones_and_the_edge = says(_OLD)(
        _rule(recent=lambda earlier, window_s: [n for age_s, n in earlier if age_s >= window_s])
    )
    not_at_the_edge = says("""A decision that is exactly `window_s` old still counts.""")(
        _rule(recent=lambda earlier, window_s: [n for age_s, n in earlier if age_s < window_s])
    )
    ages_for_numbers = says("""You take ages for numbers of replicas: each pair is `(age_s,
        wanted)`.""")(
        _rule(recent=lambda earlier, window_s: [age_s for age_s, _ in earlier if age_s <= window_s])
    )
    pairs_turned_round = says("""You unpack the pairs the wrong way round: each is `(age_s,
        wanted)`.""")(
        _rule(recent=lambda earlier, window_s: [age_s for age_s, n in earlier if n <= window_s])
    )

    def one_for_the_order_alone(in_flight, earlier, target, window_s):
        """With nothing in flight you order one and want none. How many does each moment want at
        least?"""
        wanted = math.ceil(in_flight / target)
        return wanted, max([1, wanted, *_recent(earlier, window_s)])

    def nothing_in_the_window(in_flight, earlier, target, window_s):
        """Where no decision lies in the window, your `max` has nothing to compare. What is ordered
        then?"""
        if not _recent(earlier, window_s):
            return Raises(ValueError)
        return _rule()(in_flight, earlier, target, window_s)

    def ordered_alone(in_flight, earlier, target, window_s):
        """You return what is ordered alone. Return both: what this moment wants, and what is
        ordered."""
        return _rule()(in_flight, earlier, target, window_s)[1]

    def other_way_round(in_flight, earlier, target, window_s):
        """You return what is ordered first. The first of the two is what this moment wants."""
        return _rule()(in_flight, earlier, target, window_s)[::-1]

    def order_for_both(in_flight, earlier, target, window_s):
        """You return what is ordered twice. The first number is kept for later decisions: if it is
        the order, the fleet never shrinks."""
        return (_rule()(in_flight, earlier, target, window_s)[1],) * 2


def _some_moments():
    """Up to six earlier decisions, the oldest first, every 30 s."""
    from hypothesis import strategies as st

    def moment(drawn):
        in_flight, wanted, target, window_s = drawn
        ages_s = range(30 * len(wanted), 0, -30)
        return in_flight, [*zip(ages_s, wanted)], target, window_s

    wanted = st.lists(st.integers(1, 9), max_size=6)
    targets, windows = st.sampled_from([8, 20, 32]), st.sampled_from([60, 90, 130, 300])
    return st.tuples(st.integers(0, 200), wanted, targets, windows).map(moment)


SCALE = exercise(
    __doc__,
    Function(
        _rule(),
        _some_moments,
        always=(
            (70, [(60, 2), (30, 5)], 32, 45),
            (70, [(90, 7), (60, 5), (30, 2)], 32, 60),
            (64, [], 32, 240),
            (64.5, [(30, 2)], 32, 240),
            (0, [], 20, 60),
            (0, [(60, 4), (30, 1)], 20, 30),
            (90, [(60, 2), (30, 1)], 20, 60),
            (15, [(90, 2), (60, 6), (30, 3)], 8, 90),
            (45, [(300, 9), (30, 1)], 20, 240),
        ),
        misconceptions=mistakes_in(Wrong),
    ),
)
