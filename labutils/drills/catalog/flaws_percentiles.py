"""Flaws in claims about tails: averaged and added percentiles."""

from labutils import capacity, tails
from labutils.drills.definition.claim import FIRST, FLAW, in_order
from labutils.drills.definition.draw import Draw
from labutils.drills.definition.drill import Drill, Mistake, Step
from labutils.drills.definition.template import Decision, Form, template
from labutils.units import format_quantity as say

FAULTS = {"averaged_percentiles": ("X37",), "added_percentiles": ("X36",)}


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


@template(
    "averaged_percentiles",
    "Percentiles do not average, counts add up",
    level=2,
    decision=Decision.model,
    topics=("L02", "C06", "A11"),
    form=Form.flaw,
)
def averaged_percentiles(draw: Draw) -> Drill:
    promise_s = draw.one_of((0.5, 0.8, 1, 2))
    main, side = draw.share(0.8, 0.95), draw.number(0.001, 0.006, 1)
    cold = draw.share(0.1, 0.3)
    both = capacity.pooled_mean([side, cold], [main, 1 - main])
    fast, slow = draw.share(0.25, 0.5) * promise_s, draw.share(1.15, 1.45) * promise_s
    draw.require(both > 0.013 and (fast + slow) / 2 < 0.97 * promise_s)
    where = draw.one_of(("a region that was added last week", "a host that has just restarted"))
    return Drill(
        story=(
            f"A launch review. The promise: 99 % of all requests within {say(promise_s, 's')}. "
            f"Pool A answers {100 * main:.0f} % of the requests; pool B is {where}. Each pool "
            f"counts: {_percent(side)} of A's requests take longer than that, and "
            f"{_percent(cold)} of B's. The review's lines stand below."
        ),
        question=(
            f"Which share of all requests takes longer than {say(promise_s, 's')}? (In percent of "
            "the requests of both pools.)"
        ),
        options=in_order(
            FIRST,
            (
                f"A's p99 is {say(fast, 's')}, from A's own requests.",
                "That is a percentile of one pool, computed where its requests are.",
            ),
            (
                f"B's p99 is {say(slow, 's')}, from B's own requests.",
                "Also a percentile of one pool, from its own requests. It is large, and it may be.",
            ),
            (f"So the p99 of both is {say((fast + slow) / 2, 's')}, the mean of the two.", FLAW),
            (
                "That is below the promise, so the promise is kept.",
                "It would follow, if the p99 of both were what the line before says.",
            ),
        ),
        answer=100 * both,
        unit="%",
        tolerance=0.02,
        mistakes=(
            Mistake(
                "one-pool-one-vote",
                50 * (side + cold),
                "You give both pools the same weight. How many of the requests does each answer?",
            ),
            Mistake(
                "weights-swapped",
                100 * (main * cold + (1 - main) * side),
                "You weigh each pool's share with the other pool's traffic. Which of them answers "
                f"{100 * main:.0f} % of the requests?",
            ),
            Mistake(
                "a-alone",
                100 * side,
                "That is the share of A's requests. What about the requests that B answers?",
            ),
            Mistake(
                "added",
                100 * (side + cold),
                "You add the shares. A share of A's requests and a share of B's are parts of "
                "different wholes.",
            ),
        ),
        hints=(
            "Do not look at the p99s at all: count requests that are late.",
            "Late in all = share of A × late in A + share of B × late in B.",
            f"{main:g} × {_percent(side)} + {1 - main:.2g} × {_percent(cold)}.",
        ),
        steps=(
            Step(
                f"Of 100 requests A answers {100 * main:.0f}, and {100 * main * side:.3g} of them "
                "late.",
                name="late_in_a",
                value=100 * main * side,
                unit="%",
            ),
            Step(
                f"B answers {100 * (1 - main):.0f}, and {100 * (1 - main) * cold:.3g} late.",
                name="late_in_b",
                value=100 * (1 - main) * cold,
                unit="%",
            ),
            Step(
                f"Together {_percent(both)}: more than the 1 % that the promise allows.",
                name="late",
                value=100 * both,
                unit="%",
            ),
        ),
        sanity=(
            f"B alone makes at least {100 * (1 - main):.0f} % × {_percent(cold)} late: the promise "
            "is broken before A is looked at."
        ),
        moral=(
            "Percentiles of parts do not determine the percentile of the whole, with any weights. "
            "Counts below a limit do add up: report histograms, and merge those."
        ),
    )


@template(
    "added_percentiles",
    "A chain's p99 is not the sum of its stages' p99s",
    level=2,
    decision=Decision.model,
    topics=("A15", "B17", "A08"),
    form=Form.flaw,
)
def added_percentiles(draw: Draw) -> Drill:
    stages, stall = draw.whole(6, 40), draw.one_of((0.002, 0.004, 0.005, 0.008))
    usual_s, stalled_s = draw.one_of((0.002, 0.005, 0.01)), draw.one_of((0.3, 0.5, 0.8, 1))
    meets = tails.slow_share(stall, stages)
    budget = stages * usual_s
    draw.require(meets > 0.025)
    return Drill(
        story=(
            f"A request passes {stages} stages, one after the other. A stage takes "
            f"{say(usual_s, 's')}, except that once in {round(1 / stall):,} calls it stalls for "
            f"{say(stalled_s, 's')} (a pause of the collector); the stages stall independently of "
            "each other. The latency budget on the wall has the lines below."
        ),
        question="Which share of the requests meets at least one stall?",
        options=in_order(
            FIRST,
            (
                f"A stage stalls in {_percent(stall)} of its calls.",
                "Once in so many calls: that is the same figure.",
            ),
            (
                f"That is less than 1 %, so the p99 of each stage is {say(usual_s, 's')}.",
                "It is: 99 of 100 calls of one stage do not exceed the usual time.",
            ),
            (
                f"The {stages} p99s add up to {say(budget, 's')}.",
                "As a sum of numbers it is right, and the line claims no more than that.",
            ),
            (f"So 99 % of the requests are through after {say(budget, 's')}.", FLAW),
        ),
        answer=100 * meets,
        unit="%",
        tolerance=0.03,
        mistakes=(
            Mistake(
                "one-stage",
                100 * stall,
                "That is the chance at one stage. How many chances to stall does a request have?",
            ),
            Mistake(
                "none-stalls",
                100 * (1 - meets),
                "That is the share of the requests that meet no stall at all.",
            ),
            Mistake(
                "the-budget",
                1,
                "1 % is what the budget allows. How many of 1,000 requests meet a stall on their "
                "way?",
            ),
        ),
        hints=(
            "The usual times do not matter here: ask how many requests stay clear of all stalls.",
            "P(at least one) = 1 - (1 - p)ⁿ for independent stages.",
            f"1 - (1 - {stall:g})^{stages}.",
        ),
        steps=(
            Step(
                f"No stall in {stages} stages: (1 - {stall:g})^{stages} = {1 - meets:.4g}",
                name="clear",
                value=1 - meets,
                unit="1",
            ),
            Step(
                f"At least one: {_percent(meets)}. The p99 of a request is therefore above "
                f"{say(stalled_s, 's')}, while the wall says {say(budget, 's')}.",
                name="share",
                value=100 * meets,
                unit="%",
            ),
        ),
        sanity=(
            f"At most {stages} × {_percent(stall)} can meet a stall, and with stalls this rare "
            "nearly as many do."
        ),
        moral=(
            "A sum of p99s is no bound in either direction: too large where independent delays "
            "rarely meet, too small where rare stalls hide below each stage's p99. Budget with the "
            "whole chain, simulated or traced, and with the dependence that you measured."
        ),
    )
