"""Commit to hedging, then defend it against the day on which everybody is late."""

from labutils.drills.definition.draw import Draw
from labutils.drills.definition.drill import Drill, Mistake, Step
from labutils.drills.definition.template import Decision, Form, template


@template(
    "defend_hedging_budget",
    "Hedge late, on a budget",
    level=3,
    decision=Decision.commit,
    topics=("I09", "O02"),
    form=Form.defend,
    minutes=3,
)
def defend_hedging_budget(draw: Draw) -> Drill:
    load = draw.share(0.52, 0.8)
    trigger, budget = draw.one_of(
        ((0.9, 0.12), (0.9, 0.15), (0.95, 0.07), (0.95, 0.08), (0.95, 0.1), (0.97, 0.05))
    )
    blind, late = 2 * load, load * (2 - trigger)
    draw.require(late < 0.9)
    name = f"p{100 * trigger:g}"
    return Drill(
        story=(
            f"A fleet runs at a load of {load:g}. One answer in fifty hangs for seconds, for "
            "reasons that a second replica does not share. You may send second copies; the first "
            "answer counts, and what was sent is worked off to the end (nothing is cancelled)."
        ),
        question=(
            f"To which load does the fleet rise with copies after the {name}? (Suppose that the "
            f"trigger stays at the {name}, and a copy costs as much as a request.)"
        ),
        options=draw.options(
            f"A copy of each request that is not back by the {name}.",
            {
                "Two copies of each request, from the beginning.": (
                    f"Add up the work: the fleet is at {load:g} already."
                ),
                "A copy of each request that the client gives up on.": (
                    "After the client's timeout it is no hedge, it is a retry. Who still waits?"
                ),
                "No copies: more work can only make a fleet slower.": (
                    "A little more work, against seconds of waiting. Compare the two."
                ),
            },
            question="Which rule do you commit to?",
        ),
        answer=late,
        tolerance=0.005,
        mistakes=(
            Mistake(
                "all-twice",
                blind,
                "You send a copy of every request. Which of them are still out at the trigger?",
            ),
            Mistake(
                "trigger-share",
                load * (1 + trigger),
                "You copy those that are back by then. Which share is not?",
            ),
            Mistake("no-work", load, "The copies are worked off as well. How many are there?"),
        ),
        hints=(
            f"Which share of the requests is still out at the {name}?",
            "New load = load × (1 + share that is copied).",
            f"{load:g} × (1 + {1 - trigger:.2g}).",
        ),
        steps=(
            Step(
                f"Copied: {100 * (1 - trigger):.2g} % of the requests",
                name="copied",
                value=1 - trigger,
            ),
            Step(f"Load: {load:g} × {2 - trigger:.3g} = {late:.4g}", name="load", value=late),
            Step(f"Two copies of everything would make {blind:.3g}: no steady state."),
        ),
        sanity=f"A little above {load:g}, and far below twice that.",
        moral=(
            "A hedge at a high quantile buys the tail for a few per cent of work (Dean and Barroso "
            "2013). It assumes that slowness is independent: it does nothing for inputs that are "
            "slow everywhere."
        ),
        follow_up=Drill(
            story=(
                "The strongest objection: 'Your few per cent hold on a good day. When the whole "
                f"fleet is slow, everybody is past yesterday's {name}, every request is copied, "
                "and you double the load at the worst moment.' You add a budget: copies may be at "
                f"most {100 * budget:g} % of the requests, by a token bucket."
            ),
            question="Which load does hedging cause at most on such a day, with the budget?",
            options=draw.options(
                "The budget bounds copies, whatever share of requests is late.",
                {
                    "A fleet that is slow all over happens too rarely to count.": (
                        "Rare or not, what does the fleet do on that day?"
                    ),
                    f"Past the {name} there is always the same share of requests.": (
                        "That holds for today's quantile. The trigger is yesterday's, in "
                        "milliseconds."
                    ),
                    "The copies shorten the queues, so the load falls again.": (
                        "Copies are work. Which queue gets shorter by more of it?"
                    ),
                },
                question="Which defence holds?",
            ),
            answer=load * (1 + budget),
            tolerance=0.005,
            mistakes=(
                Mistake(
                    "everybody-copied",
                    blind,
                    "That is the day without the budget. How many copies does the bucket allow?",
                ),
                Mistake(
                    "the-trigger",
                    late,
                    "That share is set by the trigger on a good day. What sets it now?",
                ),
            ),
            hints=(
                "The trigger says when a copy is wanted, the bucket whether it is sent.",
                "Load at most = load × (1 + budget).",
                f"{load:g} × (1 + {budget:g}).",
            ),
            steps=(
                Step(
                    f"{load:g} × {1 + budget:g} = {load * (1 + budget):.4g}",
                    name="load",
                    value=load * (1 + budget),
                ),
            ),
            sanity=f"Above {load:g} by the budget, however many requests are late.",
            moral=(
                "A feedback that adds work when work is late needs a bound that does not depend on "
                "how late it is: a budget for hedges, and one for retries. Cancel the loser where "
                "you can."
            ),
        ),
    )
