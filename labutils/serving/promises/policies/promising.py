"""What all policies that look at promises share."""

from collections.abc import Mapping
from typing import Any, ClassVar

from labutils.engine import Scheduler
from labutils.serving.runs.step_cost import StepCost

from ..promises import Promises


class Promising(Scheduler):
    """A ``Scheduler`` that knows what was promised, and when it planned last.

    Policies of this room may be combined: ``class Mine(Shedding, EarliestDeadline)`` refuses what
    would come too late in a queue by deadline. Those that predict steps share ``step_cost``.

    A class says of itself what the tests hold it to: ``in_order`` (requests start in the order in
    which they came) and ``tried_with`` (arguments of its own, with which it is tried).
    """

    in_order = True
    tried_with: ClassVar[Mapping[str, Any]] = {}

    def __init__(self, *args, promises: Promises, step_cost: StepCost | None = None, **options):
        if not isinstance(promises, Promises):
            raise ValueError(f"promises = {promises!r}: expected Promises")
        self.promises, self.step_cost, self.now_s = promises, step_cost, 0.0
        super().__init__(*args, **options)

    def schedule(self, now_s: float):
        """The next step."""
        self.now_s = now_s
        return super().schedule(now_s)
