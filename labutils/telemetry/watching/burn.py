"""Alerts on how fast an error budget burns, over a long and a short window together.

Source: Beyer et al. (eds), "The Site Reliability Workbook", 2018, chapter 5, "Alerting on SLOs",
approach 6 (multiwindow, multi-burn-rate). The long window says that it matters, the short one that
it still goes on.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from labutils.ground import arguments
from labutils.laws.capacity import burn_rate

from .minutes import MONTH_MIN, Minutes, draw_minutes


@dataclass(frozen=True)
class BurnRule:
    """Fires while the budget burns faster than ``burn`` over both windows, given in minutes.

    ``least_events`` requests must lie in the long window: where traffic is thin, one bad request
    in fifty is a high burn rate and no news.

    >>> BurnRule(14.4, 60, 5).budget_spent(), BurnRule(14.4, 60, 5).detection_min(1, 0.999)
    (0.02, 0.864...)
    """

    burn: float
    long_min: int
    short_min: int
    least_events: int = 1

    def __post_init__(self):
        arguments.positive("burn", self.burn)
        arguments.whole("least_events", self.least_events)
        arguments.whole("long_min", self.long_min)
        arguments.whole("short_min", self.short_min)
        if self.short_min > self.long_min:
            raise ValueError(
                f"short_min = {self.short_min}: expected at most long_min = {self.long_min}"
            )

    def threshold(self, objective: float) -> float:
        """The share of bad requests above which it fires: burn · (1 - objective)."""
        return self.burn * (1 - arguments.fraction("objective", objective))

    def budget_spent(self, period_min: int = MONTH_MIN) -> float:
        """The part of a period's budget that is gone once the long window burns at this rate."""
        return self.burn * self.long_min / arguments.whole("period_min", period_min)

    def detection_min(self, error_share: float, objective: float) -> float:
        """Minutes of a steady ``error_share``, nothing bad before, until the long window fires.

        threshold · long window / error share; infinite for a share that it does not pass.
        """
        share, threshold = arguments.share("error_share", error_share), self.threshold(objective)
        return math.inf if share <= threshold else threshold * self.long_min / share


PAGES = (BurnRule(14.4, 60, 5), BurnRule(6, 6 * 60, 30))
"""Somebody is woken: 2 % of the month's budget in an hour, or 5 % in six."""

TICKETS = (BurnRule(1, 3 * 24 * 60, 6 * 60),)
"""Somebody looks at it by day: 10 % of the month's budget in three days."""


@dataclass(frozen=True)
class Outcome:
    """What the rules made of some minutes.

    ``true_alerts`` and ``false_alerts`` count stretches of firing; ``minutes_to_detect`` has for
    each incident the minutes from its start to the end of the first one that fires (1 if an alarm
    was on already), infinite where none did before the short windows had left it behind.
    """

    true_alerts: int
    false_alerts: int
    minutes_to_detect: tuple[float, ...]


def burn_rates(minutes: Minutes, window_min: int, objective: float) -> np.ndarray:
    """For each minute the burn rate over the window that ends with it; 0 without a request.

    The first windows are as long as the minutes that there are.
    """
    total, bad = (windowed(counts, window_min) for counts in (minutes.total, minutes.bad))
    return bad / np.maximum(total, 1) * burn_rate(1.0, objective)


def firing(minutes: Minutes, rule: BurnRule, objective: float) -> np.ndarray:
    """For each minute whether the rule fires at its end."""
    long, short = (
        burn_rates(minutes, window, objective) for window in (rule.long_min, rule.short_min)
    )
    enough = windowed(minutes.total, rule.long_min) >= rule.least_events
    return (long > rule.burn) & (short > rule.burn) & enough


def judge(minutes: Minutes, rules: Sequence[BurnRule], objective: float) -> Outcome:
    """Run the rules over the minutes; together they are one alarm, which any of them sounds.

    An alarm is true if an incident lies in the short window of a rule that fires as it begins. If
    none does, it is false: nothing goes on, even if the long window still remembers something.
    Without a rule nothing ever sounds.
    """
    shape = len(rules), len(minutes.total)
    fires = np.array([firing(minutes, rule, objective) for rule in rules], bool).reshape(shape)
    is_due = np.array([minutes.touched(rule.short_min) for rule in rules], bool).reshape(shape)
    begins = _rises(fires.any(axis=0))
    is_true = (fires & is_due).any(axis=0)
    detect = tuple(_minutes_to_detect(fires, rules, incident) for incident in minutes.incidents)
    return Outcome(int((begins & is_true).sum()), int((begins & ~is_true).sum()), detect)


def false_alerts_per_month(
    mean_per_min, base: float, rules: Sequence[BurnRule], objective: float, *,
    months: int, rng: np.random.Generator,
) -> tuple[float, float]:  # fmt: skip
    """(mean, its standard error) of false alarms a month while nothing is wrong but ``base``.

    ``mean_per_min`` are the mean requests in each minute of one month, however long that is.
    """
    months = arguments.whole("months", months, at_least=2)
    found = np.array([
        judge(draw_minutes(mean_per_min, base, rng=rng), rules, objective).false_alerts
        for _ in range(months)
    ])  # fmt: skip
    return float(found.mean()), float(found.std(ddof=1) / math.sqrt(months))


def windowed(counts, window_min: int) -> np.ndarray:
    """For each minute the sum of ``window_min`` counts that end with it, by cumulative sums."""
    window = arguments.whole("window_min", window_min)
    sums = np.concatenate(([0], np.cumsum(counts)))
    ends = np.arange(1, len(sums))
    return sums[ends] - sums[np.maximum(ends - window, 0)]


def _minutes_to_detect(fires, rules, incident) -> float:
    firsts = [
        np.flatnonzero(row[incident.start_min : incident.end_min + rule.short_min - 1])
        for row, rule in zip(fires, rules)
    ]
    return min((float(found[0]) + 1 for found in firsts if found.size), default=math.inf)


def _rises(is_on: np.ndarray) -> np.ndarray:
    return is_on & ~np.concatenate(([False], is_on[:-1]))
