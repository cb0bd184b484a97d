"""Flaws in claims about stages in a row: what load and a common clock add to the sum."""

from labutils.drills.definition.writing import Draw, Drill, piece, quantity, template
from labutils.laws import queueing

FAULTS = {"stages_under_load": ("X31",), "clocked_stages": ("X31",)}


@template("B18 A08 B09", level=3, decision="model", form="flaw")
def stages_under_load(draw: Draw) -> Drill:
    """A chain's latency is its services and its waits."""
    times = [draw.number(0.004, 0.03) for _ in range(3)]
    slowest = max(times)
    rate = draw.whole(10, 200)
    draw.require(0.6 < rate * slowest < 0.92 and sorted(times)[1] < 0.85 * slowest)
    inside = [queueing.MM1(rate, 1 / time).mean_sojourn_time for time in times]
    service, answer = sum(times), sum(inside)
    names = draw.one_of((("decode", "detect", "encode"), ("parse", "embed", "rank")))
    stages = ", ".join(f"{name} {quantity(time, 's')}" for name, time in zip(names, times))
    queued = service - slowest + max(inside)
    rows = "\n".join(
        f"* {name} {stay} s: {name}: ρ = {rate * time:.3g}, {quantity(time, 's')} / (1 - ρ) = "
        f"{quantity(stay, 's')}"
        for name, time, stay in zip(names, times, inside)
    )
    return draw.drill(f"""
    Three stages in a row, each a machine of its own with its own queue: {stages}, on average and
    exponentially distributed. {quantity(rate, "req/s")} come at random moments (Poisson). The
    architecture page has the lines below.
    ? How long does a request take on average from arrival to its end?
    = {answer} s tolerance=0.03
    - no-waiting {service}: You add services alone: the latency of a lone request. What does a
      machine that is mostly busy do with requests that come in a bunch?
    - one-queue {queued}: You let requests wait at the slowest stage alone. What about the other
      two?
    | The services of one request take {quantity(service, "s")} together.
    ! One after the other, they add up: the line speaks of nothing but services.
    | So latency stays at {quantity(service, "s")} while the chain keeps up.
    | The slowest stage sets the limit: {quantity(1 / slowest, "req/s")}.
    ! Every request passes it, and it does no more than that.
    | At {quantity(rate, "req/s")} it is {100 * rate * slowest:.0f} % busy, so the chain keeps up.
    ! Below 100 % everywhere: no queue grows without end.
    > At each stage a request waits, and then it is served.
    > A stage with random arrivals and exponential services: S / (1 - ρ); what leaves it is again
      random.
    > {" + ".join(f"{quantity(time, 's')} / (1 - {rate * time:.3g})" for time in times)}.
    {piece(rows)}
    * latency {answer} s: Together {quantity(answer, "s")}; {quantity(answer - service, "s")} of it
      is waiting.
    ~ More than the lone request's {quantity(service, "s")}: nobody skips the queues.

    The output of an M/M/1 queue in steady state is Poisson again (Burke 1956), so stages in a row
    add up as if each stood alone (Jackson 1957). The throughput of a chain is set by its slowest
    stage; its latency has a wait at every stage.
    """)


@template("B18 K02", level=1, decision="model", form="flaw")
def clocked_stages(draw: Draw) -> Drill:
    """A clocked pipeline costs its slowest stage at every step."""
    count = draw.one_of((3, 4, 5))
    times = [draw.whole(4, 60) for _ in range(count)]
    slowest, total = max(times), sum(times)
    latency = count * slowest
    draw.require(latency > 1.25 * total and sorted(times)[-2] < 0.9 * slowest)
    draw.require(times[-1] < 0.9 * slowest)
    listed = ", ".join(f"{time} ms" for time in times)
    return draw.drill(f"""
    A model is cut into {count} stages on {count} GPUs: {listed}. All stages hand over at the same
    tick: a micro-batch moves on when every stage is done. The line is kept full. The proposal has
    the lines below.
    ? How long does one micro-batch take, from entering the first stage until the last one hands it
      over?
    = {latency / 1000} s tolerance=0.01
    - sum-of-stages {total / 1000}: That is the work alone. How long does a micro-batch stand in a
      stage that is quick?
    - last-stage-unclocked {((count - 1) * slowest + times[-1]) / 1000}: You let the last stage hand
      over as soon as it is done. What does a stage wait for here?
    - one-tick {slowest / 1000}: That is the time between two that come out. How many ticks is one
      inside?
    | A tick takes {slowest} ms, the slowest stage's time.
    ! All wait for each other at the tick, so the slowest sets it.
    | A micro-batch comes out every {slowest} ms.
    ! One leaves at every tick: the throughput is that of the slowest stage.
    | From end to end it takes {total} ms, the sum of the stages.
    | Cutting the {slowest} ms stage in two would raise the throughput.
    ! It would: the tick gets shorter, as far as the next slowest stage allows.
    > Follow one micro-batch, tick by tick.
    > Latency = stages × tick.
    > {count} stages, and the longest takes {slowest} ms.
    * tick {slowest / 1000} s: Tick: {slowest} ms
    * latency {latency / 1000} s: {count} × {slowest} ms = {latency} ms; {latency - total} ms of it
      are waiting for the tick.
    ~ At least {total} ms, which is the work; and a multiple of the tick.

    Σtᵢ is the latency of an empty, unclocked line. A common clock makes it k·max tᵢ: balance the
    stages before you add any. (Queues between the stages instead of a clock trade these bubbles for
    waits that depend on load.)
    """)
