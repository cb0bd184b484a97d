"""A router that goes by old reports: everything between two of them lands on one replica."""

from labutils.drills.definition.writing import Draw, Drill, positive, quantity, template


@template("I12 I07 L08", level=2, decision="estimate", minutes=3.5, rough=False)
def herd(draw: Draw) -> Drill:
    """Stale load reports: least loaded becomes a herd, and how old a report may be."""
    replicas, age = draw.one_of((4, 6, 8, 10, 12, 16)), draw.one_of((0.1, 0.2, 0.25, 0.5, 2))
    rate, waiting = draw.whole(40, 400), draw.random.randint(2, 6)
    starts = float(f"{rate / replicas / draw.share(0.6, 0.9):.2g}")
    answer = waiting + (rate - starts) * age
    draw.require(12 < rate * age < 300 and answer > waiting + 8)
    return draw.drill(f"""
    {replicas} replicas get {quantity(rate, "req/s")} in all. While requests wait at a replica, it
    starts {quantity(starts, "req/s")}. All replicas report at the same moments,
    {quantity(age, "s")} apart, how many wait there. The router sends each request to the replica
    with the fewest by the last reports, and goes by nothing else. One replica has just reported
    {waiting}, the others one to five more.
    ? How many wait at that replica when the next reports come, on average?
    = {answer} req tolerance=0.02 telling=3
    - its-part-of-the-traffic {waiting + rate * age / replicas}: You give it its part of the
      traffic. What does the router see until the next reports?
    - nothing-starts {waiting + rate * age}: You let it start none meanwhile. How many does it
      start?
    - all-replicas-start {positive(waiting + (rate - replicas * starts) * age)}: You take off what
      all replicas start. At which of them do these requests wait?
    - came-alone {(rate - starts) * age}: So many are added. How many waited there before?
    - a-whole-second {waiting + rate - starts}: You count a whole second. How soon do the next
      reports come?
    ? Where do requests go after the next reports?
    + All to another replica, which has had none for a while
    x To the same replica, as before
    ! Set its queue beside those of the others, which have had none. Is it still the shortest?
    x Evenly to all replicas, since the reports are fresh
    ! They are fresh for one request. What does the router know when it sends the second?
    x Evenly to all but this one
    ! It picks the one with the fewest. How many are that, until the next reports?
    > Which requests go there between two reports, and how many does it start meanwhile?
    > waiting + (requests a second of the fleet − starts of one replica) × age.
    > {waiting} + ({rate} − {starts:g}) × {age:g}.
    * come {rate * age} req: Between two reports {rate} × {age:g} = {rate * age:g} come, all there
    * waiting {answer} req: {waiting} + {rate * age:g} − {starts:g} × {age:g} = {answer:.4g}
    ~ Its fair part would be {rate * age / replicas:.3g} requests, fewer than it starts.

    Arrival rate × age of the reports: so many requests act on the same picture. “Least loaded” is
    only as good as this number is small against the queues.
    """).then(_oldest(draw, rate, starts, waiting, replicas, age))


def _oldest(draw: Draw, rate: int, starts: float, waiting: int, replicas: int, age: float) -> Drill:
    most = draw.one_of((0.2, 0.3, 0.4, 0.5, 0.8, 1))
    room = most * starts - waiting
    answer = room / (rate - starts)
    draw.require(answer > 0.005 and answer < 0.7 * age)
    return draw.drill(f"""
    The last of these requests is to wait {quantity(most, "s")} at most until it is started, in the
    order of arrival. The replica has {waiting} waiting when it reports.
    ? How far apart may reports be at most?
    = {answer} s tolerance=0.02 telling=3
    - one-s-fair-part {positive(room / (rate / replicas))}: You send it its part of the traffic.
      What does it get between two reports?
    - those-before-forgotten {most * starts / (rate - starts)}: You leave out those that wait there
      already. Who is started first?
    - nothing-starts {room / rate}: You let it start none between the reports. How many does it
      start?
    - as-long-as-the-wait {most}: That is the wait. How many requests come in such a time?
    ? Which change needs no more reports, and spreads the requests?
    + The router adds to each report what it has sent there since
    x The router takes the second shortest queue instead of the shortest
    ! How many requests see the same second shortest?
    x The router goes by the mean of the last ten reports
    ! How old is such a mean, beside the last report?
    x The replicas report their KV use beside their queues
    ! How old is that when the router reads it?
    > How many may wait there at most, so that the last of them is started in time?
    > (wait × starts − waiting) ÷ (requests a second of the fleet − starts).
    > ({most:g} × {starts:g} − {waiting}) ÷ ({rate} − {starts:g}).
    * may_wait {most * starts} req: Started in {quantity(most, "s")}: {most * starts:.4g}
    * age {answer} s: ({most * starts:.4g} − {waiting}) ÷ {rate - starts:.4g} =
      {quantity(answer, "s")}
    ~ More often than every {quantity(age, "s")}.

    vLLM's own balancer hears from its engines every 100 ms, and each client adds its own choices to
    the counts until the next report. What a router knows by itself is never old.
    """)
