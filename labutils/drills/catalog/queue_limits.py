"""How long a queue may be, or the time in it, and what a limit does under overload."""

from labutils.drills.definition.writing import Draw, Drill, drill, quantity, template
from labutils.laws.queueing import queue_limit, rate_through, refused_share

_SERVERS = (  # what it is, fewest and most places, shortest and longest service in s
    ("A speech service has {c} workers, each with one clip at a time", 2, 24, 0.5, 6),
    ("An image service has {c} GPUs, each with one picture at a time", 2, 16, 1.5, 9),
    ("A code assistant's engine serves {c} sequences side by side", 16, 96, 2, 15),
)


@template("O04 I08 I01", level=2, decision="limit", number=28)
def queue_bound(draw: Draw) -> Drill:
    """Bound the queue by the deadline."""
    what, low, high, least, most = draw.one_of(_SERVERS)
    places, service = draw.whole(low, high), draw.number(least, most)
    timeout = float(f"{service * draw.number(2.5, 12):.2g}")
    capacity, wait = rate_through(places, service), timeout - service
    offered = float(f"{capacity * draw.number(1.15, 2):.2g}")
    limit, exact = queue_limit(wait, capacity), wait * capacity
    draw.require(
        limit >= 8 and timeout <= 60 and offered > 1.1 * capacity and 0.02 < exact % 1 < 0.98
    )
    return draw.drill(f"""
    {what.format(c=places)}; each takes {quantity(service, "s")} from start to end. Clients hang up
    {quantity(timeout, "s")} after they asked, result or not. On bad days
    {quantity(offered, "req/s")} arrive, and the work done for those who have hung up is lost.
    ? You cap the queue; requests in service do not count. How many may wait in it at most, if the
      last of them is still to be finished in time?
    = {limit} tolerance=0 absolute=1 unsafe=above
    - rounded-up {limit + 1}: The last of {limit + 1} waits longer than it may. Which way do you
      round?
    - whole-timeout {queue_limit(timeout, capacity)}: You let it wait for the whole timeout. What
      still has to happen after its turn has come?
    - one-place {queue_limit(wait, 1 / service)}: You let a single place work the queue off. How
      often does one of all the places come free?
    - at-the-arrival-rate {queue_limit(wait, offered)}: You count how many arrive in that time. How
      fast does the queue move forward?
    - as-many-as-places {places}: You let as many wait as are served. How long would the last of
      those wait, and how long may it?
    > How long may a request wait and still be finished in time? How fast does the queue move?
    > Limit = ⌊(timeout - service) × places / service⌋.
    > ({timeout:g} s - {service:g} s) × {places} / {service:g} s, rounded down.
    * may_wait {wait} s: may wait: {quantity(timeout, "s")} - {quantity(service, "s")} =
      {quantity(wait, "s")}
    * pace {capacity} req/s: the queue moves at {places} / {quantity(service, "s")} =
      {quantity(capacity, "req/s")}
    * limit {limit}: {quantity(wait, "s")} × {quantity(capacity, "req/s")} = {exact:.1f}, rounded
      down: {limit}
    ~ Every {quantity(service, "s")} the places take {places} from the queue: about {places} for
      each {quantity(service, "s")} that a request can afford to wait.

    Beyond (deadline - service) × capacity a queue is filled with requests that will be too late
    (Little's law for the queue). The bound follows from the deadline, not from memory. Means only:
    with uneven services set it lower.
    """).then(_refused(offered, capacity, limit, wait))


def _refused(offered: float, capacity: float, limit: int, wait: float) -> Drill:
    """What the bound turns away on a bad day."""
    share = refused_share(offered, capacity)
    return drill(f"""
    A bad day: {quantity(offered, "req/s")}, for an hour. The bound of {limit} is in place.
    ? What share of the requests is turned away at once, once the queue is full?
    = {share} tolerance=0.03
    - excess-over-capacity {offered / capacity - 1}: You set the excess against what the service can
      do. The question asks for a share of the requests.
    - let-in {1 - share}: That is the share that gets in.
    > How many get in per second, when the queue is full all the time?
    > Refused = 1 - capacity / arrivals.
    > 1 - {quantity(capacity, "req/s")} / {quantity(offered, "req/s")}.
    * let_in {1 - share}: let in: {quantity(capacity, "1")} / {quantity(offered, "1")} =
      {quantity(1 - share, "1")}
    * refused {share}: refused: {quantity(share, "1")}
    ~ What cannot be finished is refused, and no more than that: some, and not all.

    A bound does not lose requests: the overload does. With a bound the loss happens at the door, at
    once, where a client can try elsewhere; without it the same share is lost after waiting, and all
    of the work with it.
    """).then(_always_full(limit, capacity, wait))


