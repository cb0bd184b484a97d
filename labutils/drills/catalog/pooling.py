"""One common queue against a queue for each server."""

from labutils.drills.definition.writing import Draw, Drill, drill, quantity, template
from labutils.queueing import MM1, MMc, largest_arrival_rate


@template("O10 M05 I07", level=3, decision="commit", number=34, minutes=3.5)
def pool_or_split(draw: Draw) -> Drill:
    """Pooling: M/M/c against c queues."""
    servers, load = draw.whole(2, 32), draw.share(0.55, 0.95)
    service = draw.number(0.2, 6)
    rate = float(f"{load * servers / service:.3g}")
    pooled, split = MMc(rate, 1 / service, servers), MM1(rate / servers, 1 / service)
    ratio = split.mean_waiting_time / pooled.mean_waiting_time
    load = pooled.utilization
    draw.require(1.5 < ratio < 120 and pooled.p_wait > 0.01)
    busy = f"{100 * pooled.p_wait:.3g} %"
    where = draw.one_of(("a router that tosses a coin", "a hash of the user's id"))
    return draw.drill(f"""
    {servers} equal GPUs transcribe, one recording at a time each. A recording takes
    {quantity(service, "s")} on average (exponential: the standard deviation is as large as the
    mean). {quantity(rate, "req/s")} arrive altogether, at random. Today {where} picks the GPU, and
    the recording waits in that GPU's own queue. The proposal: one queue for all, and whichever GPU
    is free takes the next. A simulation says that a recording would then find every GPU taken in
    {busy} of cases.

    ? By which factor does the mean wait in the queue fall?
    = {ratio} tolerance=0.05
    - as-many-as-gpus {servers}: You take the number of GPUs: with one queue a GPU comes free
      {servers} times as often. And how many recordings have to wait at all?
    - chance-to-wait-alone {load / pooled.p_wait}: You compare how many have to wait. And how long
      do those wait that do, in each of the two?
    - latency-for-wait {split.mean_sojourn_time / pooled.mean_sojourn_time}: You compare whole
      latencies. The transcription itself is in both of them, and no queue shortens it.
    - same-load-same-wait 1.0: The load is the same in both. Can a recording wait beside an idle GPU
      in one of them?
    > The mean wait is the chance to wait, times how long those wait that have to. Compare both
      parts.
    > Own queues: ρS/(1-ρ). Common queue: P(all taken) · S/(c(1-ρ)). Their ratio is ρ c / P(all
      taken).
    > ρ = {quantity(rate / servers, "1/s")} × {quantity(service, "s")} = {quantity(load, "1")}; c =
      {servers}; P = {busy}.
    * load {load}: ρ = {quantity(load, "1")} in both
    * split {split.mean_waiting_time} s: own queues: {quantity(load, "1")} ×
      {quantity(service, "s")} / {quantity(1 - load, "1")} =
      {quantity(split.mean_waiting_time, "s")}
    * pooled {pooled.mean_waiting_time} s: one queue: {busy} × {quantity(service, "s")} / ({servers}
      × {quantity(1 - load, "1")}) = {quantity(pooled.mean_waiting_time, "s")}
    * factor {ratio}: factor: {quantity(ratio, "1")}
    ~ More than {servers}: GPUs come free {servers} times as often, and fewer recordings have to
      wait.

    Same load, same hardware: the wait falls by ρc/C(c, ρc), more than c-fold. Pooling is free
    capacity wherever requests may go anywhere. Caches, batches and data that live on one server are
    the reasons to split, and they must be worth this factor.
    """).then(_affinity(servers, service, rate, pooled))


def _affinity(servers: int, service: float, rate: float, pooled: MMc) -> Drill:
    """How much traffic the split fleet carries at the pooled fleet's wait."""
    target = float(f"{pooled.mean_waiting_time:.3g}")
    each = largest_arrival_rate(target, service_rate=1 / service, of="waiting_time", model=MM1)
    load = each * service
    return drill(f"""
    The split stays after all: each GPU keeps the voice profiles of its own users. But the mean wait
    must not exceed {quantity(target, "s")}, what the common queue would give.

    ? How much traffic can the fleet take, all GPUs together?
    = {servers * each} req/s tolerance=0.03
    - today-s-traffic {rate}: That is today's traffic. With a queue for each GPU it waits longer
      than is allowed.
    - one-gpu {each}: That is what one GPU takes. The question asks for all of them.
    > Look at one GPU with its own queue: at which load is its wait that short?
    > ρS/(1-ρ) = w gives ρ = w/(S + w); the fleet takes c ρ / S.
    > ρ = {quantity(target, "s")} / ({quantity(service, "s")} + {quantity(target, "s")}), then ×
      {servers} / {quantity(service, "s")}.
    * load {load}: ρ = {quantity(target, "s")} / ({quantity(service, "s")} +
      {quantity(target, "s")}) = {quantity(load, "1")}
    * rate {servers * each} req/s: {servers} × {quantity(load, "1")} / {quantity(service, "s")} =
      {quantity(servers * each, "req/s")}, {quantity(100 * servers * each / rate, "%")} of what the
      common queue carries
    ~ Less than the {quantity(rate, "req/s")} that the common queue carries with that wait.

    The price of splitting, in hardware: the same promise at a fraction of the load. Routing by
    affinity with a way out (own server first, any free one next) keeps most of both.
    """)
