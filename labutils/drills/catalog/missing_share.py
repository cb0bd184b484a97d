"""One number is missing: a share of the time, a share of the hours."""

from labutils.drills.catalog._rented import RENTED
from labutils.drills.definition.draw import Draw
from labutils.drills.definition.drill import Drill, Mistake, Step
from labutils.drills.definition.template import Decision, Form, template
from labutils.llm import cost_per_million_tokens
from labutils.scaling import amdahl_ceiling, amdahl_speedup
from labutils.units import format_quantity as say

_ASK = "You may ask for one number, and one only. Which question do you ask?"
_STAGES = (
    ("the reranker", "a distilled one", "documents"),
    ("the embedding of the question", "a smaller encoder", "dimensions"),
    ("the safety filter", "a much smaller one", "categories"),
    ("speech recognition", "a faster decoder", "languages"),
)


@template(
    "missing_part",
    "Ask for the missing number: what a faster stage is worth",
    level=1,
    decision=Decision.model,
    topics=("B05", "O08", "C02"),
    form=Form.missing,
)
def missing_part(draw: Draw) -> Drill:
    (stage, means, things), total = draw.one_of(_STAGES), draw.number(0.8, 6)
    factor, rate = draw.one_of((2, 2.5, 3, 4, 5, 8)), draw.number(3, 60)
    return Drill(
        story=(
            f"Planning. Requests go through one stage after the other, hardly ever queue, and take "
            f"{say(total, 's')}; {say(rate, 'req/s')} come. A team offers to replace {stage} with "
            f"{means}: that stage becomes {factor:g} times as fast. “How long will a request take?”"
        ),
        question=_ASK,
        options=draw.options(
            f"How many seconds of a request go into {stage} today?",
            {
                f"How many {things} does {stage} handle?": (
                    "That describes the stage. What of it does a request feel?"
                ),
                "How many requests a second could come at most?": (
                    "That matters for waiting. What sets the time of a single request?"
                ),
                "How many stages does a request go through in all?": (
                    "Two stages can share the time half and half, or one to a hundred. Is it their "
                    "number that counts?"
                ),
                "How many weights has the model of the new stage?": (
                    "What it does to that stage's time is given. What does the stage do to the "
                    "whole?"
                ),
            },
        ),
        hints=(
            "What changes in the sum of the stages, and what stays?",
            "New time = total − part + part ÷ factor.",
            f"{say(total, 's')} − ? + ? ÷ {factor:g}.",
        ),
        steps=(
            Step(f"Total {say(total, 's')} and factor {factor:g} are known."),
            Step("The part is not: the new time may be anything from the total to a fraction."),
        ),
        sanity=(
            f"Without the part all you can say is: between {say(total / factor, 's')} and "
            f"{say(total, 's')}."
        ),
        moral="Amdahl's law: the speed-up of a part says nothing until you know its share of the "
        "time.",
        follow_up=_new_time(draw, total=total, factor=factor),
    )


def _new_time(draw: Draw, *, total: float, factor: float) -> Drill:
    part = float(f"{total * draw.share(0.1, 0.75):.2g}")
    gained = amdahl_speedup(part / total, factor)
    new = total / gained
    return Drill(
        story=f"“{say(part, 's')}, says the trace.”",
        question="How long does a request take with the new stage?",
        answer=new,
        unit="s",
        tolerance=0.01,
        mistakes=(
            Mistake(
                "all-faster",
                total / factor,
                "You speed up the whole request. What about the other stages?",
            ),
            Mistake(
                "stage-gone",
                total / amdahl_ceiling(part / total),
                "You take the stage away. What does it still need?",
            ),
            Mistake(
                "gain-for-rest",
                total - part / factor,
                "You subtract what the stage still takes. What does the request save?",
            ),
        ),
        hints=(
            "Only the stage changes.",
            "Total − part + part ÷ factor.",
            f"{say(total, 's')} − {say(part, 's')} + {say(part, 's')} ÷ {factor:g}.",
        ),
        steps=(
            Step(
                f"The stage: {say(part, 's')} ÷ {factor:g} = {say(part / factor, 's')}",
                name="stage",
                value=part / factor,
                unit="s",
            ),
            Step(
                f"{say(total - part, 's')} + {say(part / factor, 's')} = {say(new, 's')}",
                name="new",
                value=new,
                unit="s",
            ),
        ),
        sanity=f"No less than the other stages' {say(total - part, 's')}.",
        moral=(
            f"The whole is {say(gained, '1')} times as fast, its stage {factor:g} times. "
            "Ask for the trace before you ask for the faster model."
        ),
    )


