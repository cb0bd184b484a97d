"""One common queue against one for each server, and how many servers a wait takes."""

import math

from labutils.drills.definition.writing import Draw, Drill, drill, listing, quantity, template
from labutils.laws.queueing import MM1, MMc, largest_arrival_rate, least_servers


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


_JOBS = (  # who serves whom, in the plural; shortest and longest service in s
    ("code sandboxes, each for one program of an agent", 2, 20),
    ("transcription workers, each for one voice note", 1, 8),
    ("browsers, each for one task of an agent", 3, 15),
    ("image generators, each for one picture", 2, 12),
)


@template("B07 O10 M05", level=3, decision="commit", number=33, minutes=4, rough=False)
def servers_for_a_wait(draw: Draw) -> Drill:
    """Erlang C: the fewest servers for a mean wait."""
    what, low, high = draw.one_of(_JOBS)
    service, load = draw.number(low, high), draw.number(2, 45)
    rate = float(f"{load / service:.2g}")
    load = rate * service
    target = float(f"{service * draw.number(0.02, 0.3):.1g}")
    answer = least_servers(rate, service, target)
    fleet = _Sheet(rate, service, target)
    draw.require(answer >= 3 and fleet.is_clear(answer) and answer - math.floor(load) <= 9)
    sizes = range(fleet.first_that_keeps_up(), answer + 3)
    step = (
        f"with {answer - 1}: {fleet.wait_text(answer - 1)}"
        if answer - 1 > load
        else f"{answer - 1} cannot keep up at all"
    )
    spared = fleet.load + fleet.service / fleet.target
    return draw.drill(f"""
    One queue feeds a pool of {what} at a time. A job takes {quantity(service, "s")} on average
    (exponential: the standard deviation is as large as the mean); {quantity(rate, "req/s")} arrive
    at random. Product wants a mean wait in the queue of at most {quantity(target, "s")}, over all
    jobs: those that need not wait count as 0. The planner's sheet has, for each size of the pool,
    the share of jobs that find every place taken: {listing(fleet.rows(sizes))}
    ? What is the smallest pool that keeps the promise?
    = {answer} tolerance=0 telling=0
    - merely-stable {fleet.first_that_keeps_up()}: That pool keeps up, and no more. How long is the
      wait with it?
    - those-who-wait {math.ceil(spared)}: With that pool even the jobs that have to wait meet the
      target, on average. But the target counts the others too, which wait 0.
    - eighty-percent-rule {math.ceil(fleet.load / 0.8)}: That comes from the 80 % rule, which looks
      neither at the target nor at the size of the pool. What is the wait?
    - one-too-few {answer - 1}: Compute the wait with that pool: is it short enough?
    - one-too-many {answer + 1}: It keeps the promise. Would one fewer keep it too?
    > First, which pools keep up at all? Then two things make the mean wait: how many jobs have to
      wait, and how long those wait that do.
    > Mean wait = share that waits × S / (c - λS).
    > λS = {quantity(rate, "1/s")} × {quantity(service, "s")} = {quantity(load, "1")}. Go down the
      sheet: share × {quantity(service, "s")} / (c - {quantity(load, "1")}), until it is below
      {quantity(target, "s")}.
    * busy {load}: λ S = {quantity(rate, "1/s")} × {quantity(service, "s")} = {quantity(load, "1")}
      busy on average
    . {step}
    * wait {fleet.wait(answer)} s: with {answer}: {fleet.wait_text(answer)}
    * pool {answer}: the fewest is {answer}, at a load of {quantity(load / answer, "1")}
    ~ More than {quantity(load, "1")}: that many are busy on average.

    Erlang C: mean wait = C(c, λS) · S/(c - λS). The utilization is an outcome of the target, not a
    rule: large pools may run hot. Poisson arrivals, exponential services, one common queue; twice
    the variance of services makes the wait half as long again.
    """).then(_traffic_doubles(draw, rate, service, target, answer))


class _Sheet:
    """The pool at every size, and what the planner's sheet says about it."""

    def __init__(self, rate: float, service: float, target: float):
        self.rate, self.service, self.target = rate, service, target
        self.load = rate * service

    def p_wait(self, servers: int) -> float:
        return MMc(self.rate, 1 / self.service, servers).p_wait

    def wait(self, servers: int) -> float:
        return MMc(self.rate, 1 / self.service, servers).mean_waiting_time

    def first_that_keeps_up(self) -> int:
        return math.floor(self.load) + 1

    def is_clear(self, answer: int) -> bool:
        """Whether the printed shares decide as the exact ones do."""
        few = self.first_that_keeps_up()
        near = [self.wait(c) / self.target for c in (answer - 1, answer) if c >= few]
        return few - self.load > 0.03 and all(abs(ratio - 1) > 0.04 for ratio in near)

    def rows(self, sizes: range) -> str:
        """The sheet for these sizes of the pool."""
        return "\n".join(f"    {c}: {100 * self.p_wait(c):.3g} %" for c in sizes)

    def wait_text(self, servers: int) -> str:
        share, spare = self.p_wait(servers), servers - self.load
        return (
            f"{share:.3g} × {quantity(self.service, 's')} / {quantity(spare, '1')} = "
            f"{quantity(self.wait(servers), 's')}"
        )


def _traffic_doubles(draw: Draw, rate: float, service: float, target: float, before: int) -> Drill:
    """Economy of scale: twice the traffic needs less than twice the pool."""
    fleet = _Sheet(2 * rate, service, target)
    answer = least_servers(2 * rate, service, target)
    draw.require(fleet.is_clear(answer))
    sizes = range(max(fleet.first_that_keeps_up(), answer - 4), answer + 3)
    return draw.drill(f"""
    Traffic doubles to {quantity(2 * rate, "req/s")}; the promise stays. The sheet for that traffic:
    {listing(fleet.rows(sizes))}
    ? What is the smallest pool now?
    = {answer} tolerance=0 telling=0
    - doubled {2 * before}: You double the pool, which is more than the promise needs. Must the
      spare part of a pool grow as fast as its traffic?
    - spare-unchanged {before + math.ceil(rate * service)}: You leave as many spare as before. Do
      these absorb the ups and downs of twice the traffic?
    > The same test with the new traffic.
    > Mean wait = share that waits × S / (c - λS).
    > λS = {quantity(fleet.load, "1")}; share × {quantity(service, "s")} / (c -
      {quantity(fleet.load, "1")}) against {quantity(target, "s")}.
    * wait {fleet.wait(answer)} s: with {answer}: {fleet.wait_text(answer)}
    * pool {answer}: {answer} instead of {before}: loads of {quantity(fleet.load / answer, "1")} and
      {quantity(rate * service / before, "1")}
    ~ More than {math.floor(fleet.load)} and no more than {2 * before}.

    The spare servers grow about as the square root of the load (Halfin & Whitt 1981). That is why
    one large pool is cheaper than many small ones, and why no fixed percentage suits both.
    """)
