"""Erlang's two formulas: who is blocked, and who waits."""

from labutils.ground import arguments
from labutils.laws.queueing.formulas.errors import check_stable

MOST_SERVERS = 10_000_000
"""The recursion takes a step for each server: a second for so many."""


def erlang_b(offered_load: float, num_servers: int) -> float:
    """Probability that a request finds all servers busy when nobody may wait (Erlang 1917).

    ``offered_load`` is arrival_rate / service_rate in Erlangs and may exceed ``num_servers``.
    Computed by B(n) = a B(n-1) / (n + a B(n-1)), whose terms are positive: neither overflow nor
    cancellation at thousands of servers. Exact for any service-time distribution.
    """
    load = arguments.positive("offered_load", offered_load)
    blocked = 1.0
    for servers in range(1, count_of_servers(num_servers) + 1):
        blocked = load * blocked / (servers + load * blocked)
    return blocked


def erlang_c(offered_load: float, num_servers: int) -> float:
    """Probability that a request must wait in M/M/c with an endless queue (Erlang 1917).

    C = B / (B + (1 - B)(1 - utilization)), with B from ``erlang_b``. Raises
    ``UnstableQueueError`` when ``offered_load`` (Erlangs) reaches ``num_servers``.
    """
    load = arguments.positive("offered_load", offered_load)
    servers = count_of_servers(num_servers)
    check_stable("offered_load", load, servers, unit=" Erlangs")
    return p_wait_from_blocking(erlang_b(load, servers), (servers - load) / servers)


def count_of_servers(num_servers: int) -> int:
    """``num_servers`` as an int, if it is a whole number that a loop can count to."""
    return arguments.whole("num_servers", num_servers, at_most=MOST_SERVERS)


def p_wait_from_blocking(blocked: float, idle_share: float) -> float:
    """Erlang C from Erlang B and the idle share 1 - utilization (asked for, as it may be tiny)."""
    return blocked / (blocked + (1 - blocked) * idle_share)
