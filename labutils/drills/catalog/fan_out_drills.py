"""A page that waits for many calls: how often it is slow."""

from labutils.drills.definition.writing import Draw, Drill, drill, quantity, template
from labutils.tails import slow_share

_PAGES = (  # the page, its parts, a late part, fewest and most parts
    ("A search answers once all {n} shards of the index have answered", "shard", 8, 500),
    ("An agent's plan sends {n} tool calls at once and needs every result", "tool call", 2, 24),
    ("A page shows {n} recommendations, each scored by a call of its own", "call", 10, 120),
    ("A retrieval step asks {n} partitions of a vector store and merges all", "partition", 4, 200),
)


@template("B14 C11 S05", level=2, decision="estimate", number=24)
def slow_pages(draw: Draw) -> Drill:
    """Fan-out: one slow call in n makes a slow page."""
    what, part, low, high = draw.one_of(_PAGES)
    n = draw.whole(low, high)
    late = draw.one_of((0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05))
    limit, share = draw.one_of((0.05, 0.1, 0.2, 0.3)), slow_share(late, n)
    draw.require(0.15 < share < 0.93 and n * late < 3)
    return draw.drill(f"""
    {what.format(n=n)}. One {part} is later than {quantity(limit, "s")} in
    {quantity(100 * late, "%")} of cases, whatever the others do; the mean is far below.

    ? In what share of cases is the whole answer later than {quantity(limit, "s")}?
    = {share} tolerance=0.01
    - adds-up {n * late}: You add the chances, and so you count an answer twice when two of its
      parts are late. What is the chance that none is?
    - one-of-them {late}: That is the share for one {part}. The answer waits for the slowest of {n}.
    - all-in-time {1 - share}: That is the share of answers in which every part is in time. The
      question asks for the others.
    > Ask the opposite: in what share of cases is none of them late?
    > All in time: (1 - p)ⁿ. At least one late: the rest.
    > 1 - {1 - late:g}^{n}.
    * in_time {1 - share}: all in time: {1 - late:g}^{n} = {quantity(1 - share, "1")}
    * late {share}: late: 1 - {quantity(1 - share, "1")} = {quantity(share, "1")}
    ~ More than the {quantity(100 * late, "%")} of one {part}, and less than {n} times as much.

    P(slow) = 1 - (1-p)ⁿ, about n p while that is small. Independence is the assumption: calls that
    are slow together, for a shared reason or on the same machine, make fewer slow pages. The mean
    latency of a call says nothing about any of this.
    """).then(_ten_times_better(n, late, share, part))


def _ten_times_better(n: int, late: float, before: float, part: str) -> Drill:
    better = slow_share(late / 10, n)
    return drill(f"""
    Two months of work later, a {part} is late in {quantity(10 * late, "%")} of cases: ten times
    better.

    ? By which factor has the share of late answers fallen?
    = {before / better} tolerance=0.02
    - ten 10.0: You carry the factor over. That holds while late answers are rare; were they?
    - the-share-itself {better}: That is the new share. By which factor is it smaller than the old
      one?
    > Compute the new share in the same way, then compare.
    > [1 - (1 - p)ⁿ] / [1 - (1 - p/10)ⁿ].
    > The old share over 1 - {1 - late / 10:g}^{n}.
    * share {better}: 1 - {1 - late / 10:g}^{n} = {quantity(better, "1")}
    * factor {before / better}: {quantity(before, "1")} / {quantity(better, "1")} =
      {quantity(before / better, "1")}
    ~ Less than ten: while late answers are common, many stay late for another part.

    A fan-out hides early improvements. While late parts are common, a page has several at once, and
    repairing one does not save it. The full factor comes only once late pages are rare.
    """).then(_all_together(n, late / 10, part, better))


def _all_together(n: int, late: float, part: str, independent: float) -> Drill:
    """One cause for all: the calls are slow together."""
    together = 100 * slow_share(late, n, correlation=1.0)
    return drill(f"""
    Then a trace shows the one cause that is left: now and then the shared storage pauses, and
    during a pause every {part} is late. Each {part} is still late in {quantity(100 * late, "%")} of
    cases.

    ? What share of the answers, in percent, is late now?
    = {together} % tolerance=0.02
    - as-if-independent {100 * independent}: You let each be late for reasons of its own. During a
      pause, how many are late at once, and how often is there a pause?
    - never-all-at-once {100 * min(1.0, n * late)}: You add the chances up, as if no two were ever
      late together. How is it here?
    > How often is there a pause?
    > When all are late together, the answer is late exactly as often as one part.
    > One {part} is late in {10000 * late:.4g} of 10,000 cases, and then all are.
    * late {together} %: All or none: {quantity(together, "%")} of the answers.
    ~ No more than with independent ones, {quantity(100 * independent, "%")}.

    The share of late answers lies between p (parts are late all together) and n p (never two at
    once); independent parts lie in between. A second copy of a call helps when the call is slow for
    a reason of its own, and never in a shared pause.
    """)
