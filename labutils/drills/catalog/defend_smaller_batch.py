"""Commit to a batch, then defend it against the throughput that it gives up."""

from labutils import llm
from labutils.drills.catalog._serving import as_printed
from labutils.drills.definition.writing import Draw, Drill, quantity, template
from labutils.llm.memory.objective import batch_limits


@template("E06 E08 N02", level=3, decision="commit", form="defend", minutes=4)
def defend_smaller_batch(draw: Draw) -> Drill:
    """The batch that keeps the promise, not the one that memory holds."""
    name, device = draw.one_of(
        (("Llama-3.1-8B", "H100 SXM"), ("Qwen3-8B", "H200 SXM"), ("Qwen3-8B", "H100 SXM"))
    )
    model, card = llm.model(name), llm.accelerator(device)
    context = 256 * draw.random.randint(6, 20)
    promise = draw.share(1.4, 2.6) * model.weight_bytes() / card.bandwidth_bytes_per_s
    promise = float(f"{promise:.2g}")
    limits = batch_limits(model, card, context, promise)
    batch, most = limits.batch, limits.by_memory
    draw.require(limits.binding == "bytes" and batch >= 8 and most > 1.4 * batch)
    kept, full = (llm.decode_step(model, card, size, context) for size in (batch, most))
    draw.require(full.binding == "bytes")
    spare = promise * card.bandwidth_bytes_per_s - model.weight_bytes()
    each = as_printed(model.kv_bytes_per_token()) * context
    read = promise * card.bandwidth_bytes_per_s - as_printed(model.weight_bytes())
    draw.require(read // each == batch)
    bare = int(promise * card.bandwidth_bytes_per_s // model.kv_bytes(context))
    asked = draw.drill(f"""
    {model.name} on one {card.name} ({quantity(card.bandwidth_bytes_per_s, "B/s")}):
    {quantity(model.weight_bytes(), "B")} of weights, {quantity(model.kv_bytes_per_token(), "B")} of
    cache a token, {context:,} tokens a user. Each user is promised a token every
    {quantity(promise, "s")}; memory would hold {most} users. You set the limit of the batch. (Ideal
    device, full bandwidth; bytes decide, not arithmetic.)

    ? How many users may be in the batch at most, if the promise is to be kept?
    = {batch} tolerance=0 absolute=1 unsafe=above scale=off
    - rounded-up {batch + 1}: The step of {batch + 1} takes longer than {quantity(promise, "s")}.
      Which way do you round?
    - all-that-fits {most}: That is how many fit. How long does their step take?
    - weights-forgotten {bare}: You spend the whole step on caches. What is read in each step
      besides?
    ? Which limit do you commit to?
    + The largest batch whose step keeps the promise.
    x The largest batch that the memory holds.
    ! Compute the time of that step. What was promised?
    x The smallest batch: nobody waits for others.
    ! It keeps the promise with room to spare. Who pays for the room?
    x The batch at which arithmetic takes over.
    ! Up to there arithmetic is no obstacle. But each user's cache is read, too: what does that do
      to the step?
    > The promise allows so many bytes in a step. What are they spent on?
    > Batch = (promise × bandwidth - weights) / cache of one user, rounded down.
    > ({quantity(promise, "s")} × {quantity(card.bandwidth_bytes_per_s, "B/s")} -
      {quantity(model.weight_bytes(), "B")}) / {quantity(model.kv_bytes(context), "B")}.
    * left {spare} B: Left for caches in a step: {quantity(spare, "B")}
    * batch {batch}: Over {quantity(model.kv_bytes(context), "B")} a user, rounded down: {batch}
    ~ Fewer than {bare}, for which the step would have to read caches alone; it reads the weights,
      too.

    A TPOT objective is a budget of bytes per step: weights first, caches with the rest. Leave room
    below it for prefills, which share the device.
    """)
    further = draw.drill(f"""
    The strongest objection: 'With all {most} users that fit, each device writes
    {full.tokens_per_s / kept.tokens_per_s:.2f} times as many tokens a second: you throw money
    away.' The tokens are counted correctly.

    ? How long does a user wait for a token in a batch of {most}?
    = {full.time_s} s tolerance=0.03
    - as-promised {promise}: That is the promise. Is it kept in a step that reads so many caches?
    - caches-alone {full.kv_bytes / card.bandwidth_bytes_per_s}: You read the caches alone. What
      else does a step read?
    ? Which defence holds?
    + Tokens that break the promise do not count: goodput falls.
    x The device would overheat in a batch that is so full.
    ! Is that in the numbers? Argue with the promise.
    x More tokens a second always mean fewer for each user.
    ! It is so here. Always? And is it what was promised?
    x A full batch never gets through: requests time out.
    ! It gets through, slowly. How slowly, compared with the promise?
    > One token for each user per step: compute the step.
    > Step = (weights + users × cache) / bandwidth.
    > ({quantity(model.weight_bytes(), "B")} + {most} × {quantity(model.kv_bytes(context), "B")}) /
      {quantity(card.bandwidth_bytes_per_s, "B/s")}.
    * caches {full.kv_bytes} B: Caches: {quantity(full.kv_bytes, "B")}
    * step {full.time_s} s: Step: {quantity(full.time_s, "s")}, where {quantity(promise, "s")} was
      promised
    ~ Longer than the promise: that is why the limit is lower.

    Throughput without an objective rewards the largest batch. Goodput counts what kept the promise.
    Work without a promise (batch jobs) may fill the rest of the memory, if it gives way.
    """)
    return asked.then(further)
