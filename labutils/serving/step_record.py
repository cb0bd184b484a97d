"""What one step of the engine took, and what it held."""

from typing import NamedTuple

from .plan import StepShape


class StepRecord(NamedTuple):
    """One step of the engine. Times are seconds on the engine's clock.

    ``schedule_s``: the scheduler and the memory's books. ``host_s``: inputs, launches, bookkeeping
    and callbacks. ``device_s``: the model and the choice of tokens; on CUDA from events, so it may
    pass while the host does something else. ``wall_s``: from the start of this step to its tokens
    being known. ``rows`` are the requests that took part; ``pages_in_use`` (slots of a reservation)
    are counted with the step's own memory; ``preempted`` are requests that lost theirs just before.
    """

    start_s: float
    schedule_s: float
    host_s: float
    device_s: float
    wall_s: float
    shape: StepShape
    rows: int
    pages_in_use: int
    preempted: int
