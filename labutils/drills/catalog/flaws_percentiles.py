"""Flaws in claims about tails: percentiles averaged, added, and fanned out."""

import math

from labutils.drills.definition.writing import Draw, Drill, quantity, template
from labutils.laws import capacity, tails

FAULTS = {
    "averaged_percentiles": ("X37",),
    "added_percentiles": ("X36",),
    "ten_times_better": ("X41",),
}


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


@template("L02 C06 A11", level=2, decision="model", form="flaw")
def averaged_percentiles(draw: Draw) -> Drill:
    """Percentiles do not average, counts add up."""
    promise_s = draw.one_of((0.5, 0.8, 1, 2))
    main, side = draw.share(0.8, 0.95), draw.number(0.001, 0.006, 1)
    cold = draw.share(0.1, 0.3)
    both = capacity.pooled_mean([side, cold], [main, 1 - main])
    fast, slow = draw.share(0.25, 0.5) * promise_s, draw.share(1.15, 1.45) * promise_s
    draw.require(both > 0.013 and (fast + slow) / 2 < 0.97 * promise_s)
    where = draw.one_of(("a region that was added last week", "a host that has just restarted"))
    return draw.drill(f"""
    A launch review. The promise: 99 % of all requests within {quantity(promise_s, "s")}. Pool A
    answers {100 * main:.0f} % of the requests; pool B is {where}. Each pool counts:
    {_percent(side)} of A's requests take longer than that, and {_percent(cold)} of B's. The
    review's lines stand below.
    ? Which share of all requests takes longer than {quantity(promise_s, "s")}? (In percent of the
      requests of both pools.)
    = {100 * both} % tolerance=0.02
    - one-pool-one-vote {50 * (side + cold)}: You give both pools the same weight. How many of the
      requests does each answer?
    - weights-swapped {100 * (main * cold + (1 - main) * side)}: You weigh each pool's share with
      the other pool's traffic. Which of them answers {100 * main:.0f} % of the requests?
    - a-alone {100 * side}: That is the share of A's requests. What about the requests that B
      answers?
    - added {100 * (side + cold)}: You add the shares. A share of A's requests and a share of B's
      are parts of different wholes.
    | A's p99 is {quantity(fast, "s")}, from A's own requests.
    ! That is a percentile of one pool, computed where its requests are.
    | B's p99 is {quantity(slow, "s")}, from B's own requests.
    ! Also a percentile of one pool, from its own requests. It is large, and it may be.
    | So the p99 of both is {quantity((fast + slow) / 2, "s")}, the mean of the two.
    | That is below the promise, so the promise is kept.
    ! It would follow, if the p99 of both were what the line before says.
    > Do not look at the p99s at all: count requests that are late.
    > Late in all = share of A × late in A + share of B × late in B.
    > {main:g} × {_percent(side)} + {1 - main:.2g} × {_percent(cold)}.
    * late_in_a {100 * main * side} %: Of 100 requests A answers {100 * main:.0f}, and
      {100 * main * side:.3g} of them late.
    * late_in_b {100 * (1 - main) * cold} %: B answers {100 * (1 - main):.0f}, and
      {100 * (1 - main) * cold:.3g} late.
    * late {100 * both} %: Together {_percent(both)}: more than the 1 % that the promise allows.
    ~ B alone makes at least {100 * (1 - main):.0f} % × {_percent(cold)} late: the promise is broken
      before A is looked at.

    Percentiles of parts do not determine the percentile of the whole, with any weights. Counts
    below a limit do add up: report histograms, and merge those.
    """)


@template("A15 B17 A08", level=2, decision="model", form="flaw")
def added_percentiles(draw: Draw) -> Drill:
    """A chain's p99 is not the sum of its stages' p99s."""
    stages, stall = draw.whole(6, 40), draw.one_of((0.002, 0.004, 0.005, 0.008))
    usual_s, stalled_s = draw.one_of((0.002, 0.005, 0.01)), draw.one_of((0.3, 0.5, 0.8, 1))
    meets = tails.slow_share(stall, stages)
    budget = stages * usual_s
    draw.require(meets > 0.025)
    return draw.drill(f"""
    A request passes {stages} stages, one after the other. A stage takes {quantity(usual_s, "s")},
    except that once in {round(1 / stall):,} calls it stalls for {quantity(stalled_s, "s")} (a pause
    of the collector); the stages stall independently of each other. The latency budget on the wall
    has the lines below.
    ? Which share of the requests meets at least one stall?
    = {100 * meets} % tolerance=0.03
    - one-stage {100 * stall}: That is the chance at one stage. How many chances to stall does a
      request have?
    - none-stalls {100 * (1 - meets)}: That is the share of the requests that meet no stall at all.
    - the-budget 1: 1 % is what the budget allows. How many of 1,000 requests meet a stall on their
      way?
    | A stage stalls in {_percent(stall)} of its calls.
    ! Once in so many calls: that is the same figure.
    | That is less than 1 %, so the p99 of each stage is {quantity(usual_s, "s")}.
    ! It is: 99 of 100 calls of one stage do not exceed the usual time.
    | The {stages} p99s add up to {quantity(budget, "s")}.
    ! As a sum of numbers it is right, and the line claims no more than that.
    | So 99 % of the requests are through after {quantity(budget, "s")}.
    > The usual times do not matter here: ask how many requests stay clear of all stalls.
    > P(at least one) = 1 - (1 - p)ⁿ for independent stages.
    > 1 - (1 - {stall:g})^{stages}.
    * clear {1 - meets}: No stall in {stages} stages: (1 - {stall:g})^{stages} = {1 - meets:.4g}
    * share {100 * meets} %: At least one: {_percent(meets)}. The p99 of a request is therefore
      above {quantity(stalled_s, "s")}, while the wall says {quantity(budget, "s")}.
    ~ At most {stages} × {_percent(stall)} can meet a stall, and with stalls this rare nearly as
      many do.

    A sum of p99s is no bound in either direction: too large where independent delays rarely meet,
    too small where rare stalls hide below each stage's p99. Budget with the whole chain, simulated
    or traced, and with the dependence that you measured.
    """)


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
