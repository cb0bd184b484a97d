"""Load tests of real engines, and what the simulator says of them.

1. ``measured_run``: what a client reported; ``table``: twelve of vLLM on H100s
2. ``offered_load``: the requests behind a report; ``simulated``: what the simulator makes of them
3. ``errors``: how far off that is; ``fit``: a few constants that bring it near
"""

from .errors import FIGURES, errors, summary
from .fit import Fit, fit_runs
from .measured_run import MeasuredRun, MeasuredStage
from .offered_load import Load, workload
from .simulated import Physics, Prediction, cost_of, simulate_run
from .table import measured_run, measured_runs

__all__ = [
    "FIGURES",
    "Fit",
    "Load",
    "MeasuredRun",
    "MeasuredStage",
    "Physics",
    "Prediction",
    "cost_of",
    "errors",
    "fit_runs",
    "measured_run",
    "measured_runs",
    "simulate_run",
    "summary",
    "workload",
]
