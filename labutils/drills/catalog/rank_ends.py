"""How far a measured percentile is to be trusted, in ranks."""

import math

from labutils.drills.definition.draw import Draw
from labutils.drills.definition.drill import Drill, Mistake, Step
from labutils.drills.definition.template import Decision, template
from labutils.latency import rank_interval
from labutils.units import format_quantity as say


@template(
    "percentile_ends",
    "The interval around a percentile, by binomial ranks",
    level=3,
    number=44,
    decision=Decision.limit,
    topics=("L02", "A12"),
    minutes=3.5,
    rough=False,
)
def percentile_ends(draw: Draw) -> Drill:
    q, n = draw.one_of((0.9, 0.95, 0.99)), draw.whole(300, 50_000)
    spread = math.sqrt(n * q * (1 - q))
    draw.require(spread > 4)
    low, high = rank_interval(n, q)
    middle, name = math.ceil(n * q - 1e-9), f"p{100 * q:g}"
    side, sign, answer = draw.one_of(
        (("slower", "+", high - middle), ("faster", "−", middle - low))
    )
    draw.require(abs(answer - 1.96 * spread) < 0.9)  # the bell curve passes too
    return Drill(
        story=(
            f"A load test has measured {n:,} requests, far enough apart to be independent. Sorted "
            f"from fastest to slowest, number {middle:,} is the report's {name}. Before anybody "
            "compares two releases by it, you want error bars: two of the measured latencies "
            f"between which the service's true {name} lies with 95 % confidence. It may be missed "
            "with a chance of 2.5 % on either side."
        ),
        question=(
            f"The {side} of the two is number {middle:,} {sign} k of the sorted list. What is k?"
        ),
        answer=answer,
        unit="1",
        tolerance=0.0,
        absolute=1.0,
        mistakes=(
            Mistake(
                "one-deviation",
                spread,
                "You go out by one standard deviation. How many does 95 % need?",
            ),
            *(
                (
                    Mistake(
                        "one-sided",
                        1.645 * spread,
                        "You leave 5 % out on one side. How much may be missed on either side?",
                    ),
                )
                if answer - 1.645 * spread > 2
                else ()
            ),
            Mistake(
                "root-of-n",
                1.96 * math.sqrt(n),
                "You take the root of n for the spread. Each request is a toss of a coin that "
                "shows “below the true percentile” with a chance of q: what is its variance?",
            ),
            Mistake(
                "whole-width",
                high - low,
                "That is the distance from one of the two to the other. The question starts at the "
                "percentile.",
            ),
            Mistake(
                "number-in-the-list",
                middle + answer if side == "slower" else middle - answer,
                "That is its own number in the list. How far is that from the number of the "
                "percentile?",
            ),
        ),
        hints=(
            f"How many of {n:,} requests lie below the true {name}? That varies from test to test. "
            "Which distribution does this number have?",
            "Binomial: mean n q, standard deviation √(n q (1 - q)); 95 % lie within 1.96 of them, "
            "whatever the latencies look like.",
            f"1.96 × √({n:,} × {q:g} × {1 - q:.2g}).",
        ),
        steps=(
            Step(
                f"√({n:,} × {q:g} × {1 - q:.2g}) = {say(spread, '1')}",
                name="deviation",
                value=spread,
            ),
            Step(
                f"1.96 × {say(spread, '1')} = {1.96 * spread:.1f}; exactly, by the binomial: "
                f"{answer}",
                name="places",
                value=answer,
            ),
        ),
        sanity=(
            f"Only {n - middle:,} requests are slower than the measured {name}: fewer places than "
            "that."
        ),
        moral=(
            "The number of values below the true quantile is binomial, for any distribution "
            "(David & Nagaraja 2003, 7.1): read the latencies at ranks n q ± 1.96 √(n q (1-q)). "
            "Requests in one congested queue are not independent; their interval is wider."
        ),
        follow_up=_narrower(draw, n, q, spread, name),
    )


def _narrower(draw: Draw, n: int, q: float, spread: float, name: str) -> Drill:
    times = draw.one_of((2, 3, 4))
    return Drill(
        story=(
            f"The error bars run from the p{100 * (q - 1.96 * spread / n):.4g} to the "
            f"p{100 * (q + 1.96 * spread / n):.4g} of the measured latencies. Two releases differ "
            f"by less. You want that range {times} times as narrow, in percentiles."
        ),
        question="How many requests must the test measure?",
        answer=float(times**2 * n),
        unit="req",
        tolerance=0.05,
        mistakes=(
            Mistake(
                "as-many-times",
                float(times * n),
                "You let the range shrink in proportion to the number of requests. How does it "
                "shrink?",
            ),
            Mistake(
                "on-top",
                float((times**2 - 1) * n),
                "That is how many more it takes. The question asks for the whole test.",
            ),
        ),
        hints=(
            "In ranks the range grows with the root of n. And as a share of n?",
            "Range in percentiles: 2 × 1.96 √(q (1 - q) / n).",
            f"{times} times as narrow: n grows by {times} × {times}.",
        ),
        steps=(
            Step(
                f"{times}² × {n:,} = {times**2 * n:,}",
                name="requests",
                value=float(times**2 * n),
                unit="req",
            ),
        ),
        sanity=f"More than {times * n:,}: every further bit of precision costs more than the last.",
        moral=(
            "Width falls as 1/√n, for percentiles as for means. Decide how small a difference "
            "matters before the test, and compute n from it."
        ),
        follow_up=_one_queue(draw, name),
    )


def _one_queue(draw: Draw, name: str) -> Drill:
    """What dependence between neighbours does to the interval."""
    return Drill(
        story=(
            "To measure that many in an afternoon, the test sends them close together, into a "
            "server that is 90 % busy. Each waits in the queue behind the one before it."
        ),
        question="What becomes of the error bars that your ranks give?",
        options=draw.options(
            "They are too narrow: the true uncertainty is larger than they say.",
            {
                "They are too wide: neighbours in a queue agree with each other.": (
                    "Neighbours agree, so each tells you less that is new. Is the number of "
                    "independent observations larger or smaller than the number of requests?"
                ),
                "They stay right: the ranks hold for any distribution of latencies.": (
                    "For any distribution, yes. What do the ranks assume about one request and the "
                    "next?"
                ),
                "They move towards faster requests, and keep their width.": (
                    "Dependence does not shift a rank to one side. What does it do to the number "
                    "of independent observations?"
                ),
            },
            question="Which is it?",
        ),
        hints=(
            "A second request has waited in the queue behind the first. How much does it tell you "
            "that is new?",
            "The binomial counts independent tosses.",
            f"If ten in a row are slow together, how many chances has the {name} had to vary?",
        ),
        steps=(
            Step(
                "Slow requests come in runs, so the sample holds fewer independent observations "
                "than requests, and the true range is wider: batch means or several separate runs "
                "show by how much."
            ),
        ),
        moral=(
            "Correlation makes a sample smaller than it looks. Repeat the whole test and compare "
            "the runs: their spread does not assume that neighbours are independent."
        ),
    )
