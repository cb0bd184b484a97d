"""Other policies than ``labutils.engine.Scheduler``, and an auditor for all of them.

1. ``step_shape``: how much work a step holds
2. ``batches``: batches that are closed when they start, and a time to wait for
3. ``admission``: a rule of one's own for who may start
4. ``ordered``: a queue by priority, or by any other key
5. ``audited``: holds each plan of a scheduler against books of its own (``book``,
   ``memory_watch``); ``BadPlan`` says what is wrong with one
"""

from .admission import AdmissionView, ByRule, admit_what_fits
from .audited import Audited
from .bad_plan import BadPlan
from .batches import DynamicBatches, StaticBatches, WaitUntil
from .ordered import Ordered
from .step_shape import StepShape

__all__ = [
    "AdmissionView", "Audited", "BadPlan", "ByRule", "DynamicBatches", "Ordered", "StaticBatches",
    "StepShape", "WaitUntil", "admit_what_fits",
]  # fmt: skip
