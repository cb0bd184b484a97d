"""What a million tokens cost on rented machines, and when machines of one's own are cheaper."""

from labutils.drills.catalog._rented import RENTED
from labutils.drills.definition.writing import Draw, Drill, drill, quantity, template
from labutils.laws.capacity import break_even_per_day
from labutils.llm import cost_per_million_tokens


@template("B24 N01 N02", level=1, decision="estimate", number=9)
def million_tokens(draw: Draw) -> Drill:
    """The price of a million tokens."""
    what, devices, prices, rates = draw.one_of(RENTED)
    price, rate = draw.number(*prices), draw.number(*rates)
    busy = draw.share(0.25, 0.8)
    cost = cost_per_million_tokens(price, rate, num_devices=devices, utilization=busy)
    always = cost_per_million_tokens(price, rate, num_devices=devices)
    draw.require(cost > 0.3)
    day, load = devices * price * 24, f"{100 * busy:.0f} %"
    return draw.drill(f"""
    You serve {what}. A GPU rents at {quantity(price, "$/h")}, day and night. While it has work, the
    installation makes {quantity(rate, "tok/s")} of output in all; over the month it has work for
    {load} of the time. Finance asks for one figure.
    ? What is the price of output tokens, in dollars per million?
    = {cost} $/Mtok
    - always-busy {always}: You count every hour as a busy one. Who pays for the hours without work?
    - one-gpu {cost / devices}: You set the price of one GPU against the tokens of all. Do both
      figures have the same boundary?
    - share-on-top {always * busy}: You multiply by the busy share. Does a token get cheaper when
      the machines idle?
    > Money over tokens, both for the same hour and the same machines.
    > Devices × price per hour ÷ (3600 s × rate while busy × busy share), times a million.
    > {devices} × {quantity(price, "$/h")} ÷ (3600 × {quantity(rate, "tok/s")} × {busy:g}) × 10⁶.
    * bill {devices * price} $/h: All GPUs cost {devices} × {quantity(price, "$/h")} =
      {quantity(devices * price, "$/h")}
    * tokens {3600 * rate * busy} tok: An hour brings 3600 × {quantity(rate, "tok/s")} × {busy:g} =
      {quantity(3600 * rate * busy, "tok")}
    * cost {cost} $/Mtok: {quantity(devices * price, "$/h")} over that, for 10⁶ tokens:
      {quantity(cost, "$/Mtok")}
    ~ Busy all the time it would be {quantity(always, "$/Mtok")}; idling can only add to that.

    Cost per token = rent per hour over tokens per hour, with the same machines on both sides. It
    assumes that you rent by the hour, not by the token. Utilization is the cheapest lever, and the
    first figure that a slide leaves out.
    """).then(_faster(day=day, cost=cost, rate=rate, gain=draw.one_of((1.3, 1.4, 1.5, 1.6))))


def _faster(*, day: float, cost: float, rate: float, gain: float) -> Drill:
    tokens = day / cost * 1e6
    return drill(f"""
    An upgrade of the engine raises the rate while busy from {quantity(rate, "tok/s")} to
    {quantity(rate * gain, "tok/s")}. The same users come and ask for as many tokens as before. No
    GPU is given back.
    ? What is the price of output tokens now, in dollars per million?
    = {cost} $/Mtok
    - cheaper-by-the-gain {cost / gain}: You divide by the gain. Which of the two, the monthly bill
      or the monthly tokens, has changed?
    - dearer-by-the-gain {cost * gain}: You multiply by the gain. The machines idle more, and how
      many tokens leave them?
    > What is on the bill, and how many tokens stand against it?
    > Cost = rent ÷ tokens delivered. A busy share falls when the rate rises.
    > {quantity(day, "$")} a day over {quantity(tokens, "tok")} a day, before and after.
    . The bill stays {quantity(day, "$")} a day, the tokens {quantity(tokens, "tok")} a day.
    * cost {cost} $/Mtok: The busy share falls by the factor {gain:g}, and the cost stays
      {quantity(cost, "$/Mtok")}.
    ~ Neither the bill nor the demand has moved.

    Faster is not cheaper. A faster engine saves money when machines are given back or more tokens
    are sold; until then it buys headroom.
    """)


