"""A cap on running sequences: what a looser one does, and longer answers under it."""

from labutils.drills.definition.writing import Draw, Drill, drill, quantity, template
from labutils.laws.capacity import closed_loop_rate, steady_batch


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


@template("L12 A05 O13 B01", level=4, decision="limit", form="verdict", number=52, minutes=4)
def longer_answers(draw: Draw) -> Drill:
    """TTFT falls when answers grow, under a cap on concurrency."""
    clients, gap = draw.one_of((16, 24, 32, 48, 64, 96)), draw.one_of((12, 15, 18, 20, 25, 30))
    short = draw.one_of((32, 48, 64, 96, 128))
    long = short * draw.one_of((4, 6, 8))
    old_first, new_first = draw.number(1.2, 3), draw.number(0.2, 0.7)
    stays = [first + (n - 1) * gap / 1000 for first, n in ((old_first, short), (new_first, long))]
    old, new = (closed_loop_rate(clients, stay) for stay in stays)
    # The first run keeps the prefill nearly always busy: that is where 16 to 96 prompts queue.
    prefill = round(1000 * draw.share(0.88, 0.97) / old)
    draw.require(new < 0.6 * old and old * prefill / 1000 < 0.98)
    draw.require(1.2 * prefill < 1000 * new_first < 8 * prefill)
    return draw.drill(f"""
    A benchmark keeps {clients} requests open at all times: one ends, the next is sent. With answers
    of {short} tokens the mean time to the first token was {quantity(old_first, "s")}. For a second
    run the answers have {long} tokens, everything else is as before, and that time fell to
    {quantity(new_first, "s")}. One GPU reads the prompts, one at a time; others write, a further
    token every {gap} ms in both runs. The report says: “long answers warm the cache”.
    ? How many requests a second does the second run send?
    = {new} req/s tolerance=0.02 scale=off
    - without-the-first {closed_loop_rate(clients, (long - 1) * gap / 1000)}: You leave out the wait
      for the first token. For how long is a request open?
    - first-token-alone {closed_loop_rate(clients, new_first)}: You take a request for done at its
      first token. When is the next one sent?
    - the-first-run {old}: That is the first run. How long is an answer now?
    - one-client {new / clients}: That is the rate of one client. How many are there?
    ? Why do first tokens come sooner?
    + Requests end later, so new ones come less often and their prompts queue less
    x Prompts are found in the prefix cache more often as the run goes on for longer
    ! The prompts are as before. What else changes when each request is open longer?
    x Longer answers fill the batch better, so that each prompt is read faster
    ! The same number of requests is open in both runs. What does a prompt wait for?
    x The engine serves first tokens before others as soon as answers are long
    ! No setting was changed. How many prompts a second does it have to read?
    > The number open is fixed. What sets how often one of them ends?
    > Rate = open requests ÷ time that each is open.
    > {clients} ÷ ({quantity(new_first, "s")} + {long - 1} × {gap} ms).
    * open {stays[1]} s: Open for {quantity(new_first, "s")} + {long - 1} × {gap} ms =
      {quantity(stays[1], "s")}
    * rate {new} req/s: {clients} ÷ {quantity(stays[1], "s")} = {quantity(new, "req/s")}
    . The first run sent {quantity(old, "req/s")}: its prompts came much more often.
    ~ Less than in the first run: each of the {clients} is open for longer.

    With a fixed number of open requests the latency sets the arrival rate (open ÷ time): whatever
    lengthens answers takes load off the reading of prompts. Compare first tokens at equal request
    rates, with an open loop.
    """).then(_prefill_load(prefill=prefill, old=old, new=new))


def _prefill_load(*, prefill: int, old: float, new: float) -> Drill:
    busy = old * prefill / 1000
    return drill(f"""
    Reading one of these prompts takes {prefill} ms on the GPU for prompts. The first run sent
    {quantity(old, "req/s")}, the second {quantity(new, "req/s")}.
    ? Which share of the time was that GPU busy in the first run?
    = {busy} tolerance=0.03
    - the-second-run {new * prefill / 1000}: That is the second run. How often did the first one
      send a prompt?
    - difference {(old - new) * prefill / 1000}: That is what the second run saves. What did the
      first one spend?
    > So many prompts a second, each so many milliseconds.
    > Share = rate × time of one.
    > {quantity(old, "req/s")} × {prefill} ms.
    * share {busy}: {quantity(old, "req/s")} × {prefill} ms = {quantity(busy, "1")}
    . In the second run {quantity(new * prefill / 1000, "1")}.
    ~ Below 1: a GPU has no more time than that.

    A busier GPU has a longer queue in front of it; near 1 most of the open requests stand there.
    That, not a cold cache, is what the second run got rid of.
    """)
