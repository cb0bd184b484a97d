"""R05: static, dynamic and continuous batching."""

from labutils.batching.slots import exponential_slot_efficiency
from labutils.drills.whiteboard.prompt import Clarification, FollowUp, Prompt, Solution


def _solve() -> Solution:
    share = exponential_slot_efficiency(16)
    return Solution(
        parts={
            "Static": (
                "Wait for N, run until the longest is done. With exponential lengths and 16 slots "
                f"only {100 * share:.0f} % of slot-steps make a token (1/H₁₆). Right for offline "
                "work of equal lengths, and for models without a loop."
            ),
            "Dynamic": (
                "A batch starts when it is full or its oldest member has waited long enough. "
                "Right for one pass per request: classifiers, embeddings, rankers. It does not "
                "help an answer that takes 300 steps, since the batch still lasts as long as its "
                "longest member."
            ),
            "Continuous": (
                "Decide at every step: who is done leaves, who waits enters, prompts in chunks. "
                "No window. Its limits are the ITL of those who run and the memory for their "
                "cache."
            ),
            "Claims": (
                "“2 to 23 times” needs its baseline: 23 × is one blog's vLLM against naive static "
                "batching; Orca reports 36.9 × FasterTransformer at equal latency on GPT-3 175B. "
                "Latency per step rises, latency under load falls: both sentences are true of "
                "different baselines."
            ),
        },
        follow_ups=(
            FollowUp(
                "All answers have exactly 200 tokens. Does continuous batching still help?",
                "The holes inside a batch are gone; what stays is that newcomers need not wait "
                "for the batch to end. Under a backlog the two are equal.",
            ),
            FollowUp(
                "Batch 64 is almost as fast as batch 1, they say.",
                "While weights are what a step reads. Towards the ridge, or when the caches weigh "
                "as much as the weights, it ends.",
            ),
            FollowUp(
                "TPOT rose after you doubled the sequence limit. At the same traffic.",
                "More run at a time, so steps are longer; they wait less before. Look at TTFT and "
                "at goodput before calling it worse.",
            ),
        ),
    )


PROMPT = Prompt(
    id="r05",
    title="Static, dynamic and continuous batching",
    topics=("R05", "E02", "E03", "E04", "E05", "E09"),
    minutes=10,
    ask="Explain static, dynamic and continuous batching. When is each the right one?",
    clarifications=(
        Clarification("One pass per request, or a loop of tokens?", "Both kinds.", "the choice"),
        Clarification("Online or offline?", "Online mostly.", "whether a window matters"),
    ),
    must_hits=(
        "Static: lasts as long as its longest; slot efficiency with a number",
        "Dynamic: size or age of the oldest; for one-pass models",
        "Continuous: admission at every step, no window",
        "What limits it: ITL and KV memory",
        "Claims need a baseline",
    ),
    solve=_solve,
    a_three={"schedule": "“The window belongs to dynamic batching; continuous has none.”"},
)
