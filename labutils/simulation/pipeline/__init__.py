"""A pipeline under load: stages in a row, some side by side, a queue before each.

>>> import numpy as np
>>> from labutils.laws.queueing import Stage
>>> from labutils.simulation import poisson_arrivals
>>> plan = [Stage("embed", 0.02), Parallel(Stage("bm25", 0.03), Stage("vector", 0.05))]
>>> rng = np.random.default_rng(7)
>>> run = run_pipeline(plan, poisson_arrivals(8, 5000, rng), stage_services(plan, 5000, rng))
>>> print(run.sojourn_time_s.mean().round(3), round(run.shares()["vector"], 2))
0.122 0.65

Read ``plan`` (what a pipeline is), ``pipeline_twin`` (the story in SimPy), ``pipeline_run`` (the
same on the compiled queues, and what it says about where the time went), and ``speed_up`` (one
stage faster, on the same draws, beside Amdahl's law). ``stage_times`` draws what a budget is held
against, ``clocked`` lets all stages step together, and
``measured_times`` makes a pipeline of what was measured.
"""

from labutils.simulation.pipeline.clocked import clocked_pipeline
from labutils.simulation.pipeline.measured_times import measured_stages, resampled_services
from labutils.simulation.pipeline.pipeline_run import PipelineRun, run_pipeline
from labutils.simulation.pipeline.plan import Parallel, stage_services, stages_of
from labutils.simulation.pipeline.speed_up import SpeedUp, what_if
from labutils.simulation.pipeline.stage_times import dependent_stage_times

__all__ = [
    "Parallel",
    "PipelineRun",
    "SpeedUp",
    "clocked_pipeline",
    "dependent_stage_times",
    "measured_stages",
    "resampled_services",
    "run_pipeline",
    "stage_services",
    "stages_of",
    "what_if",
]
