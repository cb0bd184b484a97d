"""A page that waits for many calls: how often it is slow."""

from labutils.drills.definition.draw import Draw
from labutils.drills.definition.drill import Drill, Mistake, Step
from labutils.drills.definition.template import Decision, template
from labutils.tails import slow_share
from labutils.units import format_quantity as say

_PAGES = (  # the page, its parts, a late part, fewest and most parts
    ("A search answers once all {n} shards of the index have answered", "shard", 8, 500),
    ("An agent's plan sends {n} tool calls at once and needs every result", "tool call", 2, 24),
    ("A page shows {n} recommendations, each scored by a call of its own", "call", 10, 120),
    ("A retrieval step asks {n} partitions of a vector store and merges all", "partition", 4, 200),
)


@template(
    "slow_pages",
    "Fan-out: one slow call in n makes a slow page",
    level=2,
    number=24,
    decision=Decision.estimate,
    topics=("B14", "C11", "S05"),
)
def slow_pages(draw: Draw) -> Drill:
    what, part, low, high = draw.one_of(_PAGES)
    n = draw.whole(low, high)
    late = draw.one_of((0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05))
    limit, share = draw.one_of((0.05, 0.1, 0.2, 0.3)), slow_share(late, n)
    draw.require(0.15 < share < 0.93 and n * late < 3)
    return Drill(
        story=(
            f"{what.format(n=n)}. One {part} is later than {say(limit, 's')} in "
            f"{say(100 * late, '%')} of cases, whatever the others do; the mean is far below."
        ),
        question=f"In what share of cases is the whole answer later than {say(limit, 's')}?",
        answer=share,
        unit="1",
        tolerance=0.01,
        mistakes=(
            Mistake(
                "adds-up",
                n * late,
                "You add the chances, and so you count an answer twice when two of its parts are "
                "late. What is the chance that none is?",
            ),
            Mistake(
                "one-of-them",
                late,
                f"That is the share for one {part}. The answer waits for the slowest of {n}.",
            ),
            Mistake(
                "all-in-time",
                1 - share,
                "That is the share of answers in which every part is in time. The question asks "
                "for the others.",
            ),
        ),
        hints=(
            "Ask the opposite: in what share of cases is none of them late?",
            "All in time: (1 - p)ⁿ. At least one late: the rest.",
            f"1 - {1 - late:g}^{n}.",
        ),
        steps=(
            Step(
                f"all in time: {1 - late:g}^{n} = {say(1 - share, '1')}",
                name="in_time",
                value=1 - share,
            ),
            Step(
                f"late: 1 - {say(1 - share, '1')} = {say(share, '1')}",
                name="late",
                value=share,
            ),
        ),
        sanity=(
            f"More than the {say(100 * late, '%')} of one {part}, and less than {n} times as much."
        ),
        moral=(
            "P(slow) = 1 - (1-p)ⁿ, about n p while that is small. Independence is the assumption: "
            "calls that are slow together, for a shared reason or on the same machine, make fewer "
            "slow pages. The mean latency of a call says nothing about any of this."
        ),
        follow_up=_ten_times_better(n, late, share, part),
    )


def _ten_times_better(n: int, late: float, before: float, part: str) -> Drill:
    better = slow_share(late / 10, n)
    return Drill(
        story=(
            f"Two months of work later, a {part} is late in {say(10 * late, '%')} of cases: ten "
            "times better."
        ),
        question="By which factor has the share of late answers fallen?",
        answer=before / better,
        unit="1",
        tolerance=0.02,
        mistakes=(
            Mistake(
                "ten",
                10.0,
                "You carry the factor over. That holds while late answers are rare; were they?",
            ),
            Mistake(
                "the-share-itself",
                better,
                "That is the new share. By which factor is it smaller than the old one?",
            ),
        ),
        hints=(
            "Compute the new share in the same way, then compare.",
            "[1 - (1 - p)ⁿ] / [1 - (1 - p/10)ⁿ].",
            f"The old share over 1 - {1 - late / 10:g}^{n}.",
        ),
        steps=(
            Step(f"1 - {1 - late / 10:g}^{n} = {say(better, '1')}", name="share", value=better),
            Step(
                f"{say(before, '1')} / {say(better, '1')} = {say(before / better, '1')}",
                name="factor",
                value=before / better,
            ),
        ),
        sanity="Less than ten: while late answers are common, many stay late for another part.",
        moral=(
            "A fan-out hides early improvements. While late parts are common, a page has several "
            "at once, and repairing one does not save it. The full factor comes only once late "
            "pages are rare."
        ),
        follow_up=_all_together(n, late / 10, part, better),
    )


def _all_together(n: int, late: float, part: str, independent: float) -> Drill:
    """One cause for all: the calls are slow together."""
    together = 100 * slow_share(late, n, correlation=1.0)
    return Drill(
        story=(
            "Then a trace shows the one cause that is left: now and then the shared storage "
            f"pauses, and during a pause every {part} is late. Each {part} is still late in "
            f"{say(100 * late, '%')} of cases."
        ),
        question="What share of the answers, in percent, is late now?",
        answer=together,
        unit="%",
        tolerance=0.02,
        mistakes=(
            Mistake(
                "as-if-independent",
                100 * independent,
                "You let each be late for reasons of its own. During a pause, how many are late "
                "at once, and how often is there a pause?",
            ),
            Mistake(
                "never-all-at-once",
                100 * min(1.0, n * late),
                "You add the chances up, as if no two were ever late together. How is it here?",
            ),
        ),
        hints=(
            "How often is there a pause?",
            "When all are late together, the answer is late exactly as often as one part.",
            f"One {part} is late in {10000 * late:.4g} of 10,000 cases, and then all are.",
        ),
        steps=(
            Step(
                f"All or none: {say(together, '%')} of the answers.",
                name="late",
                value=together,
                unit="%",
            ),
        ),
        sanity=f"No more than with independent ones, {say(100 * independent, '%')}.",
        moral=(
            "The share of late answers lies between p (parts are late all together) and n p (never "
            "two at once); independent parts lie in between. A second copy of a call helps when "
            "the call is slow for a reason of its own, and never in a shared pause."
        ),
    )