@template(
    "missing_busy_share",
    "Ask for the missing number: the price of a token",
    level=1,
    decision=Decision.model,
    topics=("B24", "N01", "N04"),
    form=Form.missing,
)
def missing_busy_share(draw: Draw) -> Drill:
    what, devices, prices, rates = draw.one_of(RENTED)
    price, rate, gap = draw.number(*prices), draw.number(*rates), draw.one_of((18, 22, 28, 35))
    return Drill(
        story=(
            f"“What do a million output tokens cost us?” You run {what}, {devices} GPUs rented "
            f"by the month at {say(price, '$/h')} each. Under full load the installation makes "
            f"{say(rate, 'tok/s')}, prompts included in that measurement, at {gap} ms per token "
            "and stream."
        ),
        question=_ASK,
        options=draw.options(
            "For which share of the month do the machines have work?",
            {
                "How many streams run side by side under full load?": (
                    "Full load is measured as tokens a second. Which hours does the bill cover?"
                ),
                "How many weights does the model have?": (
                    "The model is in the measured rate. What is on the bill besides busy hours?"
                ),
                "How many users does the product have?": (
                    "Users may be idle or eager. What do the machines see of them?"
                ),
                "How many tokens does a prompt have on average?": (
                    "Prompts are in the measured rate. Are all hours of the month like the "
                    "measured one?"
                ),
            },
        ),
        hints=(
            "Money of a month over tokens of a month.",
            "Devices × price ÷ (3600 × rate × share of hours with work).",
            "Devices, price and rate are in the story.",
        ),
        steps=(
            Step(f"The bill: {devices} × {say(price, '$/h')}, every hour: known."),
            Step(
                f"The tokens: {say(rate, 'tok/s')} while there is work; for which part of the "
                "month is not said."
            ),
        ),
        sanity=(
            "A floor is known: "
            f"{say(cost_per_million_tokens(price, rate, num_devices=devices), '$/Mtok')} "
            "if they never idle."
        ),
        moral=(
            "Rented hours are paid, busy hours earn. With the same installation, one that works a "
            "fifth of the time pays three times as much per token as one that works three fifths."
        ),
        follow_up=_cost(draw, devices=devices, price=price, rate=rate),
    )


def _cost(draw: Draw, *, devices: int, price: float, rate: float) -> Drill:
    hours, load = draw.one_of((8, 10, 12, 14)), draw.one_of((0.5, 0.6, 0.7, 0.8))
    busy = hours / 24 * load
    cost = cost_per_million_tokens(price, rate, num_devices=devices, utilization=busy)
    draw.require(cost > 0.3)
    return Drill(
        story=(
            f"“For {hours} hours a day they run at {100 * load:.0f} % of full load, weekends too. "
            "The rest of the day there is nothing to do.”"
        ),
        question="What is the price of output tokens, in dollars per million?",
        answer=cost,
        unit="$/Mtok",
        tolerance=0.02,
        mistakes=(
            Mistake(
                "never-idle",
                cost * busy,
                "You let them run at full load all month. What do they do at night?",
            ),
            Mistake(
                "nights-for-free",
                cost * hours / 24,
                "You pay for the day alone. What does the contract say about the night?",
            ),
            Mistake(
                "full-by-day",
                cost * load,
                "You let them run at full load by day. Which part of it do they reach?",
            ),
            Mistake("one-gpu", cost / devices, "You pay for one GPU. How many are there?"),
        ),
        hints=(
            "First the share over day and night.",
            "Devices × price ÷ (3600 × rate × hours ÷ 24 × load), times a million.",
            f"{devices} × {say(price, '$/h')} ÷ (3600 × {say(rate, 'tok/s')} × {hours}/24 × "
            f"{load:g}) × 10⁶.",
        ),
        steps=(
            Step(f"Share: {hours}/24 × {load:g} = {say(busy, '1')}", name="busy", value=busy),
            Step(
                f"An hour brings {say(3600 * rate * busy, 'tok')} on average",
                name="tokens",
                value=3600 * rate * busy,
                unit="tok",
            ),
            Step(
                f"{say(devices * price, '$')} over that: {say(cost, '$/Mtok')}",
                name="cost",
                value=cost,
                unit="$/Mtok",
            ),
        ),
        sanity=f"At least {24 / hours:.3g} times the price of machines that never idle.",
        moral=(
            "Batch work for the night at any price above its marginal cost lowers this figure; a "
            "faster engine alone does not."
        ),
    )
