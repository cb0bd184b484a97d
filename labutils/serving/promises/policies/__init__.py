"""Schedulers that look at promises, each a few lines in the interface of the taught one.

1. ``promising``: what they share
2. ``lined_up``, ``ageing``, ``earliest_deadline``: another order of the queue
3. ``shedding``, ``token_buckets``: who is refused at the door
4. ``token_counters`` over ``counted`` and ``tenant_lines``: fair shares of tokens
5. ``promised_chunks``: how much of a prompt a step takes
"""

from .ageing import Ageing
from .counted import Counted
from .earliest_deadline import EarliestDeadline
from .lined_up import LinedUp, Waiting
from .promised_chunks import PromisedChunks
from .promising import Promising
from .shedding import Shedding
from .token_buckets import TokenBuckets
from .token_counters import TokenCounters, fairness_bound

__all__ = [
    "Ageing", "Counted", "EarliestDeadline", "LinedUp", "PromisedChunks", "Promising", "Shedding",
    "TokenBuckets", "TokenCounters", "Waiting", "fairness_bound",
]  # fmt: skip
