"""Commit to a spare replica, or to a smaller batch, then defend what it costs."""

from labutils import llm
from labutils.drills.catalog._serving import as_printed
from labutils.drills.definition.writing import Draw, Drill, quantity, template
from labutils.laws import capacity
from labutils.llm.memory.objective import batch_limits


@template("M03 P03 N04", level=2, decision="commit", form="defend", minutes=3)
def defend_spare_replica(draw: Draw) -> Drill:
    """Size for the day on which one is down."""
    each, ceiling = draw.whole(15, 120), draw.one_of((0.8, 0.85, 0.9))
    count = draw.one_of((3, 4, 5, 6, 8))
    rate = float(f"{draw.share(0.93, 0.995) * count * each * ceiling:.3g}")
    needed = capacity.gpus_for_tokens(rate, 1, each, utilization=ceiling)
    bare = capacity.gpus_for_tokens(rate, 1, each)
    start = draw.one_of((4, 5, 6, 8, 10))
    load = rate / (needed * each)
    after = capacity.utilization_after_loss(load, needed)
    draw.require(after > 1.03)
    asked = draw.drill(f"""
    The peak brings {quantity(rate, "req/s")}, every evening for hours. A replica finishes
    {quantity(each, "req/s")}, and the promise holds as long as no replica is busier than
    {100 * ceiling:.0f} %. About once a week one of them dies, at any hour; a new one serves {start}
    minutes later. The promise is meant to survive that.
    ? How many replicas run at the peak in your plan?
    = {needed + 1} tolerance=0 absolute=0 scale=off
    - none-to-spare {needed}: They keep the promise as long as all are well. And in the minutes
      after a death?
    - doubled {2 * needed}: That many could lose half of them. For how many losses were you asked to
      plan?
    ? Which rule do you commit to?
    + As many as keep the promise when one of them is gone.
    x As many as keep the promise while all are well.
    ! Take one away from these. How busy are the others, and for how long?
    x As many as the mean of the day needs, and an autoscaler.
    ! The peak comes every evening and lasts. Why start late what is known before?
    x Twice as many as the peak needs, to be safe.
    ! How many may be lost then, and who asked for that?
    > First the fewest that keep the promise; then ask what a loss takes away.
    > Replicas = ⌈peak / (one's rate × ceiling)⌉ + losses to survive.
    > ⌈{quantity(rate, "req/s")} / ({quantity(each, "req/s")} × {ceiling:g})⌉ + 1.
    * needed {needed}: {quantity(rate, "req/s")} / ({quantity(each, "req/s")} × {ceiling:g}) =
      {rate / (each * ceiling):.2f}, rounded up: {needed}
    * replicas {needed + 1}: One more: {needed + 1}
    . With all of them well they are {100 * rate / ((needed + 1) * each):.0f} % busy: that is the
      spare, spread over all.
    ~ With fewer than {bare} the peak exceeds what all of them finish, even when nobody is missing.
      So more than that.

    N + 1: the promise is kept by what is left. The price is one replica in {needed + 1}; small
    fleets pay the larger share.
    """)
    further = draw.drill(f"""
    The strongest objection: 'We pay for an idle machine. The autoscaler brings a new one in {start}
    minutes; run {needed}.' One of these {needed} dies at the peak.
    ? How busy are the others then, until the new one serves? (In per cent.)
    = {100 * after} % tolerance=0.005
    - as-before {100 * load}: That is how busy they were together. Who does the work of the dead
      one?
    - one-part-more {100 * load * (1 + 1 / needed)}: You add one part in {needed}. Over how many is
      the lost part spread?
    ? Which defence of the spare holds?
    + Until it serves, more requests arrive than leave; the backlog outlasts that.
    x An autoscaler reacts to load, and the load has not changed at all.
    ! The load of those that are left has. Compute it.
    x Machines die at night, and at night one of them is enough.
    ! The story says that they die at any hour. What if it is the peak?
    x The balancer spreads the load, so that nobody notices the loss.
    ! It spreads it over those that are left. How much is that for each?
    > The same traffic, one replica fewer.
    > Load = peak / ((replicas - 1) × one's rate).
    > {quantity(rate, "req/s")} / ({needed - 1} × {quantity(each, "req/s")}).
    * before {100 * load} %: With all {needed}: {100 * load:.3g} %
    * after {100 * after} %: With {needed - 1}: {100 * after:.4g} %. In {start} minutes
      {quantity((rate - (needed - 1) * each) * 60 * start, "req")} pile up.
    ~ More than before: the work is the same, and there are fewer to do it.

    An autoscaler is as fast as a cold start. Above 100 % the backlog grows all that time and drains
    afterwards at the speed of the headroom: capacity that must be there at once has to be there
    before.
    """)
    return asked.then(further)


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
