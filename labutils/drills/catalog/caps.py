"""A looser cap on running sequences: what it does to the time per token."""

from labutils.capacity import steady_batch
from labutils.drills.definition.writing import Draw, Drill, quantity, template


@template("B04 O13 A18 B13", level=4, decision="limit", form="verdict", number=51, minutes=4)
def looser_cap(draw: Draw) -> Drill:
    """TPOT rises when the cap on sequences is raised."""
    fixed, item = draw.one_of((10, 12, 15, 18)), draw.one_of((120, 160, 200, 250))
    rate, tokens = draw.number(2, 14), draw.whole(150, 600)
    old_cap, new_cap = draw.one_of((8, 12, 16, 24, 32)), draw.one_of((128, 192, 256))
    demand = rate * tokens
    draw.require(demand * item < 0.8e6)
    batch = steady_batch(demand, fixed / 1e3, item / 1e6)
    before, after = (fixed + item * old_cap / 1e3) / 1e3, (fixed + item * batch / 1e3) / 1e3
    after = float(f"{after:.3g}")
    served = old_cap / before
    batch = rate * tokens * after
    draw.require(1.6 * old_cap < batch < 0.6 * new_cap and served < 0.9 * demand)
    return draw.drill(f"""
    On one server {quantity(rate, "req/s")} ask for {tokens} tokens each, no more and no less than
    last week. On Monday somebody raised the cap on running sequences from {old_cap} to {new_cap}.
    The 429s are gone and nothing queues any more, but the time per token went from
    {quantity(before, "s")} to {quantity(after, "s")}, and stays there. Somebody asks for a
    rollback.

    ? How many sequences does a decode step carry now, on average?
    = {batch} req tolerance=0.05 scale=off
    - the-cap {new_cap}: That is the cap. What do the traffic and the time per token fill of it?
    - the-old-cap {old_cap}: That is Friday's step, while others were turned away. Who is inside
      now?
    - old-time {rate * tokens * before}: You use the old time per token. How long does an answer
      take now?
    - scaled-from-the-old-cap {old_cap * after / before}: You scale the old batch with the step. Was
      all traffic served with the old cap?
    ? Why is a token slower than on Friday?
    + Each step carries more sequences, for all the traffic gets in now; the step is longer
    x The scheduler keeps {new_cap} places, and a step pays for those unused as well
    ! A step reads the caches of those that run. What would an empty place cost?
    x New prompts evict caches, and decoding waits until those are computed anew
    ! That would show as preemptions and a queue. Does anything queue?
    x More traffic arrives since Monday, for users whose 429s are gone ask for more
    ! Read the traffic again: what is said about it?
    > Who was not inside on Friday, and is now?
    > Sequences inside = rate of answers × time of an answer in decode (rate × n × TPOT).
    > {quantity(rate, "req/s")} × {tokens} × {quantity(after, "s")}.
    * decode {tokens * after} s: An answer decodes for {tokens} × {quantity(after, "s")} =
      {quantity(tokens * after, "s")}
    * batch {batch} req: Inside: {quantity(rate, "req/s")} × {quantity(tokens * after, "s")} =
      {quantity(batch, "req")}
    . Friday's step carried at most {old_cap}: {quantity(served, "tok/s")} of the
      {quantity(demand, "tok/s")} wanted; the rest met a 429.
    ~ More than {old_cap}, or the old cap would not have turned anybody away.

    At a given rate of requests the batch is not yours to choose: rate × answer time (Little's law)
    fills it until the step is long enough. A cap below that refuses work; its short steps are those
    of the users it let in.
    """).then(_promise(draw, fixed=fixed, item=item, rate=rate, tokens=tokens, after=after))


def _promise(draw: Draw, *, fixed, item, rate, tokens, after) -> Drill:
    promise = float(f"{(fixed / 1e3 + (after - fixed / 1e3) * draw.one_of((0.4, 0.5, 0.6))):.2g}")
    slots = (promise * 1e3 - fixed) / item * 1e3
    most = slots / promise / tokens
    draw.require(0.1 * rate < most < 0.93 * rate and slots > 3)
    return draw.drill(f"""
    The contract says {quantity(promise, "s")} per token. A step takes {fixed} ms plus {item} µs for
    each sequence in it.

    ? Which rate of requests can this one server take and keep the contract?
    = {most} req/s tolerance=0.05
    - in-proportion {rate * promise / after}: You scale today's traffic with the time per token. A
      step has a fixed part: how many sequences fit into the contract?
    - today {rate}: That is today's traffic. What is the time per token at it?
    - per-token {slots / promise}: That is a rate of tokens. How many does a request ask for?
    > How many sequences may a step carry?
    > Slots = (contract − fixed) ÷ cost of one; rate = slots ÷ contract ÷ tokens.
    > Slots = ({quantity(promise, "s")} − {fixed} ms) ÷ {item} µs; ÷ {quantity(promise, "s")} ÷
      {tokens}.
    * slots {slots} req: A step may carry ({quantity(promise, "s")} − {fixed} ms) ÷ {item} µs =
      {quantity(slots, "req")}
    * tokens_per_s {slots / promise} tok/s: It makes {quantity(slots, "req")} ÷
      {quantity(promise, "s")} = {quantity(slots / promise, "tok/s")}
    * rate {most} req/s: ÷ {tokens}: {quantity(most, "req/s")}
    ~ Less than today's {quantity(rate, "req/s")}, at which a token takes longer.

    Contract per token → slots → rate per server → servers. The cap is the tool that keeps the
    contract; replicas are what keeps the 429s away.
    """)
