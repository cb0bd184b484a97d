"""One part becomes faster: what the whole gains."""

from labutils.drills.definition.writing import Draw, Drill, quantity, template
from labutils.laws.scaling import amdahl_ceiling, amdahl_speedup, factor_for_speedup, share_after

# (what takes part of the time, what makes it faster, by which factors such a thing may do so)
_PARTS = (
    ("the answer's tokens", "a quantised model", (1.5, 2, 2.5, 3)),
    ("the reranker", "a smaller reranker", (2, 2.5, 3, 4, 5, 8)),
    ("reading the prompt", "a cache of its common prefix", (1.5, 2, 2.5, 3, 4, 5, 8, 10)),
    ("the search in the vector store", "an index in memory", (2, 2.5, 3, 4, 5, 8, 10)),
)


@template("B05 C02 O08", level=1, decision="model", number=11)
def faster_part(draw: Draw) -> Drill:
    """Amdahl's law: a faster part."""
    part, means, factors = draw.one_of(_PARTS)
    total, share = draw.number(0.6, 6), draw.share(0.2, 0.9)
    factor = draw.one_of(factors)
    spent = float(f"{total * share:.3g}")
    share = spent / total
    gained = amdahl_speedup(share, factor)
    new, saved = total / gained, 1 - 1 / gained
    saved_share_added = 1 + saved if gained - 1 - saved > 0.025 * gained else None
    return draw.drill(f"""
    A traced request takes {quantity(total, "s")} from arrival to last byte, one stage after the
    other; {quantity(spent, "s")} of that are spent on {part}. A colleague proposes {means}, which
    makes that stage {factor:g} times as fast, and nothing else changes.
    ? How many times as fast does the whole request become (old time over new time)?
    = {gained} tolerance=0.01
    - factor-of-the-part {factor}: That is what the stage gains. What about the time that is spent
      elsewhere?
    - averaged {share * factor + 1 - share}: You average the speed-ups by their shares of the time.
      What adds up along a request, speeds or times?
    - saved-share-added {saved_share_added}: You add the share of the time that is saved to 1. How
      long is the new time, and what is old over new?
    - gain-alone {gained - 1}: You give what comes on top of the old speed. What is old time over
      new time?
    - new-over-old {1 / gained}: You divide new by old. Is a request that takes less time slower?
    - stage-vanishes {amdahl_ceiling(share)}: You let the stage take no time at all. What is left of
      it?
    > What is the new time, second by second?
    > New time = untouched + touched ÷ factor; speed-up = 1 / ((1 − f) + f/s).
    > {quantity(total, "s")} ÷ ({quantity(total - spent, "s")} + {quantity(spent, "s")} ÷
      {factor:g}).
    * share {share}: The stage's share: {quantity(spent, "s")} ÷ {quantity(total, "s")} =
      {quantity(share, "1")}
    * new_time {new} s: New time: {quantity(total - spent, "s")} + {quantity(spent / factor, "s")} =
      {quantity(new, "s")}
    * speedup {gained}: {quantity(total, "s")} ÷ {quantity(new, "s")} = {quantity(gained, "1")}
    ~ More than 1, less than what the stage gains, and never above
      {quantity(amdahl_ceiling(share), "1")}: the untouched {quantity(total - spent, "s")} remain.

    Amdahl's law: the whole gains 1 ÷ ((1 − f) + f ÷ s), with f the stage's share of this request's
    time and s the factor of the stage. It takes stages that come one after the other; where they
    overlap, or where the queue shrinks too, it does not hold.
    """).then(_goal(draw, total=total, spent=spent, factor=factor))


def _goal(draw: Draw, *, total: float, spent: float, factor: float) -> Drill:
    share = spent / total
    room = amdahl_ceiling(share)
    goal = float(f"{1 + (room - 1) * draw.share(0.4, 0.8):.3g}")
    draw.require(1.1 < goal < room * 0.97)
    needed = factor_for_speedup(share, goal)
    target = total / goal
    return draw.drill(f"""
    Product wants the whole request {goal:g} times as fast as in the first trace, by work on that
    stage alone.
    ? How many times as fast must the stage become, counted from the first trace?
    = {needed} tolerance=0.03
    - the-goal-itself {goal}: You speed up the stage by what the whole shall gain. Who speeds up the
      rest?
    - goal-over-share {goal / share}: You divide the goal by the share. Write down the time that the
      stage may still take, and compare it with what it takes.
    > How many seconds may the stage still take?
    > Factor = stage's time ÷ (total ÷ goal − untouched time).
    > {quantity(spent, "s")} ÷ ({quantity(total, "s")} ÷ {goal:g} − {quantity(total - spent, "s")}).
    * target {target} s: The whole may take {quantity(total, "s")} ÷ {goal:g} =
      {quantity(target, "s")}
    * left {spent / needed} s: Left for the stage: {quantity(spent / needed, "s")}
    * factor {needed}: {quantity(spent, "s")} ÷ {quantity(spent / needed, "s")} =
      {quantity(needed, "1")}
    ~ More than the goal: the stage must make up for what stands still.

    The nearer the ceiling, the more each further tenth costs. After the work the stage is
    {quantity(share_after(share, needed), "1")} of the new time; look at the trace again before you
    go on.
    """)
