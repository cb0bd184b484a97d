"""The waiting-time recursion (Lindley, 1952), as an exercise."""

import itertools

from labutils.exercises.checkers import Function
from labutils.exercises.definition.exercise import Exercise, Misconception


def _waits(arrivals, services):
    """Reference for the recursion; plain Python, so that a failing call reads like an answer."""
    waits = [0.0]
    for n in range(1, len(arrivals)):
        unfinished = waits[-1] + services[n - 1] - (arrivals[n] - arrivals[n - 1])
        waits.append(max(0.0, unfinished))
    return waits


def _own_service(arrivals, services):
    waits = [0.0]
    for n in range(1, len(arrivals)):
        waits.append(max(0.0, waits[-1] + services[n] - (arrivals[n] - arrivals[n - 1])))
    return waits


def _no_floor(arrivals, services):
    waits = [0.0]
    for n in range(1, len(arrivals)):
        waits.append(waits[-1] + services[n - 1] - (arrivals[n] - arrivals[n - 1]))
    return waits


def _floor_on_the_step(arrivals, services):
    waits = [0.0]
    for n in range(1, len(arrivals)):
        gap = arrivals[n] - arrivals[n - 1]
        waits.append(waits[-1] + max(0.0, services[n - 1] - gap))
    return waits


def _adds_the_gap(arrivals, services):
    waits = [0.0]
    for n in range(1, len(arrivals)):
        waits.append(max(0.0, waits[-1] + services[n - 1] + (arrivals[n] - arrivals[n - 1])))
    return waits


def _distance_for_wait(arrivals, services):
    waits = [0.0]
    for n in range(1, len(arrivals)):
        waits.append(abs(waits[-1] + services[n - 1] - (arrivals[n] - arrivals[n - 1])))
    return waits


def _sojourns(arrivals, services):
    return [wait + service for wait, service in zip(_waits(arrivals, services), services)]


def _times_as_gaps(arrivals, services):
    waits = [0.0]
    for n in range(1, len(arrivals)):
        waits.append(max(0.0, waits[-1] + services[n - 1] - arrivals[n]))
    return waits


def _memoryless(arrivals, services):
    gaps = [later - earlier for earlier, later in itertools.pairwise(arrivals)]
    return [0.0] + [max(0.0, service - gap) for service, gap in zip(services, gaps)]


def _starts(arrivals, services):
    return [arrival + wait for arrival, wait in zip(arrivals, _waits(arrivals, services))]


def _departures(arrivals, services):
    return [start + service for start, service in zip(_starts(arrivals, services), services)]


def _idle_time_saved_up(arrivals, services):
    """The server is taken to be free once all work so far is done, as if it never stood idle."""
    done = itertools.accumulate(services[:-1], initial=arrivals[0])
    return [max(0.0, free - arrival) for arrival, free in zip(arrivals, done)]


def _work_from_time_zero(arrivals, services):
    done = itertools.accumulate(services[:-1], initial=0.0)
    return [max(0.0, free - arrival) for arrival, free in zip(arrivals, done)]


def _first_waits_for_itself(arrivals, services):
    waits = [services[0]]
    for n in range(1, len(arrivals)):
        waits.append(max(0.0, waits[-1] + services[n - 1] - (arrivals[n] - arrivals[n - 1])))
    return waits


_IDLE = (
    "You add up all the work so far and hold it against the clock, so time in which the server "
    "stood idle pays for work that comes later. Can a lull be saved up?"
)


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


RECURSION = Exercise(
    id="mm1.recursion",
    title="The waiting-time recursion",
    minutes=8,
    checker=Function(
        reference=_waits,
        inputs=_some_traffic,
        misconceptions=(
            Misconception(
                "own-service",
                _own_service,
                "You add each request's own service time. Whose work keeps the server busy when "
                "a request arrives: its own, or that of the request before it?",
            ),
            Misconception(
                "negative-wait",
                _no_floor,
                "Some of your waits are negative. What does the server do when it has finished "
                "before the next request arrives?",
            ),
            Misconception(
                "floor-on-the-step",
                _floor_on_the_step,
                "You cut off each step at zero, so a long gap never works off an old backlog. "
                "Cut off the new wait as a whole.",
            ),
            Misconception(
                "adds-the-gap",
                _adds_the_gap,
                "You add the gap between two arrivals. What does the server do in that time: more "
                "for those who wait, or less?",
            ),
            Misconception(
                "absolute-value",
                _distance_for_wait,
                "You turn a negative number into a wait. What does the server do when it has "
                "finished before the next request arrives?",
            ),
            Misconception(
                "sojourn",
                _sojourns,
                "These are sojourn times: waiting plus service. The wait ends when service begins.",
            ),
            Misconception(
                "times-as-gaps",
                _times_as_gaps,
                "You subtract an arrival time where the gap between two arrivals belongs.",
            ),
            Misconception(
                "forgets-the-wait-before",
                _memoryless,
                "Each of your waits looks at one predecessor's service alone. That predecessor "
                "may have waited itself: carry its wait along.",
            ),
            Misconception(
                "start-times",
                _starts,
                "These are the moments at which service begins, on the clock. How long has each "
                "request been there by then?",
            ),
            Misconception(
                "departure-times",
                _departures,
                "These are the moments at which the requests leave. Their waits are asked for: "
                "from the arrival to the begin of service.",
            ),
            Misconception("idle-time-saved-up", _idle_time_saved_up, _IDLE),
            Misconception("idle-since-zero", _work_from_time_zero, _IDLE),
            Misconception(
                "first-waits-for-itself",
                _first_waits_for_itself,
                "Your first request waits for its own service. Whom does the first one find?",
            ),
        ),
    ),
    hints=(
        "Stand beside request i at the moment it arrives. How much work of the request before it "
        "is still ahead?",
        "Request i-1 began service after its own wait and leaves after its service. Between the "
        "two arrivals the server worked off as much as the gap is long.",
        "wait[i] = wait[i-1] + services[i-1] - (arrivals[i] - arrivals[i-1]), but never below "
        "zero; the first request waits 0.",
    ),
    explanation=(
        "Request $i$ waits for whatever is left of request $i-1$'s stay. That stay lasts "
        "$w_{i-1} + s_{i-1}$ from its arrival, and the gap $g_i$ between the two arrivals is "
        "already over: $w_i = \\max(0,\\; w_{i-1} + s_{i-1} - g_i)$ (Lindley, 1952). The maximum "
        "is where the trouble comes from: a lull cannot be saved up for the next burst."
    ),
)
