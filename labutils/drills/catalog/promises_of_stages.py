"""Stages that each promise a percentile: what that guarantees, and what each must keep."""

from labutils.drills.catalog._serving import telling
from labutils.drills.definition.draw import Draw
from labutils.drills.definition.drill import Drill, Mistake, Step
from labutils.drills.definition.template import Decision, template
from labutils.units import format_quantity as say

_TEAMS = ("search", "reranking", "prompt assembly", "generation", "safety", "delivery", "login",
          "logging")  # fmt: skip


@template(
    "promises_of_stages",
    "A budget shared by stages: promises add up their misses (union bound)",
    level=3,
    decision=Decision.commit,
    topics=("A15", "C05", "B17", "B18"),
    minutes=2.5,
    rough=False,
)
def promises_of_stages(draw: Draw) -> Drill:
    teams, keeps = draw.one_of((4, 5, 6, 7, 8)), draw.one_of((95, 96, 97, 98))
    answer = 100 - teams * (100 - keeps)
    apart = 100 * (keeps / 100) ** teams
    mistakes = telling(
        answer,
        (
            Mistake(
                "as-each-stage",
                keeps,
                "You say that the whole keeps what each stage keeps. May one request be slow here "
                "and another one there?",
            ),
            Mistake(
                "as-if-independent",
                apart,
                "You multiply, as if one stage's slow calls had nothing to do with another's. "
                "Nothing in the story promises that: what is the worst that it allows?",
            ),
        ),
        absolute=0.1,
    )
    draw.require(len(mistakes) == 2)
    total = draw.number(1.2, 4)
    return Drill(
        story=(
            f"The budget of an answer, {say(total, 's')}, is divided among {teams} stages, one "
            f"after the other: {', '.join(_TEAMS[:teams])}. Every stage keeps its part in "
            f"{keeps} % of the requests. Nobody has looked whether the same requests are slow at "
            "several stages."
        ),
        question=(
            f"At least how many per cent of the requests are certain to be answered within "
            f"{say(total, 's')}?"
        ),
        answer=answer,
        unit="%",
        tolerance=0,
        absolute=0.1,
        mistakes=mistakes,
        hints=(
            "A request that misses the whole budget has missed at least one part. How many can "
            "have?",
            "At worst the misses are all of different requests: 1 − k (1 − q).",
            f"1 − {teams} × {100 - keeps} %.",
        ),
        steps=(
            Step(
                f"Misses at worst: {teams} × {100 - keeps} % = {teams * (100 - keeps)} %",
                name="misses",
                value=teams * (100 - keeps),
                unit="%",
            ),
            Step(f"Left: {answer} %", "kept", answer, "%"),
        ),
        sanity=f"Below {keeps} %: several stages can each spoil other requests.",
        moral=(
            "The union bound needs no assumption: shares of misses add at worst. It is a "
            "guarantee, and not a forecast; a request that is late at one stage may well make it "
            "up at another. What really happens only the totals of requests say."
        ),
        follow_up=_each(draw, teams=teams),
    )


def _each(draw: Draw, *, teams: int) -> Drill:
    wanted = draw.one_of((95, 98, 99))
    answer = 100 - (100 - wanted) / teams
    return Drill(
        story=(
            f"The product promises {wanted} % within the whole budget, and it must hold whatever "
            "the stages have in common. All stages are to keep their parts equally often."
        ),
        question="In how many per cent of the requests must each stage keep its part?",
        answer=answer,
        unit="%",
        tolerance=0,
        absolute=0.03,
        scale=False,
        mistakes=telling(
            answer,
            (
                Mistake(
                    "as-the-whole",
                    wanted,
                    f"You let each stage miss as often as the whole may. How many stages can do "
                    f"that to {100 - wanted} %?",
                ),
                Mistake(
                    "misses-multiplied",
                    100 - (100 - wanted) * teams,
                    "You let a stage miss more often than the whole may. Which way do misses "
                    "share out?",
                ),
            ),
            absolute=0.03,
        ),
        hints=(
            "How many misses has the whole, and among how many are they shared?",
            "q = 1 − (1 − p) ÷ k.",
            f"1 − {100 - wanted} % ÷ {teams}.",
        ),
        steps=(
            Step(
                f"Misses of each: {100 - wanted} % ÷ {teams} = {(100 - wanted) / teams:.3g} %",
                name="misses",
                value=(100 - wanted) / teams,
                unit="%",
            ),
            Step(f"Kept: {answer:.4g} %", "kept", answer, "%"),
        ),
        sanity=f"Between {wanted} and 100 %.",
        moral=(
            "Each of k stages gets a k-th of the misses. For rare misses independence would allow "
            "nearly the same, so at a p99 the guarantee costs next to nothing."
        ),
        follow_up=_one_cannot(draw, teams=teams, wanted=wanted),
    )


def _one_cannot(draw: Draw, *, teams: int, wanted: int) -> Drill:
    taken = round((100 - wanted) * draw.one_of((0.4, 0.5, 0.6, 0.7)), 2)
    left = 100 - wanted - taken
    answer = 100 - left / (teams - 1)
    mistakes = telling(
        answer,
        (
            Mistake(
                "equal-parts-as-before",
                100 - (100 - wanted) / teams,
                "That is an equal part for all. How much does generation take of it?",
            ),
            Mistake(
                "shared-by-all",
                100 - left / teams,
                "You share what is left among all stages. Does generation need a part of it?",
            ),
            Mistake(
                "nothing-taken",
                100 - (100 - wanted) / (teams - 1),
                "You share all the misses among the others. What has generation used up?",
            ),
        ),
        absolute=0.01,
    )
    draw.require(len(mistakes) >= 2)
    return Drill(
        story=(
            f"Generation cannot do better than {100 - taken:g} %: long answers. The other "
            f"{teams - 1} stages share what is left equally, and the promise stays at {wanted} %."
        ),
        question="In how many per cent of the requests must each of the others keep its part?",
        answer=answer,
        unit="%",
        tolerance=0,
        absolute=0.01,
        scale=False,
        mistakes=mistakes,
        hints=(
            "How many of the misses are left for the others?",
            "q = 1 − ((1 − p) − misses of generation) ÷ (k − 1).",
            f"1 − ({100 - wanted} % − {taken:g} %) ÷ {teams - 1}.",
        ),
        steps=(
            Step(f"Left: {100 - wanted} % − {taken:g} % = {left:.3g} %", "left", left, "%"),
            Step(
                f"Each of {teams - 1}: {left / (teams - 1):.3g} %, so {answer:.5g} %",
                name="kept",
                value=answer,
                unit="%",
            ),
        ),
        sanity=f"More than {wanted} %, and the more, the less generation leaves.",
        moral=(
            "A budget of misses is spent like a budget of milliseconds: give it to the stage that "
            "can do least about its tail, and ask more of those for whom it is cheap."
        ),
    )
