"""How many are inside, how long they stay, how fast they come."""

from labutils.drills.definition.writing import Draw, Drill, drill, quantity, template
from labutils.queueing import mean_num_inside, mean_time_inside, rate_through

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
