"""Flaws in claims about devices that share a model, about drafts and about experts."""

from labutils import llm
from labutils.drills.definition.writing import Draw, Drill, quantity, template
from labutils.llm.levers.parallel import tensor_parallel_step
from labutils.llm.levers.speculation import speculation_speedup, tokens_per_verification

FAULTS = {
    "splitting_slows_down": ("X63",),
    "drafts_are_free": ("X64",),
    "experts_left_asleep": ("X88",),
    "experts_by_topic": ("X88",),
}


@template("K01 O14", level=3, decision="commit", form="flaw")
def splitting_slows_down(draw: Draw) -> Drill:
    """Tensor parallelism: lower latency, less throughput per device."""
    model = llm.model(draw.one_of(("Llama-3.1-70B", "Qwen2.5-72B", "Llama-2-70B")))
    card = llm.accelerator(draw.one_of(("H100 SXM", "H200 SXM", "B200")))
    devices, context = draw.one_of((4, 8)), draw.one_of((1024, 2048, 4096))
    reduce_s = draw.whole(8, 20) * 1e-6
    split = tensor_parallel_step(
        model, card, 1, context, num_devices=devices, latency_s=reduce_s, rate_bytes_per_s=1e15
    )
    two = tensor_parallel_step(
        model, card, 1, context, num_devices=2, latency_s=reduce_s, rate_bytes_per_s=1e15
    )
    answer, count = split.time_s, 2 * model.layers
    moved = model.weight_bytes() + model.kv_bytes(context)
    return draw.drill(f"""
    {model.name} in 16 bits, {quantity(model.weight_bytes(), "B")} of weights, serves single users
    with {context:,} tokens of context ({quantity(model.kv_bytes(context), "B")} of cache) on
    {card.name} cards: {quantity(card.bandwidth_bytes_per_s, "B/s")} each, joined by a fast link. An
    all-reduce of one token's vector takes {quantity(reduce_s, "s")}, on two cards as on {devices},
    and each of the {model.layers} layers needs two of them. A step on two cards takes
    {quantity(two.time_s, "s")}. Should it be {devices} cards? A colleague argues with the lines
    below.
    ? How long does a decode step take on {devices} cards?
    = {answer} s tolerance=0.03
    - all-reduces-forgotten {split.reading_s}: You share out the reading and stop there. What do the
      cards do after each half of a layer?
    - nothing-gained {two.reading_s + split.reducing_s}: That is the reading of two cards. How much
      does each of {devices} read?
    - one-per-layer {split.reading_s + split.reducing_s / 2}: You count one all-reduce per layer.
      Attention needs one, and what else?
    | More cards only add communication: a step gets no shorter.
    | A step has {count} all-reduces, whatever the number of cards.
    ! Two in each of {model.layers} layers, as soon as there is more than one card.
    | They take {quantity(count * reduce_s, "s")} together.
    ! The count times the time of one: they come one after the other.
    | Reading takes {quantity(two.reading_s, "s")} on two cards.
    ! Half of all bytes over the bandwidth of one card.
    > Two parts: what each card reads, and what the cards exchange.
    > Step = bytes / (cards × bandwidth) + 2 × layers × all-reduce.
    > {quantity(moved, "B")} / ({devices} × {quantity(card.bandwidth_bytes_per_s, "B/s")}) + {count}
      × {quantity(reduce_s, "s")}.
    * reading {split.reading_s} s: Reading: {quantity(moved, "B")} / ({devices} ×
      {quantity(card.bandwidth_bytes_per_s, "B/s")}) = {quantity(split.reading_s, "s")}
    * reducing {split.reducing_s} s: All-reduces: {count} × {quantity(reduce_s, "s")} =
      {quantity(split.reducing_s, "s")}
    * step {answer} s: Together {quantity(answer, "s")}: {two.time_s / answer:.2f} times as fast as
      two cards, on {devices // 2} times the hardware.
    ~ The all-reduces alone take {quantity(count * reduce_s, "s")}; no number of cards goes below
      that.

    On a fast link tensor parallelism shortens a step as long as reading outweighs the all-reduces:
    a tool for interactive users. What falls is throughput per card. On a slow link each all-reduce
    takes longer and the verdict can turn: compute both parts.
    """)


