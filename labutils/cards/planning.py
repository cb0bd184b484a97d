"""From a promise to a number of machines, and what to do first when it does not hold."""

from labutils.cards.card import ReferenceCard
from labutils.ground.units import format_quantity as fmt
from labutils.laws import queueing
from labutils.laws.capacity import burn_rate

RATE, SERVICE_S, SLOTS, LIMIT_S = 50.0, 2.0, 8, 0.2


def planning_sheet() -> ReferenceCard:
    """A plan in nine lines, worked through with one example."""
    busy = RATE * SERVICE_S
    least = queueing.least_servers(RATE, SERVICE_S, LIMIT_S)
    peak = queueing.least_servers(1.5 * RATE, SERVICE_S, LIMIT_S)
    rows = (
        ("1. The promise", "percentile, metric, boundary, window", "p95 of TTFT below 1 s, hourly"),
        ("2. Arrivals", "at the busiest minutes, not per day", f"{fmt(RATE, 'req/s')}"),
        (
            "3. Work of one request",
            "service time at the batch you will run, **without** waiting",
            f"{fmt(SERVICE_S, 's')} of a slot",
        ),
        (
            "4. Slots busy",
            r"$\lambda S$ (Little on the slots alone)",
            f"{busy:g} on average; with just {busy:g} slots the queue grows without end",
        ),
        (
            "5. Slots needed",
            r"least $c$ with $W_q(c) \le$ the wait that the promise leaves",
            f"{least} for a mean wait of {fmt(LIMIT_S, 's')} (M/M/c), "
            f"{100 * busy / least:.0f} % busy",
        ),
        (
            "6. Machines",
            r"$\lceil \text{slots} / \text{slots per machine} \rceil$, plus the ones you may lose",
            f"{-(-least // SLOTS)} machines of {SLOTS} slots, plus 1",
        ),
        (
            "7. Headroom, **once**",
            "a peak factor on 2 **or** a ceiling on 5, never both",
            f"half as much again: {peak} slots, {-(-peak // SLOTS)} machines",
        ),
        (
            "8. The margin of the budget",
            "percentiles of stages do not add: simulate the chain, keep a margin",
            "the sum of p99s: twice too large or ten times too small (chapter 08)",
        ),
        (
            "9. What watches it",
            "late **or refused**, of all that asked; a page by the budget, over two windows",
            f"a p95 allows 5 % late: it burns {burn_rate(1, 0.95):.0f} times too fast at most, "
            f"and at 14.4 {100 * 14.4 * 0.05:.0f} % are late (chapter 13)",
        ),
    )
    return ReferenceCard(
        id="planning",
        title="Planning sheet",
        topics=("M03", "B25", "M11", "C08"),
        header=("step", "rule", f"example: {RATE:g}/s, {fmt(SERVICE_S, 's')} each"),
        rows=rows,
        note=(
            "The utilization ceiling is a result, not a rule: it grows with the number of slots "
            "and falls with variability (chapter 03: 29 to 99 %). A service time that grows with "
            "the batch makes the plan a fixed point: put the new one in and go round again."
        ),
    )


def order_of_work() -> ReferenceCard:
    """What to do first: cheap and certain before dear and risky."""
    rows = (
        (
            "1. Measure",
            "per stage, per percentile, open loop",
            "which stage binds, for which requests",
        ),
        ("2. Cache", "prefixes, embeddings, whole answers", "hit rate × share of time saved"),
        ("3. Route", "easy requests to the small model", "share that the small one answers well"),
        ("4. Trim", "context, retrieved pages, output length", "tokens are seconds and dollars"),
        ("5. Batch", "continuous batching, chunked prefill", "bounded by TPOT and KV memory"),
        ("6. Scale", "replicas, then parallelism, then hardware", "capacity and price grow alike"),
    )
    return ReferenceCard(
        id="order",
        title="In which order",
        topics=("M04", "S01", "B05"),
        header=("step", "what", "worth"),
        rows=rows,
        note=(
            "Amdahl decides the order inside a step: a stage that takes 15 % of the time can give "
            "15 %. Measure again after each, since the binding stage moves."
        ),
    )


def debugging() -> ReferenceCard:
    """p99 went from 50 to 500 ms: five questions, in order."""
    rows = (
        (
            "1. One host or all?",
            "p99 by host, counts beside it",
            "one: take it out, look at it later; all: go on",
        ),
        (
            "2. Traffic?",
            "arrivals per second, utilization, queue length, retries",
            "more than before (retries are traffic too): shed, then scale",
        ),
        (
            "3. Inputs?",
            "prompt and output lengths, cache hit rate, tenant",
            "longer by a factor of 2 to 5: limit, chunk, separate",
        ),
        (
            "4. Model or features?",
            "what was deployed, flags, a cold cache, a slower dependency",
            "roll back first, explain afterwards",
        ),
        (
            "5. Runtime?",
            "pauses, throttling, preemptions, memory pressure",
            "pauses of one length show as a second hump; tune, or move the work that causes them",
        ),
    )
    return ReferenceCard(
        id="debugging",
        title="The p99 is ten times what it was: five questions",
        topics=("M13", "R07", "C22", "L16"),
        header=("question", "look at", "then"),
        rows=rows,
        note=(
            "Before the first: is it the service or the measurement (window, top bucket, failed or "
            "refused requests left out)? The order puts first what is cheapest to rule out."
        ),
    )
