"""D5: contexts of 128k tokens."""

from labutils import llm
from labutils.drills.whiteboard.prompt import Clarification, FollowUp, Prompt, Solution
from labutils.llm.chunks import prefill_chunk_tokens
from labutils.units import format_quantity as say

CONTEXT, MFU, LINK = 128_000, 0.5, 50e9
CHUNK_ITL_S, DECODERS, DECODE_CONTEXT = 0.1, 32, 2000


def _solve() -> Solution:
    model, device = llm.model("Llama-3.1-8B"), llm.accelerator("H100 SXM")
    cache = model.kv_bytes(CONTEXT)
    fits = llm.max_sequences(model, device.memory_bytes, CONTEXT)
    flops = llm.prefill_flops(model, CONTEXT)
    prefill = llm.prefill_time_s(model, device, CONTEXT, flops_share=MFU)
    one, crowd = (llm.decode_step(model, device, n, CONTEXT) for n in (1, fits))
    decode = llm.decode_step(model, device, DECODERS, DECODE_CONTEXT).time_s
    first = prefill_chunk_tokens(
        model, device, itl_s=CHUNK_ITL_S, decode_step_s=decode, flops_share=MFU
    )
    late = llm.prefill_time_s(model, device, CONTEXT, cached_tokens=CONTEXT - 500, flops_share=MFU)
    steps = prefill / (CHUNK_ITL_S - decode)
    half = model.kv_bytes(CONTEXT, 1.0)
    return Solution(
        parts={
            "Memory": (
                f"{say(cache, 'B')} of cache for one request: {fits} of them fill an {device.name} "
                f"beside the weights. In fp8: {say(half, 'B')}, "
                f"{llm.max_sequences(model, device.memory_bytes, CONTEXT, bytes_per_value=1.0)} "
                "fit."
            ),
            "Prefill": (
                f"{say(flops.total, 'FLOP')}, of which attention is "
                f"{100 * flops.attention_share:.0f} %: at this length the square term has "
                f"overtaken the linear one. {say(prefill, 's')} at MFU {100 * MFU:.0f} %: that is "
                "the TTFT, before any queue."
            ),
            "Decode": (
                f"A step reads weights and {say(cache, 'B')}: {say(one.time_s, 's')} alone, "
                f"{say(crowd.time_s, 's')} for {fits}. Cache, not weights, is what is read; "
                "attention has to be split over the context, or one block of the device does it "
                "all."
            ),
            "Neighbours": (
                f"Unchunked, the prefill stalls everybody's decodes for {say(prefill, 's')}. "
                f"Beside {DECODERS} decodes and an ITL of {say(CHUNK_ITL_S, 's')} a step has "
                f"{say(CHUNK_ITL_S - decode, 's')} for the prompt: at first some {first:,.0f} "
                f"tokens, at the end {500 * (CHUNK_ITL_S - decode) / late:,.0f}, for attention "
                f"grows. {steps:.0f} steps, a TTFT of {say(steps * CHUNK_ITL_S, 's')}, and chat at "
                "the limit of its ITL all the while. Either pay that, or give long prompts "
                "machines of their own."
            ),
            "Moving the cache": (
                f"Prefill elsewhere, then send {say(cache, 'B')} over {say(LINK, 'B/s')}: "
                f"{say(cache / LINK, 's')}, layer by layer behind the computation. Small beside "
                "the prefill; large beside a TTFT of a cached prompt."
            ),
            "Decision": (
                "A separate pool for prompts above a limit, tensor parallel inside it (it "
                "shortens prefill and adds memory), prefix cache for documents asked about twice, "
                "fp8 cache if quality at long range holds. And ask whether retrieval of 8,000 "
                "tokens would do."
            ),
        },
        follow_ups=(
            FollowUp(
                "The same document is asked about ten times.",
                f"Nine prefills of {say(prefill, 's')} saved, for {say(cache, 'B')} kept "
                "meanwhile. Keep it if the next question comes before the memory is worth more to "
                f"others: host memory is a place too ({say(cache / 25e9, 's')} back over 25 GB/s).",
            ),
            FollowUp(
                "Twice the context?",
                f"Cache twice, decode bytes nearly twice, prefill "
                f"{llm.prefill_flops(model, 2 * CONTEXT).total / flops.total:.1f} times.",
            ),
            FollowUp(
                "A model with a window in most layers?",
                "The windowed layers stop growing at the window: cache and decode bytes fall to "
                "what the full layers keep. What lies outside is gone for those layers: test "
                "recall, not only perplexity.",
            ),
        ),
    )


PROMPT = Prompt(
    id="d5",
    title="Contexts of 128,000 tokens",
    topics=("B19", "D09", "H02", "K03", "D12"),
    minutes=45,
    ask=(
        "Legal wants to ask questions about whole contracts: prompts of 128,000 tokens, answers "
        "of 500, a few hundred a day, on the same H100s that serve your chat (8B model, short "
        "prompts). What breaks first, and what do you build?"
    ),
    clarifications=(
        Clarification(
            "How long may the first token take?",
            "Half a minute is fine for them; chat users must not notice.",
            "whether the prefill may be slow, and where",
        ),
        Clarification(
            "Are the same contracts asked about again?",
            "Often, within the hour.",
            "whether keeping the cache pays",
        ),
        Clarification(
            "How many at the same time?",
            "Three or four at most.",
            "how much memory to set aside",
        ),
    ),
    must_hits=(
        "Cache bytes of one request against the device's memory",
        "Prefill time, with the attention term counted",
        "Chunked prefill, and what it costs the long request",
        "Decode at long context reads cache, not weights",
        "Transfer of the cache over a link, in seconds",
        "Separate pool, or a reason against it",
    ),
    solve=_solve,
    a_three={
        "estimate": "“128 KiB a token: 17 GB. Three fit. That settles the batch size.”",
        "limit": "“For chat it is the stall; for legal it is memory, then prefill.”",
    },
)
