"""Two classes on the same GPUs: what a million tokens of each costs, and who pays for idle time."""

from labutils.drills.catalog._serving import percent, telling
from labutils.drills.definition.draw import Draw
from labutils.drills.definition.drill import Drill, Mistake, Step
from labutils.drills.definition.template import Decision, template
from labutils.llm import cost_per_million_tokens
from labutils.units import format_quantity as say


@template(
    "price_by_class",
    "Cost per million by class: jobs in the idle hours, and the bill of the house",
    level=3,
    decision=Decision.commit,
    topics=("N01", "N02", "M08", "N04"),
    minutes=4,
)
def price_by_class(draw: Draw) -> Drill:
    cards, price = draw.one_of((8, 16, 24, 32, 48, 64)), draw.number(2, 4.5)
    chat, job = draw.whole(600, 1600), draw.whole(2500, 6000)
    first, second = draw.share(0.3, 0.5), draw.share(0.15, 0.4)
    worked = first + second
    answer = cost_per_million_tokens(price, job, utilization=worked)
    mistakes = (
        Mistake(
            "idle-hours-free",
            answer * worked,
            "You charge the hours worked. Who pays for those in which nothing runs?",
        ),
        Mistake(
            "all-idle-on-jobs",
            answer * worked / second,
            "You charge the jobs with the whole bill. What does the chat carry?",
        ),
        Mistake(
            "by-tokens",
            price / 3600 / (first * chat + second * job) * 1e6,
            "You split the bill by tokens. By what does finance split it?",
        ),
        Mistake(
            "rate-of-the-chat",
            answer * job / chat,
            "That is the price of a chat's tokens. How many does a job make in an hour?",
        ),
        Mistake(
            "chat-pays-idle",
            answer * worked / (1 - first),
            "You leave all hours that the chat does not use to the jobs. How many do they work?",
        ),
    )
    mistakes = telling(answer, mistakes, tolerance=0.02)
    draw.require(answer > 0.12 and len(mistakes) >= 3)
    return Drill(
        story=(
            f"{cards} H100, {say(price, '$/h')} each, are paid day and night. The chat works "
            f"{percent(first)} of the GPU hours; to keep its promise on time per token, a GPU "
            f"runs small batches for it and makes {say(chat, 'tok/s')}. Overnight jobs work "
            f"{percent(second)} of the GPU hours in large batches, {say(job, 'tok/s')} a GPU. In "
            "the rest nothing runs. Finance splits the whole bill by GPU hours worked."
        ),
        question="What is the price of the jobs' tokens, in dollars per million?",
        answer=answer,
        unit="$/Mtok",
        mistakes=mistakes,
        hints=(
            "What does a worked hour cost when it pays its part of the idle ones?",
            "price ÷ share of hours worked ÷ (3600 × tokens a second), times a million.",
            f"{price:g} ÷ ({first:g} + {second:g}) ÷ (3600 × {job:,}) × 10⁶.",
        ),
        steps=(
            Step(f"Worked: {percent(worked)} of the hours", name="worked", value=worked),
            Step(
                f"An hour worked costs {say(price, '$')} ÷ {worked:.2g} = "
                f"{say(price / worked, '$')}",
                name="hour",
                value=price / worked,
                unit="$",
            ),
            Step(
                f"÷ (3600 × {job:,} tok) × 10⁶ = {say(answer, '$/Mtok')}",
                name="price",
                value=answer,
                unit="$/Mtok",
            ),
        ),
        sanity=f"More than {say(answer * worked, '$/Mtok')}, which leaves idle hours unpaid.",
        moral=(
            "A token's price depends on its class twice: by the batch that its promise allows, "
            "and by how idle hours are shared out. Say which split you use."
        ),
        follow_up=_elsewhere(draw, cards=cards, price=price, job=job, second=second, cost=answer),
    )


def _elsewhere(draw: Draw, *, cards, price, job, second, cost) -> Drill:
    spot, lost = draw.number(1, 2.4), draw.one_of((0.12, 0.15, 0.2))
    theirs = cost_per_million_tokens(spot, job, utilization=1 - lost)
    draw.require(theirs < 0.85 * cost and spot < 0.85 * price)
    hours = 24 * cards * second
    extra = hours / (1 - lost) * spot
    mistakes = (
        Mistake(
            "nothing-lost",
            hours * spot,
            "You hire the hours of today. What is lost when cards are reclaimed?",
        ),
        Mistake(
            "difference-of-splits",
            hours * (cost * job * 3600 / 1e6 - spot / (1 - lost)),
            "You multiply the difference of two prices per million. One of them is a split of a "
            "bill: does that bill fall?",
        ),
        Mistake(
            "lost-the-wrong-way",
            hours * (1 - lost) * spot,
            "You pay for fewer hours than the jobs need. What do lost hours do to those hired?",
        ),
        Mistake(
            "lost-added",
            hours * (1 + lost) * spot,
            "Of the hired hours that share is lost. Of which hours did you take it?",
        ),
        Mistake(
            "difference-of-prices",
            hours * (price - spot / (1 - lost)),
            "You save the price of your own hours. Does the bill of your GPUs fall?",
        ),
        Mistake(
            "lost-hours-alone",
            hours / (1 - lost) * spot - hours * spot,
            "That is the work done twice. What do the other hired hours cost?",
        ),
        Mistake(
            "all-hours",
            24 * cards / (1 - lost) * spot,
            "You hire all hours of the day. How many of them are the jobs'?",
        ),
    )
    mistakes = telling(extra, mistakes, tolerance=0.01)
    draw.require(len(mistakes) >= 3)
    return Drill(
        story=(
            f"A provider offers H100 at {say(spot, '$/h')}, which it may reclaim at any time; "
            f"{percent(lost)} of the hired hours are lost by that. The jobs would make as many "
            f"tokens a second there, for {say(theirs, '$/Mtok')}. Finance is delighted and wants "
            f"to move all jobs. The {cards} GPUs must stay for the chat's peak."
        ),
        question="By how many dollars a day?",
        answer=extra,
        unit="$",
        tolerance=0.01,
        mistakes=mistakes,
        options=draw.options(
            "It pays more: the hours that the jobs leave behind stay paid for",
            {
                "It pays less: the tokens of the jobs become cheaper": (
                    "The price per million is a split of a bill. Which bill gets smaller?"
                ),
                "It pays the same: the work is the same": (
                    "The hired hours come with a bill of their own. Which other one goes away?"
                ),
            },
            question="What does the move do to what the company pays?",
        ),
        hints=(
            "Write down both bills, before and after.",
            "24 × GPUs × share of the jobs ÷ (1 − lost) × price hired.",
            f"24 × {cards} × {second:g} ÷ {1 - lost:g} × {spot:g}.",
        ),
        steps=(
            Step(
                f"The jobs need 24 × {cards} × {second:g} = {say(hours, '1')} GPU hours a day",
                name="hours",
                value=hours,
            ),
            Step(
                f"Hired: ÷ {1 - lost:g} = {say(hours / (1 - lost), '1')}",
                name="hired",
                value=hours / (1 - lost),
            ),
            Step(
                f"× {say(spot, '$/h')} = {say(extra, '$')}; the old bill stays",
                name="more",
                value=extra,
                unit="$",
            ),
        ),
        sanity=f"At least {say(hours * spot, '$')}, what the hired hours cost if none is lost.",
        moral=(
            "Work in hours that are paid anyway costs nothing more. Compare bills of the house, "
            "not prices per million: a split can make a loss look like a saving."
        ),
    )
