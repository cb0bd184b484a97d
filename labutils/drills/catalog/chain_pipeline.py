"""Which stage fills first, and which is next: workers, traffic, longer answers."""

from dataclasses import replace

from labutils.drills.definition.writing import Draw, Drill, choice, piece, quantity, template
from labutils.laws.capacity import Stage, bottleneck
from labutils.laws.capacity.fleet import rounded_up

# (stage, what it has, seconds from … to)
_STAGES = (
    ("tokenising", "CPU workers", (0.02, 0.09)),
    ("retrieval", "threads", (0.08, 0.4)),
    ("reranking", "GPU slots", (0.06, 0.3)),
    ("generation", "decode slots", (1.5, 6)),
)
_WHAT = dict(stage[:2] for stage in _STAGES)


@template("B18 P01 Q05 M04", level=2, decision="limit", form="chain", minutes=7)
def chain_pipeline(draw: Draw) -> Drill:
    """What binds a pipeline, and what binds next."""
    stages = _four_stages(draw)
    first = bottleneck(stages)
    wider = [replace(s, workers=2 * s.workers) if s is first else s for s in stages]
    second = bottleneck(wider)
    draw.require(second.name != first.name and _apart(stages) and _apart(wider))
    draw.require("generation" not in (first.name, second.name))
    mean = sum(s.capacity_per_s for s in stages) / len(stages)
    beginning = piece(f"""
    A question passes four stages, one after the other, and occupies one worker of each for the time
    given: {"; ".join(map(_said, stages))}.
    ? How many questions a second can the service answer at most?
    - mean-of-stages {_apart_from(mean, stages)}: You average over the stages. What happens in front
      of the narrowest one?
    - one-over-the-sum {_apart_from(1 / sum(s.seconds for s in stages), stages)}: That is the rate
      at which one question at a time gets through. Does a stage wait for the others?
    """)
    moral = (
        "Throughput is that of the narrowest stage: workers ÷ seconds. The longest stage need not "
        "be the narrowest, for it may have many workers."
    )
    further = _doubled(draw, before=first, stages=wider)
    return _link(draw, stages, beginning, moral).then(further)


def _four_stages(draw: Draw) -> list[Stage]:
    """Four stages; generation is neither the narrowest nor the next."""
    least = draw.number(12, 40)
    wide = [least, least * draw.number(1.2, 1.7), least * draw.number(2.2, 4)]
    draw.random.shuffle(wide)
    stages = []
    for (name, _, seconds), rate in zip(_STAGES, (*wide, least * draw.number(2, 3))):
        one = draw.number(*seconds)
        stages.append(Stage(name, max(2, round(rate * one)), one))
    return stages


def _doubled(draw: Draw, *, before: Stage, stages: list[Stage]) -> Drill:
    now = bottleneck(stages)
    wanted = float(f"{now.capacity_per_s * draw.number(1.3, 2.2):.2g}")
    beginning = piece(f"""
    {before.name.capitalize()} gets twice the {_WHAT[before.name]}.
    ? How many questions a second can the service answer now?
    - doubled-too {_apart_from(2 * before.capacity_per_s, stages)}: You double the whole. Which
      stage is the narrowest now?
    - unchanged {_apart_from(before.capacity_per_s, stages)}: That is the old limit. What does the
      stage do with twice the workers?
    """)
    moral = "Twice the workers at a stage bring the rate of the next narrowest, and not more."
    further = _target(draw, stages=stages, wanted=wanted)
    return _link(draw, stages, beginning, moral).then(further)


