"""A stream of keys through a cache of the least recently used: what was hit, missed, evicted."""

from dataclasses import dataclass

import numpy as np

from labutils.ground.arguments import positive, sample, whole

from . import kernels

MOST_KEYS = 2**31 - 2  # links between keys are 32-bit numbers
SPARSE = 4  # numbers up to so many times the requests serve as array places as they are


@dataclass(frozen=True, eq=False)
class CacheRun:
    """What became of each request: ``hit`` holds a truth value per request, in order.

    ``hits`` + ``misses`` are all requests. ``expired`` counts the misses that found their entry too
    old, ``evictions`` the entries that had to leave for another key.
    """

    hit: np.ndarray
    hits: int
    misses: int
    expired: int
    evictions: int

    @property
    def hit_rate(self) -> float:
        """Share of the requests that were hits, 0 to 1."""
        return self.hits / len(self.hit)


def replay(
    keys, times_s=None, *, capacity: int, ttl_s: float | None = None, renew: bool = False
) -> CacheRun:
    """Send whole-number ``keys`` through an LRU cache of ``capacity`` entries.

    A miss fills the cache at once. With ``ttl_s`` (seconds) an entry is a hit for less than that
    after its fill, or after its last hit with ``renew``; it needs ``times_s``, the arrivals in
    ascending seconds. An expired entry holds its place until it is asked for or evicted, as in
    caches that nobody sweeps. 10^6 requests take some 10 ms.

    ``ValueError`` names the argument that is out of range.

    >>> replay([1, 2, 1, 3, 2], capacity=2).hit
    array([False, False,  True, False, False])
    >>> replay([1, 1, 1], [0, 2, 4], capacity=2, ttl_s=3, renew=True).hits
    2
    """
    keys, num_keys = _numbered(keys)
    times_s, ttl_s = checked_times(times_s, len(keys), ttl_s, renew)
    capacity = whole("capacity", capacity)
    hit, expired = np.empty(len(keys), dtype=bool), 0
    if ttl_s is None:
        hits, evictions = kernels.lru(keys, num_keys, capacity, hit)
    else:
        hits, evictions, expired = kernels.lru_with_ttl(
            keys, times_s, num_keys, capacity, ttl_s, bool(renew), hit
        )
    hit.flags.writeable = False
    return CacheRun(hit, hits, len(keys) - hits, expired, evictions)


def checked_keys(keys) -> np.ndarray:
    """``keys`` as a one-dimensional array of whole numbers, else ``ValueError``."""
    array = np.asarray(keys)
    if array.ndim != 1 or array.size == 0 or array.dtype.kind not in "iu":
        raise ValueError(
            f"keys: expected a one-dimensional, non-empty sequence of whole numbers, got shape "
            f"{array.shape} of {array.dtype}"
        )
    return array


def checked_times(times_s, num_requests: int, ttl_s, renew) -> tuple[np.ndarray | None, float]:
    """``times_s`` and ``ttl_s`` in their clean form, else ``ValueError``."""
    if ttl_s is None:
        if renew:
            raise ValueError("renew = True: expected only beside ttl_s, which it renews")
        return None, None
    if times_s is None:
        raise ValueError(f"times_s = None: expected arrival times, since ttl_s = {ttl_s!r}")
    times = sample("times_s", times_s)
    if len(times) != num_requests:
        raise ValueError(f"times_s has {len(times)}: expected {num_requests}, one for each key")
    if (back := np.flatnonzero(np.diff(times) < 0)).size:
        at = int(back[0]) + 1
        raise ValueError(f"times_s[{at}] = {times[at]}: expected no earlier than {times[at - 1]}")
    return np.ascontiguousarray(times), positive("ttl_s", ttl_s)


def _numbered(keys) -> tuple[np.ndarray, int]:
    """Keys as places in an array, and how many places it needs."""
    keys = checked_keys(keys)
    low, high = int(keys.min()), int(keys.max())
    if low < 0 or high >= min(MOST_KEYS, max(SPARSE * len(keys), 1000)):
        names, keys = np.unique(keys, return_inverse=True)
        high = len(names) - 1
    return np.ascontiguousarray(keys, dtype=np.int64), high + 1
