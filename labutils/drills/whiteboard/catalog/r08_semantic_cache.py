"""R08: is a semantic cache worth it?"""

from labutils.drills.whiteboard.prompt import Clarification, FollowUp, Prompt, Solution
from labutils.units import format_quantity as say

HIT, EMBED_S, GENERATE_S, WRONG = 0.3, 0.02, 2.0, 0.02


def _mean_s(hit: float) -> float:
    """Mean latency: everybody pays the lookup, misses pay the generation too."""
    return EMBED_S + (1 - hit) * GENERATE_S


def _solve() -> Solution:
    least = EMBED_S / GENERATE_S
    return Solution(
        parts={
            "The arithmetic": (
                f"Everybody pays the embedding and the lookup ({say(EMBED_S, 's')}), a share h "
                f"saves the generation ({say(GENERATE_S, 's')}). The mean breaks even at h = "
                f"{100 * least:.0f} %. At {100 * HIT:.0f} % the mean falls from "
                f"{say(GENERATE_S, 's')} to {say(_mean_s(HIT), 's')}, and {100 * HIT:.0f} % of the "
                "GPU work is gone. The p99 hardly moves: misses are still misses."
            ),
            "The risk": (
                f"A hit is an answer to another question. If {100 * WRONG:.0f} % of hits are "
                f"wrong, {100 * HIT * WRONG:.1f} % of all answers are, and fast. The threshold "
                "(0.92 to 0.98 in circulation) trades hits against that; only labelled pairs of "
                "your own traffic can set it."
            ),
            "When yes": (
                "Repetitive questions, answers that do not depend on the user or the minute, a "
                "price of generation that hurts. Support, documentation, search."
            ),
            "When no": (
                "Personal or fresh answers, conversations (the question depends on all before), "
                "code. There an exact or a prefix cache is safer: it changes no answer."
            ),
            "How": (
                "Key by model, prompt template and tenant; expiry by freshness; best match above "
                "the threshold, not the first; a limit on size; a share of hits answered again in "
                "the background and compared, as a running measure of wrongness."
            ),
        },
        follow_ups=(
            FollowUp(
                "A paper says 2 to 10 times faster.",
                "On a hit (GPTCache, 2023). At a hit rate of "
                f"{100 * HIT:.0f} % and a hit ten times as fast the mean is "
                f"{1 / (1 - HIT + HIT / 10):.2f} times as fast: Amdahl. For “30 to 60 % cheaper in "
                "production” there is no study; compute it from your own hit rate.",
            ),
            FollowUp(
                "The hit rate is 40 % in the test and 9 % in production. Why?",
                "The test replays a log with its repeats close together, or one tenant. In "
                "production keys differ by tenant and template, entries expire, and the index is "
                "per replica.",
            ),
            FollowUp(
                "The lookup scans a hundred thousand vectors in Python.",
                "Then the lookup is the bottleneck: one matrix product, or an index. Its latency "
                "is paid by everybody, hit or miss.",
            ),
        ),
    )


PROMPT = Prompt(
    id="r08",
    title="Is a semantic cache worth it?",
    topics=("R08", "F02", "F03", "F07"),
    minutes=10,
    ask=(
        "Somebody proposes a semantic cache in front of your model: answers are reused for "
        f"similar questions. Embedding and lookup take {1e3 * EMBED_S:.0f} ms, a generation "
        f"{GENERATE_S:g} s. Worth it?"
    ),
    clarifications=(
        Clarification(
            "How repetitive are the questions?", f"Perhaps {100 * HIT:.0f} %.", "the hit rate"
        ),
        Clarification("Do answers depend on the user?", "Some do.", "the key, and the risk"),
        Clarification("What does a wrong answer cost?", "A complaint.", "the threshold"),
    ),
    must_hits=(
        "Break-even hit rate, computed",
        "Mean and load fall, the p99 hardly",
        "Wrong hits as a share of all answers",
        "When not: personal, fresh, conversational",
        "Keys, expiry, best match, a measure of wrongness",
    ),
    solve=_solve,
    a_three={"commit": "“For documentation questions yes, keyed by version; not for chat.”"},
)
