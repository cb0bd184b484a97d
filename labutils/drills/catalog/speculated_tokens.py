"""Drafts that a large model verifies: what they bring, and when they cost more than that."""

from labutils import llm
from labutils.drills.catalog._serving import percent
from labutils.drills.definition.writing import Draw, Drill, drill, template

# A large model, a small one of its family, and a step of the small one in steps of the large one.
_PAIRS = (
    ("Llama-3.1-70B", "Llama-3.2-1B", (0.03, 0.04, 0.05, 0.06, 0.08)),
    ("Llama-3.1-70B", "Llama-3.1-8B", (0.12, 0.14, 0.15, 0.18)),
    ("Llama-3.1-405B", "Llama-3.1-8B", (0.03, 0.04, 0.05, 0.06)),
    ("Llama-3.1-8B", "Llama-3.2-1B", (0.18, 0.2, 0.25, 0.3)),
    ("Qwen3-32B", "Qwen3-0.6B", (0.05, 0.06, 0.08, 0.1)),
    ("Qwen3-8B", "Qwen3-0.6B", (0.12, 0.15, 0.2, 0.25)),
    ("Qwen2.5-72B", "Qwen2.5-7B", (0.12, 0.14, 0.16, 0.2)),
)
_TASKS = ("a code assistant", "a chat", "summaries", "SQL from questions")


@template("H14 O19", level=3, decision="model", number=37, minutes=3)
def speculation(draw: Draw) -> Drill:
    """Speculative decoding: tokens per step and speed-up."""
    large, small, ratios = draw.one_of(_PAIRS)
    accepted, drafts = draw.share(0.4, 0.92), draw.whole(2, 8, 1)
    ratio = draw.one_of(ratios)
    tokens = llm.tokens_per_verification(accepted, drafts)
    answer = llm.speculation_speedup(accepted, drafts, ratio)
    endless = 1 / (1 - accepted) / (1 + drafts * ratio)
    draw.require(abs(endless / tokens - 1) > 0.04)  # not to be taken for each other
    rounds = 1 + drafts * ratio
    one_term_less = llm.tokens_per_verification(accepted, drafts - 1) / rounds
    return draw.drill(f"""
    {large} serves {draw.one_of(_TASKS)} at batch 1. The proposal: {small} writes {drafts} tokens
    ahead, one after another, and {large} checks them in one step, which takes as long as a step
    always does. A checked token is kept with probability {accepted:g} if all before it were kept;
    behind those {large} adds one token of its own. A step of the small model takes {ratio:g} of a
    step of the large one.

    ? How many times as fast as without the proposal do tokens come, on average?
    = {answer} tolerance=0.03 telling=4
    - drafts-are-free {tokens}: Those are tokens per round. How long does the small model write?
    - drafts-without-end {1 / (1 - accepted) / rounds}: You let a round go on until a draft is
      rejected. How many drafts are written?
    - own-token-forgotten {(tokens - 1) / rounds}: You count the drafts that are kept. Which token
      does the large model add itself?
    - each-by-itself {(1 + accepted * drafts) / rounds}: You keep drafts behind a rejected one. What
      becomes of those?
    - all-kept {(drafts + 1) / rounds}: You keep every draft. How often does that happen?
    - check-is-free {tokens / (drafts * ratio)}: You pay the small model alone. Who checks?
    - one-term-less {one_term_less}: A token is missing: count those of a round in which every draft
      is kept.
    > How many tokens does one round bring on average, and how long does a round take?
    > E = (1 − αᵏ⁺¹) / (1 − α) tokens, in 1 + k · r steps.
    > E = (1 − {accepted:g}^{drafts + 1}) / {1 - accepted:.3g}, over 1 + {drafts} × {ratio:g}.
    * tokens {tokens}: Tokens of a round: (1 − {accepted:g}^{drafts + 1}) / {1 - accepted:.3g} =
      {tokens:.4g}, the large model's own included
    * steps {1 + drafts * ratio}: A round takes 1 + {drafts} × {ratio:g} = {1 + drafts * ratio:.4g}
      steps.
    * speed_up {answer}: {tokens:.4g} / {1 + drafts * ratio:.4g} = {answer:.4g}
    ~ At most {drafts + 1}: that is a round in which every one of the {drafts} drafts is kept.

    Speed-up = E / (1 + k · r) (Leviathan et al., 2023), each draft accepted with the same chance.
    It needs steps that wait for memory: these take the same time for several tokens as for one.
    """).then(_at_noon(accepted, drafts, ratio, tokens, answer))


def _at_noon(accepted: float, drafts: int, ratio: float, tokens: float, night: float) -> Drill:
    answer = llm.speculation_speedup(accepted, drafts, ratio, verification_cost=drafts + 1)
    return drill(f"""
    That was the night. At noon the batch is so large that a step waits for arithmetic: checking
    {drafts + 1} positions takes as long as {drafts + 1} ordinary steps. All else is as before.

    ? How many times as fast as without the proposal do tokens come now?
    = {answer} tolerance=0.03 telling=0
    - as-at-night {night}: As at night? Which of the two models takes longer now?
    - positions {tokens / (drafts + drafts * ratio)}: How many positions does the large model
      compute, its own token included?
    - neutral 1.0: Neither gain nor loss? Compute both sides.
    - divided {night / (drafts + 1)}: You stretch the whole round. Does the small model take longer
      too?
    > Same tokens; how long is a round now?
    > E / (k + 1 + k · r).
    > {tokens:.4g} / ({drafts + 1} + {drafts} × {ratio:g}).
    * steps {drafts + 1 + drafts * ratio}: A round takes {drafts + 1} + {drafts} × {ratio:g} =
      {drafts + 1 + drafts * ratio:.4g} steps.
    * factor {answer}: {tokens:.4g} / {drafts + 1 + drafts * ratio:.4g} = {answer:.4g}
    ~ Less than 1: every token that comes out has cost at least one position.

    A loss of {percent(1 - answer)}: rejected drafts are arithmetic thrown away. Speculation is a
    lever for small batches: shorten the drafts, or stop, as the batch grows.
    """)