@template("H14 O19", level=3, decision="commit", form="flaw")
def drafts_are_free(draw: Draw) -> Drill:
    """Speculation pays above a break-even acceptance."""
    acceptance, drafts = draw.share(0.3, 0.7), draw.one_of((3, 4, 5, 6, 8))
    ratio = draw.share(0.12, 0.35)
    tokens = tokens_per_verification(acceptance, drafts)
    gain = speculation_speedup(acceptance, drafts, ratio)
    draw.require(gain < 0.93)
    accepted = acceptance * drafts
    naive = (accepted + 1) / (1 + drafts * ratio)
    return draw.drill(f"""
    A small model drafts {drafts} tokens one after the other; the large one checks them in a single
    pass and adds one of its own. A draft step takes {ratio:g} of a step of the large model. On your
    traffic a draft is accepted with probability {acceptance:g}, if all before it were. The pass
    that checks takes as long as an ordinary step. The proposal has the lines below.
    ? How many times as fast as without drafts do tokens come? (Above 1 is faster, below 1 slower.)
    = {gain} tolerance=0.03 scale=off
    - drafts-cost-nothing {tokens}: You pay for the check alone. Who writes the drafts, and how long
      does that take?
    - each-draft-counts {naive}: You count every draft with its chance. What becomes of a draft
      behind a refused one?
    - upside-down {1 / gain}: You have new time over old time. Which of them is the larger one here?
    | A round yields {tokens:.3g} tokens on average, the large model's own included.
    ! Drafts count up to the first that is refused, and the large model adds one.
    | Without drafts the large model would need {tokens:.3g} steps for as many tokens.
    ! One token a step: that is what a round must beat.
    | A round costs one step of the large model, so we always gain.
    | The answers stay those of the large model.
    ! What it refuses is thrown away: that is what the check is for.
    > Divide the tokens of a round by the time of a round.
    > Speed-up = (1 + a + a² + … + aᵏ) / (1 + k·r).
    > {tokens:.4g} / (1 + {drafts} × {ratio:g}).
    * tokens {tokens}: Tokens of a round: 1 + {acceptance:g} + … + {acceptance:g}^{drafts} =
      {tokens:.4g}
    * time {1 + drafts * ratio}: Time of a round: 1 + {drafts} × {ratio:g} =
      {1 + drafts * ratio:.4g} steps
    * gain {gain}: {gain:.3g} times as fast: it is slower
    ~ However many drafts: a round yields less than 1 / (1 - {acceptance:g}) =
      {1 / (1 - acceptance):.3g} tokens.

    Speculation (Leviathan, Kalman and Matias 2023) trades spare arithmetic for fewer passes. It
    loses when few drafts are accepted, when drafts are slow, and in batches so large that
    arithmetic binds: there the check of k + 1 tokens costs more than a step. Measure acceptance on
    your own traffic; fewer drafts may pay where many do not.
    """)


