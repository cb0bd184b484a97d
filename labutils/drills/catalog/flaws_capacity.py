"""Flaws in capacity claims: slots over latency, headroom twice."""

from labutils.drills.definition.writing import Draw, Drill, quantity, template
from labutils.laws import capacity, queueing

FAULTS = {"slots_over_latency": ("X11", "X12", "X32"), "headroom_twice": ("X19", "X20")}


@template("T06 C21 B04", level=2, decision="limit", form="flaw")
def slots_over_latency(draw: Draw) -> Drill:
    """Capacity is slots over service time, not over latency."""
    slots, service_s = draw.one_of((8, 12, 16, 24, 32)), draw.number(0.03, 0.9)
    rate = float(f"{draw.share(0.9, 0.97) * slots / service_s:.3g}")
    draw.require(rate * service_s / slots < 0.98)
    busy = queueing.MMc(rate, 1 / service_s, slots)
    stay = float(f"{busy.mean_sojourn_time:.3g}")
    inside, limit, most = rate * stay, slots / stay, busy.capacity_per_s
    draw.require(inside > 1.03 * slots and stay > 1.08 * service_s)
    return draw.drill(f"""
    {draw.one_of(("An alarm", "A script", "A dashboard"))} pages you at 3 a.m.: the pool of {slots}
    slots is over capacity. Nobody complains, and the queue does not grow. A stopwatch inside the
    workers says that a request keeps its slot for {quantity(service_s, "s")}. The alarm's reasoning
    stands below, line by line.
    ? At which rate are all slots busy all the time?
    = {most} req/s tolerance=0.02
    - latency-as-service {limit}: You divide by the time from arrival to answer. During which part
      of it does a request hold a slot?
    - one-slot {1 / service_s}: That is what one slot can do. How many of them work side by side?
    | {quantity(rate, "req/s")} arrive, as many as leave.
    ! The counters say so, and a queue that does not grow agrees.
    | From arrival to answer a request takes {quantity(stay, "s")}, queue included.
    ! That was measured, and it says from where to where.
    | So {quantity(inside, "req")} are inside on average.
    ! Arrivals per second times the time inside: that holds for any queue that does not grow.
    | {slots} slots over {quantity(stay, "s")} make {quantity(limit, "req/s")} at most.
    | So {100 * rate / limit:.0f} % of the pool is in use.
    ! It follows from the line before it. Look for the first that fails.
    > A slot is given back after the time that a request holds it.
    > Capacity = slots / time in a slot.
    > {slots} / {quantity(service_s, "s")}.
    * wait {stay - service_s} s: Waiting, without a slot: {quantity(stay, "s")} -
      {quantity(service_s, "s")} = {quantity(stay - service_s, "s")}
    . Load: {100 * busy.utilization:.3g} %, below 100 %
    * capacity {most} req/s: Capacity = {slots} / {quantity(service_s, "s")} =
      {quantity(most, "req/s")}
    ~ The pool answers {quantity(rate, "req/s")} and keeps up: its capacity cannot be less.

    Little's law around the slots alone: busy slots = λS, the arrival rate times the time in a slot.
    Put the latency W in the place of S, and the 'utilization' becomes requests in flight over
    slots: those who wait are counted too, and it passes 100 % in systems that keep up. Ask of every
    time where it was measured.
    """)


@template("C08 B25 M03", level=1, decision="commit", form="flaw", rough=False)
def headroom_twice(draw: Draw) -> Drill:
    """One headroom policy, applied once."""
    rate, hold_s = draw.whole(20, 400), draw.number(0.5, 6)
    slots, ceiling = draw.one_of((8, 12, 16, 24)), draw.one_of((0.6, 0.7, 0.75, 0.8))
    spare = draw.one_of((0.2, 0.25, 0.3))
    busy = rate * hold_s
    exact = busy / (slots * ceiling)
    answer = capacity.replicas_for_concurrency(rate, hold_s, slots, utilization=ceiling)
    bare = capacity.replicas_for_concurrency(rate, hold_s, slots)
    twice = capacity.replicas_for_concurrency(
        (1 + spare) * rate, hold_s, slots, utilization=ceiling
    )
    draw.require(answer >= 6 and abs(exact - round(exact)) > 0.05)
    draw.require(twice - answer >= 3 and answer - bare >= 3)
    return draw.drill(f"""
    The capacity meeting has one slide. The policy, agreed on last month: at the peak at most
    {100 * ceiling:.0f} % of the fleet's slots may be busy. A GPU has {slots} slots. The slide's
    lines stand below.
    ? How many GPUs does the policy ask for?
    = {answer} tolerance=0 absolute=0 scale=off
    - headroom-twice {twice}: You leave room twice: in the ceiling, and again on top. At which load
      would such a fleet run at the peak, and who decided on that?
    - no-headroom {bare}: That fleet is full at the peak. Where does your calculation use the
      policy?
    - rounded-down {answer - 1}: With that many, the busy share at the peak is above the ceiling.
      Which way must you round?
    | At the peak {quantity(rate, "req/s")} come, and each holds a slot for {quantity(hold_s, "s")}.
    ! Both were measured, and the time is that in the slot.
    | So {quantity(busy, "1")} slots are busy.
    ! Rate times time in the slot: that is what is busy on average.
    | {quantity(busy, "1")} / ({slots} · {ceiling:g}) makes {exact:.2f} GPUs.
    ! That divides by the slots that may be busy on one GPU: the policy, once.
    | For safety we add {100 * spare:.0f} % headroom: {exact * (1 + spare):.2f}.
    | Rounded up, {twice} GPUs.
    ! Rounding up is right. Is what it rounds right as well?
    > Count busy slots first, then how many may be busy on one GPU.
    > GPUs = busy slots / (slots per GPU × ceiling), rounded up.
    > {quantity(busy, "1")} / ({slots} × {ceiling:g}), rounded up.
    * busy {busy}: Busy slots: {quantity(rate, "req/s")} × {quantity(hold_s, "s")} =
      {quantity(busy, "1")}
    . May be busy on one GPU: {slots} × {ceiling:g} = {slots * ceiling:g}
    * gpus {answer}: {exact:.2f}, rounded up: {answer}
    ~ {bare} GPUs would be full to the last slot; the answer is larger.

    State one headroom policy and apply it once. A second margin on top adds {100 * spare:.0f} % to
    the bill, and nobody decided it. (Which ceiling is right is another question: it depends on
    slots, variability and promise.)
    """)
