"""Commit to one queue for two teams, or to a limit for it, then defend it."""

from labutils.drills.definition.writing import Draw, Drill, quantity, template
from labutils.laws import queueing


@template("R03 I06 I13", level=3, decision="commit", form="defend", minutes=4)
def defend_one_pool(draw: Draw) -> Drill:
    """Pool the servers, and cap each tenant."""
    each, load = draw.one_of((3, 4, 6, 8)), draw.share(0.75, 0.9)
    service_s = draw.number(0.05, 0.8)
    rate = float(f"{load * each / service_s:.3g}")
    own = queueing.MMc(rate, 1 / service_s, each)
    pool = queueing.MMc(2 * rate, 1 / service_s, 2 * each)
    cap = float(f"{draw.share(1.04, 1.1) * rate:.3g}")
    capped = queueing.MMc(rate + cap, 1 / service_s, 2 * each)
    draw.require(capped.utilization < 0.96 and capped.mean_waiting_time < own.mean_waiting_time)
    single = queueing.MM1(rate / each, 1 / service_s).mean_waiting_time
    draw.require(own.mean_waiting_time > 0.15 * service_s)
    asked = draw.drill(f"""
    Two teams have {each} GPUs each. Each team gets {quantity(rate, "req/s")}, at random moments; a
    request takes {quantity(service_s, "s")} of a GPU, exponentially distributed. Each GPU serves
    one request at a time. Today each team has a queue of its own, and a request waits
    {quantity(own.mean_waiting_time, "s")} on average. Nothing may be bought.
    ? How long does a request wait on average, before it is served, with your design?
    = {pool.mean_waiting_time} s tolerance=0.03
    - as-today {own.mean_waiting_time}: That is the wait of today's design. Does a larger pool at
      the same load wait as long?
    - half-of-today {own.mean_waiting_time / 2}: You halve it, since there are twice the servers.
      But in a larger pool fewer requests wait at all: which formula counts that, too?
    - single-server {single}: You use the formula for one server. How many GPUs can take the next
      request?
    ? Which design gives everybody the shortest mean wait?
    + One queue for both teams before all {2 * each} GPUs.
    x The two queues as they are: each team pays for itself.
    ! What does a GPU of one team do while the other team's queue is not empty?
    x A queue before each single GPU, filled in turn.
    ! Then a request can wait before one GPU while its neighbour is idle.
    x One queue of {each - 1} GPUs for each, and 2 in reserve.
    ! A GPU in reserve shortens no queue. At which load do the others run then?
    > Same load, twice the servers behind one queue.
    > Wait = C(c, a) · S / (c - a), with Erlang's C, c servers and a = λS.
    > c = {2 * each}, a = {pool.offered_load:.3g}: C = {pool.p_wait:.3g}.
    * offered {pool.offered_load}: Offered: a = {pool.offered_load:.4g}
    * p_wait {pool.p_wait}: P(wait) = C = {pool.p_wait:.4g}
    * wait {pool.mean_waiting_time} s: Wait = {pool.p_wait:.4g} × {quantity(service_s, "s")} /
      ({2 * each} - {pool.offered_load:.4g}) = {quantity(pool.mean_waiting_time, "s")}
    ~ Less than half of today's wait: the headroom is shared, and so is the queue.

    Pooling (M/M/c with twice the c) beats splitting at every load, as no server idles while
    somebody waits. It assumes that the requests are alike, and that everybody behaves: which is
    where the objection comes from.
    """)
    further = draw.drill(f"""
    The strongest objection: 'One night team B starts a backfill, floods the pool, and team A, who
    did nothing, waits behind it. With queues of our own that could not happen.' You add a rule: B
    is admitted at {quantity(cap, "req/s")} at most. While the backfill lasts, B uses its limit to
    the full (at random moments still).
    ? How long does a request of team A then wait on average, in the capped pool?
    = {capped.mean_waiting_time} s tolerance=0.04
    - without-the-flood {pool.mean_waiting_time}: That is the wait on a quiet night. At which load
      does the pool run now?
    - alone-as-before {own.mean_waiting_time}: That is team A alone on its own GPUs. In the pool it
      shares all of them.
    ? Which defence holds?
    + The rule bounds the load; even then A waits less than alone.
    x A pool of this size does not notice one more tenant's flood.
    ! Without the rule the load passes 100 %. What does the wait do then?
    x Backfills are rare, so the mean over the year hardly moves.
    ! Team A asked about that night. Does a mean over the year answer?
    x First come, first served is fair to both teams by definition.
    ! It is fair among requests. Who sends nearly all of them that night?
    > Add A's rate and B's limit; the pool is the same.
    > Erlang's C once more, at the new a = (λ_A + limit) · S.
    > a = ({rate:g} + {cap:g}) × {quantity(service_s, "s")} = {capped.offered_load:.4g}, c =
      {2 * each}.
    * load {100 * capped.utilization} %: Load: {100 * capped.utilization:.3g} %
    * wait {capped.mean_waiting_time} s: Wait: {quantity(capped.mean_waiting_time, "s")}, against
      {quantity(own.mean_waiting_time, "s")} alone
    ~ More than on a quiet night, and finite, since the limit keeps the load below 1.

    The answer to 'pooling is dangerous' is admission control, not partition: a token bucket for
    each tenant bounds what one can do to the others. Count in GPU seconds or tokens where requests
    differ.
    """)
    return asked.then(further)


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
