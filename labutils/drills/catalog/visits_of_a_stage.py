"""A pipeline whose stages are visited more than once: what binds, and a cache that moves it."""

from dataclasses import replace

from labutils.drills.catalog._serving import percent
from labutils.drills.definition.writing import Draw, Drill, choice, piece, quantity, template
from labutils.laws.capacity.fleet import rounded_up
from labutils.laws.queueing import Stage, bottleneck, largest_rate

_HAS = {
    "planning": "model slots",
    "searching": "search threads",
    "reranking": "GPU slots",
    "answering": "decode slots",
}


@template("B18 P01 B07 Q05", level=2, decision="limit", form="chain", minutes=6)
def visits_of_a_stage(draw: Draw) -> Drill:
    """What binds a pipeline with repeated visits, and what a cache before a stage changes."""
    stages = _four_stages(draw)
    hits = draw.one_of((0.5, 0.6, 0.7, 0.75))
    cached = [_with_cache(stage, hits) for stage in stages]
    once = [replace(stage, visits=1) for stage in stages]
    draw.require(bottleneck(stages).name == "searching" and _apart(stages))
    draw.require(bottleneck(cached).name == "reranking" and _apart(cached))
    draw.require(bottleneck(once).name != "searching")
    rows = "; ".join(
        f"{s.name}: {s.visits:g} visit{'s' * (s.visits > 1)} of {quantity(s.mean_s, 's')}, "
        f"{s.servers} {_HAS[s.name]}"
        for s in stages
    )
    calls = 1 / bottleneck(stages).busy_s * bottleneck(stages).visits
    alone = 1 / sum(stage.demand_s for stage in stages)
    beginning = piece(f"""
    An agent answers questions. What one question needs on average, and what there is for it:
    {rows}. A visit takes one of them for that time.
    ? How many questions a second can the service answer at most?
    - visited-once {_apart_from(largest_rate(once), stages)}: You let every question come to a stage
      once. How often does it come?
    - calls-of-the-stage {_apart_from(calls, stages)}: That is how many visits a second the stage
      completes. How many does a question need?
    - one-after-the-other {_apart_from(alone, stages)}: That is one question at a time. How many can
      be inside?
    """)
    moral = (
        "The bottleneck is the largest visits × time ÷ servers, and not the slowest visit (Denning "
        "and Buzen 1978). In an agent the visits are the model's choice: a prompt that searches "
        "once more moves the limit."
    )
    further = _cached(draw, stages=stages, cached=cached, hits=hits)
    return _link(draw, stages, beginning, moral).then(further)


def _four_stages(draw: Draw) -> list[Stage]:
    """Four stages: searching binds, by its visits; reranking is next; the others have room."""
    least = draw.number(6, 30)
    visits = (1, draw.one_of((2.2, 2.4, 2.6, 2.8, 3.2, 3.5)), draw.one_of((1.2, 1.3, 1.4, 1.6)), 1)
    rates = (
        least * draw.number(2, 3),
        least,
        least * draw.number(1.2, 1.6),
        least * draw.number(1.9, 2.6),
    )
    spans = ((0.4, 1.2), (0.12, 0.5), (0.08, 0.3), (2, 6))
    stages = []
    for name, need, rate, span in zip(_HAS, visits, rates, spans):
        one = draw.number(*span)
        stages.append(Stage(name, one, max(2, round(rate * need * one)), visits=need))
    return stages


def _with_cache(stage: Stage, hits: float) -> Stage:
    """Searches that hit need no thread."""
    return replace(stage, visits=stage.visits * (1 - hits)) if stage.name == "searching" else stage


def _cached(draw: Draw, *, stages: list[Stage], cached: list[Stage], hits: float) -> Drill:
    first, now = bottleneck(stages), bottleneck(cached)
    wanted = float(f"{largest_rate(cached) * draw.number(1.15, 1.7):.2g}")
    only_the_search = 1 / (first.busy_s * (1 - hits))
    beginning = piece(f"""
    A cache before the search answers {percent(hits)} of its visits, which then take no search
    thread. Questions search as often as before.
    ? How many questions a second can the service answer now?
    - only-the-search {_apart_from(only_the_search, cached)}: You look at the search alone. Which
      stage lets the fewest questions through now?
    - unchanged {_apart_from(1 / first.busy_s, cached)}: That is the old limit. How many visits
      still take a search thread?
    - visits-of-the-next-forgotten {_apart_from(now.servers / now.mean_s, cached)}: You let each
      question come to {now.name} once. How often does it come?
    """)
    moral = (
        "A cache before a stage cuts its visits, and the service gains up to the next bottleneck "
        "and no further. On the day the cache is empty the old limit is back."
    )
    further = _servers(draw, now=now, wanted=wanted)
    return _link(draw, cached, beginning, moral).then(further)


