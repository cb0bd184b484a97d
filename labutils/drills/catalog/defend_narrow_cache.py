"""Commit to the lever that makes room, then defend it against doubts about quality."""

import math

from labutils import llm
from labutils.drills.catalog._serving import as_printed
from labutils.drills.definition.writing import Draw, Drill, quantity, template


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
