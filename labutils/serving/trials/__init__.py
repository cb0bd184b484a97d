"""Models against reality: what was predicted, and what the engine then did.

1. ``replay``: requests sent to an engine when their time has come
2. ``records``, ``step_book``: notes of its steps, to compute with and to draw
3. ``calibration``, ``stepped_load``: a step cost, fitted to an engine
4. ``envelope``: predictions sealed before the engine runs, and opened afterwards; in pieces:
   ``clock``, ``trial_bench``, ``load_figures``, ``reveal``
5. ``floor``: the least time in which a job could be served; ``gpu_runs``: what a GPU did
"""

from typing import TYPE_CHECKING

from labutils.ground.lazy import lazily

if TYPE_CHECKING:
    from .calibration import Calibration, calibrate, known_step_cost
    from .clock import one_core
    from .envelope import Sealed, TrialPlan, seal
    from .floor import Floor, Rates, memory_floor
    from .gpu_runs import gpu_summary
    from .load_figures import BACKLOG, LoadFigures
    from .records import LoggedStep, StepLog
    from .reveal import Reveal, Row
    from .step_book import StepBook
    from .trial_bench import engines_of

_HOME = {
    "BACKLOG": "load_figures", "Calibration": "calibration", "Floor": "floor",
    "LoadFigures": "load_figures", "Rates": "floor", "Reveal": "reveal", "Row": "reveal",
    "Sealed": "envelope", "StepBook": "step_book", "StepLog": "records", "LoggedStep": "records",
    "TrialPlan": "envelope", "calibrate": "calibration", "engines_of": "trial_bench",
    "gpu_summary": "gpu_runs", "known_step_cost": "calibration",
    "memory_floor": "floor", "one_core": "clock", "seal": "envelope",
}  # fmt: skip

__all__ = [
    "BACKLOG",
    "Calibration",
    "Floor",
    "LoadFigures",
    "LoggedStep",
    "Rates",
    "Reveal",
    "Row",
    "Sealed",
    "StepBook",
    "StepLog",
    "TrialPlan",
    "calibrate",
    "engines_of",
    "gpu_summary",
    "known_step_cost",
    "memory_floor",
    "one_core",
    "seal",
]  # fmt: skip
__getattr__, __dir__ = lazily(__name__, _HOME)
