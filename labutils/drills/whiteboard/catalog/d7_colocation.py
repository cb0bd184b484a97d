"""D7: interactive and batch work on the same machines."""

import math

from labutils import llm
from labutils.drills.whiteboard.prompt import Clarification, FollowUp, Prompt, Solution
from labutils.llm.chunks import prefill_chunk_tokens
from labutils.units import format_quantity as say

ITL_S, REACHED, MFU = 0.03, 0.6, 0.5
CHATS, CHAT_CONTEXT = 48, 2000
JOB_PROMPT, JOB_ANSWER, BUSY_DAY = 6000, 300, 0.45


def _solve() -> Solution:
    model, device = llm.model("Llama-3.1-8B"), llm.accelerator("H100 SXM")
    alone = llm.decode_step(model, device, CHATS, CHAT_CONTEXT).time_s / REACHED
    room = ITL_S * device.bandwidth_bytes_per_s * REACHED
    left = room - model.weight_bytes() - CHATS * model.kv_bytes(CHAT_CONTEXT)
    guests = math.floor(left / model.kv_bytes(JOB_PROMPT + JOB_ANSWER / 2))
    free = 0.9 * device.memory_bytes - model.weight_bytes() - CHATS * model.kv_bytes(CHAT_CONTEXT)
    in_memory = math.floor(free / model.kv_bytes(JOB_PROMPT + JOB_ANSWER))
    doubled = llm.decode_step(model, device, CHATS, 2 * CHAT_CONTEXT).time_s / REACHED
    chunk = prefill_chunk_tokens(model, device, itl_s=ITL_S, decode_step_s=alone, flops_share=MFU)
    unchunked = llm.prefill_time_s(model, device, JOB_PROMPT, flops_share=MFU)
    again = llm.prefill_time_s(model, device, JOB_PROMPT + JOB_ANSWER, flops_share=MFU)
    idle_gain = (1 - BUSY_DAY) * 24
    return Solution(
        parts={
            "What collides": (
                f"{CHATS} chats make steps of {say(alone, 's')} at {100 * REACHED:.0f} % of peak; "
                f"the promise is {say(ITL_S, 's')}. A batch prompt of {JOB_PROMPT:,} tokens, "
                f"unchunked, takes {say(unchunked, 's')}: every chat stops for that long."
            ),
            "A budget per step": (
                f"A step has {say(ITL_S - alone, 's')} to give: about {chunk:,.0f} prompt tokens, "
                "chats' own prompts first. Batch work gets what is left of the chunk, never a "
                "step of its own while chats run."
            ),
            "Guests in the batch": (
                f"Decoding guests lengthen every step too: {say(room, 'B')} can be read in "
                f"{say(ITL_S, 's')}, and after weights and chats {say(left, 'B')} remain: {guests} "
                f"guests of {JOB_PROMPT:,} tokens by bandwidth. By memory alone it would be "
                f"{in_memory}. The smaller counts; and both live off the same room in the step: "
                f"with all {guests} decoding nothing is left for prompts."
            ),
            "Preemption has a price": (
                f"Throwing out a guest near its end costs {say(again, 's')} of arithmetic to "
                f"compute its cache again (or {say(model.kv_bytes(JOB_PROMPT + JOB_ANSWER), 'B')} "
                "over the link to host memory and back). So guests are admitted late and thrown "
                "out rarely: youngest first, with a reserve of pages for chats."
            ),
            "When separate pools win": (
                f"Together: chats are busy {100 * BUSY_DAY:.0f} % of the day, the other "
                f"{idle_gain:.0f} h of each GPU are free for batch work. Apart: no interference, "
                "simpler promises, each pool sized for its peak. Apart wins when the ITL promise "
                "is so tight that the chunk left is below a few hundred tokens, or the fleet is "
                "large enough that both pools are well filled."
            ),
            "Decision": (
                "Together, with a step budget, a cap on guests' pages and batch work in pieces "
                "that may be lost. Watch chats' ITL at the p99 with and without guests: the "
                "difference is the price, and it goes on the same dashboard as the batch tokens "
                "that were gained."
            ),
        },
        follow_ups=(
            FollowUp(
                "The batch job has to be done by six in the morning. It is four.",
                "Then it is interactive work with a deadline: tokens left over time left is a "
                "rate. If the guests' rate is below it, widen the chunk at the chats' expense by "
                "a rule that was agreed beforehand, or rent.",
            ),
            FollowUp(
                "The chats' context doubles.",
                "Steps take "
                f"{say(doubled, 's')} "
                f"instead of {say(alone, 's')}: the room for guests shrinks first, since theirs is "
                "what is left over.",
            ),
            FollowUp(
                "Could the scheduler of the operating system do it: two processes on one GPU?",
                "They would share time without knowing of steps: weights twice in memory, and "
                "each other's kernels in the gaps. One engine that sees both queues decides per "
                "step.",
            ),
        ),
    )


PROMPT = Prompt(
    id="d7",
    title="Interactive and batch work on the same machines",
    topics=("I01", "I02", "I04", "P09", "Q07"),
    minutes=45,
    ask=(
        f"Your chat fleet is busy {100 * BUSY_DAY:.0f} % of the day. Legal wants to summarise a "
        f"million documents ({JOB_PROMPT:,} tokens in, {JOB_ANSWER} out) on what is idle. Chat "
        f"promises {1e3 * ITL_S:.0f} ms between tokens at the p99. Together or apart, and how?"
    ),
    clarifications=(
        Clarification(
            "By when?",
            "Within a month; no single document is urgent.",
            "how patient the guests are",
        ),
        Clarification(
            "How full are the chat replicas?",
            f"{CHATS} at a time at the peak, contexts of {CHAT_CONTEXT:,}.",
            "the room in a step",
        ),
        Clarification("May a document be computed twice?", "Yes.", "whether preemption is allowed"),
    ),
    must_hits=(
        "A prefill budget per step, in tokens, from the ITL promise",
        "Guests' decodes lengthen steps too: a cap from bandwidth",
        "The price of preemption, in seconds",
        "Priority with a reserve of pages for the interactive class",
        "A condition under which separate pools win",
        "The price measured: ITL with and without guests",
    ),
    solve=_solve,
    a_three={
        "limit": "“Bandwidth binds the guests before memory does.”",
        "commit": "“Together, until the chunk left falls under 300 tokens.”",
    },
)
