"""Watching a service: what its metrics say, how wrong that is, and when to wake somebody.

1. ``exposition``: the text under ``/metrics``; ``scrapes``: counters over time, with restarts
2. ``quantile``: a quantile from buckets with its bounds, and that of several replicas together
3. ``minutes``: good and bad requests with planted incidents; ``burn``: alerts on the error budget,
   ``burn_plain``: the same rule in loops
4. ``trace_sampling``: which traces are kept, and what they say about all; ``canary``: a new version
   against the rest
5. ``signals``: what to watch, and what may page
"""

from typing import TYPE_CHECKING

from labutils.ground.lazy import lazily

_HOME = {
    "MINUTES_A_DAY": "minutes",
    "MONTH_MIN": "minutes",
    "PAGES": "burn",
    "SIGNALS": "signals",
    "TICKETS": "burn",
    "BurnRule": "burn",
    "Estimate": "trace_sampling",
    "Family": "exposition",
    "Incident": "minutes",
    "KeptTraces": "trace_sampling",
    "Minutes": "minutes",
    "Outcome": "burn",
    "QuantileEstimate": "quantile",
    "Sample": "exposition",
    "Scrape": "scrapes",
    "Scrapes": "scrapes",
    "Series": "exposition",
    "Signal": "signals",
    "Verdict": "canary",
    "alarms": "burn_plain",
    "burn_rates": "burn",
    "canary_power": "canary",
    "canary_size": "canary",
    "compare": "canary",
    "counter_increase": "scrapes",
    "daily_wave": "minutes",
    "difference_interval": "canary",
    "draw_minutes": "minutes",
    "error_shares": "minutes",
    "estimate_quantile": "quantile",
    "false_alerts_per_month": "burn",
    "fires_at": "burn_plain",
    "firing": "burn",
    "head_sample": "trace_sampling",
    "histogram_of": "quantile",
    "judge": "burn",
    "late_share": "quantile",
    "mean_of_quantiles": "quantile",
    "peeking_false_alarms": "canary",
    "pooled": "quantile",
    "read_exposition": "exposition",
    "read_sample": "exposition",
    "share_above_old_quantile": "canary",
    "slow_or_failed": "trace_sampling",
    "stretch": "scrapes",
    "tail_sample": "trace_sampling",
    "windowed": "burn",
    "z_score": "canary",
}

if TYPE_CHECKING:
    from .burn import (
        PAGES,
        TICKETS,
        BurnRule,
        Outcome,
        burn_rates,
        false_alerts_per_month,
        firing,
        judge,
        windowed,
    )
    from .burn_plain import alarms, fires_at
    from .canary import (
        Verdict,
        canary_power,
        canary_size,
        compare,
        difference_interval,
        peeking_false_alarms,
        share_above_old_quantile,
        z_score,
    )
    from .exposition import Family, Sample, Series, read_exposition, read_sample
    from .minutes import (
        MINUTES_A_DAY,
        MONTH_MIN,
        Incident,
        Minutes,
        daily_wave,
        draw_minutes,
        error_shares,
    )
    from .quantile import (
        QuantileEstimate,
        estimate_quantile,
        histogram_of,
        late_share,
        mean_of_quantiles,
        pooled,
    )
    from .scrapes import Scrape, Scrapes, counter_increase, stretch
    from .signals import SIGNALS, Signal
    from .trace_sampling import Estimate, KeptTraces, head_sample, slow_or_failed, tail_sample

__all__ = [
    "MINUTES_A_DAY", "MONTH_MIN", "PAGES", "SIGNALS", "TICKETS", "BurnRule", "Estimate",
    "Family", "Incident", "KeptTraces", "Minutes", "Outcome", "QuantileEstimate", "Sample",
    "Scrape", "Scrapes", "Series", "Signal", "Verdict", "alarms", "burn_rates", "canary_power",
    "canary_size", "compare", "counter_increase", "daily_wave", "difference_interval",
    "draw_minutes", "error_shares", "estimate_quantile", "false_alerts_per_month", "fires_at",
    "firing", "head_sample", "histogram_of", "judge", "late_share", "mean_of_quantiles",
    "peeking_false_alarms", "pooled", "read_exposition", "read_sample",
    "share_above_old_quantile", "slow_or_failed", "stretch", "tail_sample", "windowed",
    "z_score",
]  # fmt: skip

__getattr__, __dir__ = lazily(__name__, _HOME)
