"""R03: a capacity plan for fifty requests a second."""

import math

from labutils.drills.whiteboard.prompt_writing import Page, page, prompt, quantity
from labutils.laws import queueing

RATE, STAY_S, SLOTS, CEILING, GROWTH = 50.0, 2.0, 8, 0.8, 1.2
LIMIT_S = 0.5  # promised for the P95 of the wait


def _blind_p95_s(gpus: int) -> float:
    """P95 of the wait where each GPU has a queue of its own and requests are dealt at random."""
    return queueing.MMc(RATE / gpus, 1 / STAY_S, SLOTS).waiting_time_quantile(0.95)


@prompt("R03 B25 C08 C01 T03", minutes=10)
def r03() -> Page:
    """Capacity for fifty requests a second."""
    busy = RATE * STAY_S
    least = math.ceil(busy / SLOTS)
    planned = math.ceil(busy / (SLOTS * CEILING))
    grown = math.ceil(GROWTH * busy / (SLOTS * CEILING))
    pool = queueing.MMc(RATE, 1 / STAY_S, planned * SLOTS)
    split = queueing.MMc(RATE / planned, 1 / STAY_S, SLOTS)
    split_p95, pool_p95 = (plan.waiting_time_quantile(0.95) for plan in (split, pool))
    blind = next(n for n in range(planned, 99) if _blind_p95_s(n) <= LIMIT_S)
    lost = busy / ((planned - 1) * SLOTS)
    return page(f"""
    Plan the GPUs for {RATE:g} requests a second. A request takes {STAY_S:g} s, a GPU runs {SLOTS}
    at a time.

    ? Is that the peak, or the average? The busiest quarter of an hour. (It decides whether a peak
      factor is due.)
    ? Are the 2 s with or without waiting? Without, at 8 at a time. (It decides whether they are a
      service time.)
    ? What is promised? P95 of the wait below half a second. (It decides how busy the slots may be.)

    + Slots busy = rate × service time, and the minimum it implies
    + One headroom policy, stated, with the resulting utilization
    + The promise checked: pooled or split queues
    + What a lost GPU does to the others
    + The service time is not a constant: batch, context, memory
    + How the plan would be tested

    — Little — {quantity(RATE, "req/s")} × {quantity(STAY_S, "s")} = {busy:g} slots busy on average.
      {SLOTS} slots a GPU: {least - 1} GPUs are overloaded, {least} are
      {100 * busy / (least * SLOTS):.0f} % busy: the least that is stable, not a plan.
    — One headroom — At {100 * CEILING:.0f} % of the slots: {planned} GPUs,
      {100 * busy / (planned * SLOTS):.0f} % busy. If traffic grows by {100 * (GROWTH - 1):.0f} %:
      {grown}. A ceiling, a peak factor and a spare on top of each other count the same risk three
      times, unless you say which is for what.
    — Is 80 % right? — It depends on the router, if arrivals are Poisson and service times
      exponential. One queue for all {planned * SLOTS} slots: {100 * pool.p_wait:.1f} % of requests
      wait at all, the P95 of the wait is {pool_p95:.0f} s. A queue for each GPU and requests dealt
      at random: the P95 is {quantity(split_p95, "s")}, the promise is broken, and only {blind} GPUs
      ({100 * busy / (blind * SLOTS):.0f} % busy) would keep it. So: a router that knows the free
      slots.
    — Failure — One GPU down: the others are {100 * lost:.0f} % busy, which one queue bears. If a
      zone may fail, the spare is a zone.
    — What is not constant — The 2 s hold for 8 at a time. With more, each step is longer; with long
      contexts fewer than 8 fit, since the cache is full. Put the new service time in and go round
      again; then measure.

    * limit 3: “Slots bind here; with longer contexts the cache would.”

    > The answers become twice as long.
    < Twice the stay, {2 * busy:g} slots; and each slot holds more cache, so fewer fit. More than
      twice the GPUs, unless memory was idle.
    > Somebody multiplies 16 GPUs by 1.2 and says 20.
    < The 16 were sized for {100 * CEILING:.0f} % already: 20 of them run at
      {100 * busy / 160:.1f} %. It may be wanted, but then say which risk it is for.
    > How do you check the plan before the launch?
    < Open loop, the production mix, at 50, 80 and 110 % of the predicted capacity, on one replica.
      Compare the wait at 80 % and the growth of the queue at 110 % with what you computed: that
      tests the plan and not only the machine.
    """)