def _target(draw: Draw, *, stages: list[Stage], wanted: float) -> Drill:
    now, load = bottleneck(stages), draw.one_of((0.7, 0.75, 0.8))
    need = rounded_up(wanted * now.seconds / load)
    ready = [replace(s, workers=_enough(s, wanted, load)) for s in stages]
    draw.require(now.workers + 2 <= need <= 200 and need >= 6)
    slower = draw.one_of((2, 2.5, 3))
    long = [replace(s, seconds=s.seconds * slower) if s.name == "generation" else s for s in ready]
    draw.require(bottleneck(long).name == "generation" and _apart(long))
    return draw.drill(f"""
    Traffic is to grow to {quantity(wanted, "req/s")}. No stage may be busier than {100 * load:.0f}
    %.
    ? How many {_WHAT[now.name]} does {now.name} take in all?
    = {need} tolerance=0 absolute=1 unsafe=below
    - rounded-down {need - 1}: {need - 1} would be {100 * wanted * now.seconds / (need - 1):.3g} %
      busy. How busy may they be?
    - no-headroom {rounded_up(wanted * now.seconds)}: You let the stage work all the time. How busy
      may it be?
    - beside-the-old {need - now.workers}: Those are the ones to add. How many are there in all?
    - unchanged {now.workers}: Those are there today. Is the traffic too?
    > How many are at work in this stage at that rate, on average?
    > ⌈rate × seconds ÷ share⌉.
    > {quantity(wanted, "req/s")} × {quantity(now.seconds, "s")} ÷ {load:g}.
    * busy {wanted * now.seconds}: At work on average: {quantity(wanted, "req/s")} ×
      {quantity(now.seconds, "s")} = {quantity(wanted * now.seconds, "1")}
    * workers {need}: ÷ {load:g}, rounded up: {need}
    ~ More than today's {now.workers}: they are all taken before that rate is reached.

    Workers = rate × time ÷ utilization, stage by stage (Little's law for those at work). Every
    stage needs that sum, not the narrowest alone.
    """).then(_longer(draw, stages=long, slower=slower, ready=ready))


def _longer(draw: Draw, *, stages: list[Stage], slower: float, ready: list[Stage]) -> Drill:
    beginning = piece(f"""
    Every stage has been widened to that rule: {", ".join(f"{s.name} {s.workers}" for s in ready)}.
    Then the product asks for longer answers: generation takes {slower:g} times as long.
    ? How many questions a second can the service answer now?
    - as-before {_apart_from(bottleneck(ready).capacity_per_s, stages)}: That holds for the old
      answers. Which stage has changed?
    """)
    moral = (
        "A change of the product moves the bottleneck as surely as a change of the machines. Keep "
        "the table of stages, and redo it when one entry changes."
    )
    return _link(draw, stages, beginning, moral)


def _link(draw: Draw, stages: list[Stage], beginning: str, moral: str) -> Drill:
    """``beginning`` is the piece with the story, the question and its mistakes."""
    least = bottleneck(stages)
    loads = "; ".join(
        f"{s.name} {s.workers} ÷ {quantity(s.seconds, 's')} = {quantity(s.capacity_per_s, 'req/s')}"
        for s in stages
    )
    wrong = {
        _option(s): f"How many questions a second does {s.name} let through: workers over seconds? "
        "Is there a stage that lets fewer through?"
        for s in stages
        if s is not least
    }
    _, second, *_ = sorted(s.capacity_per_s for s in stages)
    asked = draw.drill(f"""
    {beginning}
    - second-narrowest {second}: One stage lets fewer through than that. Which?
    = {least.capacity_per_s} req/s tolerance=0.02
    ? What binds, i.e. sets the limit?
    {choice(_option(least), wrong)}
    > Each stage has a rate of its own.
    > Rate of a stage = workers ÷ seconds; the least of them is the service's.
    > {least.name.capitalize()}: {least.workers} ÷ {quantity(least.seconds, "s")}.
    . {loads}
    * rate {least.capacity_per_s} req/s: The least: {quantity(least.capacity_per_s, "req/s")},
      {least.name}
    ~ No more than any one of the stages lets through.

    {moral}
    """)
    *others, last = asked.mistakes
    near = any(abs(other.value / last.value - 1) < 0.045 for other in others)
    return asked.also(mistakes=tuple(others)) if near else asked


def _apart_from(value: float, stages: list[Stage]) -> float | None:
    """That value, None where it is nearly the rate of the narrowest stage."""
    return value if abs(value / bottleneck(stages).capacity_per_s - 1) > 0.05 else None


def _apart(stages: list[Stage]) -> bool:
    """Whether the narrowest is so by a clear margin."""
    rates = sorted(s.capacity_per_s for s in stages)
    return rates[1] > 1.15 * rates[0] and rates[0] > 3


def _said(stage: Stage) -> str:
    return f"{stage.name}, {stage.workers} {_WHAT[stage.name]}, {quantity(stage.seconds, 's')}"


def _option(stage: Stage) -> str:
    return f"{stage.name.capitalize()}: its {_WHAT[stage.name]} are all taken"


def _enough(stage: Stage, rate: float, load: float) -> int:
    return max(stage.workers, rounded_up(rate * stage.seconds / load))
