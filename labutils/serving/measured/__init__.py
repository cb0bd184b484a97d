"""Load tests of real engines, and what the simulator says of them."""

from .measured_run import MeasuredRun, MeasuredStage

__all__ = ["MeasuredRun", "MeasuredStage"]
