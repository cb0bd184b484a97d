"""How much traffic a p99 target leaves to one server, and what speed buys."""

import math

from labutils.drills.catalog._one_server import MEMORYLESS, ONE_AT_A_TIME
from labutils.drills.definition.draw import Draw
from labutils.drills.definition.drill import Drill, Mistake, Step
from labutils.drills.definition.template import Decision, template
from labutils.queueing import largest_arrival_rate
from labutils.units import format_quantity as say

_LN100 = math.log(100)


@template(
    "rate_for_a_p99",
    "M/M/1: the traffic that a p99 target allows",
    level=2,
    number=21,
    decision=Decision.limit,
    topics=("B09", "A14", "M11"),
)
def rate_for_a_p99(draw: Draw) -> Drill:
    what, low, high = draw.one_of(ONE_AT_A_TIME)
    service = draw.number(low, high)
    target = float(f"{service * draw.number(7, 45):.2g}")
    rate = largest_arrival_rate(target, service_rate=1 / service, q=0.99)
    return Drill(
        story=(
            f"{what}: {say(service, 's')} of work on average. {MEMORYLESS}. The contract says that "
            f"99 % of the results arrive within {say(target, 's')} of the request."
        ),
        question="How much traffic may sales promise for this one GPU, in requests per second?",
        answer=rate,
        unit="req/s",
        tolerance=0.02,
        mistakes=(
            Mistake(
                "everything-it-can",
                1 / service,
                "That keeps the server busy all the time. How long is the queue then?",
            ),
            Mistake(
                "mean-meets-the-target",
                1 / service - 1 / target,
                "At that rate the mean meets the target, and more than a third of the requests "
                "are later than it. Which percentile is promised?",
            ),
            Mistake(
                "eighty-percent-rule",
                0.8 / service,
                "That is 80 % of what it can do: a rule that looks at no target. Which load does "
                "this contract allow?",
            ),
            Mistake(
                "wrong-logarithm",
                1 / service - 2 / target,
                "You take the logarithm to base 10. Which base belongs to e^(-(μ-λ)T) = 1 %?",
            ),
        ),
        hints=(
            "The p99 depends on how much more the server could do than it is asked to do.",
            "p99 = ln 100 / (μ - λ), so λ = μ - ln 100 / T.",
            f"μ = 1 / {say(service, 's')}; ln 100 / T = 4.605 / {say(target, 's')}.",
        ),
        steps=(
            Step(
                f"μ = 1 / {say(service, 's')} = {say(1 / service, '1/s')}",
                name="most",
                value=1 / service,
                unit="1/s",
            ),
            Step(
                f"spare = ln 100 / T = 4.605 / {say(target, 's')} = {say(_LN100 / target, '1/s')}",
                name="spare",
                value=_LN100 / target,
                unit="1/s",
            ),
            Step(
                f"λ = μ - spare = {say(rate, 'req/s')}, a load of {say(rate * service, '1')}",
                name="rate",
                value=rate,
                unit="req/s",
            ),
        ),
        sanity=f"Less than the {say(1 / service, 'req/s')} at which the server never rests.",
        moral=(
            "λ = μ - ln 100 / T (M/M/1): a p99 target costs a fixed number of requests per second, "
            "not a percentage. Which utilization is safe is an outcome of target and service time. "
            "Poisson arrivals and exponential services assumed; measure both before you sign."
        ),
        follow_up=_faster_or_two(service, target, rate),
    )


def _faster_or_two(service: float, target: float, rate: float) -> Drill:
    """A faster server: the cost in spare rate stays what it was."""
    faster = largest_arrival_rate(target, service_rate=2 / service, q=0.99)
    return Drill(
        story="Quantisation halves the work per request. The contract stays.",
        question="How much traffic may sales promise now?",
        answer=faster,
        unit="req/s",
        mistakes=(
            Mistake(
                "doubled",
                2 * rate,
                "You double the old promise. Which of its two terms has doubled?",
            ),
            Mistake(
                "everything-it-can",
                2 / service,
                "That keeps the server busy all the time. How much must stay spare?",
            ),
        ),
        hints=(
            "The target costs a fixed number of requests per second. Has that number changed?",
            "λ = μ - ln 100 / T, with μ doubled.",
            f"2 / {say(service, 's')} - 4.605 / {say(target, 's')}.",
        ),
        steps=(
            Step(
                f"λ = 2 / {say(service, 's')} - 4.605 / {say(target, 's')} = "
                f"{say(faster, 'req/s')}",
                name="rate",
                value=faster,
                unit="req/s",
            ),
        ),
        sanity="More than twice the old promise: all of the gain goes to traffic.",
        moral=(
            "Twice the speed carries more than twice the traffic under the same p99: what must "
            "stay spare has not grown."
        ),
        follow_up=_two_slow_ones(service, target, rate, faster),
    )


def _two_slow_ones(service: float, target: float, rate: float, faster: float) -> Drill:
    """Two servers with a queue each: the same sum of speeds, twice the spare rate."""
    return Drill(
        story=(
            "Quality complains, and the quantised model is gone. Instead you get a second GPU of "
            "the old kind; a balancer tosses a coin for each request, and each GPU keeps a queue "
            "of its own."
        ),
        question="How much traffic may sales promise for both together?",
        answer=2 * rate,
        unit="req/s",
        mistakes=(
            Mistake(
                "as-one-of-twice-the-speed",
                faster,
                "That is what one server of twice the speed carries. How much must each of the "
                "two keep spare?",
            ),
            Mistake("one-of-them", rate, "That is one of the two. How much traffic do they share?"),
        ),
        hints=(
            "Half of the requests, picked at random, arrive at random too: look at one of the "
            "two GPUs.",
            "Each carries μ - ln 100 / T.",
            f"2 × (1 / {say(service, 's')} - 4.605 / {say(target, 's')}).",
        ),
        steps=(
            Step(
                f"2 × {say(rate, 'req/s')} = {say(2 * rate, 'req/s')}, "
                f"{say(faster - 2 * rate, 'req/s')} less than one of twice the speed",
                name="rate",
                value=2 * rate,
                unit="req/s",
            ),
        ),
        sanity="Less than one server of twice the speed carries: each keeps its own reserve.",
        moral=(
            "One fast server beats two slow ones with a queue each: the reserve that the target "
            "asks for is paid once per queue. A common queue for both wins part of it back."
        ),
    )
