"""What a router knows and what many replicas cost: chapter 14 on two cards."""

import math

from labutils.cards.card import ReferenceCard
from labutils.ground.units import format_quantity as fmt
from labutils.laws.capacity import spare_replicas
from labutils.laws.queueing import Overload
from labutils.serving.replicas import FourWaitingPlusRunning, PrefixBounded, WeightedScores

SOURCES = (
    "llm-d documentation, 2026: scorers and their default weights",
    "vLLM, data-parallel load balancing (4 × waiting + running)",
)


def replicas() -> ReferenceCard:
    """Routers, caches, starts, retries and canaries, each with an example."""
    scores, bound = WeightedScores(), PrefixBounded().bound
    burst = Overload(60, 40, 120, 30)
    limit = math.ceil(bound * (61 + 1) / 4)
    prompt, old = 3000, 2000
    few, many = (prompt - old / n for n in (4, 8))
    rows = (
        (
            "Herd",
            r"$\lambda \cdot \text{age}$",
            f"160 req/s, reports every 0.5 s: {160 * 0.5:g} requests go to the one replica that "
            "looked least busy. Count your own on top of the report.",
        ),
        (
            "Twice the replicas, round robin",
            r"$\frac{2 \cdot (P-C/n)}{P-C/(2 \cdot n)}$",
            f"A prompt of {prompt:,} tokens, {old:,} of them known to the replica of the turn "
            f"before: with 4 replicas {few:,.0f} are computed, with 8 {many:,.0f}, so these carry "
            f"{2 * few / many:.2f} times as much.",
        ),
        (
            "Bounded load",
            r"$\lceil b \cdot \frac{\text{in flight}+1}{n} \rceil$",
            f"61 in flight on 4, $b$ = {bound:g}: whoever has {limit} gets no more, whatever it "
            "holds.",
        ),
        (
            "Weighted scores",
            f"{scores.prefix:g} × found + {scores.queue:g} × queue + {scores.kv:g} × pool free",
            "The queue between the longest (0) and the shortest (1): one point at most. With pools "
            "alike, more than half a prompt outweighs any queue.",
        ),
        (
            "Replicas by a target",
            r"$\lceil n \cdot \frac{\text{measured}}{\text{target}} \rceil$",
            f"6 with 34 in flight each, target 24: {math.ceil(6 * 34 / 24)}. On GPU activity (97 "
            f"of 70 %): {math.ceil(6 * 97 / 70)}, then {math.ceil(9 * 97 / 70)}, without end.",
        ),
        (
            "Headroom for a climb",
            r"$\lceil \frac{\text{climb} \cdot \text{start}}{\text{one replica}} \rceil$",
            "10 req/s more each minute, a start of 240 s, 5 req/s each: "
            f"{spare_replicas(10 / 60, 240, 5)} stand ready.",
        ),
        (
            "Burst shorter than a start",
            r"$(\lambda-\mu) \cdot t$",
            f"60 on 40 req/s for 120 s: {fmt(burst.backlog_at_end, 'req')}, gone "
            f"{fmt(burst.drain_s, 's')} later at 30 req/s. A replica ordered at once comes after "
            f"240 s; {math.ceil(20 / 5)} of 5 req/s, ready before, spare it all.",
        ),
        (
            "Retries in layers",
            r"$(1+r_1)(1+r_2)(1+r_3)$",
            f"2 each: {3**3} attempts for a request. One layer with a budget of 10 %: 1.1 at most.",
        ),
        (
            "Looks at a canary",
            r"$1-(1-\alpha)^k$",
            f"Two equal versions, 24 looks at 5 %: a verdict in {100 * (1 - 0.95**24):.0f} % of "
            "cases. Compare with a control that began at the same time.",
        ),
    )
    return ReferenceCard(
        id="replicas",
        title="Formulas: many replicas",
        topics=("I07", "I08", "I12", "P06"),
        header=("what", "formula", "example"),
        rows=rows,
        note=(
            r"$\lambda$: requests a second of all; $\mu$: completed; $n$: replicas; $P$: tokens of "
            r"a prompt, $C$ of them the conversation so far; $b$: bound; $r$: second tries of a "
            r"layer; $\alpha$: chance of a false verdict at one look, $k$ looks at requests of "
            "their own (chapter 14)."
        ),
        sources=SOURCES,
    )


def router_signals() -> ReferenceCard:
    """What moves when, how old it is when somebody reads it, and who may go by it."""
    llm_d, vllm = (router.report_every_s for router in (WeightedScores(), FourWaitingPlusRunning()))
    reported = f"{fmt(llm_d, 's')} (llm-d), {fmt(vllm, 's')} (vLLM)"
    rows = (
        ("Requests in flight", "never: the router counts them", "routing, scaling"),
        ("Prefixes that were sent there", "never, but evictions are not in it", "routing"),
        (
            "Blocks that are cached there",
            "events: tens of milliseconds to 2 s",
            "routing where pools are short and much is evicted",
        ),
        (
            "Requests waiting",
            reported,
            "routing, your own choices on top. For scaling it is late: the pool is full by then",
        ),
        (
            "KV pool in use",
            reported,
            "admission and scaling. Routing: the fullest replicas hold the useful prefixes",
        ),
        ("Time to the first token", "one answer, and a window", "alerts; it is late by a queue"),
        ("GPU activity", "seconds", "nothing: near 100 % at any batch"),
    )
    return ReferenceCard(
        id="router-signals",
        title="What a router and an autoscaler know, and how old it is",
        topics=("I12", "I08", "L08"),
        header=("signal", "how old", "good for"),
        rows=rows,
        note=(
            "Old reports make a herd of “least loaded”. A signal for scaling doubles when the "
            "traffic does, before the pool is full; a start takes minutes (chapter 14)."
        ),
        sources=SOURCES,
    )
