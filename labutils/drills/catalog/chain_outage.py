"""A replica is lost: what gives way first, how it grows, how it ends, what to change."""

import math

from labutils.drills.definition.writing import Draw, Drill, quantity, template
from labutils.laws.capacity import utilization_after_loss
from labutils.laws.queueing import Overload


@template("O04 B07 I08 C13", level=3, decision="limit", form="chain", minutes=8)
def chain_outage(draw: Draw) -> Drill:
    """A lost replica: overload, backlog, drain, bound."""
    replicas, one = draw.one_of((3, 4, 5, 6, 8)), draw.one_of((5, 8, 10, 12, 15, 20, 30))
    rate = float(f"{replicas * one * draw.share(0.74, 0.94):.3g}")
    busy = rate / (replicas * one)
    after = utilization_after_loss(busy, replicas)
    draw.require(1.04 < after < 1.4)
    return draw.drill(f"""
    {replicas} replicas complete {quantity(one, "req/s")} each, no more; {quantity(rate, "req/s")}
    arrive, and the dashboard is green at {100 * busy:.0f} % busy. At 14:00 a replica loses its GPU.
    The balancer notices at once, nobody is turned away, and users wait for as long as it takes.
    ? How busy are those that remain? (Work that arrives over work they can do.)
    = {after} tolerance=0.01
    - as-before {busy}: That is with all replicas. Who does the lost one's work?
    - a-share-more {busy * (1 + 1 / replicas)}: You add the lost share as a part of all. Among how
      many is it divided?
    - capped 1.0: A dashboard stops there. How much work arrives for what they can do?
    ? What happens in the minutes after 14:00?
    + More arrives than they complete: the queue grows for as long as the replica is away
    x They carry it: waits rise to a new level within seconds and stay there
    ! A new level exists only where less arrives than can be done. Is that so for those that remain?
    x They carry it on average: waits are long at busy moments and short at others
    ! On average, what arrives in a second, and what is completed?
    x Nothing shows: the headroom was meant for the loss of one replica
    ! How much was idle, and how much was lost? Compare the two.
    > The same work, fewer to do it.
    > Busy after = arrivals ÷ ((n − 1) × rate of one).
    > {quantity(rate, "req/s")} ÷ ({replicas - 1} × {quantity(one, "req/s")}).
    * capacity {(replicas - 1) * one} req/s: They can do {replicas - 1} × {quantity(one, "req/s")} =
      {quantity((replicas - 1) * one, "req/s")}
    * busy {after}: {quantity(rate, "req/s")} ÷ {quantity((replicas - 1) * one, "req/s")} =
      {quantity(after, "1")}
    ~ More than {quantity(busy, "1")}: nobody works less than before.

    N replicas survive the loss of one below (N − 1)/N busy. Few large replicas need more headroom
    than many small ones.
    """).then(_backlog(draw, rate=rate, one=one, replicas=replicas))


def _backlog(draw: Draw, *, rate: float, one: float, replicas: int) -> Drill:
    minutes, left = draw.one_of((6, 10, 14, 20, 25)), (replicas - 1) * one
    outage = Overload(rate, left, 60 * minutes, rate)
    inside = outage.backlog_at_end
    return draw.drill(f"""
    It takes {minutes} minutes until a new replica serves.
    ? How many requests wait at that moment?
    = {inside} req tolerance=0.02
    - all-of-them {rate * 60 * minutes}: You let nobody be served. What did the remaining replicas
      do?
    - work-of-the-lost {one * 60 * minutes}: You keep all that the lost replica would have done. Had
      the others no room left?
    - minutes {inside / 60}: You multiply a rate per second by minutes. How many seconds does it
      last?
    ? How does the wait of newcomers grow meanwhile?
    + In proportion to the time since 14:00: the same growth each minute
    x Exponentially, because those who wait make others wait even longer
    ! Does a waiting request make more requests arrive or fewer be completed?
    x Fast at first, then slower and slower towards a level
    ! A level is reached only where less arrives than is completed. What changes from one minute to
      the next?
    > By how much does the queue grow in a second?
    > Backlog = (arrivals − completions) × time.
    > ({rate:g} − {left:g}) req/s × {minutes * 60} s.
    * growth {rate - left} req/s: Growth: {rate:g} − {left:g} = {quantity(rate - left, "req/s")}
    * backlog {inside} req: × {minutes * 60} s = {quantity(inside, "req")}
    ~ Less than the {quantity(rate * 60 * minutes, "req")} that came: most were served.

    Above saturation a queue grows linearly, at the excess, for as long as it lasts.
    """).then(_drain(draw, inside=inside, one=one, replicas=replicas, rate=rate))


