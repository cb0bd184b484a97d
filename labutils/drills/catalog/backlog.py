"""After the rush: how long a backlog takes to drain, and what it costs to drain it faster."""

from labutils.drills.definition.writing import Draw, Drill, quantity, template
from labutils.laws.queueing import Overload

_RUSHES = (
    "A push notification goes out and the assistant is mobbed",
    "The other region fails over to yours",
    "A customer starts a bulk import during office hours",
)


@template("C13 O04", level=2, decision="estimate", number=27)
def backlog_drain(draw: Draw) -> Drill:
    """Overload: a backlog drains at the spare rate."""
    what, capacity = draw.one_of(_RUSHES), draw.number(20, 800)
    minutes = draw.one_of((3, 5, 8, 10, 15, 20, 30))
    during = float(f"{capacity * draw.number(1.15, 2.2):.2g}")
    after = float(f"{capacity * draw.share(0.5, 0.9):.2g}")
    draw.require(during > 1.1 * capacity and 0.45 * capacity < after < 0.92 * capacity)
    rush = Overload(during, capacity, 60.0 * minutes, after)
    backlog, drain = rush.backlog_at_end, rush.drain_s
    draw.require(60 < drain < 5 * 3600)
    return draw.drill(f"""
    {what}: for {minutes} minutes {quantity(during, "req/s")} arrive. The fleet finishes at most
    {quantity(capacity, "req/s")}; nothing is refused, nobody gives up, and everything queues in
    order of arrival. Then the traffic drops to {quantity(after, "req/s")}.
    ? How long after the drop is the queue gone?
    = {drain} s tolerance=0.02
    - nobody-else-comes {backlog / capacity}: You give the fleet to the backlog alone. What arrives
      while it drains?
    - over-when-the-rush-is 0.0: You let the queue end with the rush. Where are the requests that
      the fleet could not finish in time?
    - forgets-the-work-done {during * rush.duration_s / rush.drain_per_s}: You let every request of
      the rush pile up. What did the fleet do meanwhile?
    - since-the-beginning {rush.healthy_after_s}: You count from the beginning of the rush. The
      question counts from the drop.
    > There are two stretches: in the first the queue grows, in the second it shrinks. How fast in
      each?
    > Backlog = (arrivals - capacity) × duration; it shrinks by capacity - arrivals.
    > ({during:g} - {capacity:g}) × {60 * minutes} s, over ({capacity:g} - {after:g}).
    * backlog {backlog} req: backlog: ({quantity(during, "1")} - {quantity(capacity, "1")})/s ×
      {60 * minutes} s = {quantity(backlog, "req")}
    * spare {rush.drain_per_s} req/s: it shrinks by {quantity(capacity, "1")} -
      {quantity(after, "1")} = {quantity(rush.drain_per_s, "req/s")}
    * drain {drain} s: {quantity(backlog, "req")} / {quantity(rush.drain_per_s, "req/s")} =
      {quantity(drain, "s")}
    ~ Longer than the {quantity(backlog / capacity, "s")} that the fleet needs for the backlog with
      nobody else arriving.

    A backlog grows at λ - μ and drains at μ - λ: with little headroom a short rush is felt for
    hours. The fluid picture (Newell 1982) leaves randomness out; it is good where the backlog is
    large. Above saturation no steady-state formula applies.
    """).then(_last_of_the_rush(draw, rush))


def _last_of_the_rush(draw: Draw, rush: Overload) -> Drill:
    """What the users feel: the wait of whoever arrives at the worst moment."""
    worst = rush.peak_waiting_time
    return draw.drill(f"""
    Support has a complaint from somebody who asked in the last second of the rush.
    ? How long did that request wait before anything worked on it?
    = {worst} s tolerance=0.02
    - until-the-queue-is-gone {rush.drain_s}: You let it wait until the queue is empty. Those who
      came later stand behind it: who stands in front?
    - over-the-arrival-rate {rush.backlog_at_end / rush.arrival_rate}: You divide the backlog by the
      rate of arrivals. Who works the queue off?
    > In order of arrival: who is served before it?
    > The backlog at that moment over the rate at which the fleet finishes.
    > {quantity(rush.backlog_at_end, "req")} / {quantity(rush.service_rate, "req/s")}.
    * wait {worst} s: {quantity(rush.backlog_at_end, "req")} /
      {quantity(rush.service_rate, "req/s")} = {quantity(worst, "s")}
    ~ Less than the {quantity(rush.drain_s, "s")} until the queue is gone.

    A wait is a queue over a service rate. A backlog that will take longer than anybody waits for is
    not worth keeping: shed it, or serve the newest first.
    """).then(_faster(draw, rush))


def _faster(draw: Draw, rush: Overload) -> Drill:
    """Capacity to drain within a given time."""
    within = 60.0 * max(1, round(rush.drain_s / 60 * draw.share(0.2, 0.5)))
    needed = rush.arrival_rate_after + rush.backlog_at_end / within
    return draw.drill(f"""
    For the next rush like it the queue is to be gone {quantity(within, "s")} after the drop. Extra
    replicas can be started; they are ready when the traffic drops.
    ? How many requests per second must the fleet finish while the queue drains, extra replicas
      included?
    = {needed} req/s tolerance=0.02
    - backlog-alone {rush.backlog_at_end / within}: That clears the backlog. Who serves those that
      arrive meanwhile?
    - on-top-of-all {rush.service_rate + rush.backlog_at_end / within}: You leave today's whole
      fleet to the new arrivals. How much of it do they need?
    > During that time the fleet serves two things: what waits already, and what still arrives.
    > Needed = arrivals + backlog / time.
    > {quantity(rush.arrival_rate_after, "req/s")} + {quantity(rush.backlog_at_end, "req")} /
      {within:g} s.
    * for_the_backlog {rush.backlog_at_end / within} req/s: backlog over time:
      {quantity(rush.backlog_at_end / within, "req/s")}
    * needed {needed} req/s: {quantity(rush.arrival_rate_after, "req/s")} +
      {quantity(rush.backlog_at_end / within, "req/s")} = {quantity(needed, "req/s")}
    ~ More than the {quantity(rush.service_rate, "req/s")} of today.

    Recovery time sets the headroom: capacity = traffic + backlog / time to recover. That, and no
    percentage, is the number to agree on.
    """)
