"""Flaws in claims about one device: what fits beside the weights, what a step must read."""

from labutils import llm
from labutils.drills.catalog._serving import as_printed, whole_card
from labutils.drills.definition.writing import Draw, Drill, quantity, template

FAULTS = {"users_on_a_card": ("X54",), "cache_is_all_we_read": ("X45", "X47")}


def _shape(model) -> str:
    return (
        f"{model.name} in 16 bits: {quantity(model.weight_bytes(), 'B')} of weights, "
        f"{quantity(model.kv_bytes_per_token(), 'B')} of KV cache a token"
    )


@template("C20 R06 D09", level=2, decision="limit", form="flaw")
def users_on_a_card(draw: Draw) -> Drill:
    """The cache gets what the weights leave."""
    model, card = whole_card(draw)
    context, share = draw.one_of((2048, 4096, 6144, 8192)), draw.one_of((0.85, 0.9, 0.92))
    each = model.kv_bytes(context)
    fit = llm.max_sequences(model, card.memory_bytes, context, usable_share=share)
    left = share * card.memory_bytes - as_printed(model.weight_bytes())
    both_ways = (as_printed(each), as_printed(model.kv_bytes_per_token()) * context)
    draw.require(all(left // one == fit for one in both_ways))
    bare = int(card.memory_bytes // each)
    usable = int(share * card.memory_bytes // each)
    whole = int((card.memory_bytes - model.weight_bytes()) // each)
    draw.require(fit >= 12 and min(whole, usable) - fit >= 3 and abs(whole - usable) >= 3)
    draw.require(bare - max(whole, usable) >= 3)
    narrow_weights = int((share * card.memory_bytes - model.weight_bytes() / 2) // each)
    return draw.drill(f"""
    A sales deck on {_shape(model)}. The card is one {card.name} with
    {quantity(card.memory_bytes, "B")}, of which the server may use {100 * share:.0f} %; the rest
    goes to activations and the driver. Every user holds {context:,} tokens. The lines of the deck
    stand below.

    ? How many users fit on the card at once?
    = {fit} tolerance=0 absolute=1 unsafe=above scale=off
    - nothing-but-cache {bare}: You give all of the memory to caches. What else must lie there
      before the first token can be computed?
    - weights-forgotten {usable}: You left room for activations. What else lies in memory, even when
      nobody asks anything?
    - all-usable {whole}: The weights are accounted for. May the server use the whole card?
    - narrow-weights {narrow_weights}: You store the weights in 8 bits. In which width does the deck
      have them?
    | A user's cache takes {quantity(each, "B")}.
    ! Tokens times bytes a token, in decimal prefixes. That can be checked.
    | {quantity(card.memory_bytes, "B")} / {quantity(each, "B")}: {bare} users fit.
    | With half the context, about twice as many would fit.
    ! True whatever the room for caches: each user takes half as much of it.
    | With the cache in 8 bits, about twice as many would fit.
    ! One byte in the place of two: true whatever room there is for caches.
    > Start from what the server may use, and take off what is always there.
    > Users = (usable memory - weights) / cache of one user, rounded down.
    > ({share:g} × {quantity(card.memory_bytes, "B")} - {quantity(model.weight_bytes(), "B")}) /
      {quantity(each, "B")}.
    * left {share * card.memory_bytes - model.weight_bytes()} B: Left for caches: {share:g} ×
      {quantity(card.memory_bytes, "B")} - {quantity(model.weight_bytes(), "B")} =
      {quantity(share * card.memory_bytes - model.weight_bytes(), "B")}
    * each {each} B: A user: {quantity(each, "B")}
    * users {fit}: Rounded down: {fit}
    ~ Fewer than the deck's {bare}: the weights alone take
      {100 * model.weight_bytes() / card.memory_bytes:.0f} % of the card.

    The cache gets what the weights and the overhead leave. The less that is, the more a few GB
    change: where weights take half of the card, a tenth more of them costs a tenth of the users or
    more. Say of each figure whether it is in GB or in GiB.
    """)


@template("B21 D11 D03", level=2, decision="limit", form="flaw")
def cache_is_all_we_read(draw: Draw) -> Drill:
    """A decode step reads the weights, whoever is there."""
    model, card = whole_card(draw)
    users, context = draw.one_of((1, 2, 3, 4, 6, 8)), 512 * draw.whole(2, 24)
    step = llm.decode_step(model, card, users, context)
    cache_alone = card.bandwidth_bytes_per_s / (model.kv_bytes(context) * users)
    draw.require(0.06 < step.kv_bytes / step.weight_bytes < 0.9)
    weights_alone = card.bandwidth_bytes_per_s / step.weight_bytes
    each = step.tokens_per_s_per_request
    crowd, apiece = ("one user", "") if users == 1 else (f"{users} users", " each")
    return draw.drill(f"""
    {_shape(model)}. It runs on one {card.name} ({quantity(card.bandwidth_bytes_per_s, "B/s")}) for
    {crowd} with {context:,} tokens of context{apiece}. A vendor's blog has the lines below.

    ? How many tokens a second does each user get at most?
    = {each} tok/s tolerance=0.03
    - cache-alone {cache_alone}: You read the cache and nothing else. What does the new token pass
      through?
    - weights-alone {weights_alone}: You read the weights and nothing else. What does attention look
      at?
    - all-users-together {step.tokens_per_s if users > 1 else None}: That is what the device writes
      for all of them. And one user?
    | While tokens are written, the device waits for memory, not for arithmetic.
    ! That holds for small batches: on this card arithmetic takes over at about
      {llm.compute_ridge_batch(card):.0f} users.
    | All that it must read for a step is the cache: {quantity(step.kv_bytes, "B")}.
    | At {quantity(card.bandwidth_bytes_per_s, "B/s")} that takes {quantity(1 / cache_alone, "s")}.
    ! Bytes over bandwidth: the division is right, for the bytes of the line before.
    | So each user gets {quantity(cache_alone, "tok/s")}.
    ! One step gives each user one token. It follows from the line before.
    > List everything that must come out of memory once for one step.
    > Step = (weights + users × context × KV per token) / bandwidth; a token per step each.
    > ({quantity(step.weight_bytes, "B")} + {quantity(step.kv_bytes, "B")}) /
      {quantity(card.bandwidth_bytes_per_s, "B/s")}.
    * bytes {step.weight_bytes + step.kv_bytes} B: Bytes: {quantity(step.weight_bytes, "B")} +
      {quantity(step.kv_bytes, "B")} = {quantity(step.weight_bytes + step.kv_bytes, "B")}
    * step {step.time_s} s: Step: {quantity(step.time_s, "s")}
    * each {each} tok/s: Each: {quantity(each, "tok/s")}
    ~ Bandwidth over weights is {quantity(weights_alone, "tok/s")}; nobody gets more than that.

    Bandwidth over weight bytes is a ceiling for the tokens a second of each user: check every claim
    against it first. The cache outweighs the weights once users × context exceeds about
    {round(llm.kv_equals_weights_tokens(model), -3):,.0f} tokens for this model.
    """)
