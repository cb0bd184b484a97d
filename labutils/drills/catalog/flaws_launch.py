"""Flaws in the tale of a launch: a curve where there is no steady state."""

from labutils import queueing
from labutils.drills.claim import FIRST, FLAW, in_order
from labutils.drills.draw import Draw
from labutils.drills.drill import Drill, Mistake, Step
from labutils.drills.template import Decision, Form, template
from labutils.units import format_quantity as say

FAULTS = {"launch_day": ("X14",)}


@template(
    "launch_day",
    "Above capacity there is no steady state",
    level=2,
    decision=Decision.model,
    topics=("C13", "O04", "B10"),
    form=Form.flaw,
)
def launch_day(draw: Draw) -> Drill:
    finished, factor = draw.whole(200, 2000), draw.number(2, 30)
    offered, minutes = float(f"{finished * factor:.2g}"), draw.one_of((5, 10, 15, 20, 30))
    day = queueing.Overload(offered, finished, 60 * minutes, 0)
    wait, backlog = day.waiting_time_of_arrival_at(60 * minutes), day.backlog_at_end
    told = draw.one_of((4, 6, 8, 9))
    draw.require(offered > 2.2 * finished and wait > 150)
    return Drill(
        story=(
            f"A post-mortem of launch day. {say(offered, 'req/s')} came for {minutes} minutes, and "
            f"the service finishes {say(finished, 'req/s')} at most, first come, first served. The "
            "queue had no limit, and nobody gave up. What the text says stands below."
        ),
        question=(
            f"How long did a request that came at the end of the {minutes} minutes wait for its "
            "turn?"
        ),
        options=in_order(
            FIRST,
            (
                f"Offered over capacity was {offered / finished:.3g}.",
                "That is the quotient of the two counters.",
            ),
            (
                f"The backlog grew by {say(day.growth_per_s, 'req/s')} all the while.",
                "What comes and does not leave stays: the difference of the two rates.",
            ),
            (
                f"After {minutes} minutes it held {say(backlog, 'req')}.",
                "A steady growth times its duration: a fluid, and a good picture at this size.",
            ),
            (f"So latency rose along 1/(1 - ρ), to a p99 of {told} s.", FLAW),
        ),
        answer=wait,
        unit="s",
        tolerance=0.03,
        mistakes=(
            Mistake(
                "over-the-arrivals",
                backlog / offered,
                "You divide the backlog by the rate of arrivals. At which rate does a queue get "
                "shorter in front of you?",
            ),
            Mistake(
                "the-curve",
                told,
                "That is the figure of the post-mortem. Which of its curves has a value at a load "
                "above 1?",
            ),
        ),
        hints=(
            "Count who stands in front of that request, then how fast they are served.",
            "Wait = backlog / capacity; backlog = (offered - capacity) × duration.",
            f"({say(offered, 'req/s')} - {say(finished, 'req/s')}) × {60 * minutes} s / "
            f"{say(finished, 'req/s')}.",
        ),
        steps=(
            Step(
                f"Backlog: {say(day.growth_per_s, 'req/s')} × {60 * minutes} s = "
                f"{say(backlog, 'req')}",
                name="backlog",
                value=backlog,
                unit="req",
            ),
            Step(
                f"Wait: {say(backlog, 'req')} / {say(finished, 'req/s')} = {say(wait, 's')}",
                name="wait",
                value=wait,
                unit="s",
            ),
            Step(
                "A p99 of some seconds can only mean that nearly all were dropped, timed out or "
                f"left: at most a share of {finished / offered:.2g} was answered in that time."
            ),
        ),
        sanity=(
            f"Of every {offered / finished:.2g} requests one is served: most of those who came in "
            f"{minutes} minutes still stand there."
        ),
        moral=(
            "1/(1 - ρ) is a steady state's curve and ends at ρ = 1. Above it the wait grows "
            "linearly in time, (λ/μ - 1)·t, until someone bounds the queue, sheds, or scales. A "
            "calm p99 beside such a load counts only those who were answered."
        ),
    )
