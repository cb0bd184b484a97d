r"""mm1.recursion · The waiting-time recursion · 8 minutes

> Stand beside request i at the moment it arrives. How much work of the request before it is still
  ahead?
> Request i-1 began service after its own wait and leaves after its service. Between the two
  arrivals the server worked off as much as the gap is long.
> wait[i] = wait[i-1] + services[i-1] - (arrivals[i] - arrivals[i-1]), but never below zero; the
  first request waits 0.

Request $i$ waits for whatever is left of request $i-1$'s stay. That stay lasts $w_{i-1} + s_{i-1}$
from its arrival, and the gap $g_i$ between the two arrivals is already over: $w_i = \max(0,\;
w_{i-1} + s_{i-1} - g_i)$ (Lindley, 1952). The maximum is where the trouble comes from: a lull
cannot be saved up for the next burst.
"""

import itertools

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise, mistakes_in, says


def _waits(arrivals, services):
    """Reference for the recursion; plain Python, so that a failing call reads like an answer."""
    waits = [0.0]
    for n in range(1, len(arrivals)):
        unfinished = waits[-1] + services[n - 1] - (arrivals[n] - arrivals[n - 1])
        waits.append(max(0.0, unfinished))
    return waits


_IDLE = (
    "You add up all the work so far and hold it against the clock, so time in which the server "
    "stood idle pays for work that comes later. Can a lull be saved up?"
)


def _with_rule(rule):
    """A decorator: the recursion with this rule for a wait, and the message of its docstring."""

    def waits(arrivals, services):
        found = [0.0]
        for (earlier, later), service in zip(itertools.pairwise(arrivals), services):
            found.append(rule(found[-1], service, later - earlier))
        return found

    return says(rule.__doc__)(waits)


class Wrong:
    def own_service(arrivals, services):
        """You add each request's own service time. Whose work keeps the server busy when a request
        arrives: its own, or that of the request before it?"""
        waits = [0.0]
        for n in range(1, len(arrivals)):
            waits.append(max(0.0, waits[-1] + services[n] - (arrivals[n] - arrivals[n - 1])))
        return waits

    @_with_rule
    def negative_wait(before, service, gap):
        """Some of your waits are negative. What does the server do when it has finished before the
        next request arrives?"""
        return before + service - gap

    @_with_rule
    def floor_on_the_step(before, service, gap):
        """You cut off each step at zero, so a long gap never works off an old backlog. Cut off the
        new wait as a whole."""
        return before + max(0.0, service - gap)

    @_with_rule
    def adds_the_gap(before, service, gap):
        """You add the gap between two arrivals. What does the server do in that time: more for
        those who wait, or less?"""
        return max(0.0, before + service + gap)

    @_with_rule
    def absolute_value(before, service, gap):
        """You turn a negative number into a wait. What does the server do when it has finished
        before the next request arrives?"""
        return abs(before + service - gap)

    def sojourn(arrivals, services):
        """These are sojourn times: waiting plus service. The wait ends when service begins."""
        return [wait + service for wait, service in zip(_waits(arrivals, services), services)]

    def times_as_gaps(arrivals, services):
        """You subtract an arrival time where the gap between two arrivals belongs."""
        waits = [0.0]
        for n in range(1, len(arrivals)):
            waits.append(max(0.0, waits[-1] + services[n - 1] - arrivals[n]))
        return waits

    def gaps_from_the_first(arrivals, services):
        """You subtract the time since the first arrival of all. Which two arrivals does the gap lie
        between?"""
        waits = [0.0]
        for n in range(1, len(arrivals)):
            waits.append(max(0.0, waits[-1] + services[n - 1] - (arrivals[n] - arrivals[0])))
        return waits

    def forgets_the_wait_before(arrivals, services):
        """Each of your waits looks at one predecessor's service alone. That predecessor may have
        waited itself: carry its wait along."""
        gaps = [later - earlier for earlier, later in itertools.pairwise(arrivals)]
        return [0.0] + [max(0.0, service - gap) for service, gap in zip(services, gaps)]

    def start_times(arrivals, services):
        """These are the moments at which service begins, on the clock. How long has each request
        been there by then?"""
        return [arrival + wait for arrival, wait in zip(arrivals, _waits(arrivals, services))]

    def departure_times(arrivals, services):
        """These are the moments at which the requests leave. Their waits are asked for: from the
        arrival to the begin of service."""
        return [
            start + service
            for start, service in zip(Wrong.start_times(arrivals, services), services)
        ]

    @says(_IDLE)
    def idle_time_saved_up(arrivals, services):
        # The server is taken to be free once all work so far is done, as if it never stood idle.
        done = itertools.accumulate(services[:-1], initial=arrivals[0])
        return [max(0.0, free - arrival) for arrival, free in zip(arrivals, done)]

    @says(_IDLE)
    def idle_since_zero(arrivals, services):
        done = itertools.accumulate(services[:-1], initial=0.0)
        return [max(0.0, free - arrival) for arrival, free in zip(arrivals, done)]

    def first_waits_for_itself(arrivals, services):
        """Your first request waits for its own service. Whom does the first one find?"""
        waits = [services[0]]
        for n in range(1, len(arrivals)):
            waits.append(max(0.0, waits[-1] + services[n - 1] - (arrivals[n] - arrivals[n - 1])))
        return waits


def _some_traffic():
    """One to nine requests; quarters of a second, so that no rounding hides in the numbers."""
    from hypothesis import strategies as st

    quarter = st.integers(0, 24).map(lambda k: k / 4)

    def spread(requests):
        clock, arrivals = 0.0, []
        for gap, _ in requests:
            clock += gap
            arrivals.append(clock)
        return arrivals, [service for _, service in requests]

    return st.lists(st.tuples(quarter, quarter), min_size=1, max_size=9).map(spread)


RECURSION = exercise(__doc__, Function(_waits, _some_traffic, misconceptions=mistakes_in(Wrong)))
