"""Many replicas behind a router: each with a scheduler, pages and a prefix index of its own.

1. ``serve_replicas``: the way in; ``routers``: ours; ``learners``: what one of your own may know
2. ``retries``, ``changes``: what clients do after giving up, what happens to replicas on the way;
   ``scaling``: how many there are, as anybody's autoscaler says
3. ``replica_set``, ``ask``: the tables, and a router in Python; ``replicas_run``: what is left
4. ``thrown``: what a router's choices gave up; ``compared``: one router beside another;
   ``recorded``: routers on a real trace; ``plain``: the same story, slow and readable

>>> from labutils.engine import PagePool, Scheduler
>>> from labutils.serving.simulator import StepCost
>>> from labutils.workload import uniform_trace
>>> trace = uniform_trace(6, rate_per_s=2, prompt_tokens=3, output_tokens=2)
>>> two = [Scheduler(1, PagePool(9)) for _ in range(2)]
>>> serve_replicas(trace, two, StepCost(1.0), RoundRobin()).replica.tolist()
[0, 1, 0, 1, 0, 1]
"""

from .changes import Crashes, Joins, Leaves, Slows
from .learners import Arrival, Views
from .recorded import recorded_routers
from .replicas_run import ReplicasRun
from .retries import Retries
from .routers import (
    FourWaitingPlusRunning,
    LeastInFlight,
    LeastReported,
    PrefixBounded,
    Random,
    RoundRobin,
    TwoChoices,
    WeightedScores,
)
from .scaling import Pool, Scaling
from .serve_replicas import serve_replicas
from .thrown import Thrown, leading

__all__ = [
    "Arrival",
    "Crashes",
    "FourWaitingPlusRunning",
    "Joins",
    "LeastInFlight",
    "LeastReported",
    "Leaves",
    "Pool",
    "PrefixBounded",
    "Random",
    "ReplicasRun",
    "Retries",
    "RoundRobin",
    "Scaling",
    "Slows",
    "Thrown",
    "TwoChoices",
    "Views",
    "WeightedScores",
    "leading",
    "recorded_routers",
    "serve_replicas",
]
