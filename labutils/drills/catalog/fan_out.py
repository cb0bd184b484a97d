"""A page that waits for many calls: how often it is slow, and what each call must keep."""

import math

from labutils.drills.definition.writing import Draw, Drill, drill, quantity, template
from labutils.laws.tails import late_share, page_quantile, required_leaf_quantile, slow_share

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


@template("B15 A15 B17", level=2, decision="commit", number=25)
def leaf_budget(draw: Draw) -> Drill:
    """Fan-out backwards: the miss rate that a leaf may have."""
    who, leaves, low, high = draw.one_of(
        (
            ("The search page", "shards", 20, 300),
            ("The ranking page", "feature servers", 12, 60),
            ("The start page of a shop", "model endpoints", 10, 30),
        )
    )
    n, q = draw.whole(low, high), draw.one_of((0.9, 0.95, 0.98, 0.99, 0.995, 0.999))
    limit = draw.one_of((0.08, 0.12, 0.2, 0.25, 0.4))
    allowed = 100 * (1 - required_leaf_quantile(q, n))
    return draw.drill(f"""
    {who} asks {n} {leaves} at once and needs every answer. Its promise: {quantity(100 * q, "%")} of
    the pages within {quantity(limit, "s")}. You write the contract for the team that runs the
    {leaves}; they are slow independently of each other.
    ? What share of its requests, in percent, may a single {leaves[:-1]} answer later than
      {quantity(limit, "s")}?
    = {allowed} % tolerance=0.05
    - same-as-the-page {100 * (1 - q)}: You allow each of them what the page is allowed. How often
      would the page be late if all of them used that up?
    - wrong-way {100 * (1 - q**n)}: You raise the page's share to the power of n. That goes from the
      single call to the page; which way do you need?
    - late-only-if-all-are {100 * (1 - q) ** (1 / n)}: You let the page be late only when all of
      them are. How many late ones does it take?
    > The page is in time when every one of them is. Multiply.
    > (1 - p)ⁿ = q, so p = 1 - q^(1/n); for small numbers about (1 - q)/n.
    > 1 - {q:g}^(1/{n}), roughly {100 * (1 - q):.3g} % / {n}.
    . each must be in time with {q:g}^(1/{n}) = {required_leaf_quantile(q, n):.7f}
    * late {allowed} %: p = 1 - that = {quantity(allowed, "%")}
    ~ Far below the page's own {quantity(100 * (1 - q), "%")}: {n} of them share it.

    Each leaf must be in time with a share of q^(1/n). That is exact for independent leaves.
    Dividing the page's allowance by n is a little stricter, close enough for a contract, and safe
    whatever the dependence (Boole).
    """).then(_what_they_can_do(draw, n, q, allowed, leaves))


def _what_they_can_do(draw: Draw, n: int, q: float, allowed: float, leaves: str) -> Drill:
    """The leaves do worse than the contract: skip the last answer and look again."""
    worse = float(f"{allowed * draw.number(2, 5):.1g}")
    late = worse / 100
    draw.require(worse > 1.5 * allowed and page_quantile(1 - late, n) < q)
    one_missing = 1 - late_share(late, n - 1, n)
    none_missing = page_quantile(1 - late, n)
    draw.require(one_missing < 0.9995)
    one_fewer = 100 * (1 - page_quantile(1 - late, n - 1))
    squared = 100 * (1 - none_missing) ** 2
    return draw.drill(f"""
    The team measures: each of the {leaves} is late in {quantity(worse, "%")} of requests, and no
    quick repair is in sight. Product agrees that the page may be shown with one of the answers
    missing, without waiting for it.
    ? What share of the pages, in percent, is late now?
    = {100 * (1 - one_missing)} % tolerance=0.05
    - waits-for-all {100 * (1 - none_missing)}: That is the share of pages with at least one late
      answer. How many may be late now?
    - one-fewer-to-wait-for {one_fewer if n <= 12 else None}: You leave one of them out before you
      know which. The page leaves out whichever is last.
    - squared {squared if n > 12 else None}: You square the share of pages with a late answer. Count
      instead the pages with none late, and those with exactly one.
    > A page is in time with no late answer, or with exactly one.
    > In time: (1 - p)ⁿ + n p (1 - p)ⁿ⁻¹.
    > p = {late:g}, n = {n}: one minus that sum.
    * none_late {none_missing}: none late: {1 - late:g}^{n} = {quantity(none_missing, "1")}
    * one_late {one_missing - none_missing}: one late: {n} × {late:g} × {1 - late:g}^{n - 1} =
      {quantity(one_missing - none_missing, "1")}
    * late {100 * (1 - one_missing)} %: late: 1 - {quantity(one_missing, "1")} =
      {quantity(100 * (1 - one_missing), "%")}
    ~ Less than {quantity(100 * (1 - none_missing), "%")}, the share of pages with any late answer.

    Not waiting for the last of n turns a chance of n p into about (n p)²/2. A partial answer is the
    strongest lever against a fan-out's tail, and it costs a product decision instead of hardware.
    """).then(_how_wide(draw, n, q, late, leaves))


def _how_wide(draw: Draw, n: int, q: float, late: float, leaves: str) -> Drill:
    """Without partial answers: how many leaves may a page ask?"""
    widest = math.floor(math.log(q) / math.log1p(-late) + 1e-9)
    draw.require(widest >= 2 and n - widest >= 3)
    return draw.drill(f"""
    Product changes its mind: every answer is needed after all, and the promise stays at
    {quantity(100 * q, "%")} of the pages. Each of the {leaves} is still late in
    {quantity(100 * late, "%")} of requests. What may change is how many a page asks.
    ? How many may it ask at most?
    = {widest} tolerance=0 absolute=1 unsafe=above
    - rounded-up {widest + 1}: With {widest + 1} the share of pages in time is
      {quantity(100 * (1 - late) ** (widest + 1), "%")}. What is promised?
    - as-it-is {n}: With that many the promise is broken today. How many calls in time does it take
      for a page in time?
    > The same equation, solved for the exponent.
    > n = ln q / ln (1 - p), rounded down; about (1 - q)/p.
    > ln {q:g} / ln {1 - late:g}.
    * widest {widest}: ln {q:g} / ln {1 - late:g} =
      {quantity(math.log(q) / math.log1p(-late), "1")}, rounded down: {widest}
    ~ Fewer than {n}, which are too many already.

    The width of a fan-out is a design choice like any other. Fewer, larger parts have fewer chances
    to be late, but each of them has more work: measure that too.
    """)
