"""The same cache as a story: an ordered dictionary from key to the moment at which it dies.

The twin takes the arguments of ``labutils.caching.replay`` and returns the same run, some hundred
times more slowly. A test holds the two together on thousands of random stories.
"""

import math
from collections import Counter, OrderedDict

import numpy as np

from labutils.ground.arguments import whole

from .cache_run import CacheRun, checked_keys, checked_times


def replay(
    keys, times_s=None, *, capacity: int, ttl_s: float | None = None, renew: bool = False
) -> CacheRun:
    """Tell the story of ``labutils.caching.replay``: same arguments, result and errors."""
    keys = checked_keys(keys).tolist()
    times_s, ttl_s = checked_times(times_s, len(keys), ttl_s, renew)
    times_s, ttl_s = (np.zeros(len(keys)), math.inf) if ttl_s is None else (times_s, ttl_s)
    capacity = whole("capacity", capacity)
    dies_s: OrderedDict[int, float] = OrderedDict()  # the least recently used key first
    seen: Counter[str] = Counter()
    hit = [
        _ask(dies_s, key, now, capacity, ttl_s, renew, seen)
        for key, now in zip(keys, times_s.tolist(), strict=True)
    ]
    hits = sum(hit)
    return CacheRun(np.array(hit), hits, len(hit) - hits, seen["expired"], seen["evictions"])


def _ask(dies_s: OrderedDict, key, now, capacity, ttl_s, renew, seen: Counter) -> bool:
    """Ask once; returns whether it was a hit. After a miss the cache holds the entry."""
    is_there = key in dies_s
    is_fresh = is_there and now < dies_s[key]
    if is_there and not is_fresh:
        seen["expired"] += 1
    if not is_there and len(dies_s) == capacity:
        dies_s.popitem(last=False)
        seen["evictions"] += 1
    if not is_fresh or renew:
        dies_s[key] = now + ttl_s
    dies_s.move_to_end(key)
    return is_fresh
