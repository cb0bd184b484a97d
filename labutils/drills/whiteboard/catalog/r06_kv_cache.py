"""R06: the KV cache and its impact on production."""

from labutils import llm
from labutils.drills.whiteboard.prompt import Clarification, FollowUp, Prompt, Solution
from labutils.units import format_quantity as say


def _solve() -> Solution:
    old, new = llm.model("Llama-2-7B"), llm.model("Llama-3.1-8B")
    gpu = llm.accelerator("A100 80 SXM")
    fit = [llm.max_sequences(spec, gpu.memory_bytes, 4096) for spec in (old, new)]
    equal = llm.kv_equals_weights_tokens(new)
    return Solution(
        parts={
            "What it is": (
                "Keys and values of past tokens, kept in every layer, so that a new token "
                "computes its own only. It saves the recomputation of attention's inputs; the "
                "linear layers cost the same per token as ever."
            ),
            "What it weighs": (
                f"2 × layers × KV heads × head size × bytes: {old.name} "
                f"{old.kv_bytes_per_token() / 1024:g} KiB a token, {say(old.kv_bytes(4096), 'B')} "
                f"at 4,096; {new.name} with 8 KV heads {new.kv_bytes_per_token() / 1024:g} KiB."
            ),
            "What it costs": (
                f"Concurrency. 40 users of {old.name} at 4,096 tokens are "
                f"{say(40 * old.kv_bytes(4096), 'B')}, and the weights "
                f"({say(old.weight_bytes(), 'B')}) come first: {fit[0]} fit an A100 with 80 GB at "
                f"90 %, {fit[1]} of {new.name}."
            ),
            "And bandwidth": (
                f"Every step reads it. For {new.name} it equals the weights at {equal:,.0f} tokens "
                "in the whole batch; beyond, the cache is what decode waits for."
            ),
            "What follows in production": (
                "Pages instead of reservations (waste below a page each), admission by free "
                "pages, preemption when overbooked, sharing of prefixes, lower precision after a "
                "quality check, telemetry: pages in use, waiting for pages, evicted, hit rate."
            ),
        },
        follow_ups=(
            FollowUp(
                "A tool reports a 7B model at 90 % of memory, idle. A leak?",
                "No: engines reserve the cache pool at start. Look at pages in use, not at the "
                "device's memory.",
            ),
            FollowUp(
                "The context doubles.",
                f"Half as many sequences, {llm.max_sequences(new, gpu.memory_bytes, 8192)} instead "
                f"of {fit[1]} for {new.name}; steps of the same batch get longer by the cache they "
                "read.",
            ),
            FollowUp(
                "Does compaction help against fragmentation?",
                "Not with equal pages and a block table: nothing has to be in one piece. What is "
                "lost is the end of each last page.",
            ),
        ),
    )


PROMPT = Prompt(
    id="r06",
    title="The KV cache in production",
    topics=("R06", "D04", "B22", "B23", "C20"),
    minutes=10,
    ask="What is the KV cache, and what does it mean for a service in production?",
    clarifications=(
        Clarification("Which model?", "Llama-2-7B, then Llama-3.1-8B.", "KV heads decide"),
        Clarification("Which contexts?", "4,096 tokens.", "bytes per sequence"),
    ),
    must_hits=(
        "Bytes per token from KV heads, not query heads",
        "How many sequences fit, weights counted",
        "It is read at every step: bandwidth, not only memory",
        "Pages, admission, preemption, sharing",
        "What to watch",
    ),
    solve=_solve,
    a_three={"estimate": "“Half a MiB a token, 2 GiB a user: 27, not 40.”"},
)
