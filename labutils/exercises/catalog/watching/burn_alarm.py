"""watching.burn · An alarm over two windows · 7 minutes

> For each minute, add up the requests and the bad ones of the last long_min minutes, this one
  included. Which share is bad? Then the same for short_min.
> It fires where both shares are larger than burn × (1 - objective). Cut a window off at minute 0. A
  window without a request burns nothing.
> def share(window): inside = slice(max(0, now - window + 1), now + 1); return sum(bad[inside]) /
  max(1, sum(total[inside])).

A burn rate of 1 spends the budget exactly by its period's end, 14.4 spends a month's in 50 hours.
The long window keeps a hiccup from waking anybody. The short one ends the alarm when the trouble
ends. Add counts over the window: a mean of the minutes' shares would be an average of averages once
more.
"""

import operator

from labutils.exercises.checkers import Function
from labutils.exercises.definition.exercise import Raises
from labutils.exercises.definition.sheet import exercise, mistakes_in, says


def _share(total, bad, now, window):
    inside = slice(max(0, now - window + 1), now + 1)
    requests = sum(total[inside])
    return sum(bad[inside]) / requests if requests else 0.0


def _alarms(*, share=_share, both=all, limit=None, windows=None, above=operator.gt):
    """The rule with another idea of a window's share, of its limit, or of the two together."""

    def burning(total, bad, objective, burn, long_min, short_min):
        most = limit(burn, objective) if limit else burn * (1 - objective)
        looked = windows(long_min, short_min) if windows else (long_min, short_min)
        return [
            now
            for now in range(len(total))
            if both(above(share(total, bad, now, window), most) for window in looked)
        ]

    return burning


def _with_share(share):
    """A decorator: the rule with this share of a window, and the message of its docstring."""
    return says(share.__doc__)(_alarms(share=share))


def _burns_if_empty(total, bad, now, window):
    inside = slice(max(0, now - window + 1), now + 1)
    return _share(total, bad, now, window) if sum(total[inside]) else 1.0


def _unguarded(total, bad, now, window):
    inside = slice(max(0, now - window + 1), now + 1)
    return sum(bad[inside]) / sum(total[inside])


class Wrong:
    either_window = says("""You fire where one of the windows burns. The long one says that it
        matters, the short one that it still goes on: both have to.""")(_alarms(both=any))
    long_window_alone = says("""You look at the long window alone. It goes on burning long after
        everything is well.""")(_alarms(windows=lambda long_min, short_min: (long_min,)))
    short_window_alone = says("""You look at the short window alone. A few bad requests in a quiet
        minute wake somebody.""")(_alarms(windows=lambda long_min, short_min: (short_min,)))

    @_with_share
    def mean_of_minutes(total, bad, now, window):
        """You average the minutes' shares. A minute with three requests then counts as much as one
        with forty: add bad and total over the window first."""
        inside = range(max(0, now - window + 1), now + 1)
        shares = [bad[at] / total[at] for at in inside if total[at]]
        return sum(shares) / len(shares) if shares else 0.0

    @_with_share
    def mean_of_all_minutes(total, bad, now, window):
        """You average the minutes' shares, those without requests among them. Add bad and total
        over the window first, then divide once."""
        inside = range(max(0, now - window + 1), now + 1)
        return sum(bad[at] / max(1, total[at]) for at in inside) / len(inside)

    @_with_share
    def per_minute(total, bad, now, window):
        """You divide by the minutes of the window. A share is of its requests."""
        inside = slice(max(0, now - window + 1), now + 1)
        return sum(bad[inside]) / len(bad[inside])

    @_with_share
    def counts(total, bad, now, window):
        """You compare a number of bad requests with a share. Of how many requests?"""
        return sum(bad[max(0, now - window + 1) : now + 1])

    budget_alone = says("""You fire where more is bad than the objective allows. Asked is `burn`
        times that.""")(_alarms(limit=lambda burn, objective: 1 - objective))
    of_the_objective = says("""You take burn times the objective. The budget is what the objective
        leaves: 1 - objective.""")(_alarms(limit=lambda burn, objective: burn * objective))
    burn_alone = says("""Your limit is as good as `burn` itself. Asked is `burn` times the budget, 1
        - objective.""")(_alarms(limit=lambda burn, objective: burn))
    burn_divides = says("""You divide the budget by the burn rate. Burning faster means that more is
        bad.""")(_alarms(limit=lambda burn, objective: (1 - objective) / burn))
    at_the_limit = says("""You fire where the share is just the limit, too. Asked is more than
        that.""")(_alarms(above=operator.ge))

    @_with_share
    def without_this_minute(total, bad, now, window):
        """Your windows end before the minute that has just ended. It belongs to both."""
        return _share(total, bad, now - 1, window) if now else 0.0

    @_with_share
    def a_minute_too_short(total, bad, now, window):
        """Your windows begin in the right place and leave out this minute. Where does
        `bad[start:now]` end?"""
        return _share(total, bad, now - 1, window - 1) if now and window > 1 else 0.0

    @_with_share
    def in_percent(total, bad, now, window):
        """You compare percent with a share. An objective of 0.99 leaves 0.01."""
        return 100 * _share(total, bad, now, window)

    burns_without_requests = says("""You let a window burn in which nobody asked. How many requests
        were bad there?""")(_alarms(share=_burns_if_empty))
    reaches_the_limit_without_requests = says("""You take at least for more than. So 0 bad requests
        of 0 burn, too: both sides are 0.""")(_alarms(share=_burns_if_empty, above=operator.ge))

    def passes_over_quiet_minutes(total, bad, *more):
        """You pass over a minute in which nobody asked. Its windows may hold requests of the
        minutes before."""
        return [now for now in _alarms()(total, bad, *more) if total[now]]

    def divides_by_none(total, bad, *more):
        """There is a window in which nobody asked, and you divide by its requests. Which share of
        none is bad?"""
        eager = _alarms(share=_unguarded, both=lambda burns: all([*burns]))
        try:
            return eager(total, bad, *more)
        except ZeroDivisionError:
            return Raises(ZeroDivisionError)

    @_with_share
    def a_minute_too_long(total, bad, now, window):
        """Your windows hold a minute too many. How many are there from now - window + 1 to now?"""
        return _share(total, bad, now, window + 1)

    @_with_share
    def whole_windows_only(total, bad, now, window):
        """You wait until a window is full. At the start it is as long as the minutes that there
        are."""
        return _share(total, bad, now, window) if now >= window - 1 else 0.0

    @_with_share
    def wraps_around(total, bad, now, window):
        """At the start your windows begin before minute 0. A negative start of a slice counts from
        the end: cut it off at 0."""
        inside = slice(now - window + 1, now + 1)
        requests = sum(total[inside])
        return sum(bad[inside]) / requests if requests else 0.0

    def begins(total, bad, objective, burn, long_min, short_min):
        """You return the minutes in which it begins to fire. Asked are all in which it fires."""
        fires = _alarms()(total, bad, objective, burn, long_min, short_min)
        return [now for now in fires if now - 1 not in fires]


