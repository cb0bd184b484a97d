"""Error budgets: what an objective allows, and how fast it is spent.

Source: Beyer et al. (eds), "The Site Reliability Workbook", 2018, chapter 5, "Alerting on SLOs".
"""

import math

from labutils.ground import arguments


def burn_rate(bad_share: float, objective: float) -> float:
    """How many times faster than allowed the budget is spent: bad share / (1 - objective).

    1 spends exactly the budget of the window in the window.
    """
    bad = arguments.non_negative("bad_share", bad_share)
    if bad > 1:
        raise ValueError(f"bad_share = {bad_share!r}: expected a share from 0 to 1")
    return bad / (1 - arguments.fraction("objective", objective))


def budget_lasts_s(
    bad_share: float, objective: float, window_s: float, *, left: float = 1.0
) -> float:
    """Seconds until the budget is gone at an unchanged share of bad requests: left · window / burn.

    ``left`` is the share of the window's budget that is still there. Infinite without bad requests.
    Even traffic is assumed: the budget counts requests, the answer is a time.
    """
    remaining = arguments.non_negative("left", left) * arguments.positive("window_s", window_s)
    burn = burn_rate(bad_share, objective)
    return remaining / burn if burn else math.inf


def allowed_bad_time_s(objective: float, window_s: float) -> float:
    """Seconds of full outage that an objective allows in a window: (1 - objective) · window."""
    allowed = 1 - arguments.fraction("objective", objective)
    return allowed * arguments.positive("window_s", window_s)
