"""Faults in what a cache serves and in what is loaded for nothing."""

from labutils.drills.definition.claim import FLAW, lines_of, numbered
from labutils.drills.definition.draw import Draw
from labutils.drills.definition.drill import Drill, Mistake, Step
from labutils.drills.definition.template import Decision, Form, template
from labutils.units import format_quantity as say

FAULTS = {"first_above_the_threshold": ("X76",), "import_nobody_needs": ("X77", "X34")}


@template(
    "first_above_the_threshold",
    "A semantic cache must serve the best match, not the first",
    level=1,
    decision=Decision.limit,
    topics=("T14", "F02"),
    form=Form.flaw,
    minutes=1.5,
    rough=False,
    trivia=True,
)
def first_above_the_threshold(draw: Draw) -> Drill:
    threshold = draw.one_of((0.88, 0.9, 0.92, 0.94))
    first = round(threshold + draw.one_of((0.01, 0.02, 0.03)), 2)
    best = round(min(first + draw.one_of((0.01, 0.02, 0.03)), 0.99), 2)
    draw.require(best > first)
    below = [round(threshold - draw.share(0.02, 0.4), 2) for _ in range(3)]
    order = [below[0], first, below[1], best, below[2]]
    code = f"""
        def get(self, query):
            wanted = unit(self.embed(query))
            for entry in self.entries:
                similarity = wanted @ entry.vector
                if similarity >= {threshold:g}:
                    return entry.answer
            return MISSING
        """
    return Drill(
        story=(
            "Users complain of answers that belong to another, similar question. Entries are "
            "stored with vectors of length one, in the order in which they came. For one complaint "
            f"the similarities to the entries are {', '.join(f'{value:.2f}' for value in order)}."
            f"\n\n{numbered(code)}"
        ),
        question="What is the similarity of the entry that `get` should have served?",
        options=lines_of(
            code,
            "Which line serves the wrong entry?",
            {
                2: "It makes the query comparable: length one, as the entries have it.",
                4: "For vectors of length one the product is the cosine.",
                5: "It keeps out entries that are too far away, as a threshold should.",
                6: FLAW,
                7: "Nobody was similar enough: a miss, and the model is asked.",
            },
        ),
        answer=best,
        tolerance=0,
        absolute=0.0005,
        mistakes=(
            Mistake(
                "first-match",
                first,
                "That is the first one above the threshold: what the code serves. Have you looked "
                "at those behind it?",
            ),
            Mistake(
                "threshold", threshold, "That is the threshold. Which of the entries do you serve?"
            ),
        ),
        hints=(
            "Look at all five similarities. Which of them would you serve?",
            "Serve the entry with the largest similarity, if that reaches the threshold.",
            f"Two of them reach {threshold:g}. Take the better one.",
        ),
        steps=(
            Step(f"At {threshold:g} or above: {first:.2f} and {best:.2f}"),
            Step(f"The best of all, {best:.2f}, passes the threshold", name="best", value=best),
            Step("Mended: scores = matrix @ wanted; one product and one argmax, no loop."),
        ),
        sanity="No other entry is more similar.",
        moral=(
            "Which entry is the first above a threshold depends on the order of insertion. Take "
            "the best one, by one matrix product, which is also far faster than a loop. Keep the "
            "entries of tenants and of models apart, evict and expire, and sample hits to see how "
            "often a near match was a wrong one."
        ),
        scale=False,
    )


@template(
    "import_nobody_needs",
    "An import is a cost, used or not",
    level=1,
    decision=Decision.limit,
    topics=("P03", "O03"),
    form=Form.flaw,
    minutes=1.5,
    trivia=True,
)
def import_nobody_needs(draw: Draw) -> Drill:
    costs = {"numpy": draw.whole(60, 150), "scipy.stats": draw.whole(500, 1500)}
    costs["json"] = draw.whole(2, 9)
    starts = draw.whole(20, 90)
    code = """
        import json
        import numpy as np
        from scipy import stats

        def effective_quantile(latencies_ms, num_calls):
            with open("targets.json") as file:
                target = json.load(file)["page_quantile"]
            leaf = target ** (1 / num_calls)
            return np.quantile(latencies_ms, leaf)
        """
    saved = costs["scipy.stats"] * starts / 1000
    whole = sum(costs.values()) * starts / 1000
    return Drill(
        story=(
            f"A worker that computes percentiles starts cold {starts} times an hour, and its users "
            "wait for that. Measured with `-X importtime`, in a fresh process: "
            + ", ".join(f"{name} {cost} ms" for name, cost in costs.items())
            + " (each without what was loaded before it)."
            + f"\n\n{numbered(code)}"
        ),
        question="How many seconds of cold start per hour are saved without that line?",
        options=lines_of(
            code,
            "Which line can go?",
            {
                1: "The targets are read with it.",
                2: "The quantile is computed with it: look at the last line.",
                3: FLAW,
                5: "Both arguments are used further down: look for them.",
                8: "The share that a single call must meet: the line is the point of the function.",
            },
        ),
        answer=saved,
        unit="s",
        tolerance=0.02,
        mistakes=(
            Mistake(
                "all-imports",
                whole,
                "You take out all three imports. Does the function still run?",
            ),
            Mistake(
                "one-start",
                costs["scipy.stats"] / 1000,
                "That is one cold start. How many are there in an hour?",
            ),
        ),
        hints=(
            "Look for each imported name below the imports.",
            "Saved = time of the import × cold starts.",
            f"{costs['scipy.stats']} ms × {starts}.",
        ),
        steps=(
            Step("`stats` is never used; the quantile comes from numpy."),
            Step(
                f"{costs['scipy.stats']} ms × {starts} = {say(saved, 's')} an hour",
                name="saved",
                value=saved,
                unit="s",
            ),
        ),
        sanity=f"Less than {starts} times all the imports together.",
        moral=(
            "What is not used still loads: imports are part of a cold start, and of what must be "
            "installed, patched and shipped. A linter finds unused names; `-X importtime` says "
            "what each import costs. Arguments that no line reads can go for the same reason."
        ),
    )
