"""D1: one GPU, one model, a batcher in front of it."""

from labutils.drills.whiteboard.prompt_writing import Page, page, prompt, quantity
from labutils.laws.batching import AffineBatchTime, least_stable_batch, take_everything_bound
from labutils.laws.tails import slow_share

RATE, DEADLINE_S = 800.0, 0.1
MACHINE = AffineBatchTime(fixed_s=0.004, per_item_s=0.0009)
MOST, WINDOW_S = 32, 0.005


@prompt("E03 E10 T11 R05", minutes=45)
def d1() -> Page:
    """A batcher in front of one GPU."""
    least = least_stable_batch(RATE, MACHINE)
    full = MACHINE(MOST)
    capacity = MACHINE.throughput_per_s(MOST)
    mean = take_everything_bound(RATE, MACHINE)
    batches = int(DEADLINE_S / full)  # of which the first is under way when a request comes
    room = (batches - 1) * MOST
    halvings = [MOST // 2**k for k in range(1, MOST.bit_length())]  # 16, 8, … 1
    bisect_s = sum(2 * MACHINE(size) for size in halvings)
    return page(f"""
    One GPU serves an embedding model. A forward pass over b requests takes 4 + 0.9 b milliseconds.
    {RATE:g} requests a second arrive, one by one, and each wants an answer within
    {1e3 * DEADLINE_S:.0f} ms. Design what stands in front of the model. Then be ready: requests of
    different length, a request that crashes the model, callers who hang up, twice the load.

    ? Is the 100 ms a mean or a percentile, and who measures it? The p99, at the server, queue
      included. (It decides whether the queue's bound is a hard number.)
    ? Are all requests equally long? Assume so at first. (It decides whether buckets are needed.)
    ? May a request be refused? Yes, if it is refused at once. (It decides whether overload has an
      answer at all.)

    + Flush by size or by the oldest request's deadline, when the machine is free
    + The least stable batch and the ceiling, in numbers
    + A bounded queue, its bound derived from the deadline
    + The age of the oldest waiting request as a metric
    + A poison request: bisect the batch, retry the halves
    + Idempotent retries, cancelled callers, every caller answered exactly once

    — Numbers first — A batch of b takes 4 + 0.9 b ms. {quantity(RATE, "req/s")} need batches of at
      least {least}: below that the queue grows without end. No batch passes
      {quantity(MACHINE.limit_per_s, "req/s")} (1/0.9 ms). I cap the batch at {MOST}: it takes
      {quantity(full, "s")} and makes {quantity(capacity, "req/s")}, so the machine is
      {100 * RATE / capacity:.0f} % busy.
    — Policy — Flush when {MOST} wait, or when the oldest has waited {quantity(WINDOW_S, "s")},
      whichever comes first, and only when the machine is free. At this load the window hardly
      matters: those who wait while a batch runs fill the next one. With no window at all the mean
      latency stays below {quantity(mean, "s")} (Inoue's bound for taking all that wait).
    — Queue — {batches} full batches fit into {quantity(DEADLINE_S, "s")}. A new request finds one
      under way, so its own may be the second after it: {batches - 1} × {MOST} = {room} may wait,
      the new one included. Beyond that, refuse at once, with a retry-after.
    — What goes wrong — A poison request makes the model raise and its whole batch fails: split the
      batch in two and retry the halves, {len(halvings)} times at most, until it is alone. That is
      {2 * len(halvings)} passes or {quantity(bisect_s, "s")}, nearly the whole deadline of those
      behind: so cap the splits, and refuse an id that failed before. If the process dies in
      mid-batch, its requests go back to the front once, under the same id; a request that was
      answered already is not answered again. A caller who hangs up leaves the queue. One queue per
      range of lengths, if padding costs more than waiting.
    — Proof — Metrics: age of the oldest waiting request, batch size at flush and why it was
      flushed, time in queue apart from time in batch. Test with a clock of its own: a request that
      finds the batcher idle is answered within the window and one batch.

    * schedule 3: “The window only matters when the machine is idle; under load the running batch
      collects the next one.”
    * failure 3: “Splitting down to one costs ten passes: a deadline. So I cap it.”
    * measure 3: “The oldest wait tells me about the deadline; the mean batch size does not.”

    > The rate doubles to {2 * RATE:,.0f} a second. What now?
    < Above the ceiling of {quantity(MACHINE.limit_per_s, "req/s")} no batch size helps: a second
      GPU, or a cheaper item (the 0.9 ms of each bind, not the 4 ms of the batch). Until then, with
      batches of {MOST}, {quantity(2 * RATE - capacity, "req/s")} are refused.
    > One request in a hundred is ten times as long. Does the window help?
    < No. A padded batch lasts as long as its longest member, so
      {100 * slow_share(0.01, MOST):.0f} % of full batches are long. Batch by length, or cut long
      requests into pieces.
    > How do you prove that the window does what it says?
    < Send so rarely that every request is alone: latency minus the time of a batch of one equals
      the window. Then set the window to zero and measure under load: if nothing changes, say so,
      and take it out.
    """)
