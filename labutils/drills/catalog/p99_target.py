"""How much traffic a p99 target leaves to one server, and what speed buys."""

import math

from labutils.drills.catalog._one_server import MEMORYLESS, ONE_AT_A_TIME
from labutils.drills.definition.writing import Draw, Drill, drill, quantity, template
from labutils.queueing import largest_arrival_rate

_LN100 = math.log(100)


@template("B09 A14 M11", level=2, decision="limit", number=21)
def rate_for_a_p99(draw: Draw) -> Drill:
    """M/M/1: the traffic that a p99 target allows."""
    what, low, high = draw.one_of(ONE_AT_A_TIME)
    service = draw.number(low, high)
    target = float(f"{service * draw.number(7, 45):.2g}")
    rate = largest_arrival_rate(target, service_rate=1 / service, q=0.99)
    return draw.drill(f"""
    {what}: {quantity(service, "s")} of work on average. {MEMORYLESS}. The contract says that 99 %
    of the results arrive within {quantity(target, "s")} of the request.

    ? How much traffic may sales promise for this one GPU, in requests per second?
    = {rate} req/s tolerance=0.02
    - everything-it-can {1 / service}: That keeps the server busy all the time. How long is the
      queue then?
    - mean-meets-the-target {1 / service - 1 / target}: At that rate the mean meets the target, and
      more than a third of the requests are later than it. Which percentile is promised?
    - eighty-percent-rule {0.8 / service}: That is 80 % of what it can do: a rule that looks at no
      target. Which load does this contract allow?
    - wrong-logarithm {1 / service - 2 / target}: You take the logarithm to base 10. Which base
      belongs to e^(-(μ-λ)T) = 1 %?
    > The p99 depends on how much more the server could do than it is asked to do.
    > p99 = ln 100 / (μ - λ), so λ = μ - ln 100 / T.
    > μ = 1 / {quantity(service, "s")}; ln 100 / T = 4.605 / {quantity(target, "s")}.
    * most {1 / service} 1/s: μ = 1 / {quantity(service, "s")} = {quantity(1 / service, "1/s")}
    * spare {_LN100 / target} 1/s: spare = ln 100 / T = 4.605 / {quantity(target, "s")} =
      {quantity(_LN100 / target, "1/s")}
    * rate {rate} req/s: λ = μ - spare = {quantity(rate, "req/s")}, a load of
      {quantity(rate * service, "1")}
    ~ Less than the {quantity(1 / service, "req/s")} at which the server never rests.

    λ = μ - ln 100 / T (M/M/1): a p99 target costs a fixed number of requests per second, not a
    percentage. Which utilization is safe is an outcome of target and service time. Poisson arrivals
    and exponential services assumed; measure both before you sign.
    """).then(_faster_or_two(service, target, rate))


def _faster_or_two(service: float, target: float, rate: float) -> Drill:
    """A faster server: the cost in spare rate stays what it was."""
    faster = largest_arrival_rate(target, service_rate=2 / service, q=0.99)
    return drill(f"""
    Quantisation halves the work per request. The contract stays.

    ? How much traffic may sales promise now?
    = {faster} req/s
    - doubled {2 * rate}: You double the old promise. Which of its two terms has doubled?
    - everything-it-can {2 / service}: That keeps the server busy all the time. How much must stay
      spare?
    > The target costs a fixed number of requests per second. Has that number changed?
    > λ = μ - ln 100 / T, with μ doubled.
    > 2 / {quantity(service, "s")} - 4.605 / {quantity(target, "s")}.
    * rate {faster} req/s: λ = 2 / {quantity(service, "s")} - 4.605 / {quantity(target, "s")} =
      {quantity(faster, "req/s")}
    ~ More than twice the old promise: all of the gain goes to traffic.

    Twice the speed carries more than twice the traffic under the same p99: what must stay spare has
    not grown.
    """).then(_two_slow_ones(service, target, rate, faster))


def _two_slow_ones(service: float, target: float, rate: float, faster: float) -> Drill:
    """Two servers with a queue each: the same sum of speeds, twice the spare rate."""
    return drill(f"""
    Quality complains, and the quantised model is gone. Instead you get a second GPU of the old
    kind; a balancer tosses a coin for each request, and each GPU keeps a queue of its own.

    ? How much traffic may sales promise for both together?
    = {2 * rate} req/s
    - as-one-of-twice-the-speed {faster}: That is what one server of twice the speed carries. How
      much must each of the two keep spare?
    - one-of-them {rate}: That is one of the two. How much traffic do they share?
    > Half of the requests, picked at random, arrive at random too: look at one of the two GPUs.
    > Each carries μ - ln 100 / T.
    > 2 × (1 / {quantity(service, "s")} - 4.605 / {quantity(target, "s")}).
    * rate {2 * rate} req/s: 2 × {quantity(rate, "req/s")} = {quantity(2 * rate, "req/s")},
      {quantity(faster - 2 * rate, "req/s")} less than one of twice the speed
    ~ Less than one server of twice the speed carries: each keeps its own reserve.

    One fast server beats two slow ones with a queue each: the reserve that the target asks for is
    paid once per queue. A common queue for both wins part of it back.
    """)
