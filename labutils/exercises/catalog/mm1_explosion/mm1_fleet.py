r"""mm1.least_servers · The least servers for a wait target · 8 minutes

> Start at the smallest number of servers that is stable, and go up by one until the mean wait meets
  the target. Compare the wait without the service: latency never falls below the service time, so a
  loop on latency may never end.
> Stable means more servers than the offered load a = arrival_rate * mean_service_time (more, not
  equal). The mean wait with c servers is erlang_c(a, c) * mean_service_time / (c - a).
> servers = floor(a) + 1; while erlang_c(a, servers) * mean_service_time / (servers - a) >
  max_mean_wait: servers += 1; then return servers.

With one queue for $c$ servers and offered load $a = \lambda S$, a request waits with probability
$C(a, c)$ (Erlang C) and, if it does, $S/(c-a)$ on average: $W_q = C(a,c)\,S/(c-a)$. The wait falls
with every server, so the first $c$ that meets the target is the least. The load that this leaves,
$a/c$, is an *outcome*: high for large fleets, low for small ones.
"""

import math

from labutils.exercises.checkers import Function
from labutils.exercises.definition.exercise import NeverReturns
from labutils.exercises.definition.sheet import exercise, mistakes_in
from labutils.laws import queueing


def _least_servers(arrival_rate, mean_service_time, max_mean_wait):
    return queueing.least_servers(arrival_rate, mean_service_time, max_mean_wait)


def _first_stable(arrival_rate, mean_service_time):
    return math.floor(arrival_rate * mean_service_time) + 1


class Wrong:
    def merely_stable(arrival_rate, mean_service_time, max_mean_wait):
        """You return the first number of servers that keeps up at all. Stable is not enough: check
        the mean wait against the target before you return."""
        return _first_stable(arrival_rate, mean_service_time)

    def load_rounded_up(arrival_rate, mean_service_time, max_mean_wait):
        """You round the offered load up. Where it is whole that fleet never catches up, and
        elsewhere it merely keeps up: where does the target come in?"""
        return math.ceil(arrival_rate * mean_service_time)

    def split_queues(arrival_rate, mean_service_time, max_mean_wait):
        """Your numbers fit a fleet in which every server has a queue of its own. Here one queue
        feeds all of them: use erlang_c."""

        def wait(c):
            load = arrival_rate * mean_service_time / c
            return mean_service_time * load / (1 - load)

        return _smallest(arrival_rate, mean_service_time, lambda c: wait(c) <= max_mean_wait)

    def forgets_p_wait(arrival_rate, mean_service_time, max_mean_wait):
        """That is the mean wait of those who wait at all. The others wait 0 and count too: multiply
        by the probability of waiting."""

        def wait_if_waiting(c):
            return mean_service_time / (c - arrival_rate * mean_service_time)

        return _smallest(
            arrival_rate, mean_service_time, lambda c: wait_if_waiting(c) <= max_mean_wait
        )

    def headroom_of_one_server(arrival_rate, mean_service_time, max_mean_wait):
        """You divide by 1 - ρ, as for one server. With c of them the queue moves c times as fast:
        by what do you divide?"""
        offered_load = arrival_rate * mean_service_time

        def wait(c):
            return queueing.erlang_c(offered_load, c) * mean_service_time / (1 - offered_load / c)

        return _smallest(arrival_rate, mean_service_time, lambda c: wait(c) <= max_mean_wait)

    def p_wait_against_target(arrival_rate, mean_service_time, max_mean_wait):
        """You compare a probability with a time. Turn erlang_c into a mean wait first."""
        offered_load = arrival_rate * mean_service_time
        return _smallest(
            arrival_rate,
            mean_service_time,
            lambda c: queueing.erlang_c(offered_load, c) <= max_mean_wait,
        )

    def latency_against_target(arrival_rate, mean_service_time, max_mean_wait):
        """You hold the whole latency against the target, which bounds the wait alone. Which part of
        the latency does no number of servers make shorter?"""
        if max_mean_wait < mean_service_time:
            raise NeverReturns  # no fleet is faster than the service itself
        offered_load = arrival_rate * mean_service_time

        def latency(c):
            p_wait = queueing.erlang_c(offered_load, c)
            return p_wait * mean_service_time / (c - offered_load) + mean_service_time

        return _smallest(arrival_rate, mean_service_time, lambda c: latency(c) <= max_mean_wait)

    def eighty_percent_rule(arrival_rate, mean_service_time, max_mean_wait):
        """These numbers come from the 80 % rule. It looks neither at the target nor at the size of
        the fleet: compute the wait."""
        return max(1, math.ceil(arrival_rate * mean_service_time / 0.8))

    def below_the_target(arrival_rate, mean_service_time, max_mean_wait):
        """You go on where the wait is exactly the target. Is that “at most”?"""
        offered_load = arrival_rate * mean_service_time
        return _smallest(
            arrival_rate,
            mean_service_time,
            lambda c: (
                queueing.erlang_c(offered_load, c) * mean_service_time / (c - offered_load)
                < max_mean_wait
            ),
        )

    def one_too_many(arrival_rate, mean_service_time, max_mean_wait):
        """You return one server more than is needed. Do you count on after the number whose wait
        met the target?"""
        return _least_servers(arrival_rate, mean_service_time, max_mean_wait) + 1

    def one_too_few(arrival_rate, mean_service_time, max_mean_wait):
        """You return one server less than is needed: with yours the wait is still longer than the
        target. Do you return the number that you tested?"""
        return _least_servers(arrival_rate, mean_service_time, max_mean_wait) - 1

    def divides_by_servers(arrival_rate, mean_service_time, max_mean_wait):
        """You divide the service time by all servers. Somebody who waits gains only on those that
        new arrivals do not keep busy: how many are these, on average?"""
        offered_load = arrival_rate * mean_service_time
        return _smallest(
            arrival_rate,
            mean_service_time,
            lambda c: queueing.erlang_c(offered_load, c) * mean_service_time / c <= max_mean_wait,
        )

    def not_over_the_spare_servers(arrival_rate, mean_service_time, max_mean_wait):
        """You let everybody who waits wait for a whole service time. Several servers are at work:
        how often does one of them come free?"""
        offered_load = arrival_rate * mean_service_time
        return _smallest(
            arrival_rate,
            mean_service_time,
            lambda c: queueing.erlang_c(offered_load, c) * mean_service_time <= max_mean_wait,
        )

    def forgets_the_service_time(arrival_rate, mean_service_time, max_mean_wait):
        """What you compare with the target is a wait counted in service times. How long is it in
        seconds?"""
        offered_load = arrival_rate * mean_service_time
        return _smallest(
            arrival_rate,
            mean_service_time,
            lambda c: queueing.erlang_c(offered_load, c) / (c - offered_load) <= max_mean_wait,
        )

    def two_spare(arrival_rate, mean_service_time, max_mean_wait):
        """You add two spare servers to the load, whatever the target. How many are spare is what
        the target decides: compute the wait."""
        return _first_stable(arrival_rate, mean_service_time) + 1


