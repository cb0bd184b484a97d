"""The hit rate of one key with a time to live: counted from the fill, or from the last hit."""

import math

from labutils.caching import ttl_hit_rate
from labutils.drills.catalog._serving import percent, telling
from labutils.drills.definition.draw import Draw
from labutils.drills.definition.drill import Drill, Mistake, Step
from labutils.drills.definition.template import Decision, template
from labutils.units import format_quantity as say

_KEYS = (
    ("the opening hours of a shop", "a booking agent"),
    ("the price of a flight", "a travel agent"),
    ("the passages for a common question", "a help desk's assistant"),
)


@template(
    "key_expiry",
    "Time to live: the hit rate of one key, fixed or renewed",
    level=2,
    decision=Decision.model,
    topics=("F09", "T12", "F07", "F01"),
)
def key_expiry(draw: Draw) -> Drill:
    (what, who), gap = draw.one_of(_KEYS), draw.one_of((5, 6, 8, 10, 12, 15, 20, 30, 40))
    life = draw.one_of((30, 45, 60, 90, 120, 180))
    asked = life / gap
    draw.require(1.3 < asked < 4.6)
    answer = ttl_hit_rate(1 / gap, life)
    mistakes = (
        Mistake(
            "renewed",
            ttl_hit_rate(1 / gap, life, renew=True),
            "You let every request extend the life of the entry. When does it end here, whatever "
            "is asked?",
        ),
        Mistake(
            "fill-among-them",
            1 - 1 / asked,
            "You count the request that fills the entry among those within its life. When does "
            "that life begin?",
        ),
        Mistake(
            "share-of-misses",
            1 - answer,
            "That is the share that must be fetched. What share finds it?",
        ),
    )
    mistakes = telling(answer, mistakes, tolerance=0.01)
    draw.require(len(mistakes) == 3)
    return Drill(
        story=(
            f"Calls of {who} ask for {what} at random moments (Poisson), every {gap} s on average. "
            f"A call that does not find it fetches and stores it, in no time to speak of; {life} s "
            "after it was stored the entry is gone. Nothing else is ever evicted."
        ),
        question="Which share of the calls finds it stored?",
        answer=answer,
        tolerance=0.01,
        mistakes=mistakes,
        hints=(
            "Follow one entry from when it is stored: how many calls find it before it is gone?",
            "One miss, then λT hits on average: λT ÷ (1 + λT).",
            f"λT is {life} ÷ {gap}.",
        ),
        steps=(
            Step(f"Calls in the life of an entry: {say(asked, '1')}", "hits per fill", asked),
            Step(
                f"{say(asked, '1')} ÷ {say(1 + asked, '1')} = {say(answer, '1')}", "share", answer
            ),
        ),
        sanity=f"More than {percent(0.5)}: in the life of an entry more than one call comes.",
        moral=(
            "Fixed time to live: λT hits follow each miss, so h = λT ÷ (1 + λT). No entry is "
            "ever older than T, however popular."
        ),
        follow_up=_renewed(draw, gap=gap, life=life),
    )


def _renewed(draw: Draw, *, gap: int, life: int) -> Drill:
    answer = ttl_hit_rate(1 / gap, life, renew=True)
    fixed = ttl_hit_rate(1 / gap, life)
    return Drill(
        story=(
            "Somebody raises the hit rate with a line of code: each call that finds the entry "
            f"gives it another {life} s from then on."
        ),
        question="Which share of the calls finds it stored now?",
        answer=answer,
        tolerance=0.005,
        mistakes=(
            Mistake(
                "as-before",
                fixed,
                "That holds for a life that begins at the fill. Now it begins anew at each hit: "
                "what must happen for a call to miss?",
            ),
            Mistake(
                "share-of-misses",
                1 - answer,
                "That is the share of gaps that are too long. And the others?",
            ),
        ),
        options=draw.options(
            "There is no limit: while it is asked for often enough it is never fetched again",
            {
                f"{life} s, the time to live": (
                    "From when are these seconds counted now? Follow an entry that is asked for "
                    "all day."
                ),
                f"{2 * life} s: one life, and one renewal": (
                    "How often may it be renewed? Follow an entry that is asked for all day."
                ),
                f"{life + gap} s: the time to live and a mean gap": (
                    "After a gap it is given a whole life again. What ends that chain?"
                ),
            },
            question="And how old can a value be that is served?",
        ),
        hints=(
            "A call finds it if the call before came not too long ago.",
            "A gap of a Poisson process is shorter than T with probability 1 − exp(−λT).",
            f"1 − exp(−{life} ÷ {gap}).",
        ),
        steps=(
            Step(
                f"A gap longer than {life} s: exp(−{life / gap:.4g}) = {1 - answer:.3g}",
                name="misses",
                value=1 - answer,
            ),
            Step(f"The others: {say(answer, '1')}", "hits", answer),
        ),
        sanity=f"Above {percent(fixed)}: an entry now lives at least as long as before.",
        moral=(
            "Renewal buys hits with freshness: the most wanted keys become the oldest. Renew on a "
            "hit only what cannot change, or add a hard limit on the age."
        ),
        follow_up=_longer(draw, gap=gap, fixed=fixed),
    )


def _longer(draw: Draw, *, gap: int, fixed: float) -> Drill:
    wanted = draw.one_of((0.9, 0.92, 0.95, 0.96))
    answer = wanted / (1 - wanted) * gap
    draw.require(wanted > fixed + 0.02)
    return Drill(
        story=(
            "The line is taken back: the life of an entry counts from when it is stored, as at "
            f"first. {percent(wanted)} of the calls are to find it."
        ),
        question="How long must the time to live be?",
        answer=answer,
        unit="s",
        tolerance=0.015,
        mistakes=(
            Mistake(
                "renewed",
                -math.log(1 - wanted) * gap,
                "You use the gap between two calls. From when does the life count again?",
            ),
            Mistake(
                "fill-among-them",
                gap / (1 - wanted),
                "You count the call that fills it among its hits. How many hits follow one miss?",
            ),
        ),
        hints=(
            "How many hits must follow each miss?",
            "T = h ÷ (1 − h) ÷ λ.",
            f"{wanted:g} ÷ {1 - wanted:.2g} × {gap} s.",
        ),
        steps=(
            Step(
                f"Hits per miss: {wanted / (1 - wanted):.4g}",
                name="hits per miss",
                value=wanted / (1 - wanted),
            ),
            Step(f"Each takes {gap} s on average: {say(answer, 's')}", "life", answer, "s"),
        ),
        sanity=f"Many gaps long, so far above {gap} s.",
        moral=(
            "Every halving of the misses doubles the time to live, and with it the age of what is "
            "served. Ask what an old value costs before you ask for another point of hit rate."
        ),
    )
