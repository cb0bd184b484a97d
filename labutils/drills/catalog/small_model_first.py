"""A small model answers first, a large one what it cannot: money, then time."""

from labutils.drills.catalog._serving import percent
from labutils.drills.definition.writing import Draw, Drill, quantity, template

_PRICES = (  # dollars a million tokens: small in and out, large in and out
    (0.15, 0.6, 2.5, 10),
    (0.25, 1.25, 3, 15),
    (0.3, 1.5, 2, 8),
    (0.4, 1.6, 1.25, 10),
    (0.8, 4, 5, 25),
)


@template("G05 Q06 N01 O07", level=2, decision="commit", minutes=3.5)
def small_model_first(draw: Draw) -> Drill:
    """A cascade of models: the share that pays for it, and who waits longer."""
    small_in, small_out, large_in, large_out = draw.one_of(_PRICES)
    prompt, written = 100 * draw.whole(6, 60), 10 * draw.whole(15, 90)
    small = (prompt * small_in + written * small_out) / 1e6
    large = (prompt * large_in + written * large_out) / 1e6
    check = float(f"{small * draw.share(0.3, 0.9):.1g}")
    answer = 100 * (small + check) / large
    draw.require(6 < answer < 50)
    return draw.drill(f"""
    Every question goes to a large model: {prompt:,} tokens in, {written} out, at
    {quantity(large_in, "$")} a million in and {quantity(large_out, "$")} a million out. The plan: a
    small model ({quantity(small_in, "$")} and {quantity(small_out, "$")}) writes an answer of the
    same length first, and a check of it costs ${check:g}. If the check accepts it, that answer is
    sent. If not, the large model starts from the question.
    ? What share of the questions, in percent, must stay with the small model so that the plan costs
      no more than today?
    = {answer} % tolerance=0.03 telling=3
    - check-forgotten {100 * small / large}: You leave out the check. Who pays for looking at each
      small answer?
    - passed-on {100 - answer}: That is the share that may be passed on. Which share must stay?
    - price-of-output {100 * small_out / large_out}: You compare prices of output alone. What do the
      prompt and the check cost?
    - price-of-prompts {100 * small_in / large_in}: You compare prices of prompts alone. What do the
      output and the check cost?
    > What does the plan add to every question, and what does it spare on some?
    > (small + check) ÷ large.
    > ({quantity(small, "$")} + ${check:g}) ÷ {quantity(large, "$")}.
    * small {small} $: Small: ({prompt:,} × {small_in:g} + {written} × {small_out:g}) ÷ 10⁶ =
      {quantity(small, "$")}
    * large {large} $: Large: ({prompt:,} × {large_in:g} + {written} × {large_out:g}) ÷ 10⁶ =
      {quantity(large, "$")}
    * share {answer} %: ({quantity(small, "$")} + ${check:g}) ÷ {quantity(large, "$")} =
      {quantity(answer, "%")}
    ~ What is passed on pays for both models.

    A cascade pays when the share that stays exceeds (small + check) ÷ large. The bar is low; the
    price is quality that the check does not see, and the time of those passed on.
    """).then(_times(draw, least=answer))


def _times(draw: Draw, *, least: float) -> Drill:
    small, check, large = draw.number(0.5, 1.6), draw.number(0.15, 0.6), draw.number(2.5, 7)
    stays = draw.share(0.45, 0.85)
    mean = small + check + (1 - stays) * large
    passed = small + check + large
    draw.require(100 * stays > 1.2 * least and mean < 0.9 * large and passed > 1.15 * large)
    return draw.drill(f"""
    It goes live, and {percent(stays)} stay with the small model. The small answer takes
    {quantity(small, "s")}, the check {quantity(check, "s")}, a large answer {quantity(large, "s")},
    each about the same every time. Nothing is streamed before the check.
    ? How long does an answer take on average?
    = {mean} s tolerance=0.02 telling=3
    - either-or {stays * (small + check) + (1 - stays) * large}: Those who are passed on have waited
      for the small answer and the check first.
    - no-check {small + (1 - stays) * large}: You leave out the check. Who waits for it?
    - shares-swapped {small + check + stays * large}: Which of the two shares goes to the large
      model?
    - passed-on-alone {passed}: That is the time of those passed on. What is the mean over all?
    ? What becomes of the p95, compared with the large model alone?
    + It rises, from about {quantity(large, "s")} to about {quantity(passed, "s")}
    x It falls by as much as the mean
    ! Look at the slowest twentieth. Which of the models answers those?
    x It stays at about {quantity(large, "s")}: the large model still answers those
    ! It does. What have they waited for before it starts?
    > What does every question wait for, and what do some wait for besides?
    > small + check + (1 − stays) × large.
    > {quantity(small, "s")} + {quantity(check, "s")} + {1 - stays:.2g} × {quantity(large, "s")}.
    * all {small + check} s: All wait {quantity(small, "s")} + {quantity(check, "s")} =
      {quantity(small + check, "s")}
    * mean {mean} s: {percent(1 - stays)} wait {quantity(large, "s")} more: {quantity(mean, "s")}
    ~ Between {quantity(small + check, "s")} and {quantity(passed, "s")}.

    The mean falls, and the tail rises as soon as more than 5 % are passed on. Say which one the
    promise is about; a classifier before the small model spares the sure losers the detour.
    """)
