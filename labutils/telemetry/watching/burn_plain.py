"""The alert rule of ``burn`` in plain loops, to be read and to check the fast one against."""

from .burn import BurnRule
from .minutes import Minutes


def fires_at(minutes: Minutes, now: int, rule: BurnRule, objective: float) -> bool:
    """Whether the rule fires at the end of minute ``now``."""
    for window in (rule.long_min, rule.short_min):
        inside = range(max(0, now - window + 1), now + 1)
        total = sum(int(minutes.total[minute]) for minute in inside)
        bad = sum(int(minutes.bad[minute]) for minute in inside)
        if window == rule.long_min and total < rule.least_events:
            return False
        if total == 0 or bad / total * (1 / (1 - objective)) <= rule.burn:
            return False
    return True


def alarms(minutes: Minutes, rules, objective: float) -> list[tuple[int, bool]]:
    """(first minute, whether an incident explains it) of each alarm that a rule sounds."""
    begun, was_on = [], False
    for now in range(len(minutes.total)):
        on = [rule for rule in rules if fires_at(minutes, now, rule, objective)]
        if on and not was_on:
            begun.append((now, any(_touches(minutes, now, rule.short_min) for rule in on)))
        was_on = bool(on)
    return begun


def _touches(minutes: Minutes, now: int, window_min: int) -> bool:
    """Whether an incident lies in the ``window_min`` minutes that end with ``now``."""
    return any(
        incident.start_min <= now and incident.end_min > now - window_min + 1
        for incident in minutes.incidents
    )