@template("K08 B21", level=3, decision="estimate", form="flaw", rough=False)
def experts_left_asleep(draw: Draw) -> Drill:
    """A batch wakes nearly all experts."""
    model = llm.model(
        draw.one_of(("Qwen3-30B-A3B", "Qwen3-235B-A22B", "gpt-oss-120b", "gpt-oss-20b"))
    )
    total, chosen = model.experts.num, model.experts.per_token
    users = draw.whole(6, 64)
    awake = llm.expert_coverage(total, chosen, users)
    draw.require(awake < 0.97 * total)
    many = users * chosen >= total  # picks to reach all experts
    return draw.drill(f"""
    {model.name} has {total} experts in each layer, of which a router picks {chosen} for every
    token. {users} users write at the same time, so a decode step holds {users} tokens. Assume that
    picks are uniform and independent. A slide recommends the model with the lines below.
    ? How many experts of a layer does such a step read on average?
    = {awake} tolerance=0.02 absolute=0.5 scale=off
    - one-token {chosen}: Those are the experts of one token. Does the next user's token pick the
      same?
    - no-overlap {None if many else users * chosen}: You let no two tokens pick the same expert.
      What if picks are independent?
    - all-awake {total if many else None}: There are enough picks to reach all of them. Is none left
      out by chance?
    - no-overlap {users * chosen if many else None}: You let no two tokens pick the same expert. How
      many experts are there?
    | A token passes through {chosen} of {total} experts: little arithmetic.
    ! The router picks so many, and the others do nothing for this token.
    | So a decode step reads {100 * chosen / total:.3g} % of the experts' weights.
    | The time of a decode step is set by what it reads.
    ! At such batches it is: the arithmetic of a few tokens is done sooner.
    | The memory must hold all experts anyway.
    ! Nobody knows beforehand which of them the next token asks for.
    > Ask for one expert: how likely is it that none of the tokens picks it?
    > Awake = E · (1 - (1 - k/E)^tokens).
    > {total} × (1 - (1 - {chosen}/{total})^{users}).
    * left_out {(1 - chosen / total) ** users}: An expert is left out with (1 -
      {chosen}/{total})^{users} = {(1 - chosen / total) ** users:.3g}
    * awake {awake}: Awake: {awake:.4g} of {total}, {100 * awake / total:.0f} %
    ~ At least {chosen}, at most {total} and at most {users} × {chosen}.

    A mixture of experts saves arithmetic at every batch size, and bytes only in small batches: each
    further user wakes experts that the step did not read before. Uneven routing and the exchange
    between devices create tails, since a step waits for its fullest expert.
    """)


@template("K08 Q09", level=2, decision="model", form="flaw", minutes=1.5, rough=False, trivia=True)
def experts_by_topic(draw: Draw) -> Drill:
    """Experts of a mixture are not departments."""
    topic = draw.one_of(("law", "medicine", "history", "cooking", "sports"))
    share = draw.one_of((10, 20, 30, 40))
    return draw.drill(f"""
    A plan for Mixtral-8x7B: '{share} % of our questions are about {topic}. We find the {topic}
    expert, give it a GPU of its own, and keep its slow requests away from the others.' The Mixtral
    paper (Jiang and others, 2024, section on routing) looked at which experts are chosen for texts
    from arXiv, PubMed, GitHub and other subsets, and reports no obvious patterns by topic;
    consecutive tokens often meet the same expert, and syntax such as indentation shows. Routing is
    decided for every token in every layer.
    ? Which statement does the paper support?
    + Tokens of a question about {topic} will visit many experts.
    x One of the eight experts answers questions about {topic}.
    ! That is what the plan supposes. What did the authors see when they compared texts by topic?
    x A request is sent to two experts and stays with them.
    ! Two of eight is right. For how long does a choice hold?
    x Slow requests can be isolated by giving experts their own GPU.
    ! A step waits for every expert that one of its tokens needs. What does a slow one do to the
      rest of the batch?
    > How often is the choice made: for a request, a token, a layer?
    > Two of eight experts for each token, in each of 32 layers, anew.
    > A question of 100 tokens makes 100 × 32 choices.
    . The choice is made per token and per layer, not per request.
    . The paper saw no obvious pattern by topic; it saw syntax and neighbouring tokens.
    . An expert on a slow device delays every step that asks for it: a shared tail.
    ~ 100 tokens choose in every layer: that they all choose alike would be a surprise.

    'Expert' is a name for a feed-forward block that a router picks. Splitting experts over devices
    adds an exchange between them, and each step waits for the device with the most tokens: it
    creates tails where the plan hoped to isolate them.
    """)