def _some_minutes():
    """10 to 30 minutes of up to 40 requests, and a stretch in which more of them are bad.

    With these burn rates no share of so few requests is exactly the limit.
    """
    from hypothesis import strategies as st

    def minutes(drawn):
        rows, first, length, (long_min, short_min), burn = drawn
        total = [requests for requests, _, _ in rows]
        bad = [
            min(requests, worse if first <= at < first + length else calm)
            for at, (requests, calm, worse) in enumerate(rows)
        ]
        return total, bad, 0.99, burn, long_min, short_min

    row = st.tuples(
        st.sampled_from([0, 3, 17, 31, 40]), st.sampled_from([0, 0, 0, 1]), st.integers(0, 13)
    )
    rows = st.lists(row, min_size=10, max_size=30)
    windows = st.sampled_from([(12, 3), (8, 2), (5, 1), (9, 4)])
    place = st.integers(0, 15), st.integers(1, 9)
    return st.tuples(rows, *place, windows, st.sampled_from([3.7, 7.3])).map(minutes)


BURN_ALARM = exercise(
    __doc__,
    Function(
        _alarms(),
        _some_minutes,
        always=(
            ([40] * 12, [0] * 5 + [9, 9] + [0] * 5, 0.99, 3.7, 8, 2),
            ([40, 40, 3, 3, 3, 40, 40, 40], [0, 0, 2, 2, 2, 1, 0, 0], 0.99, 7.3, 5, 2),
            ([40] * 9, [0] * 8 + [12], 0.99, 3.7, 5, 1),
            ([0] * 6 + [31] * 4, [0] * 6 + [5] * 4, 0.99, 7.3, 9, 4),
            ([1, 0, 0, 40], [1, 0, 0, 0], 0.9, 7.3, 3, 1),
            ([4, 8, 8], [4, 8, 3], 0.5, 2.0, 2, 1),
            ([400] * 4, [1, 0, 0, 0], 0.99, 3.7, 3, 1),
            ([10] * 5, [4, 5, 7, 10, 10], 0.4, 0.8, 2, 1),  # some fire although burn is large
            ([400] * 5, [0, 0, 1, 0, 0], 0.4, 0.8, 4, 3),
            ([40] * 5, [0, 0, 1, 0, 0], 0.4, 0.8, 4, 3),
            ([40] * 3, [9, 9, 0], 0.99, 3.7, 5, 1),  # shorter than its window
        ),
        misconceptions=mistakes_in(Wrong),
    ),
)
