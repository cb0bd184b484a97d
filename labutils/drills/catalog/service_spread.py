"""One server and random arrivals: what equal and unequal services do to the wait."""

from labutils.drills.definition.writing import Draw, Drill, quantity, template
from labutils.queueing import MD1, MG1, MM1

_ALWAYS_THE_SAME = (  # what it is, one of them, shortest and longest service in s
    (
        "A vision model embeds one picture per pass, all scaled to the same size",
        "picture",
        0.008,
        0.06,
    ),
    (
        "A speech model takes one 30-second window per pass, padded where it is short",
        "window",
        0.06,
        0.5,
    ),
    (
        "A safety classifier pads every prompt to 512 tokens and runs one at a time",
        "prompt",
        0.006,
        0.04,
    ),
)


@template("B10 B08", level=2, decision="model", number=22)
def equal_services(draw: Draw) -> Drill:
    """M/D/1: the wait when every service takes equally long."""
    what, one, low, high = draw.one_of(_ALWAYS_THE_SAME)
    service = draw.number(low, high)
    rate = float(f"{draw.share(0.35, 0.95) / service:.2g}")
    draw.require(0.3 <= rate * service <= 0.955)
    queue = MD1(rate, 1 / service)
    wait, load = queue.mean_waiting_time, queue.utilization
    return draw.drill(f"""
    {what}: a pass takes {quantity(service, "s")}, whatever is in the {one}. The users know nothing
    of each other; together they send {quantity(rate, "req/s")}. One GPU, one queue, in order of
    arrival.

    ? How long does a {one} wait on average before its pass begins?
    = {wait} s tolerance=0.02
    - services-that-vary {MM1(rate, 1 / service).mean_waiting_time}: That is the wait with services
      as random as the arrivals. Do the services vary here?
    - load-forgotten-above {service / (2 * (1 - load))}: You let everybody find a pass that is
      running. Which share finds the GPU idle?
    - in-passes {load / (2 * (1 - load))}: That is the wait in passes. How long is a pass?
    - nobody-waits 0.0: You let nobody wait because the GPU keeps up on average. What happens when
      two come within {quantity(service, "s")} of each other?
    - with-its-own-pass {queue.mean_sojourn_time}: You count the pass itself. The question ends
      where it begins.
    - rest-of-one-pass {load * service / 2}: You count what is left of the pass that is running. Who
      else may stand in front?
    > The arrivals are random, the services are not: half of the usual randomness is missing.
    > Wait = ρ S / (2 (1 - ρ)), half of what it is with exponential services.
    > ρ = {quantity(rate, "1/s")} × {quantity(service, "s")} = {quantity(load, "1")}; S =
      {quantity(service, "s")}.
    * load {load}: ρ = λ S = {quantity(rate, "1/s")} × {quantity(service, "s")} =
      {quantity(load, "1")}
    * wait {wait} s: W_q = ρ S / (2 (1 - ρ)) = {quantity(load, "1")} × {quantity(service, "s")} / (2
      × {quantity(1 - load, "1")}) = {quantity(wait, "s")}
    ~ A share of {quantity(load, "1")} finds the GPU busy and waits for half a pass or more, on
      average: at least {quantity(load, "1")} × {quantity(service / 2, "s")}.

    M/D/1: the wait is ρS/(2(1-ρ)), half of M/M/1's. Random arrivals alone make a queue; equal
    services take half of it away. It fits one server with padded, fixed-shape passes, and not a
    server that batches.
    """).then(_sizes_vary(draw, one, rate, service, wait))


def _sizes_vary(draw: Draw, one: str, rate: float, service: float, before: float) -> Drill:
    """The same mean, but services that vary: the factor is 1 + cv²."""
    cv = draw.one_of((1.5, 2.0, 2.5, 3.0))
    wait = MG1(rate, 1 / service, cv**2).mean_waiting_time
    deviation = float(f"{cv * service:.3g}")
    return draw.drill(f"""
    A colleague gives up the fixed shape: each {one} now runs at its own size. Small ones take less
    time, and large ones, until now shrunk or cut, take more. The mean pass is
    {quantity(service, "s")} as before; its standard deviation is {quantity(deviation, "s")}.

    ? How long does a {one} wait on average now?
    = {wait} s tolerance=0.03
    - same-mean-same-wait {before}: The mean is the same, and so is the load. Do those two fix the
      wait?
    - deviation-not-squared {before * (1 + cv)}: You let the wait grow with the spread itself. Long
      passes are rare and hold up many: which moment of the service time enters?
    - as-random-as-arrivals {MM1(rate, 1 / service).mean_waiting_time}: That is right for a standard
      deviation as large as the mean. How large is it here?
    > Compare the standard deviation with the mean.
    > Wait = ρ S (1 + cv²) / (2 (1 - ρ)), cv = standard deviation / mean.
    > cv = {quantity(deviation, "s")} / {quantity(service, "s")}, and the old wait times 1 + cv².
    * cv_squared {cv**2}: cv² = {quantity(cv**2, "1")}
    * wait {wait} s: {quantity(before, "s")} × (1 + {quantity(cv**2, "1")}) = {quantity(wait, "s")}
    ~ More than {quantity(before, "s")}: spread never shortens a wait.

    Pollaczek–Khinchine: with the load fixed the wait grows as 1 + cv². Saving work on most requests
    can lengthen everybody's wait, if a few become longer for it.
    """)
