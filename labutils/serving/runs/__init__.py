"""A run on a simulated clock, whoever tells it: what it starts from, and what is left of it.

1. ``arrivals``: what comes, from a trace or from requests; ``step_cost``: what a step takes
2. ``run``: the requests and the steps that served them, with ``gaps`` between their tokens, and in
   words the ``rejections``; ``outside``: what its clients see later
3. ``telemetry``: a run step by step; ``timeline``: request by request; ``chrome_trace``: as a file
"""

from .arrivals import arrivals_of
from .gaps import TokenGaps
from .run import ServingRun
from .step_cost import StepCost
from .telemetry import Telemetry
from .timeline import Timeline

__all__ = ["ServingRun", "StepCost", "Telemetry", "Timeline", "TokenGaps", "arrivals_of"]
