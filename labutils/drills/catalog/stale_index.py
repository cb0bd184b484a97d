"""From a changed document to a changed answer: stages that run by the clock, and a cache behind."""

from labutils.drills.catalog._serving import telling
from labutils.drills.definition.draw import Draw
from labutils.drills.definition.drill import Drill, Mistake, Step
from labutils.drills.definition.template import Decision, template
from labutils.units import format_quantity as say

_SOURCES = ("a wiki", "a price list", "a ticket system", "the house rules")


@template(
    "stale_index",
    "How old an answer may be: periods and times of an index pipeline add up",
    level=1,
    decision=Decision.model,
    topics=("F07", "Q05", "B18", "P09"),
)
def stale_index(draw: Draw) -> Drill:
    look, build = draw.one_of((5, 10, 15, 20, 30)), draw.one_of((20, 30, 40, 60, 90))
    embed, make = draw.random.randint(1, 6), draw.random.randint(3, 14)
    kept = draw.one_of((10, 15, 30, 45, 60))
    draw.require(len({look, build, kept}) == 3)
    pipeline = look + embed + build + make
    answer = 60.0 * (pipeline + kept)
    mistakes = telling(
        answer,
        (
            Mistake(
                "pipeline-alone",
                60.0 * pipeline,
                "By then the new text is in the index. From where may an answer still come?",
            ),
            Mistake(
                "times-alone",
                60.0 * (embed + make + kept),
                "You let every stage begin at once. When is the next round of the crawler, and of "
                "the build?",
            ),
            Mistake(
                "half-of-the-periods",
                answer - 30.0 * (look + build),
                "You wait for half of each period: that is the average. What is the unluckiest "
                "moment for a change?",
            ),
            Mistake(
                "longest-alone",
                60.0 * max(build, kept),
                "You take the longest of them. Do they run side by side, or one after the other?",
            ),
        ),
        tolerance=0.005,
    )
    draw.require(len(mistakes) >= 3)
    return Drill(
        story=(
            f"An assistant answers from {draw.one_of(_SOURCES)}. Every {look} minutes a crawler "
            f"looks for changed pages, in no time to speak of, and hands them on; they are "
            f"embedded within {embed} minutes. Every {build} minutes the index is built from what "
            f"is embedded by then, which takes {make} minutes, and is then in use. Answers are "
            f"cached for {kept} minutes from when they were made."
        ),
        question=(
            "For how long after a change may an answer from the old text still be served, at most?"
        ),
        answer=answer,
        unit="s",
        tolerance=0.005,
        mistakes=mistakes,
        hints=(
            "Let the change come at the worst moment, and follow it to the user.",
            "A period, a time, a period, a time, and the life of a cached answer.",
            f"{look} + {embed} + {build} + {make} + {kept} minutes.",
        ),
        steps=(
            Step(
                f"In the index after {look} + {embed} + {build} + {make} = {pipeline} min at most",
                name="index",
                value=60.0 * pipeline,
                unit="s",
            ),
            Step(
                f"An answer made just before lives {kept} min: {say(answer, 's')}",
                name="age",
                value=answer,
                unit="s",
            ),
        ),
        sanity=f"More than {build + kept} minutes: a change may just miss a build, and an answer "
        "be made just before the new index.",
        moral=(
            "Each stage that runs by the clock adds its whole period to the worst age, and half of "
            "it to the mean. Drop cached answers by the document they came from, and the last "
            "term is gone."
        ),
        follow_up=_on_average(draw, look=look, embed=embed, build=build, make=make),
    )


def _on_average(draw: Draw, *, look: int, embed: int, build: int, make: int) -> Drill:
    answer = 60.0 * (look / 2 + embed + build / 2 + make)
    mistakes = telling(
        answer,
        (
            Mistake(
                "worst-case",
                60.0 * (look + embed + build + make),
                "That is the worst. How long until the next round, from a moment at random?",
            ),
            Mistake(
                "times-alone",
                60.0 * (embed + make),
                "You let every stage begin at once. How long does a page wait for a round?",
            ),
            Mistake(
                "half-of-everything",
                30.0 * (look + embed + build + make),
                "You halve the work as well. How long does a page take in the embedding, and an "
                "index to be built?",
            ),
            Mistake(
                "build-forgotten",
                60.0 * (look / 2 + embed + build / 2),
                "You stop when the build begins. When is its index in use?",
            ),
            Mistake(
                "one-wait-forgotten",
                60.0 * (embed + build / 2 + make),
                "You let the crawler come at once. How long until its next round, on average?",
            ),
        ),
        tolerance=0.005,
    )
    draw.require(len(mistakes) >= 3)
    return Drill(
        story=(
            "Cached answers are now dropped as soon as a page that they came from has changed in "
            "the index. Changes come at random moments, the two clocks have nothing to do with "
            f"each other, and embedding always takes its {embed} minutes."
        ),
        question="How long after a change is the new text in use, on average?",
        answer=answer,
        unit="s",
        tolerance=0.005,
        mistakes=mistakes,
        hints=(
            "A moment at random falls somewhere between two rounds.",
            "Half a period for each clock, and the whole of each time.",
            f"{look} ÷ 2 + {embed} + {build} ÷ 2 + {make} minutes.",
        ),
        steps=(
            Step(
                f"Waiting: {look / 2:g} + {build / 2:g} min",
                name="waiting",
                value=30.0 * (look + build),
                unit="s",
            ),
            Step(f"With {embed} + {make} min of work: {say(answer, 's')}", "mean", answer, "s"),
        ),
        sanity=f"Between {embed + make} and {look + embed + build + make} minutes.",
        moral=(
            "Most of the age is waiting for a clock, not work. Build on arrival, or build small "
            "segments often, before you make the embedding faster."
        ),
    )
