"""A toy that explains: requests compete for KV memory, reserved in one piece or paged.

It runs on a real ``PagePool`` or ``ContiguousReservation``, and leaves out everything else: no
scheduler, no costs, one token a step.
"""

from .growing import Growing
from .page_books import PageBooks
from .race import Moment, RaceRun, race

__all__ = ["Growing", "Moment", "PageBooks", "RaceRun", "race"]
