"""Our routers in plain Python, over ``Replica``s: each a function that chooses one."""

import math

from labutils.serving.replicas.routers import (
    FourWaitingPlusRunning,
    LeastInFlight,
    LeastReported,
    PrefixBounded,
    Random,
    RoundRobin,
    TwoChoices,
    WeightedScores,
)


def plain_router(router):
    """The function of a router, and how often it wants reports (None: never)."""
    return _FUNCTIONS[type(router)](router), getattr(router, "report_every_s", None)


def _in_turn(replicas, draws) -> list[int]:
    """All replicas, from one at random on: among equals the first one wins."""
    start = int(draws[0] * len(replicas))
    return [(start + step) % len(replicas) for step in range(len(replicas))]


def _two(replicas, draws) -> list[int]:
    """Two different replicas at random."""
    n, first = len(replicas), int(draws[0] * len(replicas))
    return [first, (first + 1 + int(draws[1] * (n - 1))) % n] if n > 1 else [first]


def _random(router):
    return lambda request, replicas, now_s, row, draws: int(draws[0] * len(replicas))


def _round_robin(router):
    return lambda request, replicas, now_s, row, draws: row % len(replicas)


def _least_in_flight(router):
    def choose(request, replicas, now_s, row, draws):
        return min(_in_turn(replicas, draws), key=lambda at: replicas[at].in_flight(now_s))

    return choose


def _told(replica) -> int:
    return replica.report.waiting + replica.report.running


def _least_reported(router):
    def choose(request, replicas, now_s, row, draws):
        return min(_in_turn(replicas, draws), key=lambda at: _told(replicas[at]))

    return choose


def _four_waiting(router):
    def load(replica):
        since = replica.sent_since if router.counts_own else 0
        return 4 * (replica.report.waiting + since) + replica.report.running

    def choose(request, replicas, now_s, row, draws):
        return min(_in_turn(replicas, draws), key=lambda at: load(replicas[at]))

    return choose


def _two_choices(router):
    def choose(request, replicas, now_s, row, draws):
        if router.report_every_s is None:
            return min(_two(replicas, draws), key=lambda at: replicas[at].in_flight(now_s))
        return min(_two(replicas, draws), key=lambda at: _told(replicas[at]))

    return choose


def _num_sent(request, replica) -> int:
    """Leading pages of the prompt that were sent there before."""
    for pages, name in enumerate(request.keys):
        if name not in replica.sent_pages:
            return pages
    return len(request.keys)


def _prefix_bounded(router):
    def choose(request, replicas, now_s, row, draws):
        busy = [replica.in_flight(now_s) for replica in replicas]
        most = math.ceil(router.bound * (sum(busy) + 1) / len(replicas))
        free = [at for at in _in_turn(replicas, draws) if busy[at] < most]
        return max(free, key=lambda at: (_num_sent(request, replicas[at]), -busy[at]))

    return choose


def _weighted_scores(router):
    def choose(request, replicas, now_s, row, draws):
        queues = [replica.report.waiting for replica in replicas]

        def score(at):
            replica, report = replicas[at], replicas[at].report
            share = _num_sent(request, replica) / max(1, len(request.keys))
            total = router.prefix * share
            if max(queues) > min(queues):
                total += router.queue * ((max(queues) - queues[at]) / (max(queues) - min(queues)))
            if report.num_pages:
                total += router.kv * (1.0 - report.pages / report.num_pages)
            return total

        return max(_in_turn(replicas, draws), key=score)

    return choose


_FUNCTIONS = {
    Random: _random,
    RoundRobin: _round_robin,
    LeastInFlight: _least_in_flight,
    LeastReported: _least_reported,
    FourWaitingPlusRunning: _four_waiting,
    TwoChoices: _two_choices,
    PrefixBounded: _prefix_bounded,
    WeightedScores: _weighted_scores,
}
