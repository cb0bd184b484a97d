"""Two classes on the same GPUs: what a million tokens of each costs, and who pays for idle time."""

from labutils.drills.catalog._serving import percent
from labutils.drills.definition.writing import Draw, Drill, quantity, template
from labutils.llm import cost_per_million_tokens


@template("N01 N02 M08 N04", level=3, decision="commit", minutes=4)
def price_by_class(draw: Draw) -> Drill:
    """Cost per million by class: jobs in the idle hours, and the bill of the house."""
    cards, price = draw.one_of((8, 16, 24, 32, 48, 64)), draw.number(2, 4.5)
    chat, job = draw.whole(600, 1600), draw.whole(2500, 6000)
    first, second = draw.share(0.3, 0.5), draw.share(0.15, 0.4)
    worked = first + second
    answer = cost_per_million_tokens(price, job, utilization=worked)
    draw.require(answer > 0.12)
    return draw.drill(f"""
    {cards} H100, {quantity(price, "$/h")} each, are paid day and night. The chat works
    {percent(first)} of the GPU hours; to keep its promise on time per token, a GPU runs small
    batches for it and makes {quantity(chat, "tok/s")}. Overnight jobs work {percent(second)} of the
    GPU hours in large batches, {quantity(job, "tok/s")} a GPU. In the rest nothing runs. Finance
    splits the whole bill by GPU hours worked.
    ? What is the price of the jobs' tokens, in dollars per million?
    = {answer} $/Mtok tolerance=0.02 telling=3
    - idle-hours-free {answer * worked}: You charge the hours worked. Who pays for those in which
      nothing runs?
    - all-idle-on-jobs {answer * worked / second}: You charge the jobs with the whole bill. What
      does the chat carry?
    - by-tokens {price / 3600 / (first * chat + second * job) * 1e6}: You split the bill by tokens.
      By what does finance split it?
    - rate-of-the-chat {answer * job / chat}: That is the price of a chat's tokens. How many does a
      job make in an hour?
    - chat-pays-idle {answer * worked / (1 - first)}: You leave all hours that the chat does not use
      to the jobs. How many do they work?
    > What does a worked hour cost when it pays its part of the idle ones?
    > price ÷ share of hours worked ÷ (3600 × tokens a second), times a million.
    > {price:g} ÷ ({first:g} + {second:g}) ÷ (3600 × {job:,}) × 10⁶.
    * worked {worked}: Worked: {percent(worked)} of the hours
    * hour {price / worked} $: An hour worked costs {quantity(price, "$")} ÷ {worked:.2g} =
      {quantity(price / worked, "$")}
    * price {answer} $/Mtok: ÷ (3600 × {job:,} tok) × 10⁶ = {quantity(answer, "$/Mtok")}
    ~ More than {quantity(answer * worked, "$/Mtok")}, which leaves idle hours unpaid.

    A token's price depends on its class twice: by the batch that its promise allows, and by how
    idle hours are shared out. Say which split you use.
    """).then(_elsewhere(draw, cards=cards, price=price, job=job, second=second, cost=answer))


def _elsewhere(draw: Draw, *, cards, price, job, second, cost) -> Drill:
    spot, lost = draw.number(1, 2.4), draw.one_of((0.12, 0.15, 0.2))
    theirs = cost_per_million_tokens(spot, job, utilization=1 - lost)
    draw.require(theirs < 0.85 * cost and spot < 0.85 * price)
    hours = 24 * cards * second
    extra = hours / (1 - lost) * spot
    difference_of_splits = hours * (cost * job * 3600 / 1e6 - spot / (1 - lost))
    return draw.drill(f"""
    A provider offers H100 at {quantity(spot, "$/h")}, which it may reclaim at any time;
    {percent(lost)} of the hired hours are lost by that. The jobs would make as many tokens a second
    there, for {quantity(theirs, "$/Mtok")}. Finance is delighted and wants to move all jobs. The
    {cards} GPUs must stay for the chat's peak.
    ? By how many dollars a day?
    = {extra} $ tolerance=0.01 telling=3
    - nothing-lost {hours * spot}: You hire the hours of today. What is lost when cards are
      reclaimed?
    - difference-of-splits {difference_of_splits}: You multiply the difference of two prices per
      million. One of them is a split of a bill: does that bill fall?
    - lost-the-wrong-way {hours * (1 - lost) * spot}: You pay for fewer hours than the jobs need.
      What do lost hours do to those hired?
    - lost-added {hours * (1 + lost) * spot}: Of the hired hours that share is lost. Of which hours
      did you take it?
    - difference-of-prices {hours * (price - spot / (1 - lost))}: You save the price of your own
      hours. Does the bill of your GPUs fall?
    - lost-hours-alone {hours / (1 - lost) * spot - hours * spot}: That is the work done twice. What
      do the other hired hours cost?
    - all-hours {24 * cards / (1 - lost) * spot}: You hire all hours of the day. How many of them
      are the jobs'?
    ? What does the move do to what the company pays?
    + It pays more: the hours that the jobs leave behind stay paid for
    x It pays less: the tokens of the jobs become cheaper
    ! The price per million is a split of a bill. Which bill gets smaller?
    x It pays the same: the work is the same
    ! The hired hours come with a bill of their own. Which other one goes away?
    > Write down both bills, before and after.
    > 24 × GPUs × share of the jobs ÷ (1 − lost) × price hired.
    > 24 × {cards} × {second:g} ÷ {1 - lost:g} × {spot:g}.
    * hours {hours}: The jobs need 24 × {cards} × {second:g} = {quantity(hours, "1")} GPU hours a
      day
    * hired {hours / (1 - lost)}: Hired: ÷ {1 - lost:g} = {quantity(hours / (1 - lost), "1")}
    * more {extra} $: × {quantity(spot, "$/h")} = {quantity(extra, "$")}; the old bill stays
    ~ At least {quantity(hours * spot, "$")}, what the hired hours cost if none is lost.

    Work in hours that are paid anyway costs nothing more. Compare bills of the house, not prices
    per million: a split can make a loss look like a saving.
    """)
