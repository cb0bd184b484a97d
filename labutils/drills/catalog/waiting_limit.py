"""A limit on the time in the queue: when it is needed, and what it leaves in the queue."""

from labutils.drills.definition.writing import Draw, Drill, quantity, template

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
