"""An alert on the error budget, over a long and a short window together."""

import operator

from labutils.exercises.checkers import Function
from labutils.exercises.definition.exercise import Exercise, Misconception


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


def _mean_of_minutes(total, bad, now, window):
    inside = range(max(0, now - window + 1), now + 1)
    shares = [bad[at] / total[at] for at in inside if total[at]]
    return sum(shares) / len(shares) if shares else 0.0


def _mean_of_all_minutes(total, bad, now, window):
    inside = range(max(0, now - window + 1), now + 1)
    return sum(bad[at] / max(1, total[at]) for at in inside) / len(inside)


def _per_minute(total, bad, now, window):
    inside = slice(max(0, now - window + 1), now + 1)
    return sum(bad[inside]) / len(bad[inside])


def _count(total, bad, now, window):
    return sum(bad[max(0, now - window + 1) : now + 1])


def _wraps(total, bad, now, window):
    """A slice whose start is negative at first, and so counts from the end."""
    inside = slice(now - window + 1, now + 1)
    requests = sum(total[inside])
    return sum(bad[inside]) / requests if requests else 0.0


def _without_this_minute(total, bad, now, window):
    return _share(total, bad, now - 1, window) if now else 0.0


def _up_to_this_minute(total, bad, now, window):
    """A window whose slice begins in the right place and ends before ``now``."""
    return _share(total, bad, now - 1, window - 1) if now and window > 1 else 0.0


def _percent(total, bad, now, window):
    return 100 * _share(total, bad, now, window)


def _burns_if_empty(total, bad, now, window):
    inside = slice(max(0, now - window + 1), now + 1)
    return _share(total, bad, now, window) if sum(total[inside]) else 1.0


def _one_more(total, bad, now, window):
    return _share(total, bad, now, window + 1)


def _whole_windows(total, bad, now, window):
    return _share(total, bad, now, window) if now >= window - 1 else 0.0


def _begins(total, bad, objective, burn, long_min, short_min):
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


BURN_ALARM = Exercise(
    id="watching.burn",
    title="An alarm over two windows",
    minutes=7,
    checker=Function(
        reference=_alarms(),
        inputs=_some_minutes,
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
        misconceptions=(
            Misconception(
                "either-window",
                _alarms(both=any),
                "You fire where one of the windows burns. The long one says that it matters, the "
                "short one that it still goes on: both have to.",
            ),
            Misconception(
                "long-window-alone",
                _alarms(windows=lambda long_min, short_min: (long_min,)),
                "You look at the long window alone. It goes on burning long after everything is "
                "well.",
            ),
            Misconception(
                "short-window-alone",
                _alarms(windows=lambda long_min, short_min: (short_min,)),
                "You look at the short window alone. A few bad requests in a quiet minute wake "
                "somebody.",
            ),
            Misconception(
                "mean-of-minutes",
                _alarms(share=_mean_of_minutes),
                "You average the minutes' shares. A minute with three requests then counts as "
                "much as one with forty: add bad and total over the window first.",
            ),
            Misconception(
                "mean-of-all-minutes",
                _alarms(share=_mean_of_all_minutes),
                "You average the minutes' shares, those without requests among them. Add bad and "
                "total over the window first, then divide once.",
            ),
            Misconception(
                "per-minute",
                _alarms(share=_per_minute),
                "You divide by the minutes of the window. A share is of its requests.",
            ),
            Misconception(
                "counts",
                _alarms(share=_count),
                "You compare a number of bad requests with a share. Of how many requests?",
            ),
            Misconception(
                "budget-alone",
                _alarms(limit=lambda burn, objective: 1 - objective),
                "You fire where more is bad than the objective allows. Asked is `burn` times that.",
            ),
            Misconception(
                "of-the-objective",
                _alarms(limit=lambda burn, objective: burn * objective),
                "You take burn times the objective. The budget is what the objective leaves: "
                "1 - objective.",
            ),
            Misconception(
                "burn-alone",
                _alarms(limit=lambda burn, objective: burn),
                "Your limit is as good as `burn` itself. Asked is `burn` times the budget, "
                "1 - objective.",
            ),
            Misconception(
                "burn-divides",
                _alarms(limit=lambda burn, objective: (1 - objective) / burn),
                "You divide the budget by the burn rate. Burning faster means that more is bad.",
            ),
            Misconception(
                "at-the-limit",
                _alarms(above=operator.ge),
                "You fire where the share is just the limit, too. Asked is more than that.",
            ),
            Misconception(
                "without-this-minute",
                _alarms(share=_without_this_minute),
                "Your windows end before the minute that has just ended. It belongs to both.",
            ),
            Misconception(
                "a-minute-too-short",
                _alarms(share=_up_to_this_minute),
                "Your windows begin in the right place and leave out this minute. Where does "
                "`bad[start:now]` end?",
            ),
            Misconception(
                "in-percent",
                _alarms(share=_percent),
                "You compare percent with a share. An objective of 0.99 leaves 0.01.",
            ),
            Misconception(
                "burns-without-requests",
                _alarms(share=_burns_if_empty),
                "You let a window burn in which nobody asked. How many requests were bad there?",
            ),
            Misconception(
                "reaches-the-limit-without-requests",
                _alarms(share=_burns_if_empty, above=operator.ge),
                "You take at least for more than. So 0 bad requests of 0 burn, too: both sides "
                "are 0.",
            ),
            Misconception(
                "a-minute-too-long",
                _alarms(share=_one_more),
                "Your windows hold a minute too many. How many are there from now - window + 1 to "
                "now?",
            ),
            Misconception(
                "whole-windows-only",
                _alarms(share=_whole_windows),
                "You wait until a window is full. At the start it is as long as the minutes that "
                "there are.",
            ),
            Misconception(
                "wraps-around",
                _alarms(share=_wraps),
                "At the start your windows begin before minute 0. A negative start of a slice "
                "counts from the end: cut it off at 0.",
            ),
            Misconception(
                "begins",
                _begins,
                "You return the minutes in which it begins to fire. Asked are all in which it "
                "fires.",
            ),
        ),
    ),
    hints=(
        "For each minute, add up the requests and the bad ones of the last long_min minutes, this "
        "one included. Which share is bad? Then the same for short_min.",
        "It fires where both shares are larger than burn × (1 - objective). Cut a window off at "
        "minute 0. A window without a request burns nothing.",
        "def share(window): inside = slice(max(0, now - window + 1), now + 1); return "
        "sum(bad[inside]) / max(1, sum(total[inside])).",
    ),
    explanation=(
        "A burn rate of 1 spends the budget exactly by its period's end, 14.4 spends a month's "
        "in 50 hours. The long window keeps a hiccup from waking anybody. The short one ends the "
        "alarm when the trouble ends. Add counts over the window: a mean of the minutes' shares "
        "would be an average of averages once more."
    ),
)