@template("N01 N04 B24", level=2, decision="commit", number=47, minutes=3)
def break_even(draw: Draw) -> Drill:
    """Self-hosting: break-even in tokens a day."""
    what, devices, prices, rates = draw.one_of(RENTED)
    price, rate = draw.number(*prices), draw.number(*rates)
    bought, made = draw.number(0.4, 6), draw.share(0.05, 0.9)
    draw.require(made < 0.6 * bought)
    fixed = devices * price * 24
    tokens = break_even_per_day(fixed, bought / 1e6, made / 1e6)
    share = tokens / (86_400 * rate)
    draw.require(0.04 < share < 4 and not 0.8 < share < 1.25)
    return draw.drill(f"""
    The team buys its tokens at {quantity(bought, "$/Mtok")}. The proposal on the table is to run
    {what}: {devices} GPUs at {quantity(price, "$/h")} each, rented around the clock. Power, storage
    and traffic would add {quantity(made, "$/Mtok")} for tokens made at home. People's time is left
    out.
    ? How many tokens must a day bring, at the least, for the proposal to be cheaper?
    = {tokens} tok tolerance=0.05
    - own-tokens-are-free {fixed / bought * 1e6}: You let tokens made at home cost nothing beyond
      the rent. What does each add?
    - one-hour {tokens / 24}: You set one hour of rent against a day of tokens. Which period does
      each cover?
    - one-gpu {tokens / devices}: You pay for one GPU. How many does the model stand on?
    - added {fixed / (bought + made) * 1e6}: You add both prices per token. What do you save with
      each token that you make instead of buying it?
    > At the point you look for, two daily bills are equal.
    > Tokens = fixed cost of a day ÷ (price bought − cost made), per token.
    > {devices} × {quantity(price, "$/h")} × 24 h ÷ ({quantity(bought, "$/Mtok")} −
      {quantity(made, "$/Mtok")}).
    * rent {fixed} $: Rent of a day: {devices} × {quantity(price, "$/h")} × 24 h =
      {quantity(fixed, "$")}
    * saved {bought - made} $/Mtok: Saved per million tokens: {quantity(bought, "$")} −
      {quantity(made, "$")} = {quantity(bought - made, "$")}
    * tokens {tokens} tok: {quantity(fixed, "$")} ÷ {quantity(bought - made, "$/Mtok")} =
      {quantity(tokens, "tok")} a day
    ~ {quantity(fixed, "$")} a day buy {quantity(fixed / bought * 1e6, "tok")}; with costs of their
      own for each token, it takes more than that.

    Break-even = fixed ÷ (bought − made). It assumes that the machines can make so many tokens, and
    at hours when somebody wants them: check both before you sign.
    """).then(_can_make(draw, tokens=tokens, rate=rate, share=share))


def _can_make(draw: Draw, *, tokens: float, rate: float, share: float) -> Drill:
    yes = "Yes: the machines can make that many, with time to spare"
    no = "No: the machines cannot make that many, however long the queue"
    right, wrong = (yes, no) if share < 1 else (no, yes)
    return draw.drill(f"""
    A load test of the same installation sustains {quantity(rate, "tok/s")} in all, no more. It
    breaks even at {quantity(tokens, "tok")} a day.
    ? What share of its full rate would it have to run at, averaged over day and night?
    = {share} tolerance=0.05
    - working-day {3 * share}: You count eight hours. Over which time is the average taken?
    - upside-down {1 / share}: You divide what it can make by what it must make. Which is the part,
      and which the whole?
    ? Can the proposal reach its break-even at all?
    + {right}
    x {wrong}
    ! Compare the tokens that a day at full rate makes with those that you need.
    > How many tokens does a day at full rate make?
    > Share = tokens needed ÷ (86,400 s × full rate).
    > {quantity(tokens, "tok")} ÷ (86,400 s × {quantity(rate, "tok/s")}).
    * most {86_400 * rate} tok: Full rate for a day: 86,400 s × {quantity(rate, "tok/s")} =
      {quantity(86_400 * rate, "tok")}
    * share {share}: {quantity(tokens, "tok")} ÷ {quantity(86_400 * rate, "tok")} =
      {quantity(share, "1")}
    ~ A share above 1 cannot be run at all; users who sleep at night keep it well below.

    A break-even above the capacity is no break-even: the price per token that you can reach is rent
    ÷ (rate × busy share), and the busy share follows the users' clock.
    """)
