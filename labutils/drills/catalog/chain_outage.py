"""A replica is lost: what gives way first, how it grows, how it ends, what to change."""

import math

from labutils.capacity import utilization_after_loss
from labutils.drills.definition.draw import Draw
from labutils.drills.definition.drill import Drill, Mistake, Step
from labutils.drills.definition.template import Decision, Form, template
from labutils.queueing import Overload
from labutils.units import format_quantity as say


@template(
    "chain_outage",
    "A lost replica: overload, backlog, drain, bound",
    level=3,
    decision=Decision.limit,
    topics=("O04", "B07", "I08", "C13"),
    form=Form.chain,
    minutes=8,
)
def chain_outage(draw: Draw) -> Drill:
    replicas, one = draw.one_of((3, 4, 5, 6, 8)), draw.one_of((5, 8, 10, 12, 15, 20, 30))
    rate = float(f"{replicas * one * draw.share(0.74, 0.94):.3g}")
    busy = rate / (replicas * one)
    after = utilization_after_loss(busy, replicas)
    draw.require(1.04 < after < 1.4)
    return Drill(
        story=(
            f"{replicas} replicas complete {say(one, 'req/s')} each, no more; "
            f"{say(rate, 'req/s')} arrive, and the dashboard is green at {100 * busy:.0f} % busy. "
            "At 14:00 a replica loses its GPU. The balancer notices at once, nobody is turned "
            "away, and users wait for as long as it takes."
        ),
        question="How busy are those that remain? (Work that arrives over work they can do.)",
        answer=after,
        tolerance=0.01,
        mistakes=(
            Mistake("as-before", busy, "That is with all replicas. Who does the lost one's work?"),
            Mistake(
                "a-share-more",
                busy * (1 + 1 / replicas),
                "You add the lost share as a part of all. Among how many is it divided?",
            ),
            Mistake(
                "capped",
                1.0,
                "A dashboard stops there. How much work arrives for what they can do?",
            ),
        ),
        options=draw.options(
            "More arrives than they complete: the queue grows for as long as the replica is away",
            {
                "They carry it: waits rise to a new level within seconds and stay there": (
                    "A new level exists only where less arrives than can be done. Is that so for "
                    "those that remain?"
                ),
                "They carry it on average: waits are long at busy moments and short at others": (
                    "On average, what arrives in a second, and what is completed?"
                ),
                "Nothing shows: the headroom was meant for the loss of one replica": (
                    "How much was idle, and how much was lost? Compare the two."
                ),
            },
            question="What happens in the minutes after 14:00?",
        ),
        hints=(
            "The same work, fewer to do it.",
            "Busy after = arrivals ÷ ((n − 1) × rate of one).",
            f"{say(rate, 'req/s')} ÷ ({replicas - 1} × {say(one, 'req/s')}).",
        ),
        steps=(
            Step(
                f"They can do {replicas - 1} × {say(one, 'req/s')} = "
                f"{say((replicas - 1) * one, 'req/s')}",
                name="capacity",
                value=(replicas - 1) * one,
                unit="req/s",
            ),
            Step(
                f"{say(rate, 'req/s')} ÷ {say((replicas - 1) * one, 'req/s')} = {say(after, '1')}",
                name="busy",
                value=after,
            ),
        ),
        sanity=f"More than {say(busy, '1')}: nobody works less than before.",
        moral=(
            "N replicas survive the loss of one below (N − 1)/N busy. Few large replicas need more "
            "headroom than many small ones."
        ),
        follow_up=_backlog(draw, rate=rate, one=one, replicas=replicas),
    )


def _backlog(draw: Draw, *, rate: float, one: float, replicas: int) -> Drill:
    minutes, left = draw.one_of((6, 10, 14, 20, 25)), (replicas - 1) * one
    outage = Overload(rate, left, 60 * minutes, rate)
    inside = outage.backlog_at_end
    return Drill(
        story=f"It takes {minutes} minutes until a new replica serves.",
        question="How many requests wait at that moment?",
        answer=inside,
        unit="req",
        tolerance=0.02,
        mistakes=(
            Mistake(
                "all-of-them",
                rate * 60 * minutes,
                "You let nobody be served. What did the remaining replicas do?",
            ),
            Mistake(
                "work-of-the-lost",
                one * 60 * minutes,
                "You keep all that the lost replica would have done. Had the others no room left?",
            ),
            Mistake(
                "minutes",
                inside / 60,
                "You multiply a rate per second by minutes. How many seconds does it last?",
            ),
        ),
        options=draw.options(
            "In proportion to the time since 14:00: the same growth each minute",
            {
                "Exponentially, because those who wait make others wait even longer": (
                    "Does a waiting request make more requests arrive or fewer be completed?"
                ),
                "Fast at first, then slower and slower towards a level": (
                    "A level is reached only where less arrives than is completed. What changes "
                    "from one minute to the next?"
                ),
            },
            question="How does the wait of newcomers grow meanwhile?",
        ),
        hints=(
            "By how much does the queue grow in a second?",
            "Backlog = (arrivals − completions) × time.",
            f"({rate:g} − {left:g}) req/s × {minutes * 60} s.",
        ),
        steps=(
            Step(
                f"Growth: {rate:g} − {left:g} = {say(rate - left, 'req/s')}",
                name="growth",
                value=rate - left,
                unit="req/s",
            ),
            Step(
                f"× {minutes * 60} s = {say(inside, 'req')}",
                name="backlog",
                value=inside,
                unit="req",
            ),
        ),
        sanity=f"Less than the {say(rate * 60 * minutes, 'req')} that came: most were served.",
        moral="Above saturation a queue grows linearly, at the excess, for as long as it lasts.",
        follow_up=_drain(draw, inside=inside, one=one, replicas=replicas, rate=rate),
    )


