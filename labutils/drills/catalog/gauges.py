"""A latency from gauges, and the boundary that goes with it."""

from labutils.drills.definition.writing import Draw, Drill, drill, quantity, template
from labutils.queueing import mean_num_inside, mean_time_inside


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
