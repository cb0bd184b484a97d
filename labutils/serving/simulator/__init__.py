"""A serving system on a simulated clock."""

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
