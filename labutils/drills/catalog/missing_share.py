"""One number is missing: a share of the time, a share of the hours."""

from labutils.drills.catalog._rented import RENTED
from labutils.drills.definition.writing import Draw, Drill, quantity, template
from labutils.laws.scaling import amdahl_ceiling, amdahl_speedup
from labutils.llm import cost_per_million_tokens

_ASK = "You may ask for one number, and one only. Which question do you ask?"
_STAGES = (
    ("the reranker", "a distilled one", "documents"),
    ("the embedding of the question", "a smaller encoder", "dimensions"),
    ("the safety filter", "a much smaller one", "categories"),
    ("speech recognition", "a faster decoder", "languages"),
)


@template("B05 O08 C02", level=1, decision="model", form="missing")
def missing_part(draw: Draw) -> Drill:
    """Ask for the missing number: what a faster stage is worth."""
    (stage, means, things), total = draw.one_of(_STAGES), draw.number(0.8, 6)
    factor, rate = draw.one_of((2, 2.5, 3, 4, 5, 8)), draw.number(3, 60)
    return draw.drill(f"""
    Planning. Requests go through one stage after the other, hardly ever queue, and take
    {quantity(total, "s")}; {quantity(rate, "req/s")} come. A team offers to replace {stage} with
    {means}: that stage becomes {factor:g} times as fast. “How long will a request take?”
    ? {_ASK}
    + How many seconds of a request go into {stage} today?
    x How many {things} does {stage} handle?
    ! That describes the stage. What of it does a request feel?
    x How many requests a second could come at most?
    ! That matters for waiting. What sets the time of a single request?
    x How many stages does a request go through in all?
    ! Two stages can share the time half and half, or one to a hundred. Is it their number that
      counts?
    x How many weights has the model of the new stage?
    ! What it does to that stage's time is given. What does the stage do to the whole?
    > What changes in the sum of the stages, and what stays?
    > New time = total − part + part ÷ factor.
    > {quantity(total, "s")} − ? + ? ÷ {factor:g}.
    . Total {quantity(total, "s")} and factor {factor:g} are known.
    . The part is not: the new time may be anything from the total to a fraction.
    ~ Without the part all you can say is: between {quantity(total / factor, "s")} and
      {quantity(total, "s")}.

    Amdahl's law: the speed-up of a part says nothing until you know its share of the time.
    """).then(_new_time(draw, total=total, factor=factor))


def _new_time(draw: Draw, *, total: float, factor: float) -> Drill:
    part = float(f"{total * draw.share(0.1, 0.75):.2g}")
    gained = amdahl_speedup(part / total, factor)
    new = total / gained
    return draw.drill(f"""
    “{quantity(part, "s")}, says the trace.”
    ? How long does a request take with the new stage?
    = {new} s tolerance=0.01
    - all-faster {total / factor}: You speed up the whole request. What about the other stages?
    - stage-gone {total / amdahl_ceiling(part / total)}: You take the stage away. What does it still
      need?
    - gain-for-rest {total - part / factor}: You subtract what the stage still takes. What does the
      request save?
    > Only the stage changes.
    > Total − part + part ÷ factor.
    > {quantity(total, "s")} − {quantity(part, "s")} + {quantity(part, "s")} ÷ {factor:g}.
    * stage {part / factor} s: The stage: {quantity(part, "s")} ÷ {factor:g} =
      {quantity(part / factor, "s")}
    * new {new} s: {quantity(total - part, "s")} + {quantity(part / factor, "s")} =
      {quantity(new, "s")}
    ~ No less than the other stages' {quantity(total - part, "s")}.

    The whole is {quantity(gained, "1")} times as fast, its stage {factor:g} times. Ask for the
    trace before you ask for the faster model.
    """)


@template("B24 N01 N04", level=1, decision="model", form="missing")
def missing_busy_share(draw: Draw) -> Drill:
    """Ask for the missing number: the price of a token."""
    what, devices, prices, rates = draw.one_of(RENTED)
    price, rate, gap = draw.number(*prices), draw.number(*rates), draw.one_of((18, 22, 28, 35))
    return draw.drill(f"""
    “What do a million output tokens cost us?” You run {what}, {devices} GPUs rented by the month at
    {quantity(price, "$/h")} each. Under full load the installation makes {quantity(rate, "tok/s")},
    prompts included in that measurement, at {gap} ms per token and stream.
    ? {_ASK}
    + For which share of the month do the machines have work?
    x How many streams run side by side under full load?
    ! Full load is measured as tokens a second. Which hours does the bill cover?
    x How many weights does the model have?
    ! The model is in the measured rate. What is on the bill besides busy hours?
    x How many users does the product have?
    ! Users may be idle or eager. What do the machines see of them?
    x How many tokens does a prompt have on average?
    ! Prompts are in the measured rate. Are all hours of the month like the measured one?
    > Money of a month over tokens of a month.
    > Devices × price ÷ (3600 × rate × share of hours with work).
    > Devices, price and rate are in the story.
    . The bill: {devices} × {quantity(price, "$/h")}, every hour: known.
    . The tokens: {quantity(rate, "tok/s")} while there is work; for which part of the month is not
      said.
    ~ A floor is known:
      {quantity(cost_per_million_tokens(price, rate, num_devices=devices), "$/Mtok")} if they never
      idle.

    Rented hours are paid, busy hours earn. With the same installation, one that works a fifth of
    the time pays three times as much per token as one that works three fifths.
    """).then(_cost(draw, devices=devices, price=price, rate=rate))


def _cost(draw: Draw, *, devices: int, price: float, rate: float) -> Drill:
    hours, load = draw.one_of((8, 10, 12, 14)), draw.one_of((0.5, 0.6, 0.7, 0.8))
    busy = hours / 24 * load
    cost = cost_per_million_tokens(price, rate, num_devices=devices, utilization=busy)
    draw.require(cost > 0.3)
    return draw.drill(f"""
    “For {hours} hours a day they run at {100 * load:.0f} % of full load, weekends too. The rest of
    the day there is nothing to do.”
    ? What is the price of output tokens, in dollars per million?
    = {cost} $/Mtok tolerance=0.02
    - never-idle {cost * busy}: You let them run at full load all month. What do they do at night?
    - nights-for-free {cost * hours / 24}: You pay for the day alone. What does the contract say
      about the night?
    - full-by-day {cost * load}: You let them run at full load by day. Which part of it do they
      reach?
    - one-gpu {cost / devices}: You pay for one GPU. How many are there?
    > First the share over day and night.
    > Devices × price ÷ (3600 × rate × hours ÷ 24 × load), times a million.
    > {devices} × {quantity(price, "$/h")} ÷ (3600 × {quantity(rate, "tok/s")} × {hours}/24 ×
      {load:g}) × 10⁶.
    * busy {busy}: Share: {hours}/24 × {load:g} = {quantity(busy, "1")}
    * tokens {3600 * rate * busy} tok: An hour brings {quantity(3600 * rate * busy, "tok")} on
      average
    * cost {cost} $/Mtok: {quantity(devices * price, "$")} over that: {quantity(cost, "$/Mtok")}
    ~ At least {24 / hours:.3g} times the price of machines that never idle.

    Batch work for the night at any price above its marginal cost lowers this figure; a faster
    engine alone does not.
    """)
