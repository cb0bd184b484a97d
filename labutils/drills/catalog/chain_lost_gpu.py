"""One GPU of a group dies: what goes with it, what must be read again, how often, how many spares.

The rates are of the size that Meta reports for training Llama 3 405B (2024; read at
datacenterdynamics.com): 256 interruptions by GPUs and their memory in 54 days on 16,384 H100, one
per GPU in 83,000 hours.
"""

from math import comb

from labutils.drills.catalog._serving import percent
from labutils.drills.definition.writing import Draw, Drill, quantity, template
from labutils.laws.capacity import utilization_after_loss

GPUS = 8  # in a group, and in a host
YEAR = 8760  # hours
SHORT = 0.001  # of the time, too few groups may work


@template("K01 K06 O04 N04", level=4, decision="limit", form="chain", minutes=8, rough=False)
def chain_lost_gpu(draw: Draw) -> Drill:
    """One GPU of eight dies: the group, its streams, failures a year, spares."""
    groups, busy = draw.one_of((5, 6, 7, 9)), draw.share(0.6, 0.8)
    after = utilization_after_loss(busy, groups)
    draw.require(after < 0.97)
    both = groups == 7  # an eighth more, for two causes
    cause = "Seven GPUs of a group do not go on without the eighth. Or: " if both else ""
    name = draw.one_of(("DeepSeek-V3 in fp8", "Llama-3.1-405B in fp8", "Qwen3-235B-A22B in bf16"))
    return draw.drill(f"""
    {name} runs in {groups} groups. A group is a host of {GPUS} H200, and every layer is cut over
    all {GPUS}. At the peak each group is {percent(busy)} busy. At that moment one GPU reports
    uncorrectable memory errors and is gone. The balancer notices at once, and nobody is refused.
    ? How busy are the groups that still serve?
    = {after} tolerance=0.007 scale=off telling=3
    - one-gpu-of-all {busy * GPUS * groups / (GPUS * groups - 1)}: You lose one GPU of all. What can
      the other seven of its group do?
    - as-before {busy}: That is with all groups. Who does the lost one's work?
    - one-of-eight {None if both else busy * 8 / 7}: You divide the work of a group among seven of
      its GPUs. What can those do without the eighth, and who else serves?
    - a-share-more {busy * (1 + 1 / groups)}: {cause}You add the lost share as a part of all. Among
      how many is it divided?
    ? Which part of its work does the struck group go on with?
    + None: each layer needs all eight, and seven healthy GPUs stand idle
    x Seven eighths: the work is divided among seven
    ! Each GPU holds a part of every layer's weights. Who has the part of the eighth?
    x All of it, with slightly worse answers
    ! An eighth of every layer is missing. Can the sum over eight parts be had from seven?
    x Half of it: four of them form a smaller group
    ! Do the weights fit into four, and who has loaded them there? What happens in the first
      minutes?
    > The same work, one group less.
    > Busy after = busy × groups ÷ (groups − 1).
    > {busy:g} × {groups} ÷ {groups - 1}.
    . The whole group is lost: {groups - 1} of {groups} serve
    * busy {after}: {busy:g} × {groups} ÷ {groups - 1} = {after:.4g}
    ~ More than {percent(busy)}: nobody works less than before.

    The unit of failure is the group. A model cut over eight GPUs multiplies the damage of each by
    eight: a reason to cut no finer than memory and latency demand.
    """).then(_read_again(draw, groups=groups, before=busy, after=after))


def _read_again(draw: Draw, *, groups: int, before: float, after: float) -> Drill:
    streams, context = 10 * draw.whole(6, 40), 500 * draw.whole(4, 40)
    speed = 1000 * draw.whole(15, 60)
    spare = (1 - after) * speed
    answer = streams * context / ((groups - 1) * spare)
    draw.require(5 < answer < 240)
    free_as_before = streams * context / ((groups - 1) * (1 - before) * speed)
    return draw.drill(f"""
    The group held {streams} streams of {context:,} tokens on average, prompts and what was written
    so far. Their caches went with it. The gateway sends each stream with all its tokens to the
    {groups - 1} others, evenly. An idle group reads {speed:,} tok/s of prompts; these read them in
    the share of their time that is left over.
    ? How long does it take until the last stream goes on?
    = {answer} s tolerance=0.03 telling=3
    - groups-idle {streams * context / ((groups - 1) * speed)}: You have the groups read all the
      time. What else are they doing?
    - free-as-before {free_as_before}: You take the share that was free before. How busy are those
      groups now?
    - one-group {streams * context / spare}: You give all streams to one group. How many share them?
    - the-lost-one-reads {streams * context / (groups * spare)}: You count the lost group among
      those that read. How many are left?
    - busy-share {streams * context / ((groups - 1) * after * speed)}: You read in the share of the
      time that is busy. Which one is free?
    ? What was lost that takes time to rebuild?
    + Their caches: all prompt and written tokens are read again before a stream goes on
    x The users' connections: each client must connect anew
    ! A connection takes milliseconds, and the gateway holds it. What did the group hold?
    x The weights: the other groups load them first
    ! The others serve the same model. What do they lack of these streams?
    > How many tokens are to be read, and how many a second can the others read besides?
    > streams × tokens ÷ ((groups − 1) × (1 − busy) × speed).
    > {streams} × {context:,} ÷ ({groups - 1} × {1 - after:.4g} × {speed:,}).
    * tokens {streams * context} tok: To read: {streams} × {context:,} =
      {quantity(streams * context, "tok")}
    * left {(groups - 1) * spare} tok/s: Left over: {groups - 1} × {1 - after:.4g} × {speed:,} =
      {quantity((groups - 1) * spare, "tok/s")}
    * time {answer} s: The quotient: {quantity(answer, "s")}
    ~ Longer than {quantity(streams * context / ((groups - 1) * speed), "s")}.

    A lost group is a burst of prompts. Headroom sized for decoding may be too little for it: let
    the streams in gradually, the shortest first.
    """).then(_failures(draw, groups=groups))


