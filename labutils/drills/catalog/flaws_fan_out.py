"""Flaws in claims about fan-out: what a better leaf does to a page."""

import math

from labutils import tails
from labutils.drills.definition.writing import Draw, Drill, template

FAULTS = {"ten_times_better": ("X41",)}


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


@template("S05 B14 B17", level=2, decision="estimate", form="flaw", rough=False)
def ten_times_better(draw: Draw) -> Drill:
    """Ten times better leaves do not make a page ten times better."""
    leaves, slow = draw.whole(60, 400), draw.one_of((0.005, 0.01, 0.02))
    before, after = tails.slow_share(slow, leaves), tails.slow_share(slow / 10, leaves)
    gain = before / after
    draw.require(2 < gain < 8 and before < 0.995)
    return draw.drill(f"""
    A page asks {leaves} shards and waits for all. A shard is slow in {_percent(slow)} of its
    answers, independently of the others. The storage team has brought that down to
    {_percent(slow / 10)}. Its report has the lines below.

    ? By which factor does the share of slow pages fall?
    = {gain} tolerance=0.03 scale=off
    - factor-of-the-leaf 10: That is the gain of one shard. Compute both shares of slow pages; does
      their ratio repeat it?
    - gain-of-the-fast {(1 - after) / (1 - before)}: You compare the shares of fast pages. The
      question is about the slow ones.
    | A slow shard answer has become ten times rarer.
    ! That is what was measured, before and after.
    | Before, {_percent(before)} of the pages were slow.
    ! One minus the chance that all shards are fast: it is the right model.
    | Slow pages, too, are ten times rarer: {_percent(before / 10)}.
    | A page is fast if all {leaves} shards are.
    ! Yes: it waits for the slowest of them.
    > Compute the share of slow pages twice, before and after.
    > Slow pages: 1 - (1 - p)ⁿ. The factor is the first over the second.
    > [1 - (1 - {slow:g})^{leaves}] / [1 - (1 - {slow / 10:g})^{leaves}].
    * before {100 * before} %: Before: {_percent(before)}
    * after {100 * after} %: After: {_percent(after)}
    * factor {gain}: Factor: {_percent(before)} / {_percent(after)} = {gain:.3g}
    ~ Before, many slow pages had several slow shards: mending one of them did not make the page
      fast. So the factor is less than ten.

    1 - (1 - p)ⁿ is proportional to p only while slow pages are rare. Where nearly every page is
    slow, the first improvements of a shard hardly show; they make the next ones count. With
    {math.ceil(1 / slow)} shards and more, start from the promise of the page: which share of slow
    answers may a shard have, if the page is to keep it?
    """)
