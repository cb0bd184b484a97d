"""Commit to replicas that stand ready for a burst, and defend them against an autoscaler."""

from labutils.drills.definition.writing import Draw, Drill, positive, quantity, template
from labutils.laws.capacity.fleet import rounded_up


@template("O12 C23 O03 P03", level=3, decision="commit", form="defend", minutes=4, rough=False)
def defend_headroom(draw: Draw) -> Drill:
    """A burst that is over before the first new replica serves: headroom instead."""
    replicas, each = draw.random.randint(4, 12), draw.number(1.5, 12)
    lasts, boot = draw.one_of((60, 90, 120, 150)), draw.one_of((180, 200, 240, 270, 300))
    notice, more = draw.one_of((15, 30, 45)), draw.one_of((2, 3, 4))
    done = replicas * each
    calm, peak = (float(f"{done * draw.share(*ends):.3g}") for ends in ((0.6, 0.93), (1.2, 2)))
    first, spare, excess = notice + boot, done - calm, peak - done
    queue = excess * lasts - spare * (first - lasts)
    draw.require(queue > 0.15 * excess * lasts and queue > 20)
    draw.require(lasts + excess * lasts / done < 0.95 * first)  # the burst is served by then
    return draw.drill(f"""
    {replicas} replicas complete {quantity(each, "req/s")} each, {quantity(done, "req/s")} in all;
    {quantity(calm, "req/s")} arrive. When the market opens, {quantity(peak, "req/s")} arrive for
    {lasts} s, then {quantity(calm, "req/s")} again, as on every working day. The autoscaler orders
    replicas {notice} s after the burst has begun, and they serve {boot} s later. Nobody is refused,
    and nobody leaves.
    ? How many requests wait when the new replicas begin to serve?
    = {queue} req tolerance=0.02 telling=3
    - end-of-the-burst {excess * lasts}: So many wait when the burst ends. What happens until the
      new replicas serve?
    - burst-goes-on {excess * first}: You let the burst go on until then. How long does it last?
    - noticed-at-once {positive(excess * lasts - spare * (boot - lasts))}: You count from the order.
      When does the burst begin?
    - nobody-served {positive(peak * lasts - done * (first - lasts))}: You let nobody be served
      during the burst. What do the replicas complete?
    - whole-fleet-drains {positive(excess * lasts - done * (first - lasts))}: You set all replicas
      on those who wait. Who serves those that arrive?
    ? What do you commit to for tomorrow's opening?
    + Replicas that stand ready before the market opens
    x The same autoscaler with a lower threshold
    ! Ordered in the first second of the burst, when would they serve? Where is the burst by then?
    x A queue with more room
    ! Does anybody get an answer sooner by it?
    x The same autoscaler on GPU activity, which moves first
    ! However early it moves in the burst, how long does a start take?
    > First the burst, then what is spare until the new replicas serve.
    > (peak − completed) × burst − (completed − calm) × (notice + start − burst).
    > ({peak:g} − {done:g}) × {lasts} − ({done:g} − {calm:g}) × ({notice} + {boot} − {lasts}).
    * end {excess * lasts} req: At the end of the burst {quantity(excess * lasts, "req")} wait
    * drained {spare * (first - lasts)} req: In {first - lasts} s more the spare
      {quantity(spare, "req/s")} take {quantity(spare * (first - lasts), "req")} off
    * queue {queue} req: Left: {quantity(queue, "req")}
    ~ Fewer than at the end of the burst, {first - lasts} s earlier.

    Compare two times before you tune a scaler: how long a burst lasts, and how long a start takes.
    Where the start is longer, no signal is early enough, unless it comes before the burst: a clock.
    """).then(_objection(draw, (calm, peak, done, each), queue, first, lasts, more))


def _objection(draw: Draw, rates: tuple, queue: float, first: int, lasts: int, more: int) -> Drill:
    calm, peak, done, each = rates
    last = lasts * peak / done
    pace = done + more * each - calm
    answer = first + queue / pace
    return draw.drill(f"""
    The strongest objection: ‘Such replicas stand idle all day. The autoscaler brought {more}, and
    the queue went away: it works.’ When the {more} began to serve, {quantity(queue, "req")} waited.
    ? How long after the beginning of the burst does nobody wait any more?
    = {answer} s tolerance=0.01 telling=3
    - from-their-first-second {queue / pace}: You count from when they serve. When did the burst
      begin?
    - without-them {first + queue / (done - calm)}: You leave the new ones out. How many help?
    - new-ones-alone {first + queue / (more * each)}: You give the queue to the new ones. What do
      the others have to spare?
    - whole-fleet {first + queue / (done + more * each)}: You set all replicas on the queue. Who
      serves those that arrive?
    - from-the-end-of-the-burst {answer - lasts}: You count from the end of the burst. What was
      asked for?
    ? Which defence holds?
    + They came when all of the burst had been served: who waited then had come after it
    x Replicas that stand idle cost next to nothing
    ! They cost what busy ones cost. Defend the wait that they spare.
    x New replicas do nothing for a queue
    ! These take something off it each second. When do they begin?
    x They came late because the threshold was too high
    ! Take off the notice. Do they serve before the burst is over?
    > The queue at that moment, and the pace at which it shrinks from then on.
    > notice + start + queue ÷ (completed + new ones − calm).
    > {first} + {queue:.4g} ÷ ({done:g} + {more} × {each:g} − {calm:g}).
    * pace {pace} req/s: It shrinks by {quantity(pace, "req/s")}
    * gone {answer} s: {first} s + {quantity(queue / pace, "s")} = {quantity(answer, "s")}
    . The last request of the burst was served after {quantity(last, "s")}, without them
    ~ Later than {first} s, when they begin, and the burst took {lasts} s.

    Say what an autoscaler is for: the hour, not the minute. Minutes are paid with headroom, with a
    shorter start, or with refusals.
    """).then(_ready(draw, rates, more))


def _ready(draw: Draw, rates: tuple, more: int) -> Drill:
    calm, peak, done, each = rates
    need = (peak - done) / each
    answer = rounded_up(need)
    draw.require(0.05 < answer - need < 0.95 and answer > 1)
    return draw.drill(f"""
    {quantity(done, "req/s")} are completed, {quantity(each, "req/s")} by each replica;
    {quantity(peak, "req/s")} arrive in the burst and {quantity(calm, "req/s")} before.
    ? How many replicas must stand ready beside those in use, so that the queue does not grow in the
      burst?
    = {answer} tolerance=0 absolute=1 unsafe=below telling=2
    - rounded-down {answer - 1}: With so many, does the queue grow in the burst, or not?
    - over-the-calm {rounded_up((peak - calm) / each)}: You cover the whole rise. What have those in
      use to spare?
    - whole-burst {rounded_up(peak / each)}: You give the whole burst to the new ones. What do those
      in use complete?
    - as-ordered {more if more > answer else None}: So many the autoscaler brought. How many are
      missing?
    > What arrives in the burst that those in use do not complete?
    > ⌈(peak − completed) ÷ one replica⌉.
    > ({peak:g} − {done:g}) ÷ {each:g}, rounded up.
    * excess {peak - done} req/s: Too many: {quantity(peak - done, "req/s")}
    * replicas {answer}: ÷ {each:g} = {need:.4g}, rounded up: {answer}
    ~ Fewer than {rounded_up(peak / each)}, which would carry the burst by themselves.

    A ceiling on how busy replicas are is headroom in disguise: at 80 % busy a burst of twice the
    traffic is 160 %. Size for the burst, once, and let the timetable bring the spares.
    """)
