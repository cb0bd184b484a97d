"""two.fleet_percentile · The percentile of a fleet · 7 minutes

> What may be added up: percentiles, or numbers of requests?
> Add the counts of all hosts bucket by bucket (a Counter has `update`). Then go up the sorted edges
  and add up counts until they reach q times the total.
> total = Counter(); for host in hosts: total.update(host). Then seen = 0; for edge in
  sorted(total): seen += total[edge]; return edge as soon as seen >= q * total.total().

Counts are additive: the requests up to an edge in the fleet are those up to it on each host, added.
So bucket counts of hosts, minutes or versions merge *exactly*, in any order, and every percentile
of any union can be read off later, to within the width of a bucket. A percentile has thrown these
counts away: from a host's p99 nobody can compute how many of its requests lie above another limit,
which is all that the fleet needs.
"""

from collections import Counter

import numpy as np

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise, mistakes_in, says

EDGES_MS = (5, 10, 20, 30, 50, 80, 120, 200, 300, 500, 800)


def _quantile(counts, q):
    """The smallest edge that at least a share q of the counted requests does not exceed."""
    seen, wanted = 0, q * sum(counts.values())
    for edge_ms in sorted(counts):
        seen += counts[edge_ms]
        if seen >= wanted:
            return edge_ms
    raise ValueError("hosts: expected at least one request")


def _fleet_percentile(hosts, q):
    merged = Counter()
    for host in hosts:
        merged.update(host)
    return _quantile(merged, q)


def _busy(hosts):
    return [host for host in hosts if host]


def _some_fleets():
    """Two to four busy hosts that share some buckets, and sometimes an idle one; in no order.

    In one case in three there is one host, whose first bucket ends exactly at the share asked for.
    """
    from hypothesis import strategies as st

    busy = st.dictionaries(st.sampled_from(EDGES_MS), st.integers(1, 9), min_size=2, max_size=6)
    hosts = st.tuples(st.lists(busy, min_size=2, max_size=4), st.lists(st.just({}), max_size=1))
    quantile = st.sampled_from([0.25, 0.5, 0.75]) | st.integers(20, 99).map(lambda p: p / 100)
    usual = st.tuples(hosts.map(lambda pair: pair[1] + pair[0]), quantile).filter(_exact)
    edges = st.lists(st.sampled_from(EDGES_MS), min_size=2, max_size=2, unique=True)
    halves = st.tuples(edges, st.integers(1, 9)).map(
        lambda drawn: ([dict.fromkeys(drawn[0], drawn[1])], 0.5)
    )
    return usual | usual | halves


def _exact(case) -> bool:
    """Whether right answers agree however they round: q n is no whole number, or q is exact.

    A quarter is exact in binary, 0.07 is not: 100 * 0.07 is 7.000000000000001. There the answers
    `seen >= q * n`, `seen / n >= q` and `ceil(q * n)`, all of them right, would differ.
    """
    hosts, q = case
    places = q * sum(sum(host.values()) for host in hosts)
    return 4 * q == round(4 * q) or abs(places - round(places)) > 1e-6


def _size(host):
    return sum(host.values())


def _at_rank(hosts, rank):
    """The edge of the request that is number ``rank`` of the fleet's."""
    merged = sum(map(Counter, hosts), Counter())
    edges = sorted(merged)
    return next(edge for edge in edges if sum(merged[e] for e in edges if e <= edge) >= rank)


_AVERAGE = (
    "Your result is the average of the hosts' percentiles. How many of the fleet's requests lie "
    "above that number? Count them before you compute a quantile, not after."
)


