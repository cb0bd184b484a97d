r"""trusting.audit · An audit of a simulation · 6 minutes

> Stand at one audit. Which three groups can a request belong to that has come by now?
> For the audit at time t: count the arrivals that are at most t, subtract the departures that are
  at most t, subtract inside.
> [sum(a <= t for a in arrival_s) - sum(d <= t for d in departure_s) - k for t, k in zip(audit_s,
  inside)]. With 20,000 requests that takes a while: np.searchsorted on sorted arrays, with
  side='right', counts faster.

At every moment $\text{arrived} = \text{finished} + \text{inside}$. The three counts come from three
different places (the source, the diary, the service itself), and that is why the audit can fail:
Little's law takes all of its numbers from the diary. In numpy: `searchsorted(sort(arrival_s),
audit_s, side='right')` counts the arrivals up to and including each audit.
"""

from bisect import bisect_left, bisect_right

import numpy as np

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise, mistakes_in, says


def _balance(arrival_s, departure_s, audit_s, inside, *, came=bisect_right, left=bisect_right):
    arrivals, departures = sorted(arrival_s), sorted(departure_s)
    moments = zip(audit_s, inside)
    return [int(came(arrivals, t) - left(departures, t) - held) for t, held in moments]


def _unaccounted(arrival_s, departure_s, audit_s, inside):
    """Reference; plain Python, so that a failing call reads like an answer."""
    return _balance(arrival_s, departure_s, audit_s, inside)


_WHOLE = (
    "You count those of the whole run at every audit, arrivals or departures. How many of them lie "
    "before this one?"
)


class Wrong:
    def strictly_before(arrival_s, departure_s, audit_s, inside):
        """You leave out what happens exactly at the time of an audit. A request that comes at that
        moment has come."""
        return _balance(arrival_s, departure_s, audit_s, inside, came=bisect_left, left=bisect_left)

    def arrivals_strictly_before(arrival_s, departure_s, audit_s, inside):
        """A request that comes exactly at the time of an audit is inside, and you have not counted
        its arrival. On which side of the audit does that moment belong?"""
        return _balance(arrival_s, departure_s, audit_s, inside, came=bisect_left)

    def departures_strictly_before(arrival_s, departure_s, audit_s, inside):
        """A request that leaves exactly at the time of an audit is gone, and you still look for it.
        On which side of the audit does that moment belong?"""
        return _balance(arrival_s, departure_s, audit_s, inside, left=bisect_left)

    def takes_them_for_sorted(arrival_s, departure_s, audit_s, inside):
        """You search the departures as if they ascended. They come in any order, and a binary
        search of those finds some place or other. What must happen first?"""
        came, left = (np.searchsorted(x, audit_s, side="right") for x in (arrival_s, departure_s))
        return came - left - inside

    def forgets_inside(arrival_s, departure_s, audit_s, inside):
        """A request that waits or is being served is not lost. Which of your arguments counts
        these?"""
        return _balance(arrival_s, departure_s, audit_s, [0] * len(audit_s))

    def forgets_departures(arrival_s, departure_s, audit_s, inside):
        """You count those who came and those who are inside. What has become of the others?"""
        return _balance(arrival_s, [], audit_s, inside)

    @says(_WHOLE)
    def arrivals_of_the_whole_run(arrival_s, departure_s, audit_s, inside):
        return _balance(arrival_s, departure_s, audit_s, inside, came=lambda them, t: len(them))

    @says(_WHOLE)
    def departures_of_the_whole_run(arrival_s, departure_s, audit_s, inside):
        return _balance(arrival_s, departure_s, audit_s, inside, left=lambda them, t: len(them))

    @says(_WHOLE)
    def whole_run(arrival_s, departure_s, audit_s, inside):
        return [len(arrival_s) - len(departure_s) - held for held in inside]

    def sign(arrival_s, departure_s, audit_s, inside):
        """Your numbers have the right size and the wrong sign. A request that is lost counts +1."""
        return [-lost for lost in _unaccounted(arrival_s, departure_s, audit_s, inside)]

    def clipped(arrival_s, departure_s, audit_s, inside):
        """You cut negative numbers off. They are findings too: something departed more often than
        it came."""
        return [max(0, lost) for lost in _unaccounted(arrival_s, departure_s, audit_s, inside)]

    def without_sign(arrival_s, departure_s, audit_s, inside):
        """You drop the sign. One request lost and one that departed twice are two faults, and only
        the sign tells them apart."""
        return [abs(lost) for lost in _unaccounted(arrival_s, departure_s, audit_s, inside)]

    def counts_inside_as_lost(arrival_s, departure_s, audit_s, inside):
        """Requests inside make your number larger. Are they among those you look for?"""
        balance = _balance(arrival_s, departure_s, audit_s, [0] * len(audit_s))
        return [gap + held for gap, held in zip(balance, inside)]

    def each_moment_once(arrival_s, departure_s, audit_s, inside):
        """Departures at one and the same moment count once with you, as in a set. A batch leaves at
        one moment: how many requests are that?"""
        return _balance(arrival_s, set(map(float, departure_s)), audit_s, inside)

    def since_the_last_audit(arrival_s, departure_s, audit_s, inside):
        """From the second audit on, you report what was lost since the one before. Asked is all
        that is missing by then."""
        lost = _unaccounted(arrival_s, departure_s, audit_s, inside)
        return [now - before for before, now in zip([0, *lost], lost)]


def _some_services():
    """A few requests on a grid of quarter seconds, some lost on arrival, some departing twice."""
    from hypothesis import strategies as st

    quarter = st.integers(0, 16).map(lambda k: k / 4)
    request = st.tuples(quarter, st.integers(1, 12).map(lambda k: k / 4), st.integers(0, 3))
    audits = st.lists(st.integers(0, 32).map(lambda k: k / 4), min_size=1, max_size=5).map(sorted)
    return st.tuples(st.lists(request, min_size=1, max_size=7), audits).map(_record)


def _record(drawn):
    """What the service noted: fate 0 loses a request, fate 1 lets it depart twice."""
    requests, audit_s = drawn
    kept = [(arrival, arrival + stay) for arrival, stay, fate in requests if fate != 0]
    again = [arrival + stay + 0.5 for arrival, stay, fate in requests if fate == 1]
    departure_s = [left for _, left in kept] + again
    inside = [sum(arrival <= t < left for arrival, left in kept) for t in audit_s]
    arrival_s = sorted(arrival for arrival, *_ in requests)
    times = (np.array(x, dtype=float) for x in (arrival_s, departure_s, audit_s))
    return *times, np.array(inside)  # arrays, as on the page


AUDIT = exercise(__doc__, Function(_unaccounted, _some_services, misconceptions=mistakes_in(Wrong)))
