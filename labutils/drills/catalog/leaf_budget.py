"""From the page's promise to what each of its calls must keep, and back."""

import math

from labutils.drills.definition.writing import Draw, Drill, quantity, template
from labutils.tails import late_share, page_quantile, required_leaf_quantile


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
