"""Error budgets: how fast they burn, and when they are gone."""

from labutils.capacity import budget_lasts_s, burn_rate
from labutils.drills.definition.writing import Draw, Drill, quantity, template

_DAY = 86_400.0


@template("A15 A14 P10", level=1, decision="estimate", number=12)
def budget_burn(draw: Draw) -> Drill:
    """Error budget: the burn rate."""
    objective = draw.one_of((0.99, 0.995, 0.998, 0.999, 0.9995))
    total, window = draw.whole(20_000, 900_000), draw.one_of((28, 30))
    bad = round(total * (1 - objective) * draw.number(2.2, 30))
    burn = burn_rate(bad / total, objective)
    percent, lasts = f"{100 * objective:g} %", budget_lasts_s(bad / total, objective, window * _DAY)
    draw.require(bad / total < 0.25)
    return draw.drill(f"""
    The promise: over {window} days, {percent} of requests see their first token within two seconds
    and no error. You are on call. In the last hour {total:,} requests came and {bad:,} broke the
    promise.

    ? How many times faster than allowed is the month's allowance being spent? (1 would spend it
      exactly at the end of the window.)
    = {burn} tolerance=0.01
    - share-over-promise {bad / total / objective}: You divide by the promise itself. How many
      requests may be bad?
    - good-over-promise {(1 - bad / total) / objective}: You compare good with good: both are near 1
      and hide the difference. Compare what is bad with what may be bad.
    - one-hour-of-the-window {burn / (24 * window)}: You spread the hour over the window. The
      promise is a share: compare shares over one and the same hour.
    > Which share of requests may be bad, and which share is?
    > Burn = bad share ÷ (1 − objective).
    > ({bad:,} ÷ {total:,}) ÷ (1 − {objective:g}).
    * bad_share {bad / total}: Bad share: {bad:,} ÷ {total:,} = {quantity(bad / total, "1")}
    * allowed {1 - objective}: Allowed: 1 − {objective:g} = {1 - objective:.4g}
    * burn {burn}: The ratio: {quantity(burn, "1")}
    ~ Of {total:,} requests {total * (1 - objective):,.0f} may be bad; it was more than twice that.

    Burn rate = bad share ÷ (1 − objective). It compares services with different promises and needs
    no window; how long to wait before paging does. Alert on two windows: a long one, so as not to
    page for a blip, and a short one, so that the alert ends soon after the fault (SRE Workbook,
    chapter 5).
    """).then(_gone(draw, burn=burn, window=window, lasts=lasts))


def _gone(draw: Draw, *, burn: float, window: int, lasts: float) -> Drill:
    left = draw.one_of((0.2, 0.3, 0.4, 0.6, 0.7))
    until = left * lasts
    return draw.drill(f"""
    The dashboard says that {100 * left:.0f} % of the {window} days' allowance is left. Traffic and
    the share of bad requests stay as they are now.

    ? In how much time is nothing left?
    = {until} s tolerance=0.03
    - a-full-budget {lasts}: You start from a full allowance. How much of it is left?
    - the-spent-part {(1 - left) * lasts}: You take what is spent for what is left. Which of the two
      can still be used up?
    - days-left {left * window * _DAY}: That is how long it lasts at the allowed pace. How fast does
      it go now?
    > At the allowed pace the whole would last the whole window.
    > Time left = share left × window ÷ burn rate.
    > {left:g} × {window} d ÷ {quantity(burn, "1")}.
    * full {lasts} s: A full allowance lasts {window} d ÷ {quantity(burn, "1")} =
      {quantity(lasts, "s")}
    * until {until} s: {left:g} of it: {quantity(until, "s")}
    ~ Less than {quantity(left * window * _DAY, "s")}: it burns faster than allowed.

    The time left is the figure that decides between a page and a ticket. It takes even traffic for
    granted (a quiet night spends less than a busy noon), and no old failures that drop out of the
    window meanwhile.
    """)
