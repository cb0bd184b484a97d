"""Commit to a limit for a queue, then defend it against those who are turned away."""

from labutils import queueing
from labutils.drills.definition.writing import Draw, Drill, quantity, template


@template("I08 I10 O04", level=2, decision="commit", form="defend", minutes=3)
def defend_bounded_queue(draw: Draw) -> Drill:
    """Refuse at once what cannot be served in time."""
    rate, factor = draw.whole(40, 900), draw.number(1.2, 2.6)
    offered, deadline = float(f"{rate * factor:.2g}"), draw.number(0.8, 8)
    minutes = draw.one_of((5, 10, 20, 30))
    day = queueing.Overload(offered, rate, 60 * minutes, 0)
    room, refused = int(deadline * rate), 1 - rate / offered
    draw.require(offered > 1.15 * rate and day.peak_waiting_time > 4 * deadline)
    draw.require(abs(deadline * rate - round(deadline * rate)) > 0.02 or room == deadline * rate)
    asked = draw.drill(f"""
    A peak of {minutes} minutes brings {quantity(offered, "req/s")} to a service that finishes
    {quantity(rate, "req/s")}. A user gives up after {quantity(deadline, "s")} in the queue, and the
    answer is computed all the same. The queue is first come, first served, and has no limit today.

    ? How many requests may wait at most, so that no wait exceeds the users' patience?
    = {room} req tolerance=0.01 absolute=1 unsafe=above
    - by-the-arrivals {deadline * offered}: You multiply by the rate of arrivals. At which rate does
      the queue move?
    - the-whole-peak {day.backlog_at_end}: That many would wait at the end of the peak without a
      limit. How long would the last of them wait?
    ? Which design do you commit to?
    + A queue with a limit, and a refusal at once beyond it.
    x A queue without limit, so that everybody is served in the end.
    ! After a minute of the peak, who still waits for what is computed?
    x A longer timeout at the client, so that fewer give up.
    ! Does a longer timeout make the service finish more?
    x A retry after each timeout, so that nobody goes without.
    ! Each retry is one more arrival. Is there capacity for those that come now?
    > The last in the queue waits until all before it are done.
    > Limit = patience × capacity, rounded down.
    > {quantity(deadline, "s")} × {quantity(rate, "req/s")}.
    * limit {room} req: {quantity(deadline, "s")} × {quantity(rate, "req/s")} = {room} (rounded
      down)
    . Without a limit the last of the peak would wait {quantity(day.peak_waiting_time, "s")}.
    ~ In one second {quantity(rate, "req")} leave: patience in seconds times that.

    A queue's limit follows from a deadline and the rate at which it drains. Beyond the limit every
    answer would come too late, and cost as much as one that is in time.
    """)
    further = draw.drill(f"""
    The strongest objection: 'You turn paying users away. Without a limit we serve everybody.' The
    peak is under way, and the queue is full.

    ? Which share of the arrivals is refused while the peak lasts?
    = {100 * refused} % tolerance=0.02
    - share-served {100 * rate / offered}: That share is served. What becomes of the others?
    - over-capacity {100 * (offered / rate - 1)}: You put the excess over the capacity. A share of
      the arrivals is asked.
    ? Which defence holds?
    + Capacity sets how many are served. The limit keeps their wait short.
    x The limit makes the service faster, so in the end all are served.
    ! Does a limit change how many leave per second?
    x Those refused were not going to pay: only robots hit a limit.
    ! Who knows that? The limit does not ask who somebody is.
    x Refusals are cheap, so their number does not matter to anybody.
    ! It matters to those refused. Say how many, and what they gain.
    > In a full queue one may enter when one leaves.
    > Refused share = 1 - capacity / arrivals.
    > 1 - {quantity(rate, "req/s")} / {quantity(offered, "req/s")}.
    * served {100 * rate / offered} %: Served: {quantity(rate, "req/s")} of
      {quantity(offered, "req/s")}, {100 * rate / offered:.3g} %
    * refused {100 * refused} %: Refused: {100 * refused:.3g} %
    . Without a limit as many are served per second, but nearly all of those users have given up by
      then.
    ~ What comes and cannot leave must be refused, now or later.

    Above capacity somebody is not served: the design decides who, and whether they learn it at
    once. Refuse early, say when to come back, and let what matters most go first. The cure is
    capacity.
    """)
    return asked.then(further)
