"""How busy the servers are, and the most that they can do."""

from labutils.drills.definition.writing import Draw, Drill, drill, quantity, template
from labutils.queueing import MMc, rate_through, utilization


@template("B07 C14", level=1, decision="estimate", number=3)
def busy_share(draw: Draw) -> Drill:
    """Utilization, and the capacity that latency does not give."""
    who, servers, low, high = draw.one_of(
        (
            (
                "transcription workers, each with one GPU, for one recording",
                draw.whole(2, 40),
                6,
                60,
            ),
            ("code sandboxes, each for one program", draw.whole(4, 64), 0.7, 6),
            ("image generators, each for one picture", draw.whole(2, 24), 1.5, 12),
        )
    )
    service = draw.number(low, high)
    rate = float(f"{draw.share(0.5, 0.94) * servers / service:.2g}")
    busy = utilization(rate, service, servers)
    draw.require(0.4 < busy < 0.96)
    latency = float(f"{MMc(rate, 1 / service, servers).mean_sojourn_time:.3g}")
    draw.require(latency > 1.05 * service and quantity(rate, "1") != quantity(busy, "1"))
    return draw.drill(f"""
    You run {servers} {who} at a time. {quantity(rate, "req/s")} arrive. The work itself takes
    {quantity(service, "s")} on average; from arrival to result it is {quantity(latency, "s")},
    because some requests wait until one of the {servers} is free.

    ? What share of its time does one of the {servers} spend working, on average?
    = {busy} tolerance=0.01
    - with-the-latency {utilization(rate, latency, servers)}: You let a worker be busy for the whole
      latency. What does a worker do for a request that still waits in the queue?
    - idle-share {1 - busy}: That is the share of its time in which it has nothing to do. The
      question asks for the other part.
    - all-on-one {utilization(rate, service, 1)}: That many of them are busy at once, on average.
      The question asks for the share of one.
    > How many seconds of work come in per second, and for how many workers?
    > Share = rate × mean work per request / number of workers (ρ = λS/c).
    > {quantity(rate, "req/s")} × {quantity(service, "s")} / {servers}.
    * busy {rate * service}: λ S = {quantity(rate, "req/s")} × {quantity(service, "s")} =
      {quantity(rate * service, "1")} busy on average
    * share {busy}: ρ = λ S / c = {quantity(rate * service, "1")} / {servers} =
      {quantity(busy, "1")}
    ~ A share of time: below 1, or the queue would grow without end.

    Utilization ρ = λS/c takes the time in service, never the latency: with the latency it is L/c,
    which passes 100 % in a healthy system. No assumption about randomness enters: it is Little's
    law for the box around the servers.
    """).then(_most_per_second(rate, service, servers, latency))


def _most_per_second(rate, service, servers, latency) -> Drill:
    """The rate at which everybody is busy, against the popular slots-over-latency."""
    most = rate_through(servers, service)
    return drill(f"""
    Marketing wants to know how far the traffic may grow. Somebody has already put
    {quantity(rate_through(servers, latency), "req/s")} on the slide.

    ? How many requests per second can the {servers} finish at most, all of them busy?
    = {most} req/s
    - one-alone {1 / service if servers > 1 else None}: That is what one of them finishes.
    - places-over-latency {rate_through(servers, latency)}: That is the slide's figure: places over
      latency. It falls as the queue grows, although no worker got slower. For how long does a
      request occupy a worker?
    - what-is-left {most - rate}: That is the room for growth. The question asks for the whole rate.
    > How many does one finish per second when it never pauses?
    > Most = number of workers / mean time of the work itself (c/S).
    > {servers} / {quantity(service, "s")}.
    * most {most} req/s: c / S = {servers} / {quantity(service, "s")} = {quantity(most, "req/s")}
    ~ More than the {quantity(rate, "req/s")} that they finish already.

    Capacity is c/S, from the time in service. Places over latency, c/W, is a capacity only where W
    was measured without a queue; in a loaded system it raises a false alarm.
    """)
