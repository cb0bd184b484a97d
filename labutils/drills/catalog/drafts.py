"""Drafts that a large model verifies: how often one is kept, and what they bring."""

from labutils import llm
from labutils.drills.catalog._serving import percent
from labutils.drills.definition.writing import Draw, Drill, drill, listing, positive, template

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
    by_itself = (1 + accepted * drafts) / rounds
    for other in (tokens, 1 / (1 - accepted) / rounds, answer):
        draw.apart(by_itself, other, by=0.06)
    for other in (tokens, by_itself, (drafts + 1) / rounds):
        draw.apart(tokens / (drafts * ratio), other, by=0.031)
    draw.apart(tokens, (drafts + 1) / rounds, by=0.031)
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
    - each-by-itself {by_itself}: You keep drafts behind a rejected one. What
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


_WORDS = (
    ("the", "a", "its", "no"),
    ("cat", "dog", "fox", "owl"),
    ("is", "was", "has", "had"),
    ("red", "blue", "green", "grey"),
)


@template("H14 H13", level=3, decision="model", minutes=4)
def draft_shares(draw: Draw) -> Drill:
    """Rejection sampling: the share of drafts that is kept, and what replaces the others."""
    words = draw.one_of(_WORDS)
    target, draft = _shares(draw), _shares(draw)  # in hundredths
    both = [min(pair) for pair in zip(target, draft)]
    more = [max(p - q, 0) for p, q in zip(target, draft)]
    answer = sum(both) / 100
    draw.require(sum(value > 0 for value in more) == 2 and 0.35 < answer < 0.9)
    likely = max(range(4), key=draft.__getitem__)
    both_say_the_same = positive(sum(p * q for p, q in zip(target, draft)) / 1e4)
    likeliest_draft_alone = positive(min(1, target[likely] / draft[likely]))
    ratios_averaged = positive(sum(min(1, p / q) for p, q in zip(target, draft)) / 4)
    never_too_much = positive(sum(q for p, q in zip(target, draft) if p >= q) / 100)
    return draw.drill(f"""
    A small model draws the next token, and a large one checks it. The token is kept with a
    probability that is its share in the large model over its share in the small one, always where
    that is 1 or more. In place of one that is not kept the large model draws another, so that what
    comes out is distributed exactly as if it had drawn everything itself. Their shares at this
    place: {listing(_table(words, target, draft))}
    ? What share of the drafts at this place is kept?
    = {answer} tolerance=0.02 telling=5
    - both-say-the-same {both_say_the_same}: You let both draw by themselves and compare. How often
      is a token kept that was drawn already, if it is one that the large model likes?
    - likeliest-draft-alone {likeliest_draft_alone}: That is for the draft's likeliest token. What
      about the others, and how often does each of them come?
    - difference-counted-twice {positive(1 - 2 * sum(more) / 100)}: You subtract what one has more
      and what the other has more. Which of the two is rejected?
    - the-rejected {positive(sum(more) / 100)}: That is the share of drafts that is not kept.
    - ratios-averaged {ratios_averaged}: You average over the tokens. Does the draft write each of
      them equally often?
    - never-too-much {never_too_much}: You drop every draft that comes too often. Is none of them
      kept?
    > How often is each token drafted and kept?
    > The sum of the smaller one of the two shares, over all tokens.
    > {" + ".join(f"{value / 100:g}" for value in both)}.
    . A token is drafted with q and kept with min(1, p ÷ q): min(p, q) in all.
      {", ".join(f"{word} {value / 100:g}" for word, value in zip(words, both))}
    * kept {answer}: The sum: {answer:g}
    ~ At least {max(both) / 100:g}, which one token gives by itself, and less than 1: the shares
      differ.

    Acceptance = Σ min(p, q) = 1 − the distance of the two distributions (Leviathan et al., 2023;
    Chen et al., 2023). It measures how alike they are, not how often the likeliest tokens agree,
    and temperature changes it.
    """).then(_instead(draw, words, target, draft, more))


def _shares(draw: Draw) -> list[int]:
    """Four shares in hundredths, multiples of 5, none of them 0."""
    cuts = sorted(draw.random.sample(range(1, 20), 3))
    return [5 * (high - low) for low, high in zip([0, *cuts], [*cuts, 20])]


def _table(words, target, draft) -> str:
    rows = [f"    {'':8}{'large':>8}{'small':>8}"]
    rows += [f"    {w:8}{p / 100:>8.2f}{q / 100:>8.2f}" for w, p, q in zip(words, target, draft)]
    return "\n".join(rows)


def _instead(draw: Draw, words, target, draft, more) -> Drill:
    token = draw.one_of([at for at, value in enumerate(more) if value])
    word, p, q = words[token], target[token], draft[token]
    answer, lacking = more[token] / sum(more), sum(more) / 100
    others = sum(share for share, value in zip(target, more) if value)
    draw.require(answer < 0.97)
    return draw.drill(f"""
    And now a draft at this place was rejected. The large model draws another token.
    ? With which probability is that token “{word}”?
    = {answer} tolerance=0.02 telling=4
    - own-share {p / 100}: That is its share in the large model. How much of that came through kept
      drafts already?
    - not-normalised {more[token] / 100}: That is what it lacks. Out of how much, once a draft is
      rejected?
    - shares-of-those-that-lack {p / others}: You compare the large model's shares. How much of each
      did the drafts bring?
    - of-the-differences {more[token] / (2 * sum(more))}: You divide by all differences. Which of
      them are still missing?
    - even 0.5: Equally often? Compare what each of the two lacks.
    > Which tokens come too seldom by kept drafts alone, and by how much?
    > The positive part of p − q, over the sum of all positive parts.
    > ({p / 100:g} − {q / 100:g}) ÷ {lacking:g}.
    . “{word}” lacks {p / 100:g} − {q / 100:g} = {more[token] / 100:g}
    * lacking {lacking}: All that lack something, together: {lacking:g}
    * share {answer}: {more[token] / 100:g} ÷ {lacking:g} = {answer:.4g}
    ~ A token that the small model has too often has no chance here.

    A rejected draft is replaced from the positive part of p − q, not from p: drawing from p would
    bring too often what drafts have brought. With both rules the output is that of the large model,
    whatever the drafts are like.
    """)