def _failures(draw: Draw, *, groups: int) -> Drill:
    life = 10_000 * draw.whole(4, 9, 1)
    answer = groups * GPUS * YEAR / life
    return draw.drill(f"""
    Your records say that a GPU runs {life:,} hours on average before it fails.
    ? How often a year (8,760 hours) does the fleet lose a group to its GPUs?
    = {answer} tolerance=0.03 scale=off telling=3
    - groups-for-gpus {answer / GPUS}: You count groups as if each were one GPU. How many can fail
      in each?
    - one-group {answer / groups}: That is one group. How many are there?
    - a-month {answer / 12}: That is the number in a month. For which time was it asked?
    - upside-down {1 / answer}: That is years per failure. What was asked for?
    > How many GPU hours does the fleet run in a year?
    > groups × 8 × 8,760 ÷ hours per failure.
    > {groups} × {GPUS} × {YEAR:,} ÷ {life:,}.
    * hours {groups * GPUS * YEAR}: {groups} × {GPUS} × {YEAR:,} = {groups * GPUS * YEAR:,} GPU
      hours
    * failures {answer}: ÷ {life:,} = {answer:.4g} a year
    ~ Eight times as often as {groups} single GPUs fail.

    MTBF divides by the number of parts that must all work. A part that lasts for years makes a
    fleet that loses a group several times a year.
    """).then(_spares(draw, groups=groups, life=life))


def _spares(draw: Draw, *, groups: int, life: int) -> Drill:
    days = draw.one_of((2, 3, 5, 7, 10))
    repair = 24 * days
    down = repair / (repair + life / GPUS)
    answer = _enough(groups, down)
    gone = groups * GPUS * repair / life
    draw.require(answer >= 2 and answer == _enough(groups, GPUS * repair / life))
    draw.require(not 0.8 < _short(groups, answer, down) / SHORT < 1.25)
    draw.require(not 0.8 < _short(groups, answer - 1, down) / SHORT < 1.25)
    step = ", ".join(
        f"{s} spare{'s' * (s != 1)}: {percent(_short(groups, s, down))}" for s in range(answer + 1)
    )
    return draw.drill(f"""
    A struck host is away for {days} days on average, from the alarm to the test of the new GPU. The
    peak needs all {groups} groups. Hosts fail independently of each other, spare groups run like
    the others, and fewer than that may work for a thousandth of the time at most.
    ? How many spare groups do you need at least?
    = {answer} tolerance=0 scale=off telling=0
    - one-for-safety {1 if answer > 2 else answer - 1}: For what part of the time is one more away
      than you have spares? Work it out.
    - gpus-for-groups {GPUS * answer}: Is that the number of GPUs? Groups are asked for.
    - one-spare-too-many {answer + 1}: Enough, but not the least: is the limit kept with one fewer
      as well?
    - the-average {gone}: So many are away on average. How often are there more?
    > For what part of the time is a group away? How often are several away at once?
    > u = repair ÷ (repair + hours ÷ 8); the least s with P(more than s of n + s away) ≤ 0.001,
      binomial or Poisson.
    > u = {repair} ÷ ({repair} + {life:,} ÷ {GPUS}); on average {groups + 1} × u are away with one
      spare, and so on.
    * away {down}: A group runs {life:,} ÷ {GPUS} = {life / GPUS:,.0f} hours between failures: away
      for {repair} ÷ {repair + life / GPUS:,.0f} = {percent(down)} of the time
    . Too few work, with {step} of the time
    * spares {answer}: The first below 0.1 %: {answer}
    ~ On average {gone:.2g} groups are away; the promise is about the rare moments.

    Spares come from the rate of failure × the time of repair (Little's law), and from the tail of
    that number. A shorter repair buys the same as spare hosts; so do smaller groups.
    """)


def _short(groups: int, spares: int, down: float) -> float:
    """Share of the time in which more than ``spares`` of all groups are away."""
    n = groups + spares
    few = (comb(n, k) * down**k * (1 - down) ** (n - k) for k in range(spares + 1))
    return 1 - sum(few)


def _enough(groups: int, down: float) -> int:
    return next(s for s in range(groups) if _short(groups, s, down) <= SHORT)
