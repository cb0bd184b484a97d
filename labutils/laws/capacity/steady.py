"""Fixed points: rate and latency set each other, and one equation gives both."""

from labutils.ground import arguments
from labutils.laws.queueing import UnstableQueueError


def steady_batch(tokens_per_s: float, fixed_s: float, per_sequence_s: float) -> float:
    """Mean sequences in a decode step that keeps up with a demand of ``tokens_per_s``.

    A step of B sequences takes fixed_s + per_sequence_s · B and makes B tokens, so that
    B = r (f + p B), that is B = r f / (1 - r p): Little's law with a time that depends on the
    number inside. A fluid picture: the batch fluctuates around it, and a step carries at least one.

    Raises ``UnstableQueueError`` from 1 / per_sequence_s on, which no batch exceeds.
    """
    rate = arguments.positive("tokens_per_s", tokens_per_s)
    fixed = arguments.positive("fixed_s", fixed_s)
    work = rate * arguments.non_negative("per_sequence_s", per_sequence_s)
    if work >= 1:
        raise UnstableQueueError("tokens_per_s", rate, rate / work)
    return rate * fixed / (1 - work)


def closed_loop_rate(in_flight: float, time_inside_s: float, think_time_s: float = 0.0) -> float:
    """Requests per second when ``in_flight`` of them circulate: N / (R + Z).

    A limit on concurrency that is always reached admits one whenever one leaves; clients that
    think ``think_time_s`` between answer and next question are counted while they think
    (interactive response time law, Denning and Buzen 1978, "The operational analysis of queueing
    network models").
    """
    inside = arguments.positive("in_flight", in_flight)
    time = arguments.positive("time_inside_s", time_inside_s)
    return inside / (time + arguments.non_negative("think_time_s", think_time_s))
