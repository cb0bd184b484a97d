"""From how many tokens a day machines of one's own are cheaper."""

from labutils.capacity import break_even_per_day
from labutils.drills.catalog._rented import RENTED
from labutils.drills.definition.writing import Draw, Drill, quantity, template


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