def _always_full(limit: int, capacity: float, wait: float) -> Drill:
    """Under overload the bounded queue stands at its bound."""
    half = limit // 2
    return drill(f"""
    The bad day goes on. The queue stands at its bound all the time, and whoever is let in is
    answered just in time. Now somebody lowers the bound to {half}.
    ? How long does a request that is let in wait now, until its work begins?
    = {half / capacity} s tolerance=0.03
    - as-before {wait}: That is the wait at the old bound. Who stands in front of it now?
    - half-of-the-queue {half / capacity / 2}: You let it join in the middle. Where does a new
      request stand in a queue that is always full?
    > How many stand in front, and at which pace does the queue move?
    > Wait = places in the queue / capacity.
    > {half} / {quantity(capacity, "req/s")}.
    * wait {half / capacity} s: {half} / {quantity(capacity, "req/s")} =
      {quantity(half / capacity, "s")}; as many are answered as before, since the places never run
      dry.
    ~ About half of {quantity(wait, "s")}.

    Under overload a queue adds latency and nothing else: throughput is the same with a short one.
    It needs to be long enough to bridge the gaps between arrivals, no longer.
    """)


_OPENINGS = (
    "An engine takes a request when a place in its batch is free, first come, first served.",
    "In front of a chat model requests wait for a free slot, first come, first served.",
    "A gateway hands requests to an engine in the order in which they came, as slots come free.",
)


@template("I08 I10 O04", level=3, decision="limit")
def waiting_limit(draw: Draw) -> Drill:
    """A limit on the time in the engine's queue."""
    done, factor = draw.number(4, 60), draw.number(1.12, 1.8)
    coming = float(f"{done * factor:.2g}")
    promise, prefill = draw.number(1.5, 10), draw.number(0.2, 1.5)
    draw.require(coming > 1.08 * done and prefill < 0.5 * promise)
    wait = promise - prefill
    answer = wait * done / (coming - done)
    return draw.drill(f"""
    {draw.one_of(_OPENINGS)} The service finishes {quantity(done, "req/s")} and has kept up so far,
    with an empty queue. At nine {quantity(coming, "req/s")} begin to arrive, evenly. A request that
    is taken has its first token after {quantity(prefill, "s")} more. Promised are
    {quantity(promise, "s")} from arrival to first token. The queue has no limit, and nobody goes
    away.
    ? How long after nine arrives the first request whose first token comes too late?
    = {answer} s tolerance=0.03 telling=3
    - whole-promise {promise * done / (coming - done)}: You let it wait for all of the promise. What
      has to happen after the wait?
    - when-it-is-taken {wait * coming / (coming - done)}: That is when it leaves the queue. At which
      rate is the queue before it worked off, and when did it come?
    - when-its-token-comes {answer + promise}: That is when its first token comes. When did it
      arrive?
    - at-once {wait}: That is how long it may wait. How fast does the wait grow?
    - backlog-alone {wait * done / coming}: You let the whole stream pile up. How much of it does
      the engine finish?
    > How long may a request wait, and how long does one wait that arrives t after nine?
    > (arrivals − finished) × t ÷ finished = promise − prefill.
    > ({quantity(promise, "s")} − {quantity(prefill, "s")}) × {done:g} ÷ ({coming:g} − {done:g}).
    * may_wait {wait} s: It may wait {quantity(promise, "s")} − {quantity(prefill, "s")} =
      {quantity(wait, "s")}
    * growth {(coming - done) / done}: The queue grows by {coming - done:.4g} a second, so the wait
      by {(coming - done) / done:.4g} s a second
    * first {answer} s: Their quotient: {quantity(answer, "s")}
    ~ If twice {done:g} req/s arrived, it would be {quantity(wait, "s")}.

    In overload the wait grows by (arrivals ÷ capacity − 1) s a second. After (promise − prefill) ÷
    that, every request is late, and the engine works for nobody at full speed.
    """).then(_limited(draw, done, coming, promise, wait))


def _limited(draw: Draw, done: float, coming: float, promise: float, wait: float) -> Drill:
    limit = float(f"{wait * draw.one_of((0.5, 0.6, 0.7, 0.8)):.2g}")
    answer = coming * limit
    draw.require(answer > 17)  # a whole number of requests is within the tolerance
    return draw.drill(f"""
    The engine now gives up a request that has waited {quantity(limit, "s")} without being taken,
    and tells its client. The overload goes on, and with it the rates.
    ? How many requests are in the queue once this has settled?
    = {answer} req tolerance=0.03 telling=0
    - those-who-get-in {done * limit}: You count those that will be taken. Who else stands in the
      queue?
    - those-given-up {(coming - done) * limit}: You count those that will be given up. Who else
      stands in the queue?
    - whole-promise {coming * promise}: You let them wait for all of the promise. After what time do
      they go?
    - old-wait {coming * wait}: That is how long they might have waited. After what time do they go
      now?
    > Everybody who came within the limit is still there. Who has left?
    > Arrivals × limit: those taken have waited as long as those given up.
    > {coming:g} req/s × {quantity(limit, "s")}.
    . The oldest has waited {quantity(limit, "s")}; of those that reach this age, {done:g} a second
      are taken and {coming - done:.4g} given up.
    * queue {answer} req: {coming:g} × {quantity(limit, "s")} = {quantity(answer, "req")}
    ~ More than {quantity(done * limit, "req")}, as many as the engine takes in that time.

    Queue = arrivals × limit (Little's law): some wait to the end and then hear no. A limit on time
    keeps the promise to those who are taken; a limit on length, capacity × limit, says no at the
    door. Have both.
    """)
