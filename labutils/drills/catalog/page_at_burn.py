"""A rule that calls somebody: when it fires, what is spent by the repair, how long it goes on."""

from labutils.drills.catalog._serving import percent, telling
from labutils.drills.definition.draw import Draw
from labutils.drills.definition.drill import Drill, Mistake, Step
from labutils.drills.definition.template import Decision, template
from labutils.units import format_quantity as say
from labutils.watching import BurnRule

_HOUR, _DAY = 3600.0, 86_400.0
_RULES = ((14.4, 1), (14.4, 1), (6, 6))  # times the allowed share, hours of the window


@template(
    "page_at_burn",
    "A burn-rate alert: when it fires, what is gone by the repair, when it ends",
    level=3,
    decision=Decision.estimate,
    topics=("A15", "P10", "L11"),
    minutes=4.5,
)
def page_at_burn(draw: Draw) -> Drill:
    objective = draw.one_of((0.99, 0.995, 0.998, 0.999))
    burn, hours = draw.one_of(_RULES)
    rule = BurnRule(burn, 60 * hours, 5 * hours)
    line = rule.threshold(objective)
    bad = float(f"{line * draw.number(1.4, min(0.9 / line, 9), 4):.2g}")
    answer = 60 * rule.detection_min(bad, objective)
    draw.require(1.25 * line < bad and 100 < answer < 0.8 * hours * _HOUR)
    window = hours * _HOUR
    mistakes = telling(
        answer,
        (
            Mistake(
                "whole-window",
                window,
                "You wait until the window is full of it. Which share of it is bad before?",
            ),
            Mistake(
                "at-the-allowed-pace",
                answer / burn,
                "Then the window holds what is allowed. How many times as much does the rule ask?",
            ),
            Mistake(
                "times-as-percent",
                burn / 100 * window / bad,
                "You take the times for a percentage of all requests. Times what?",
            ),
            Mistake(
                "rest-of-the-window",
                window - answer,
                "That is how much of the window is still good. Which part is bad?",
            ),
            Mistake(
                "until-all-is-spent",
                30 * _DAY * (1 - objective) / bad,
                "Then the month's allowance is gone. What does the rule compare?",
            ),
        ),
        tolerance=0.02,
    )
    draw.require(len(mistakes) >= 4)
    name = "hour" if hours == 1 else f"{hours} hours"
    return Drill(
        story=(
            f"A promise for 30 days: {100 * objective:g} % of requests are good. Somebody is "
            f"called when the share of bad requests in the last {name} is {burn:g} times as large "
            "as the promise allows, or larger. For days nothing has gone wrong. Then a release "
            f"goes out, and from that moment on {percent(bad)} of the requests fail. Traffic is "
            "even."
        ),
        question="How long after the release is somebody called?",
        answer=answer,
        unit="s",
        mistakes=mistakes,
        hints=(
            "Which share of the window's requests is bad a time t after the release?",
            "times × allowed share × window ÷ bad share.",
            f"{burn:g} × {1 - objective:.3g} × {60 * hours} min ÷ {bad:.3g}.",
        ),
        steps=(
            Step(
                f"It fires at {burn:g} × {1 - objective:.3g} = {100 * line:.4g} % of bad requests",
                "line",
                line,
            ),
            Step(
                f"{100 * line:.4g} ÷ {100 * bad:.4g} of {60 * hours} min = {say(answer, 's')}",
                "called",
                answer,
                "s",
            ),
        ),
        sanity=f"Sooner than after {60 * hours} min, when the window holds nothing else.",
        moral=(
            "Detection = threshold × window ÷ bad share: the worse it is, the sooner. By then one "
            f"and the same part of the budget is gone, {burn:g} × {hours} h ÷ 720 h = "
            f"{100 * rule.budget_spent():g} % (Site Reliability Workbook, chapter 5)."
        ),
        follow_up=_spent(draw, objective, bad, rule),
    )