def _drain(draw: Draw, *, inside: float, one: float, replicas: int, rate: float) -> Drill:
    spare = replicas * one - rate
    return Drill(
        story=f"The new replica is in: {replicas} serve again, the traffic is as before.",
        question="How long does it take from now until nobody waits any more?",
        answer=inside / spare,
        unit="s",
        tolerance=0.02,
        mistakes=(
            Mistake(
                "all-replicas",
                inside / (replicas * one),
                "You set all replicas on the backlog. Who serves those that arrive?",
            ),
            Mistake(
                "the-new-one",
                inside / one,
                "You give the backlog to the new replica. What is spare in the whole fleet?",
            ),
        ),
        options=draw.options(
            "What the fleet can do beyond what arrives",
            {
                "What the whole fleet can do": "Who serves those that arrive meanwhile?",
                "What the new replica can do": (
                    "Were the others idle before the loss? Compare what the fleet can do with "
                    "what comes."
                ),
                "How long a single request takes": (
                    "That sets when one is done. What sets how fast their number falls?"
                ),
            },
            question="What sets the pace?",
        ),
        hints=(
            "At which pace does the queue shrink?",
            "Time = backlog ÷ (capacity − arrivals).",
            f"{say(inside, 'req')} ÷ ({replicas * one:g} − {rate:g}) req/s.",
        ),
        steps=(
            Step(
                f"Spare: {replicas * one:g} − {rate:g} = {say(spare, 'req/s')}",
                name="spare",
                value=spare,
                unit="req/s",
            ),
            Step(
                f"{say(inside, 'req')} ÷ {say(spare, 'req/s')} = {say(inside / spare, 's')}",
                name="drain",
                value=inside / spare,
                unit="s",
            ),
        ),
        sanity=f"Longer than {say(inside / (replicas * one), 's')}: newcomers want service too.",
        moral=(
            "The outage ends for users when the backlog does, not when the machine is back: the "
            "spare capacity of a normal day sets that time."
        ),
        follow_up=_bound(draw, one=one, replicas=replicas),
    )


def _bound(draw: Draw, *, one: float, replicas: int) -> Drill:
    deadline, left = draw.one_of((4, 5, 6, 8, 10, 15)), (replicas - 1) * one
    bound = math.floor(deadline * left)
    draw.require(bound >= 20)
    return Drill(
        story=(
            f"In the review it comes out that users leave after {deadline} s of waiting, and that "
            "most answers of the afternoon were written for nobody. From now on requests are to be "
            "refused at once when their wait would be longer, with one replica lost as well."
        ),
        question="At how many waiting requests do you refuse the next one?",
        answer=bound,
        tolerance=0,
        absolute=1,
        unsafe="above",
        mistakes=(
            Mistake(
                "rounded-up",
                bound + 1,
                f"The last of {bound + 1:,} waits longer than {deadline} s. Which way to round?",
            ),
            Mistake(
                "whole-fleet",
                math.floor(deadline * replicas * one),
                "You count on all replicas. Which case is the rule made for?",
            ),
            Mistake(
                "one-replica",
                math.floor(deadline * one),
                "You count on one replica. How many share the queue?",
            ),
        ),
        options=draw.options(
            "How long a user waits: work done after that is lost",
            {
                "How many requests the memory of the gateway holds": (
                    "Memory would hold far more. To whom are their answers of use?"
                ),
                "How many requests a step of the engine carries": (
                    "Those are in service. What about those in front of it?"
                ),
                "How many requests came in the busiest second so far": (
                    "A burst may be served later. By when must it be?"
                ),
            },
            question="What should set the length of the queue?",
        ),
        hints=(
            "How long does the last in the queue wait?",
            "⌊deadline × completions a second⌋.",
            f"{deadline} s × {replicas - 1} × {say(one, 'req/s')}.",
        ),
        steps=(
            Step(
                f"Completed in {deadline} s: {deadline} × {left:g} = {bound}",
                name="bound",
                value=bound,
            ),
        ),
        sanity="No more than are completed while the last of them waits.",
        moral=(
            "Bound a queue by the deadline: ⌊deadline × μ⌋, with the μ of the bad day. It turns "
            "an outage for all into refusals for a few."
        ),
    )