def _smallest(arrival_rate, mean_service_time, fits):
    """The least stable number of servers whose mean figures satisfy ``fits``."""
    num_servers = _first_stable(arrival_rate, mean_service_time)
    while not fits(num_servers):
        num_servers += 1
    return num_servers


def _some_fleets():
    """Fleets between half a busy server and 250, with targets that bind."""
    from hypothesis import strategies as st

    def fleet(numbers):
        tenths_busy, service_ms, target_percent = numbers
        mean_service_time = service_ms / 1000
        arrival_rate = round(tenths_busy / 10 / mean_service_time, 2)
        return arrival_rate, mean_service_time, round(target_percent / 100 * mean_service_time, 6)

    # the first of the round ones is what a failing case shrinks to: 50 a second of 10 ms
    busy = st.one_of(st.integers(5, 400), st.integers(5, 400), st.integers(400, 2500))
    service_ms = st.sampled_from([10, 5, 20, 40, 100, 8, 200]) | st.integers(4, 900)
    percent = st.sampled_from([10, 20, 50, 5, 2, 100, 200]) | st.integers(2, 300)
    return st.tuples(busy, service_ms, percent).map(fleet).filter(_decided)


def _decided(fleet):
    """Whether the target is clear: a wait that equals it is settled by rounding alone."""
    arrival_rate, mean_service_time, target = fleet
    strict, lax = (
        _least_servers(arrival_rate, mean_service_time, share * target)
        for share in (1 - 1e-6, 1 + 1e-6)
    )
    return strict == lax


LEAST_SERVERS = exercise(
    __doc__,
    Function(
        _least_servers,
        _some_fleets,
        # the shortest, on which a loop on the latency ends; a fleet beyond every loop's bound; and
        # a wait that is exactly the target, in numbers that no formula rounds
        always=((1, 0.5, 0.6), (12_000, 0.04, 0.0002), (3, 0.25, 0.75)),
        misconceptions=mistakes_in(Wrong),
    ),
)
