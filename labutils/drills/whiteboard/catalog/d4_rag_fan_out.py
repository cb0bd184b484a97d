"""D4: retrieval that asks many shards, under a p99."""

from labutils.drills.whiteboard.prompt_writing import Page, page, prompt, quantity
from labutils.laws import tails

SHARDS, PAGE_Q, BUDGET_S = 40, 0.99, 0.12
TRIGGER_Q, SHARD_P99_S = 0.95, 0.08
TOTAL_S, COPY_LATE = 2.0, 0.02


@prompt("B14 B15 I09 Q05 C05", minutes=45)
def d4() -> Page:
    """Retrieval over forty shards, under a p99."""
    leaf = tails.required_leaf_quantile(PAGE_Q, SHARDS)
    slow = tails.slow_share(0.01, SHARDS)
    partial = tails.late_share(0.01, SHARDS - 1, SHARDS)
    hedged = tails.slow_share(0.01 * COPY_LATE, SHARDS)
    collapse = tails.collapse_load_at_quantile(TRIGGER_Q)
    return page(f"""
    A retrieval step asks {SHARDS} shards in parallel and hands the best passages to a model. The
    whole answer must start within {TOTAL_S:g} s at the p99; retrieval has {1e3 * BUDGET_S:.0f} ms
    of that. Each shard's dashboard says p99 = {1e3 * SHARD_P99_S:.0f} ms, and still retrieval
    misses its budget. Why, and what do you do?

    ? Is the slowness tied to machines or to queries? To machines: pauses of 100 to 300 ms, now
      here, now there. (It decides whether a second copy can help.)
    ? Does every shard have a replica? Two of each. (It decides whether hedging is possible, and
      what it costs.)
    ? Is an answer without one shard acceptable? Yes, if it is rare and marked. (It decides whether
      the page may go on without the slowest.)

    + The leaf quantile that the page needs, as a number
    + A hedge with a trigger and a budget, and cancellation
    + Deadlines passed downstream instead of timeouts per hop
    + Partial answers, marked and counted
    + Independence named as an assumption

    — What the shards must do — The page waits for the slowest of {SHARDS}. For
      {quantity(BUDGET_S, "s")} at the p99 of the page each shard must keep
      {quantity(BUDGET_S, "s")} at its p{100 * leaf:.3f}; the dashboards show its p99, where the
      pauses do not appear. If 1 % of a shard's answers came after {quantity(BUDGET_S, "s")},
      {100 * slow:.0f} % of pages would. Both figures assume that shards are slow independently.
    — Do not ask for all — Go on with {SHARDS - 1} of {SHARDS} answers: at the same 1 % then
      {100 * partial:.1f} % of pages are late, those with two slow shards. One shard of forty rarely
      changes the ranking. Mark the answer (partial = true) and count it, or quality falls in
      silence.
    — Hedge, with a budget — After the shard's p{100 * TRIGGER_Q:.0f} send a second copy to the
      other replica: {100 * (1 - TRIGGER_Q):.0f} % more requests. A shard is late only if both are:
      if {100 * COPY_LATE:.0f} % of the copies miss the time that is left, {100 * hedged:.1f} % of
      pages are late. Cancel the loser, and cap copies at 5 % of requests: when queues are long
      everybody is late and would be copied. Without both, a fleet has no healthy state above a load
      of {collapse:.2f}, and once down it comes up only below 0.5 (the loop of chapter 08).
    — Deadlines travel — The request carries the moment at which its {quantity(TOTAL_S, "s")} end;
      each hop passes on what is left, instead of starting a timeout of its own. A shard that cannot
      make it says so at once. Percentiles of stages do not add: the sum of their p99s can be twice
      the p99 of the whole, or a tenth of it (chapter 08). Simulate the chain.
    — Measured by — Which shard was last, counted by shard (a hot one shows here first); hedges
      sent, won and cancelled; pages with partial answers; each shard's p99.9 and p99.99, not its
      p99.

    * estimate 3: “0.99 to the fortieth is two thirds: a third of pages are late.”
    * failure 3: “The hedge budget is what keeps a bad minute from becoming an outage.”

    > Double the shards to 80. What happens to the page?
    < Each must now keep the limit at its p{100 * tails.required_leaf_quantile(PAGE_Q, 80):.3f}.
      With 1 % late each, {100 * tails.slow_share(0.01, 80):.0f} % of pages miss. Smaller shards are
      faster on average; the tail comes from pauses, and those do not shrink.
    > The slow ones are always the same queries. Do hedges help?
    < No: the copy is as slow. Hedging cures slow machines, not slow requests. Look at the query:
      its terms, its filters, the size of its result.
    > All shards stall together, when the index is rebuilt.
    < Then independence is gone: a page is slow as often as one shard, less often than the formula
      says, but all pages at once, and no hedge helps. Stagger the rebuilds.
    """)
