"""One server, random arrivals, services that vary as much as their mean: the tail."""

import math

from labutils.drills.catalog._one_server import MEMORYLESS, ONE_AT_A_TIME
from labutils.drills.definition.writing import Draw, Drill, drill, quantity, template
from labutils.laws.queueing import MM1, largest_arrival_rate

_LN100 = math.log(100)


@template("B09 B10 A12", level=2, decision="model", number=20)
def one_server_p99(draw: Draw) -> Drill:
    """M/M/1: mean and p99 of the latency."""
    what, low, high = draw.one_of(ONE_AT_A_TIME)
    service = draw.number(low, high)
    rate = float(f"{draw.share(0.35, 0.96) / service:.2g}")
    draw.require(0.3 <= rate * service < 0.9)  # beyond, the wait alone is as long to 2 %
    queue = MM1(rate, 1 / service)
    mean, p99 = queue.mean_sojourn_time, queue.sojourn_time_quantile(0.99)
    draw.require(p99 < 300)
    both = service * _LN100 + mean - service
    wait = mean * math.log(100 * queue.utilization)
    of_work, p95 = service * _LN100, mean * math.log(20)
    draw.apart(mean, of_work, 2 * mean, p95, both, by=0.022)
    for other in (4 * mean, both):
        draw.apart(wait, other, by=0.041)
    told = p99 - wait > 0.041 * p99  # under heavy load the wait is nearly all of it
    return draw.drill(f"""
    {what}: {quantity(service, "s")} of work on average, and {quantity(rate, "req/s")} arrive.
    {MEMORYLESS}. First come, first served.
    ? The launch review asks for the p99 of the latency, from arrival to result, queue included.
      What do you expect?
    = {p99} s tolerance=0.02
    - mean {mean}: That is the mean latency. How far beyond its mean does the slowest hundredth of
      such times lie?
    - no-queue {of_work}: That is the p99 of the work alone, as if every request found an
      idle server.
    - mean-and-three-deviations {4 * mean}: You add three standard deviations to the mean, as for a
      bell curve. What shape has the latency here?
    - wrong-logarithm {2 * mean}: You take the logarithm to base 10. Which base belongs to
      e^(-t/mean) = 1 %?
    - p95 {p95}: That is the p95. Which share may be later than the p99?
    - p99-of-the-work-and-mean-wait {both}: You add the mean wait to
      the p99 of the work. Is it an average wait that the slowest hundredth meets?
    - wait-alone {wait if told else None}: That is the p99 of the wait in the queue. When does the
      latency end?
    - service-below-the-line {service / (1 - 0.99)}: You divide by 1 - 0.99, but the formula has 1
      minus the load there. How large is the load?
    > Two steps: the mean latency at this load, then the quantile that goes with it.
    > Mean = 1 / (μ - λ) with μ = 1/S; the latency is exponential, so p99 = mean × ln 100.
    > μ = 1 / {quantity(service, "s")} = {quantity(1 / service, "1/s")}, λ =
      {quantity(rate, "1/s")}; ln 100 = 4.605.
    * load {queue.utilization}: ρ = λ S = {quantity(rate, "1/s")} × {quantity(service, "s")} =
      {quantity(queue.utilization, "1")}
    * mean {mean} s: mean = S / (1 - ρ) = {quantity(mean, "s")}
    * p99 {p99} s: p99 = mean × ln 100 = {quantity(mean, "s")} × 4.605 = {quantity(p99, "s")}
    ~ Even alone on the server the slowest hundredth need 4.6 × {quantity(service, "s")}: it is more
      than that.

    M/M/1: the latency is exponential with mean S/(1-ρ), so p99 = 4.6 means, at any load. It is for
    one server, Poisson arrivals, exponential services, first come first served; for several
    servers, for batching or for equal services it is far too gloomy.
    """).then(_twice_as_good(rate, service, p99))


def _twice_as_good(rate: float, service: float, p99: float) -> Drill:
    """Near saturation a little speed buys a lot of latency."""
    target = float(f"{p99 / 2:.3g}")
    needed = 1 / (rate + _LN100 / target)
    alone = target / _LN100
    return drill(f"""
    The review wants {quantity(target, "s")} at the same traffic, half of what you found. Somebody
    proposes to buy a GPU that is twice as fast.
    ? How short must the mean work per request become? It still varies as before, in proportion.
    = {needed} s tolerance=0.02
    - halved {service / 2}: Half the work per request halves more than the latency: what happens to
      the load?
    - work-alone {alone if alone < 0.9 * service else None}: At that speed an idle server would just
      meet the target. Who pays for the queue?
    - unchanged {service if alone >= 0.9 * service else None}: That is today's work per request.
    > The p99 depends on the difference of two rates. Which two?
    > p99 = ln 100 / (μ - λ): solve for μ, then S = 1/μ.
    > μ = {quantity(rate, "1/s")} + 4.605 / {quantity(target, "s")}, and its inverse.
    * spare {_LN100 / target} 1/s: μ - λ = 4.605 / {quantity(target, "s")} =
      {quantity(_LN100 / target, "1/s")}
    * work {needed} s: S = 1 / ({quantity(rate, "1/s")} + {quantity(_LN100 / target, "1/s")}) =
      {quantity(needed, "s")}, {quantity(service / needed, "1")} times as fast as now
    ~ Between {quantity(service / 2, "s")} and {quantity(service, "s")}.

    Latency follows the spare rate μ - λ. The closer to saturation, the smaller the speed-up that
    halves the latency: compute it before you buy twice the hardware.
    """)


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
