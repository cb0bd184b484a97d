"""D3: many tenants on one engine."""

from labutils import llm
from labutils.drills.whiteboard.prompt import Clarification, FollowUp, Prompt, Solution
from labutils.units import format_quantity as say

BATCH, CONTEXT = 64, 2000
LONG, SHORT, ANSWER = 16_000, 400, 200


def _solve() -> Solution:
    model, device = llm.model("Llama-3.1-8B"), llm.accelerator("H100 SXM")
    prefill = llm.prefill_time_s(model, device, LONG) / LONG
    decode = llm.decode_step(model, device, BATCH, CONTEXT).time_s / BATCH
    long_s = llm.prefill_time_s(model, device, LONG) + ANSWER * decode
    short_s = llm.prefill_time_s(model, device, SHORT) + ANSWER * decode
    fits = llm.max_sequences(model, device.memory_bytes, LONG + ANSWER)
    pool = 0.9 * device.memory_bytes - model.weight_bytes()
    return Solution(
        parts={
            "What is shared": (
                "Two things: device time and KV memory. A tenant can starve the others with "
                "either, so each needs its own limit."
            ),
            "The unit of fairness": (
                f"Not requests. A request of {LONG:,} + {ANSWER} tokens takes {say(long_s, 's')} "
                f"of the device, one of {SHORT} + {ANSWER} takes {say(short_s, 's')}: "
                f"{long_s / short_s:.0f} times as much. Per token: {say(prefill, 's')} in prefill, "
                f"{say(decode, 's')} in a decode batch of {BATCH}. Charge tokens at these two "
                f"prices, about 1 : {decode / prefill:.0f}."
            ),
            "Policy": (
                "A virtual counter per tenant holds the weighted tokens served; the next request "
                "comes from the tenant with the lowest counter, weights by contract. A tenant "
                "that was idle is lifted to the lowest active counter, or it could save up and "
                "take the machine for a minute. Work is conserved: who has nothing waiting leaves "
                "the share to the others."
            ),
            "Memory": (
                f"The pool is {say(pool, 'B')}; one tenant with {fits} long requests fills it. Cap "
                "the pages per tenant (soft: may borrow what is free, gives back first at "
                "preemption). Prefix caches are counted and keyed per tenant, also so that nobody "
                "learns from a fast TTFT what others asked."
            ),
            "Limits at the door": (
                "Token buckets per tenant, refilled in tokens per second, size = burst; a longest "
                "prompt; 429 with retry-after. Interactive and batch classes in queues of their "
                "own."
            ),
        },
        follow_ups=(
            FollowUp(
                "One tenant sends 95 % of the traffic and pays for it. Fair?",
                "Weights follow contracts, so yes, up to its weight when others wait. Watch the "
                "others' TTFT at the p99: it is theirs that fairness protects.",
            ),
            FollowUp(
                "Output lengths are unknown. How can you charge?",
                "Charge prompts at admission and each output token as it is made. A request never "
                "charges what it might use, only what it used; the counter then decides the next "
                "one.",
            ),
            FollowUp(
                "A long prompt arrives while others decode.",
                f"Unchunked it stalls every decode for {say(prefill * LONG, 's')}. Chunk it: "
                "fairness between tenants does nothing for the gaps inside a step.",
            ),
        ),
    )


PROMPT = Prompt(
    id="d3",
    title="Many tenants on one engine",
    topics=("I01", "I04", "I05", "I06", "I13"),
    minutes=45,
    ask=(
        "Twelve customers share one fleet that serves an 8B model. One of them sends documents of "
        f"{LONG:,} tokens, the others short chats, and the chats have become slow. Make it fair, "
        "and say what fair means."
    ),
    clarifications=(
        Clarification(
            "Do contracts give shares, or rates?",
            "Shares of capacity; nobody bought a rate.",
            "weights in the scheduler, or limits at the door",
        ),
        Clarification(
            "May idle capacity be used by anybody?",
            "Yes.",
            "work-conserving queueing instead of fixed slices",
        ),
        Clarification(
            "Is the slowness in TTFT or between tokens?",
            "Both: TTFT at peaks, gaps whenever a document arrives.",
            "queueing and chunking are two different repairs",
        ),
    ),
    must_hits=(
        "Fairness counted in tokens (or device time), not in requests",
        "Prefill and decode tokens at different prices, with numbers",
        "A limit on KV memory per tenant, beside the one on time",
        "Work conserving; an idle tenant cannot save up credit",
        "Chunked prefill for the gaps: a second problem",
        "Limits at the door: token buckets, longest prompt, 429",
    ),
    solve=_solve,
    a_three={
        "schedule": "“Lowest counter first; who comes back from idle starts at the minimum.”",
        "failure": "“The cap on pages is what saves us when a tenant sends forty long ones.”",
    },
)