class Wrong:
    @says(_AVERAGE)
    def averages_percentiles(hosts, q):
        each = [_quantile(host, q) for host in _busy(hosts)]
        return sum(each) / len(each)

    @says(_AVERAGE)
    def averages_interpolated_percentiles(hosts, q):
        each = [np.quantile(list(Counter(host).elements()), q) for host in _busy(hosts)]
        return float(np.mean(each))

    @says(_AVERAGE)
    def averages_idle_hosts_too(hosts, q):
        return sum(_quantile(host, q) if host else 0 for host in hosts) / len(hosts)

    def bucket_before(hosts, q):
        """Your result is the bucket before the one that is asked for: its lower edge. Which
        requests are up to that edge?"""
        edges = sorted(set().union(*hosts))
        at = edges.index(_fleet_percentile(hosts, q))
        return edges[at - 1] if at else 0

    def weighted_percentiles(hosts, q):
        """You average the percentiles, weighted by traffic. That repairs a mean; where in the
        sorted requests of the fleet does your number stand?"""
        sizes = [sum(host.values()) for host in _busy(hosts)]
        each = [_quantile(host, q) for host in _busy(hosts)]
        return sum(size * value for size, value in zip(sizes, each)) / sum(sizes)

    def worst_host(hosts, q):
        """You return the percentile of the slowest host. How much of the fleet's traffic goes
        through it?"""
        return max(_quantile(host, q) for host in _busy(hosts))

    def slowest_of_all(hosts, q):
        """You return the last bucket of all, whatever q is. Where does the running count of the
        fleet reach the share q?"""
        return max(max(host) for host in _busy(hosts))

    def middle_host(hosts, q):
        """You take the percentile of the host in the middle. How many requests of the others lie
        above it?"""
        each = sorted(_quantile(host, q) for host in _busy(hosts))
        return each[len(each) // 2]

    def overwrites(hosts, q):
        """Where two hosts have the same bucket, one count replaces the other. What should become of
        two counts of one bucket?"""
        merged = {}
        for host in hosts:
            merged.update(host)
        return _quantile(merged, q)

    def counts_buckets_once(hosts, q):
        """You count each bucket once, however many requests are in it."""
        return _quantile(Counter(edge for host in hosts for edge in host), q)

    def one_bucket_too_high(hosts, q):
        """Your result is the bucket after the one that is asked for."""
        edges = sorted(set().union(*hosts))
        at = edges.index(_fleet_percentile(hosts, q))
        return edges[min(at + 1, len(edges) - 1)]

    def more_than_a_share(hosts, q):
        """You go on to the next bucket where a share of exactly q has been reached. Is that “at
        least q”?"""
        merged = sum(map(Counter, hosts), Counter())
        seen, wanted = 0, q * merged.total()
        for edge_ms in sorted(merged):
            seen += merged[edge_ms]
            if seen > wanted:
                return edge_ms
        return max(merged)

    def rank_rounded_down(hosts, q):
        """You round the rank q n down. At least a share q of the requests must have been counted:
        which way do you round?"""
        return _at_rank(hosts, int(q * sum(map(_size, hosts))))

    def rank_rounded_to_the_nearest(hosts, q):
        """You round the rank q n to the nearest. At least a share q of the requests must have been
        counted: which way do you round?"""
        return _at_rank(hosts, round(q * sum(map(_size, hosts))))

    def interpolates(hosts, q):
        """Your result lies between two buckets, by interpolation (np.quantile and np.percentile do
        so unless told otherwise). Which edge has a share of at least q up to it?"""
        merged = sum(map(Counter, hosts), Counter())
        return float(np.quantile(list(merged.elements()), q))

    def in_the_order_of_arrival(hosts, q):
        """You go through the buckets in the order in which the hosts listed them. A quantile needs
        them sorted."""
        merged = Counter()
        for host in hosts:
            merged.update(host)
        seen, wanted = 0, q * sum(merged.values())
        for edge_ms, count in merged.items():
            seen += count
            if seen >= wanted:
                return edge_ms
        return None


FLEET_PERCENTILE = exercise(
    __doc__, Function(_fleet_percentile, _some_fleets, misconceptions=mistakes_in(Wrong))
)
