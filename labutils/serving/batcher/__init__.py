"""Requests one by one, answered in batches, on asyncio.

1. ``dynamic_batcher``: gathers what waits into batches for a model
2. ``length_buckets``: one batcher for each range of lengths, so that neighbours differ little
3. ``virtual_loop``: an event loop whose clock jumps, so that a run is exact and repeatable
4. ``load``: offers a batcher requests in an open loop, on either clock
"""

from .dynamic_batcher import BatchFailed, Closed, DynamicBatcher, Overloaded
from .length_buckets import LengthBuckets
from .load import BatcherLoad, batcher_load
from .virtual_loop import run_virtually

__all__ = [
    "BatchFailed", "BatcherLoad", "Closed", "DynamicBatcher", "LengthBuckets", "Overloaded",
    "batcher_load", "run_virtually",
]  # fmt: skip
