"""Other memories behind the verbs of ``labutils.engine.PagePool``, and what is told about pages.

1. ``unlimited``: memory that never runs out, to study a policy apart from memory
2. ``reservation``: one piece for each request, for the worst case: what paging replaced
3. ``trace_keys``: names of pages, from a trace that names blocks of another size
4. ``page_log``: who held which page in every step
5. ``race``: a toy in which requests compete for memory, and nothing else
"""

from .page_log import PageLog, PageMoment
from .reservation import ContiguousReservation
from .trace_keys import trace_keys
from .unlimited import Unlimited

__all__ = ["ContiguousReservation", "PageLog", "PageMoment", "Unlimited", "trace_keys"]
