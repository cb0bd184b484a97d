"""Error budgets: how fast they burn, when they are gone, and when somebody is called."""

from labutils.drills.catalog._serving import percent
from labutils.drills.definition.writing import Draw, Drill, positive, quantity, template
from labutils.laws.capacity import budget_lasts_s, burn_rate
from labutils.telemetry.watching import BurnRule

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


_HOUR = 3600.0
_RULES = ((14.4, 1), (14.4, 1), (6, 6))  # times the allowed share, hours of the window


@template("A15 P10 L11", level=3, decision="estimate", minutes=4.5)
def page_at_burn(draw: Draw) -> Drill:
    """A burn-rate alert: when it fires, what is gone by the repair, when it ends."""
    objective = draw.one_of((0.99, 0.995, 0.998, 0.999))
    burn, hours = draw.one_of(_RULES)
    rule = BurnRule(burn, 60 * hours, 5 * hours)
    line = rule.threshold(objective)
    bad = float(f"{line * draw.number(1.4, min(0.9 / line, 9), 4):.2g}")
    answer = 60 * rule.detection_min(bad, objective)
    draw.require(1.25 * line < bad and 100 < answer < 0.8 * hours * _HOUR)
    window = hours * _HOUR
    draw.apart(window, burn / 100 * window / bad, by=0.021)
    name = "hour" if hours == 1 else f"{hours} hours"
    return draw.drill(f"""
    A promise for 30 days: {100 * objective:g} % of requests are good. Somebody is called when the
    share of bad requests in the last {name} is {burn:g} times as large as the promise allows, or
    larger. For days nothing has gone wrong. Then a release goes out, and from that moment on
    {percent(bad)} of the requests fail. Traffic is even.
    ? How long after the release is somebody called?
    = {answer} s tolerance=0.02 telling=4
    - whole-window {window}: You wait until the window is full of it. Which share of it is bad
      before?
    - at-the-allowed-pace {answer / burn}: Then the window holds what is allowed. How many times as
      much does the rule ask?
    - as-if-all-failed {line * window}: So soon it comes where every request fails. How many do?
    - times-as-percent {burn / 100 * window / bad}: You take the times for a percentage of all
      requests. Times what?
    - rest-of-the-window {window - answer}: That is how much of the window is still good. Which part
      is bad?
    - until-all-is-spent {30 * _DAY * (1 - objective) / bad}: Then the month's allowance is gone.
      What does the rule compare?
    > Which share of the window's requests is bad a time t after the release?
    > times × allowed share × window ÷ bad share.
    > {burn:g} × {1 - objective:.3g} × {60 * hours} min ÷ {bad:.3g}.
    * line {line}: It fires at {burn:g} × {1 - objective:.3g} = {100 * line:.4g} % of bad requests
    * called {answer} s: {100 * line:.4g} ÷ {100 * bad:.4g} of {60 * hours} min =
      {quantity(answer, "s")}
    ~ Sooner than after {60 * hours} min, when the window holds nothing else.

    Detection = threshold × window ÷ bad share: the worse it is, the sooner. By then one and the
    same part of the budget is gone, {burn:g} × {hours} h ÷ 720 h = {100 * rule.budget_spent():g} %
    (Site Reliability Workbook, chapter 5).
    """).then(_spent(draw, objective, bad, rule))


def _spent(draw: Draw, objective: float, bad: float, rule: BurnRule) -> Drill:
    repair, called = draw.whole(12, 90), rule.detection_min(bad, objective)
    burn, month = bad / (1 - objective), 30 * _DAY / 60
    lasted = called + repair
    answer = 100 * burn * lasted / month
    draw.require(answer < 97)
    return draw.drill(f"""
    {repair} minutes after the call the release is rolled back, and all is well.
    ? Which share of what may go wrong in the 30 days has this used up? (In percent; traffic is as
      even all month.)
    = {answer} % tolerance=0.02 telling=4
    - from-the-call-on {100 * burn * repair / month}: You begin with the call. Since when has it
      gone wrong?
    - until-the-call {100 * burn * called / month}: So much is gone when somebody is called. And
      until the repair?
    - pace-of-the-rule {100 * rule.burn * lasted / month}: You spend at the rule's pace. At which
      pace is it spent in truth?
    - bad-share-of-time {100 * bad * lasted / month}: That is the share of the month's requests that
      failed. Which share may fail?
    - window-and-repair {100 * burn * (rule.long_min + repair) / month}: You count the whole window.
      How much of it was bad when the call came?
    > How long did it last, and how many times faster than allowed was it spent?
    > bad share ÷ allowed share × (time to the call + time to the repair) ÷ 30 d.
    > {bad:.3g} ÷ {1 - objective:.3g} × ({called:.4g} + {repair}) min ÷ {month:,.0f} min.
    * burn {burn}: It is spent {burn:.4g} times as fast as allowed
    * lasted {60 * lasted} s: For {called:.4g} + {repair} = {lasted:.4g} min
    * spent {answer} %: {burn:.4g} × {lasted:.4g} ÷ {month:,.0f} = {quantity(answer, "%")}
    ~ More than the {100 * rule.budget_spent():g} % that are gone at the call.

    A page costs a fixed part of the budget; the repair costs burn × its minutes, and is mostly the
    larger of the two. So count what a rollback takes before you tune a rule.
    """).then(_goes_on(draw, objective, bad, rule, repair))


def _goes_on(draw: Draw, objective: float, bad: float, rule: BurnRule, repair: int) -> Drill:
    called, window = 60 * rule.detection_min(bad, objective), 60.0 * rule.long_min
    answer = window - called
    short = 60 * rule.short_min * (1 - called / window)
    return draw.drill(f"""
    All is well, and the call goes on: the rule looks {rule.long_min} min back. The next shift asks
    what is broken.
    ? For how long after the repair does the rule still hold?
    = {answer} s tolerance=0.02 telling=4
    - whole-window {positive(window)}: Then nothing bad is left in it. Does it take so long until
      there is too little?
    - as-long-as-it-took {positive(called)}: So much of it must be bad. How much of the window
      leaves until then?
    - repair-taken-off {positive(answer - 60 * repair)}: You take the repair off. Whatever its
      length, when does the window hold too little?
    - length-of-the-trouble {positive(called + 60 * repair)}: So long it lasted. How long is it
      remembered?
    - from-the-call {positive(answer + 60 * repair)}: You count from the call. From when on was
      asked?
    - short-window {positive(short)}: That is what a window a twelfth as long would do. Which one is
      there?
    > How many bad minutes must the window hold, and how do they leave it?
    > window − time to the call.
    > {rule.long_min} min − {quantity(called, "s")}.
    * bad_time {called} s: It holds while {quantity(called, "s")} of its {rule.long_min} min are bad
    * goes_on {answer} s: The end of the trouble is then {rule.long_min} min −
      {quantity(called, "s")} = {quantity(answer, "s")} old
    ~ Less than {rule.long_min} min, when the window has forgotten it altogether.

    A second window, of {rule.short_min} min and under the same rule, ends it after
    {quantity(short, "s")}: the long window says that it matters, the short one that it still goes
    on (Site Reliability Workbook, chapter 5).
    """)
