"""Commit to a narrower cache, or to one of prefixes, then defend it."""

import math

from labutils import llm
from labutils.drills.catalog._serving import as_printed
from labutils.drills.definition.writing import Draw, Drill, quantity, template
from labutils.llm.levers.prefix import prefill_share_saved


@template("D07 H09 R06", level=3, decision="commit", form="defend", minutes=4)
def defend_narrow_cache(draw: Draw) -> Drill:
    """Store the cache in 8 bits where room is short."""
    name, device = draw.one_of(
        (
            ("Llama-3.1-8B", "H100 SXM"),
            ("Qwen3-8B", "H100 SXM"),
            ("Llama-3.1-8B", "A100 80 SXM"),
            ("Qwen3-8B", "A100 80 SXM"),
            ("Llama-3.1-8B", "H200 SXM"),
        )
    )
    model, card = llm.model(name), llm.accelerator(device)
    context = 512 * draw.random.randint(6, 24)
    fit, narrow, weights = (
        llm.max_sequences(model, card.memory_bytes, context, **widths)
        for widths in ({}, {"bytes_per_value": 1}, {"bytes_per_weight": 1})
    )
    wanted = math.ceil(draw.share(1.5, 1.9) * fit)
    fleet = draw.one_of((4, 5, 6, 7, 9))
    cards = math.ceil(fleet * wanted / fit)
    pairs = fleet * math.ceil(wanted / fit)
    usable = 0.9 * card.memory_bytes
    each = as_printed(model.kv_bytes_per_token()) / 2 * context
    draw.require((usable - as_printed(model.weight_bytes())) // each == narrow)
    draw.require(weights < wanted < narrow and fit > 15 and pairs > cards > fleet + 1)
    asked = draw.drill(f"""
    {model.name} on one {card.name}: {quantity(0.9 * card.memory_bytes, "B")} usable,
    {quantity(model.weight_bytes(), "B")} of weights, {quantity(model.kv_bytes_per_token(), "B")} of
    cache a token, all in 16 bits. {wanted} users with {context:,} tokens each must be in the batch
    at once; {fit} fit. There is money for one change and not for a second card.
    ? How many users fit after your change?
    = {narrow} tolerance=0 absolute=1 unsafe=above scale=off
    - weights-narrowed {weights}: That is what weights in 8 bits would give. Which is the larger
      part of the memory?
    - as-before {fit}: That is how many fit today. What becomes of one user's cache?
    - weights-forgotten {int(usable // model.kv_bytes(context, 1))}: You give all of the memory to
      caches. What lies there besides?
    ? Which one change lets all of them in?
    + Store the cache in 8 bits.
    x Store the weights in 8 bits.
    ! Compute what that frees, and divide it by one user's cache. Is it enough?
    x Take pages of 8 tokens, not of 16.
    ! A user's last page is partly empty. How much room can smaller pages bring back, compared with
      that user's whole cache?
    x Record the decode step as a graph.
    ! A graph saves launches. Does it free any memory?
    > Compute one user's cache before and after.
    > Users = (usable - weights) / (context × bytes a token), rounded down.
    > ({quantity(usable, "B")} - {quantity(model.weight_bytes(), "B")}) /
      {quantity(model.kv_bytes(context, 1), "B")}.
    * each {model.kv_bytes(context, 1)} B: One user: {quantity(model.kv_bytes(context, 1), "B")} in
      8 bits
    * left {usable - model.weight_bytes()} B: Left for caches:
      {quantity(usable - model.weight_bytes(), "B")}
    * users {narrow}: {narrow} fit; with 8-bit weights {weights}
    ~ Half the bytes for each user: about twice the {fit} of today.

    Change what fills the memory: at long contexts and small models that is the cache. (The scales
    of the 8-bit values need a little room, too; it is left out here.)
    """)
    further = draw.drill(f"""
    The strongest objection: 'A cache in 8 bits makes answers worse, and you cannot prove the
    contrary. Buy cards.' The service runs on {fleet} such cards by now, each with a whole copy of
    the model and {wanted} users. All of them must still fit, now with caches in 16 bits; users may
    be spread over the cards as you like.
    ? How many cards would that take?
    = {cards} tolerance=0 absolute=0 scale=off
    - rounded-for-each {pairs}: You round up for each card of today. Count all users first, then
      round once.
    - rounded-down {cards - 1}: On that many cards not all users fit. Which way must you round?
    ? Which defence holds?
    + We compare both on our own evaluation, at full context, with a switch back.
    x 8 bits are standard by now, so nobody will see a difference in quality.
    ! Standard for whom, at which context? The objection asks about your answers.
    x Rounding errors average out over so many tokens and layers of a model.
    ! Some do, and outliers do not. Who has measured it for this model?
    x Users cannot tell a good answer from one that is slightly worse anyway.
    ! Then why serve a good model? Measure before you decide for them.
    > With 16 bits each card holds its own weights, and as many users as fitted at first.
    > Cards = all users / users a card, rounded up.
    > {fleet} × {wanted} / {fit}, rounded up.
    * users {fleet * wanted}: Users: {fleet} × {wanted} = {fleet * wanted}
    * cards {cards}: Over {fit} a card: {fleet * wanted / fit:.2f}, rounded up: {cards}
    ~ More than {fleet} and fewer than twice that: a card holds over half of them.

    Defend a lossy lever with a measurement, not with a reputation: same prompts, both settings, the
    longest context you serve, and a way back. And know the price of the alternative.
    """)
    return asked.then(further)


@template("F05 I07 H03", level=3, decision="commit", form="defend", minutes=3)
def defend_prefix_routing(draw: Draw) -> Drill:
    """Cache the common prefix, and route to where it lies."""
    prompt = 100 * draw.whole(20, 90)
    shared = 100 * round(draw.share(0.6, 0.93) * prompt / 100)
    hit, replicas = draw.share(0.75, 0.96), draw.one_of((3, 4, 5, 6, 8))
    saved, spread = (prefill_share_saved(rate, shared, prompt) for rate in (hit, 1 / replicas))
    part = shared / prompt
    draw.require(hit - 1 / replicas > 0.3 and abs(saved - part) > 0.03)
    asked = draw.drill(f"""
    A chat with long sessions: a prompt has {prompt:,} tokens on average, of which {shared:,} are
    the conversation so far, and the replica that answered the last turn still holds their keys and
    values in {100 * hit:.0f} % of the cases. The devices are busy with prefills, and TTFT is too
    long. No two users ask alike. (Count work as proportional to tokens.)
    ? Which share of the prefill work does your choice save?
    = {saved} tolerance=0.02 scale=off
    - always-found {part}: That is what a hit saves. How often is the prefix still there?
    - hits-alone {hit}: That is how often it is found. How much of a prompt is it?
    - what-is-left {1 - saved}: That share is still to be computed. What is saved?
    ? Which one do you commit to?
    + Keep the caches of earlier turns for the next.
    x Answer similar questions from a semantic cache.
    ! What did the story say about questions that are alike?
    x Store the weights in 4 bits, and compute in 16.
    ! That saves bytes. What are the devices busy with, and do bytes decide there?
    x Cut each prompt into chunks of 512 tokens.
    ! Chunks spread the same work over more steps. Who gains by that?
    > A hit saves its part of the prompt, a miss nothing.
    > Saved = hit rate × shared / prompt.
    > {hit:g} × {shared:,} / {prompt:,}.
    * part {part}: A hit saves {shared:,} / {prompt:,} = {part:.4g}
    * saved {saved}: Times {hit:g}: {saved:.4g}
    ~ At most {part:.2g}, which is the shared part of a prompt.

    Prefix caching saves the prefill of what is found, and reuses the same keys and values that
    would be computed again: it is no approximation. It needs room for what is kept: watch
    evictions.
    """)
    further = draw.drill(f"""
    The strongest objection: 'In production {replicas} replicas stand behind a load balancer that
    picks one at random for each turn. The last turn lies on another machine, nearly always; your
    saving is gone.' Suppose that a turn finds its prefix only if it reaches the replica of the turn
    before, and then always.
    ? Which share of the prefill work would random routing save?
    = {spread} tolerance=0.02 scale=off
    - as-before {saved}: That is the saving if a turn comes back to the same replica. How likely is
      that now?
    - chance-alone {1 / replicas}: That is how often it comes back. How much of a prompt does a hit
      save?
    ? Which defence holds?
    + Route by session to where the prefix lies, unless that one is overloaded.
    x With random routing every replica holds every prefix after a while.
    ! A conversation grows with each turn. Who holds its newest part?
    x Take fewer and larger replicas, so that a random pick hits more often.
    ! It helps a little, and couples the size of the fleet to a cache. What decides where a turn
      goes?
    x Copy each prefix to all replicas as soon as the turn has been answered.
    ! That is {replicas - 1} copies for one use. What does it cost in room?
    > The hit rate is now a matter of chance.
    > Saved = 1 / replicas × shared / prompt.
    > 1 / {replicas} × {shared:,} / {prompt:,}.
    * hit {1 / replicas}: Found in 1 of {replicas} turns
    * saved {spread}: Saved: {spread:.4g}
    ~ At most one in {replicas}.

    A cache on many machines is as good as its routing. Prefix-affine routing keeps the saving and
    skews the load: give way to the least loaded replica when the owner's queue is long, and pay one
    prefill.
    """)
    return asked.then(further)
