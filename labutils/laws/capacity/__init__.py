"""Capacity: how many machines, how much spare, what it costs, how fast a budget of errors burns.

>>> gpus_for_tokens(50, 300, 2500, utilization=0.7)
9
>>> replicas_for_concurrency(50, 6.4, 24)
14
>>> round(burn_rate(0.005, 0.999), 9)
5.0

Rates per second, times in seconds. What a model does on a device stands in ``labutils.llm``, what
randomness adds to a plan in ``labutils.laws.queueing``: these are the sums between the two.
"""

from labutils.laws.capacity.break_even import break_even_per_day, monthly_cost
from labutils.laws.capacity.error_budget import allowed_bad_time_s, budget_lasts_s, burn_rate
from labutils.laws.capacity.fleet import (
    gpus_for_tokens,
    replicas_for_concurrency,
    spare_replicas,
    utilization_after_loss,
)
from labutils.laws.capacity.pooled import pooled_mean
from labutils.laws.capacity.stages import Stage, bottleneck
from labutils.laws.capacity.steady import closed_loop_rate, steady_batch

__all__ = [
    "Stage",
    "allowed_bad_time_s",
    "bottleneck",
    "break_even_per_day",
    "budget_lasts_s",
    "burn_rate",
    "closed_loop_rate",
    "gpus_for_tokens",
    "monthly_cost",
    "pooled_mean",
    "replicas_for_concurrency",
    "spare_replicas",
    "steady_batch",
    "utilization_after_loss",
]
