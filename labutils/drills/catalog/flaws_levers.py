"""Flaws in advice: levers that are said to exclude each other, rules that do."""

import math
from itertools import count

from labutils import llm
from labutils.drills.definition.writing import Draw, Drill, listing, numbered, quantity, template

FAULTS = {"advice_that_contradicts_itself": ("X09",), "levers_pull_opposite_ways": ("X89",)}


@template("T15 G04 K07", level=2, decision="commit", form="flaw", rough=False)
def advice_that_contradicts_itself(draw: Draw) -> Drill:
    """Model parallelism follows from size, batching from the workload."""
    target, busy = draw.one_of((100, 150, 200)), draw.one_of((500, 1000, 2000))
    card = llm.accelerator(draw.one_of(("H100 SXM", "A100 80 SXM", "H200 SXM")))
    model = llm.model(draw.one_of(("Llama-3.1-405B", "Llama-3.1-70B", "Qwen2.5-72B")))
    share = draw.one_of((0.7, 0.75, 0.8))
    exact = model.weight_bytes() / (share * card.memory_bytes)
    cards = math.ceil(exact)
    bare = math.ceil(model.weight_bytes() / card.memory_bytes)
    draw.require(cards > bare and abs(exact - round(exact)) > 0.03)
    even = next(n for n in count(cards) if _splits(model, n))
    code = f"""
        def recommend(target_ms, req_per_s, writes_text):
            advice = []
            if target_ms >= {target}:
                advice.append("static batching is acceptable")
            if writes_text:
                advice.append("use continuous batching")
            if req_per_s > {busy}:
                advice.append("split the model over several GPUs")
            return advice
        """
    slow, fast = 2 * target, target // 2
    asked = draw.drill(f"""
    The wiki holds a script that advises on serving architectures. It is asked about {model.name} in
    16 bits ({quantity(model.weight_bytes(), "B")} of weights) on {card.name} cards
    ({quantity(card.memory_bytes, "B")} each, of which weights may take {100 * share:.0f} %).

    {listing(numbered(code))}
    ? Its last rule makes splitting a matter of traffic. Over how many cards must this model be
      split at least, at {busy // 10} requests a second as well as at {10 * busy:,}?
    = {cards} tolerance=0 absolute=0 scale=off
    - whole-memory {bare}: You fill the whole memory with weights. Which share of it may they take?
    - one-card 1: Do the weights fit on one card?
    ? For which of these calls does the script contradict itself?
    + recommend({slow}, {busy // 10}, True)
    x recommend({slow}, {busy // 10}, False)
    ! It gives one piece of advice, and nothing that speaks against it.
    x recommend({fast}, {busy // 10}, True)
    ! Only continuous batching is named: whatever one thinks of it, it does not contradict itself.
    x recommend({fast}, {2 * busy}, False)
    ! It gives one piece of advice, from the wrong quantity. Where does it say two things that
      exclude each other?
    > Forget the traffic: even for a single user all weights must lie in memory.
    > Cards = weights / (share × memory), rounded up.
    > {quantity(model.weight_bytes(), "B")} / ({share:g} × {quantity(card.memory_bytes, "B")}).
    . The first two rules do not exclude each other: a service that writes text and has a loose
      target is told to batch statically and continuously.
    * cards {cards}: {quantity(model.weight_bytes(), "B")} /
      {quantity(share * card.memory_bytes, "B")} = {exact:.2f}, rounded up: {cards}
    . More traffic asks for more replicas, each split over that many cards.
    ~ {bare} cards hold the weights and little else: more than that.

    The size of a model decides over how many cards it is split, traffic how many replicas there
    are, the spread of answer lengths how requests are batched. Rules are code: test them with
    inputs that differ in one quantity, and with inputs that fire two rules at once.
    """)
    return asked.also(
        accepts=(
            (
                even,
                f"{model.num_heads} query heads and {model.num_kv_heads} KV heads split evenly "
                f"over {even} cards; by memory alone fewer would do.",
            ),
        )
        if even > cards
        else ()
    )


def _splits(model: llm.ModelSpec, cards: int) -> bool:
    """Whether heads divide evenly over the cards of a tensor-parallel group."""
    few, many = sorted((cards, model.num_kv_heads))
    return model.num_heads % cards == 0 and many % few == 0


@template("G01 O13 H04", level=3, decision="commit", form="flaw")
def levers_pull_opposite_ways(draw: Draw) -> Drill:
    """Some levers help latency and throughput at once."""
    name, card = draw.one_of(
        (("Llama-3.1-8B", "H100 SXM"), ("Qwen3-8B", "H200 SXM"), ("Phi-4", "H100 SXM"))
    )
    model, card = llm.model(name), llm.accelerator(card)
    users, context = draw.whole(6, 40), 256 * draw.random.randint(3, 16)
    before = llm.decode_step(model, card, users, context)
    after = llm.decode_step(model, card, users, context, bytes_per_weight=1)
    draw.require(after.binding == "bytes" and before.kv_bytes > 0.12 * before.weight_bytes)
    cache_halved = users * card.bandwidth_bytes_per_s / (before.weight_bytes + before.kv_bytes / 2)
    return draw.drill(f"""
    {model.name} on one {card.name} ({quantity(card.bandwidth_bytes_per_s, "B/s")}), {users} users
    with {context:,} tokens each: {quantity(before.weight_bytes, "B")} of weights and
    {quantity(before.kv_bytes, "B")} of cache are read for every step, in 16 bits both. The
    question: should the weights be stored in 8 bits, with the cache as it is? A colleague argues
    with the lines below.
    ? How many tokens a second can the device write then, for all users together?
    = {after.tokens_per_s} tok/s tolerance=0.03
    - traded-away {before.tokens_per_s * after.time_s / before.time_s}: You let throughput fall as
      the step gets shorter. How many tokens does a step give, and how many steps are there in a
      second now?
    - doubled {2 * before.tokens_per_s}: You halve all bytes. Which of them are still in 16 bits?
    - cache-halved {cache_halved}: You halve the cache. Which bytes does the proposal halve?
    - one-user {after.tokens_per_s_per_request}: That is one user's rate. How many are served by
      each step?
    | Today a step takes {quantity(before.time_s, "s")} at best.
    ! All bytes over the bandwidth: arithmetic is done sooner at this batch.
    | That makes {quantity(before.tokens_per_s, "tok/s")} for all.
    ! Each step gives each user one token.
    | With 8 bits a step takes {quantity(after.time_s, "s")}.
    ! Half the weights and all of the cache, over the same bandwidth.
    | The step gets shorter, so throughput falls: one is traded for the other.
    > The batch stays the same: only the time of a step changes.
    > Throughput = users / step; step = (weights / 2 + cache) / bandwidth.
    > {users} / (({quantity(after.weight_bytes, "B")} + {quantity(after.kv_bytes, "B")}) /
      {quantity(card.bandwidth_bytes_per_s, "B/s")}).
    * step {after.time_s} s: Step: {quantity(after.time_s, "s")} in the place of
      {quantity(before.time_s, "s")}
    * rate {after.tokens_per_s} tok/s: {users} tokens a step:
      {quantity(after.tokens_per_s, "tok/s")}
    ~ Less than twice today's {quantity(before.tokens_per_s, "tok/s")}: the cache stays.

    A larger batch or a longer batching window trades latency for throughput: requests wait so that
    they can share a step. What removes work or bytes (narrow weights, caching, better kernels)
    helps both. Ask what a lever changes before you call it a trade-off.
    """)
