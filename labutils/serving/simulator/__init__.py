"""A serving system on a simulated clock: a scheduler, a step cost, and what happened.

1. ``simulate``: the way in, and what can be asked for; ``arrivals``: what comes
2. ``plain``: the story, step by step over any scheduler; ``step_cost``: what a step takes
3. ``recorder``, ``gaps``: what is written down; ``run``: what is left of it, with ``telemetry``,
   ``timeline`` and ``chrome_trace``
4. ``choice``, ``compiled``: the same story in one compiled loop, where the policy is a shipped one

>>> from labutils.engine import PagePool, Request, Scheduler
>>> requests = [Request("a", 4, 3), Request("b", 2, 2, arrival_s=0.5)]
>>> run = simulate(requests, Scheduler(2, PagePool(9)), StepCost(1.0))
>>> run.log.finish_s.tolist(), run.steps
([4.0, 3.0], 4)
"""

from labutils.serving.scheduling.step_shape import StepShape

from .arrivals import arrivals_of
from .gaps import TokenGaps
from .run import ServingRun
from .simulate import simulate
from .step_cost import StepCost
from .telemetry import Telemetry
from .timeline import Timeline

__all__ = [
    "ServingRun", "StepCost", "StepShape", "Telemetry", "Timeline", "TokenGaps", "arrivals_of",
    "simulate",
]  # fmt: skip