def _servers(draw: Draw, *, now: Stage, wanted: float) -> Drill:
    busy = draw.one_of((0.7, 0.75, 0.8))
    need = rounded_up(wanted * now.demand_s / busy)
    draw.require(need >= now.servers + 2 and need >= 8)
    asked = draw.drill(f"""
    Traffic is to grow to {quantity(wanted, "req/s")} (questions), with the cache. No stage may be
    busier than {percent(busy)}.
    ? How many {_HAS[now.name]} does {now.name} take in all?
    = {need} tolerance=0 absolute=1 unsafe=below
    - rounded-down {need - 1}: With {need - 1} they would be
      {100 * wanted * now.demand_s / (need - 1):.3g} % busy. How busy may they be?
    - no-headroom {rounded_up(wanted * now.demand_s)}: You let them work all the time. How busy may
      they be?
    - visited-once {rounded_up(wanted * now.mean_s / busy)}: You let each question come to
      {now.name} once. How often does it come?
    - beside-the-old {need - now.servers}: Those are the ones to add. How many are there in all?
    > For how long does one question take a slot of this stage, all its visits together?
    > ⌈rate × visits × time ÷ share⌉.
    > {quantity(wanted, "req/s")} × {now.visits:g} × {quantity(now.mean_s, "s")} ÷ {busy:g}.
    * at_work {wanted * now.demand_s}: At work on average: {quantity(wanted, "req/s")} ×
      {quantity(now.demand_s, "s")} = {quantity(wanted * now.demand_s, "1")}
    * slots {need}: ÷ {busy:g}, rounded up: {need}
    ~ More than today's {now.servers}: that rate is beyond today's limit.

    Servers = rate × visits × time ÷ utilization. Do it for every stage, once with the cache and
    once without: the second column is what a flush costs.
    """)
    values = [mistake.value for mistake in asked.mistakes]
    draw.require(len(set(values)) == len(values) and need not in values)
    return asked


def _link(draw: Draw, stages: list[Stage], beginning: str, moral: str) -> Drill:
    """``beginning`` is the piece with the story, the question and its mistakes."""
    least, rate = bottleneck(stages), largest_rate(stages)
    loads = "; ".join(
        f"{s.name} {s.servers} ÷ ({s.visits:.3g} × {quantity(s.mean_s, 's')}) = "
        f"{quantity(1 / s.busy_s, 'req/s')}"
        for s in stages
    )
    wrong = {
        s.name.capitalize(): f"How many questions a second does {s.name} let through: servers over "
        "visits times time? Is there a stage that lets fewer through?"
        for s in stages
        if s is not least
    }
    _, second, *_ = sorted(1 / s.busy_s for s in stages)
    asked = draw.drill(f"""
    {beginning}
    - second-narrowest {second}: One stage lets fewer through than that. Which?
    = {rate} req/s
    ? Which stage sets it?
    {choice(least.name.capitalize(), wrong)}
    > Each stage lets so many questions through; a question may come more than once.
    > Servers ÷ (visits × time of a visit); the least of them is the service's.
    > {least.name.capitalize()}: {least.servers} ÷ ({least.visits:.3g} ×
      {quantity(least.mean_s, "s")}).
    . {loads}
    * rate {rate} req/s: The least: {quantity(rate, "req/s")}, {least.name}
    ~ No more than any one of the stages lets through.

    {moral}
    """)
    *others, last = asked.mistakes
    near = any(abs(other.value / last.value - 1) < 0.045 for other in others)
    return asked.also(mistakes=tuple(others)) if near else asked


def _apart_from(value: float, stages: list[Stage]) -> float | None:
    """That value, None where it is nearly the rate of the stages."""
    return value if abs(value / largest_rate(stages) - 1) > 0.045 else None


def _apart(stages: list[Stage]) -> bool:
    """Whether one stage is the narrowest by a clear margin."""
    busy = sorted((stage.busy_s for stage in stages), reverse=True)
    return busy[0] > 1.08 * busy[1]
