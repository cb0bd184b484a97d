"""R04: Little's law in serving."""

from labutils.drills.whiteboard.prompt_writing import Page, page, prompt, quantity
from labutils.laws import queueing


@prompt("R04 B01 B03 C21 T06", minutes=10)
def r04() -> Page:
    """Little's law in serving."""
    inside = 500 * 0.04
    one = queueing.MM1(90, 100)
    slots = queueing.MMc(576, 20, 32)
    naive = 32 / slots.mean_sojourn_time
    return page(f"""
    You know that 500 requests a second arrive and that each takes 40 ms. What else do you know?
    What do you not know?

    ? 40 ms with waiting? From arrival to answer. (It decides whether the queue is inside.)
    ? Is it stable? It has been for an hour. (It decides whether the law applies.)

    + 20 inside, by L = λW, with its conditions
    + Boundary: in the queue, in service, or both
    + It is no capacity: utilization needs the service time
    + One use forwards and one backwards

    — The law — L = λW: what is inside on average = rate × mean time inside. 500 a second × 40 ms =
      {inside:g}. It holds for any arrivals, services and order, and for any boundary you draw, if
      what goes in comes out and all three are means over the same boundary and window.
    — Used forwards — Concurrency to provision: connections, slots, cache. Used backwards: from two
      gauges (in flight, completions a second) the mean latency, without timing anything.
    — What it does not say — Nothing about a limit: {one.mean_num_in_system:.0f} inside one server
      is stable at 90 % load. And slots/W is not the capacity: 32 slots of 50 ms can do 640 a
      second. At 576 a second W is {quantity(slots.mean_sojourn_time, "s")}, waiting included; 32/W
      would call {naive:.0f} the capacity and the load {100 * 576 / naive:.0f} %, while the slots
      are {100 * slots.utilization:.0f} % busy. Capacity is slots over service time.
    — A check that cannot fail — If W was computed from L, comparing them proves nothing. Measure L
      by sampling, λ by counting, W by timing.

    * measure 3: “I would measure all three apart; derived, the check cannot fail.”

    > In flight is 20, the batch limit is 16. Overloaded?
    < That alone does not tell: 16 run, 4 wait. Whether it is stable depends on arrivals against
      capacity (ρ), not on how many are inside.
    > To get more throughput, may clients send faster?
    < Below capacity throughput is what they send. Above it, sending faster only raises W.
    > 529 tokens a second in total, 108 ms a token for each user. Contradiction?
    < No: {529 * 0.108:.0f} streams at once. The law holds for tokens as well.
    """)
