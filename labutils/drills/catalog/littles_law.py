"""How many are inside, how long they stay, how fast they come, and how busy that makes them."""

from labutils.drills.definition.writing import Draw, Drill, drill, quantity, template
from labutils.laws.queueing import MMc, mean_num_inside, mean_time_inside, rate_through, utilization

_SERVICES = (  # what it is, lowest and highest rate in 1/s, mean stay in s
    ("The chat gateway", 5, 90, 3, 30),
    ("The retrieval-augmented search", 20, 200, 1, 8),
    ("The embedding endpoint", 80, 500, 0.2, 1.5),
)


@template("B01 A19", level=1, decision="model", number=1)
def in_flight(draw: Draw) -> Drill:
    """Little's law: requests in flight."""
    name, *ranges = draw.one_of(_SERVICES)
    rate, stay = draw.number(*ranges[:2]), draw.number(*ranges[2:])
    draw.require(stay != 1)
    queued, p99 = draw.share(0.15, 0.4) * stay, draw.number(2.5, 4) * stay
    queued, p99 = float(f"{queued:.2g}"), float(f"{p99:.2g}")
    inside = mean_num_inside(rate, stay)
    return draw.drill(f"""
    {name} answers {quantity(rate, "req/s")}, as many as arrive. From arrival to the end of the
    answer a request takes {quantity(stay, "s")} on average (p99: {quantity(p99, "s")});
    {quantity(queued, "s")} of the average pass in the queue, before anything works on it.
    ? The gateway keeps one connection open per request. How many are open on average, those of
      queued requests included?
    = {inside} req tolerance=0.02
    - divided {rate / stay}: You divide the rate by the time. If every request stayed twice as long,
      would you find more of them inside, or fewer?
    - with-the-p99 {mean_num_inside(rate, p99)}: You let everybody stay as long as the slowest
      hundredth do. An average count needs which of the two times?
    - in-service-only {mean_num_inside(rate, stay - queued)}: You count those that are being worked
      on. Does a request in the queue hold its connection?
    > You look for a count; the story gives counts per second, and several times in seconds. Which
      time begins and ends with the connection?
    > Number inside = rate × mean time inside (L = λW), both between the same two points.
    > {quantity(rate, "req/s")} × {quantity(stay, "s")}; the queue is part of it.
    * inside {inside} req: L = λ W = {quantity(rate, "req/s")} × {quantity(stay, "s")} =
      {quantity(inside, "req")}
    ~ In one second {quantity(rate, "req")} arrive: with a stay of {"more" if stay > 1 else "less"}
      than a second, {"more" if stay > 1 else "fewer"} than that are inside.

    Little's law, L = λW: any arrivals, any services, any order, as long as what comes in also goes
    out. Means alone enter, and time and count need the same boundary: with the time in the queue
    left out, you count those that are being served.
    """).then(_limit_binds(draw, rate, stay))


def _limit_binds(draw: Draw, rate: float, stay: float) -> Drill:
    """At which latency does the limit on connections bind?"""
    limit = round(mean_num_inside(rate, stay) * draw.number(1.4, 3), -1)
    draw.require(limit > 1.2 * rate * stay)
    slow = mean_time_inside(limit, rate)
    return draw.drill(f"""
    The proxy in front allows {limit:,.0f} open connections. Traffic stays at
    {quantity(rate, "req/s")}, but a new model version makes every answer take longer.
    ? At which mean time from arrival to the end of the answer does the number of open connections
      reach {limit:,.0f} on average?
    = {slow} s
    - multiplied {limit * rate}: You multiply. Twice as many places at the same traffic allow a stay
      twice as long: which of the two goes below the line?
    - upside-down {rate / limit}: Your fraction is upside down: look at its unit.
    - seconds-left {slow - stay}: That is by how much the answers may slow down. The question asks
      for the time itself.
    > Same law; now the count is given and the time is asked.
    > W = L / λ, with every connection taken.
    > {limit:,.0f} / {quantity(rate, "req/s")}.
    * time {slow} s: W = L / λ = {limit:,.0f} / {quantity(rate, "req/s")} = {quantity(slow, "s")}
    ~ More than {quantity(stay, "s")}: today the connections suffice.

    A limit on concurrency is a limit on latency in disguise. Nothing about traffic changed, and yet
    the proxy starts to refuse: slower answers fill it.
    """).then(_beyond_the_limit(limit, rate, slow, draw.one_of((1.5, 2, 2.5))))


