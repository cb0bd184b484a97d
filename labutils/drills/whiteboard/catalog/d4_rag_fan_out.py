"""D4: retrieval that asks many shards, under a p99."""

from labutils import tails
from labutils.drills.whiteboard.prompt import Clarification, FollowUp, Prompt, Solution
from labutils.units import format_quantity as say

SHARDS, PAGE_Q, BUDGET_S = 40, 0.99, 0.12
TRIGGER_Q, SHARD_P99_S = 0.95, 0.08
TOTAL_S, GENERATE_S = 2.0, 1.5


def _solve() -> Solution:
    leaf = tails.required_leaf_quantile(PAGE_Q, SHARDS)
    slow = tails.slow_share(0.01, SHARDS)
    partial = tails.late_share(0.01, SHARDS - 1, SHARDS)
    collapse = tails.collapse_load_at_quantile(TRIGGER_Q)
    return Solution(
        parts={
            "What the shards must do": (
                f"The page waits for the slowest of {SHARDS}. For a p99 of {say(BUDGET_S, 's')} "
                f"over the page each shard must keep it at its p{100 * leaf:.3f}. Were it kept at "
                f"the shard's p99 only, {100 * slow:.0f} % of pages would miss it, if shards are "
                "independent."
            ),
            "Do not ask for all": (
                f"Accept {SHARDS - 1} of {SHARDS} answers: then {100 * partial:.1f} % of pages "
                "miss instead. Ranking hardly notices one shard of forty; say so in the response "
                "(partial = true) and count it, or quality falls in silence."
            ),
            "Hedge, with a budget": (
                f"A second copy to another replica after the shard's p{100 * TRIGGER_Q:.0f}: "
                f"{100 * (1 - TRIGGER_Q):.0f} % more requests as long as only slow ones are "
                "repeated. Cancel the loser. A budget of 5 % by token bucket, since behind a long "
                "queue everybody is late: without cancellation hedging keeps a fleet down from a "
                f"load of {collapse:.2f} on (chapter 08, one queue a server)."
            ),
            "Deadlines travel": (
                f"Of {say(TOTAL_S, 's')} the generator needs {say(GENERATE_S, 's')}; what is left "
                "goes downstream as a deadline, not as a timeout per hop. A shard that cannot "
                "make it says so at once. Percentiles of stages do not add: the sum of p99s is a "
                "cautious bound only if stages are independent."
            ),
            "Measured by": (
                "The shard that was last, its share of pages (a hot shard shows here first); "
                "hedges sent, won, cancelled; pages with partial answers; latency by number of "
                "shards asked."
            ),
        },
        follow_ups=(
            FollowUp(
                "Double the shards to 80. What happens to the page?",
                "Each must now keep the limit at its "
                f"p{100 * tails.required_leaf_quantile(PAGE_Q, 80):.3f}. At the old p99, "
                f"{100 * tails.slow_share(0.01, 80):.0f} % of pages miss. Smaller shards are "
                "faster on average; the tail comes from pauses, and those do not shrink.",
            ),
            FollowUp(
                "The slow ones are always the same queries. Do hedges help?",
                "No: the copy is as slow. Hedging cures slowness of places, not of requests. Look "
                "at the query: its terms, its filters, its result size.",
            ),
            FollowUp(
                "All shards stall together, when the index is rebuilt.",
                "Then independence is gone, and the page is as slow as one shard: fewer slow "
                "pages than the formula says, all at once, and no hedge that helps. Stagger the "
                "rebuilds.",
            ),
        ),
    )


PROMPT = Prompt(
    id="d4",
    title="Retrieval over forty shards, under a p99",
    topics=("B14", "B15", "I09", "Q05", "C05"),
    minutes=45,
    ask=(
        f"A retrieval step asks {SHARDS} shards in parallel and hands the best passages to a "
        f"model. The whole answer must start within {TOTAL_S:g} s at the p99; retrieval has "
        f"{1e3 * BUDGET_S:.0f} ms of that. Each shard's dashboard says p99 = "
        f"{1e3 * SHARD_P99_S:.0f} ms, and still retrieval misses its budget. Why, and what do you "
        "do?"
    ),
    clarifications=(
        Clarification(
            "Is the slowness tied to machines or to queries?",
            "To machines: pauses of 100 to 300 ms, now here, now there.",
            "whether a second copy can help",
        ),
        Clarification(
            "Does every shard have a replica?",
            "Two of each.",
            "whether hedging is possible, and what it costs",
        ),
        Clarification(
            "Is an answer without one shard acceptable?",
            "Yes, if it is rare and marked.",
            "partial answers",
        ),
    ),
    must_hits=(
        "The leaf quantile that the page needs, as a number",
        "A hedge with a trigger and a budget, and cancellation",
        "Deadlines passed downstream instead of timeouts per hop",
        "Partial answers, marked and counted",
        "Independence named as an assumption",
    ),
    solve=_solve,
    a_three={
        "estimate": "“0.99 to the fortieth is two thirds: a third of pages are late.”",
        "failure": "“The hedge budget is what keeps a bad minute from becoming an outage.”",
    },
)