def _drain(draw: Draw, *, inside: float, one: float, replicas: int, rate: float) -> Drill:
    spare = replicas * one - rate
    return draw.drill(f"""
    The new replica is in: {replicas} serve again, the traffic is as before.
    ? How long does it take from now until nobody waits any more?
    = {inside / spare} s tolerance=0.02
    - all-replicas {inside / (replicas * one)}: You set all replicas on the backlog. Who serves
      those that arrive?
    - the-new-one {inside / one}: You give the backlog to the new replica. What is spare in the
      whole fleet?
    ? What sets the pace?
    + What the fleet can do beyond what arrives
    x What the whole fleet can do
    ! Who serves those that arrive meanwhile?
    x What the new replica can do
    ! Were the others idle before the loss? Compare what the fleet can do with what comes.
    x How long a single request takes
    ! That sets when one is done. What sets how fast their number falls?
    > At which pace does the queue shrink?
    > Time = backlog ÷ (capacity − arrivals).
    > {quantity(inside, "req")} ÷ ({replicas * one:g} − {rate:g}) req/s.
    * spare {spare} req/s: Spare: {replicas * one:g} − {rate:g} = {quantity(spare, "req/s")}
    * drain {inside / spare} s: {quantity(inside, "req")} ÷ {quantity(spare, "req/s")} =
      {quantity(inside / spare, "s")}
    ~ Longer than {quantity(inside / (replicas * one), "s")}: newcomers want service too.

    The outage ends for users when the backlog does, not when the machine is back: the spare
    capacity of a normal day sets that time.
    """).then(_bound(draw, one=one, replicas=replicas))


def _bound(draw: Draw, *, one: float, replicas: int) -> Drill:
    deadline, left = draw.one_of((4, 5, 6, 8, 10, 15)), (replicas - 1) * one
    bound = math.floor(deadline * left)
    draw.require(bound >= 20)
    return draw.drill(f"""
    In the review it comes out that users leave after {deadline} s of waiting, and that most answers
    of the afternoon were written for nobody. From now on requests are to be refused at once when
    their wait would be longer, with one replica lost as well.
    ? At how many waiting requests do you refuse the next one?
    = {bound} tolerance=0 absolute=1 unsafe=above
    - rounded-up {bound + 1}: The last of {bound + 1:,} waits longer than {deadline} s. Which way to
      round?
    - whole-fleet {math.floor(deadline * replicas * one)}: You count on all replicas. Which case is
      the rule made for?
    - one-replica {math.floor(deadline * one)}: You count on one replica. How many share the queue?
    ? What should set the length of the queue?
    + How long a user waits: work done after that is lost
    x How many requests the memory of the gateway holds
    ! Memory would hold far more. To whom are their answers of use?
    x How many requests a step of the engine carries
    ! Those are in service. What about those in front of it?
    x How many requests came in the busiest second so far
    ! A burst may be served later. By when must it be?
    > How long does the last in the queue wait?
    > ⌊deadline × completions a second⌋.
    > {deadline} s × {replicas - 1} × {quantity(one, "req/s")}.
    * bound {bound}: Completed in {deadline} s: {deadline} × {left:g} = {bound}
    ~ No more than are completed while the last of them waits.

    Bound a queue by the deadline: ⌊deadline × μ⌋, with the μ of the bad day. It turns an outage for
    all into refusals for a few.
    """)
