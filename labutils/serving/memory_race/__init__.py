"""A toy that explains: requests compete for KV memory, reserved in one piece or paged.

It gives out the memory of the real ``BlockManager`` and ``ContiguousReservation``, and leaves out
everything else: no scheduler, no costs, one token a step. What serves is in ``labutils.serving``.
"""

from .memories import Growing, Memory, Paging, Reserving
from .page_books import PageBooks
from .race import Moment, RaceRun, race

__all__ = ["Growing", "Memory", "Moment", "PageBooks", "Paging", "RaceRun", "Reserving", "race"]
