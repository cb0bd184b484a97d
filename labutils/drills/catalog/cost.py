"""What a million tokens cost on rented machines."""

from labutils.drills.catalog._rented import RENTED
from labutils.drills.definition.writing import Draw, Drill, drill, quantity, template
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