def _spent(draw: Draw, objective: float, bad: float, rule: BurnRule) -> Drill:
    repair, called = draw.whole(12, 90), rule.detection_min(bad, objective)
    burn, month = bad / (1 - objective), 30 * _DAY / 60
    lasted = called + repair
    answer = 100 * burn * lasted / month
    draw.require(answer < 97)
    mistakes = telling(
        answer,
        (
            Mistake(
                "from-the-call-on",
                100 * burn * repair / month,
                "You begin with the call. Since when has it gone wrong?",
            ),
            Mistake(
                "until-the-call",
                100 * burn * called / month,
                "So much is gone when somebody is called. And until the repair?",
            ),
            Mistake(
                "pace-of-the-rule",
                100 * rule.burn * lasted / month,
                "You spend at the rule's pace. At which pace is it spent in truth?",
            ),
            Mistake(
                "bad-share-of-time",
                100 * bad * lasted / month,
                "That is the share of the month's requests that failed. Which share may fail?",
            ),
            Mistake(
                "window-and-repair",
                100 * burn * (rule.long_min + repair) / month,
                "You count the whole window. How much of it was bad when the call came?",
            ),
        ),
        tolerance=0.02,
    )
    draw.require(len(mistakes) >= 4)
    return Drill(
        story=f"{repair} minutes after the call the release is rolled back, and all is well.",
        question=(
            "Which share of what may go wrong in the 30 days has this used up? (In percent; "
            "traffic is as even all month.)"
        ),
        answer=answer,
        unit="%",
        mistakes=mistakes,
        hints=(
            "How long did it last, and how many times faster than allowed was it spent?",
            "bad share ÷ allowed share × (time to the call + time to the repair) ÷ 30 d.",
            f"{bad:.3g} ÷ {1 - objective:.3g} × ({called:.4g} + {repair}) min ÷ {month:,.0f} min.",
        ),
        steps=(
            Step(f"It is spent {burn:.4g} times as fast as allowed", "burn", burn),
            Step(f"For {called:.4g} + {repair} = {lasted:.4g} min", "lasted", 60 * lasted, "s"),
            Step(
                f"{burn:.4g} × {lasted:.4g} ÷ {month:,.0f} = {say(answer, '%')}",
                "spent",
                answer,
                "%",
            ),
        ),
        sanity=f"More than the {100 * rule.budget_spent():g} % that are gone at the call.",
        moral=(
            "A page costs a fixed part of the budget; the repair costs burn × its minutes, and is "
            "mostly the larger of the two. So count what a rollback takes before you tune a rule."
        ),
        follow_up=_goes_on(draw, objective, bad, rule, repair),
    )


def _goes_on(draw: Draw, objective: float, bad: float, rule: BurnRule, repair: int) -> Drill:
    called, window = 60 * rule.detection_min(bad, objective), 60.0 * rule.long_min
    answer = window - called
    short = 60 * rule.short_min * (1 - called / window)
    slips = (
        Mistake(
            "whole-window",
            window,
            "Then nothing bad is left in it. Does it take so long until there is too little?",
        ),
        Mistake(
            "as-long-as-it-took",
            called,
            "So much of it must be bad. How much of the window leaves until then?",
        ),
        Mistake(
            "repair-taken-off",
            answer - 60 * repair,
            "You take the repair off. Whatever its length, when does the window hold too little?",
        ),
        Mistake(
            "length-of-the-trouble",
            called + 60 * repair,
            "So long it lasted. How long is it remembered?",
        ),
        Mistake(
            "from-the-call",
            answer + 60 * repair,
            "You count from the call. From when on was asked?",
        ),
        Mistake(
            "short-window",
            short,
            "That is what a window a twelfth as long would do. Which one is there?",
        ),
    )
    mistakes = telling(answer, (slip for slip in slips if slip.value > 0), tolerance=0.02)
    draw.require(len(mistakes) >= 4)
    return Drill(
        story=(
            f"All is well, and the call goes on: the rule looks {rule.long_min} min "
            "back. The next shift asks what is broken."
        ),
        question="For how long after the repair does the rule still hold?",
        answer=answer,
        unit="s",
        mistakes=mistakes,
        hints=(
            "How many bad minutes must the window hold, and how do they leave it?",
            "window − time to the call.",
            f"{rule.long_min} min − {say(called, 's')}.",
        ),
        steps=(
            Step(
                f"It holds while {say(called, 's')} of its {rule.long_min} min are bad",
                "bad time",
                called,
                "s",
            ),
            Step(
                f"The end of the trouble is then {rule.long_min} min − {say(called, 's')} = "
                f"{say(answer, 's')} old",
                "goes on",
                answer,
                "s",
            ),
        ),
        sanity=f"Less than {rule.long_min} min, when the window has forgotten it altogether.",
        moral=(
            f"A second window, of {rule.short_min} min and under the same rule, ends it after "
            f"{say(short, 's')}: the long window says that it matters, the short one that it still "
            "goes on (Site Reliability Workbook, chapter 5)."
        ),
    )