def _beyond_the_limit(limit: float, rate: float, slow: float, times: float) -> Drill:
    """What gets through once the limit binds."""
    longer = float(f"{times * slow:.3g}")
    through = rate_through(limit, longer)
    return drill(f"""
    The answers slow down to {quantity(longer, "s")} on average. The proxy refuses whoever finds all
    {limit:,.0f} connections taken; {quantity(rate, "req/s")} still knock.
    ? How many requests per second get an answer, at most?
    = {through} req/s
    - all-of-them {rate}: That many knock. How many places come free in a second?
    - refused {rate - through}: Those are turned away. The question asks for the others.
    > All places are taken, always, and each is held for how long?
    > λ = L / W.
    > {limit:,.0f} / {quantity(longer, "s")}.
    * through {through} req/s: λ = L / W = {limit:,.0f} / {quantity(longer, "s")} =
      {quantity(through, "req/s")}
    ~ Fewer than the {quantity(rate, "req/s")} that knock, or nobody would be refused.

    Under a concurrency limit latency sets the throughput: λ = L/W with L pinned. The dashboard
    shows falling traffic where the demand has not moved.
    """)


@template("B01 B04 A19", level=1, decision="model", number=2)
def latency_from_gauges(draw: Draw) -> Drill:
    """Little's law backwards: a latency from two gauges, and its boundary."""
    replicas, rate = draw.whole(2, 16), draw.number(4, 300)
    inside = round(mean_num_inside(rate, draw.number(0.4, 20)))
    running = round(inside * draw.share(0.35, 0.85))
    draw.require(40 <= inside <= 5000 and running >= 5 * replicas)
    stay, served = mean_time_inside(inside, rate), mean_time_inside(running, rate)
    when = draw.one_of(("all afternoon", "since the last deploy, six hours ago", "since midnight"))
    return draw.drill(f"""
    Nobody has traced latency yet. What you have are two gauges, steady {when}: the load balancer
    counts {inside:,} requests inside, from accepting one to its last byte; the {replicas} engines
    behind it report {running:,} sequences running, all together. The balancer completes
    {quantity(rate, "req/s")}.
    ? How long does a request take on average, from the balancer's accepting it to its last byte?
    = {stay} s tolerance=0.02
    - running-only {served}: You use the engines' gauge. Where is a request that the balancer has
      accepted and that no engine runs yet?
    - both-gauges {mean_time_inside(inside + running, rate)}: You add the gauges. Does the
      balancer's count leave out the requests that an engine is running?
    - one-engine-s-rate {mean_time_inside(inside, rate / replicas)}: You set the count of the whole
      fleet against the rate of one engine.
    - upside-down {rate / inside}: Your fraction is upside down: look at its unit.
    > You have a number inside and a number per second, and you want seconds. Which gauge begins and
      ends where the question does?
    > Mean time = number inside / rate (W = L/λ), for one and the same box.
    > {inside:,} requests at the balancer, {quantity(rate, "req/s")} leaving it.
    * time {stay} s: W = L / λ = {inside:,} / {quantity(rate, "req/s")} = {quantity(stay, "s")}
    . The engines' gauge would give the time in an engine. How many engines there are does not
      matter: count and rate are both the fleet's.
    ~ {inside:,} requests inside and {quantity(rate, "req")} leaving each second:
      {"more" if stay > 1 else "less"} than a second.

    Little's law backwards, W = L/λ, gives a mean latency without a single trace. The gauge decides
    whose latency it is: draw the box, and take count, rate and time from its edges. It needs a
    steady stretch, and gives a mean, never a percentile.
    """).then(_before_an_engine(inside, running, rate, stay, served))


def _before_an_engine(inside, running, rate, stay, served) -> Drill:
    """How long a request waits before an engine takes it: the box between the two gauges."""
    waiting = mean_time_inside(inside - running, rate)
    return drill(f"""
    Product calls {quantity(stay, "s")} too slow and wants to buy faster GPUs. The engines still run
    {running:,} of the {inside:,}. An answer leaves the balancer as fast as its engine produces it.
    ? How much of that time, on average, passes before an engine takes the request?
    = {waiting} s
    - in-the-engine {served}: That is the part inside the engines. Which requests are in front of
      them?
    - whole-time {stay}: That is the whole way through. How many requests are inside, but in no
      engine yet?
    > Draw a third box: accepted by the balancer, not yet run by an engine.
    > The number in that box over the same rate.
    > ({inside:,} - {running:,}) / {quantity(rate, "req/s")}.
    * waiting {waiting} s: ({inside:,} - {running:,}) / {quantity(rate, "req/s")} =
      {quantity(waiting, "s")}; the other {quantity(served, "s")} pass in an engine.
    ~ Less than {quantity(stay, "s")}, of which it is a part.

    Little's law holds for any box: the difference of the two gauges, divided by the rate, is the
    time between them. Whether faster engines help, or more of them, depends on which part of the
    latency is the larger.
    """)


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
