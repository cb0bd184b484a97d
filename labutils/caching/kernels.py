"""A cache of the least recently used keys as plain loops over arrays, one request per turn.

The order of use is a ring of keys. ``newer[k]`` and ``older[k]`` are the neighbours of key ``k``;
the place after the last key is a sentinel: the entry used last is ``older[sentinel]``, the entry
that goes next is ``newer[sentinel]``. A key outside the cache has ``newer[k] = ABSENT``. Each key
has both links side by side in memory, so a request usually touches one line of it. A kernel trusts
its input, which ``cache_run`` checks, and writes into ``hit``.
"""

import numpy as np

from labutils.simulation.queues.compiled import compiled, inner

ABSENT = -1
NEWER, OLDER = 0, 1


@inner
def _link_newest(links, key, sentinel):
    """Put ``key``, which stands nowhere, at the young end of the ring."""
    was_newest = links[sentinel, OLDER]
    links[key, NEWER], links[key, OLDER] = sentinel, was_newest
    links[was_newest, NEWER] = key
    links[sentinel, OLDER] = key


@inner
def _unlink(links, key):
    """Close the ring behind ``key``; its own links stay as they were."""
    newer, older = links[key, NEWER], links[key, OLDER]
    links[newer, OLDER] = older
    links[older, NEWER] = newer


@inner
def _admit(links, key, sentinel, is_full):
    """Bring in an absent key; where no place is left, the least recently used one goes."""
    if is_full:
        oldest = links[sentinel, NEWER]
        _unlink(links, oldest)
        links[oldest, NEWER] = ABSENT
    _link_newest(links, key, sentinel)


@compiled
def lru(keys, num_keys, capacity, hit):
    """Replay ``keys`` (whole numbers below ``num_keys``) through ``capacity`` places.

    Returns the number of hits and of evictions.
    """
    links = np.full((num_keys + 1, 2), ABSENT, np.int32)
    links[num_keys, :] = num_keys
    hits, size, evictions = 0, 0, 0
    for i in range(keys.size):
        key = keys[i]
        if links[key, NEWER] != ABSENT:
            hit[i] = True
            hits += 1
            _unlink(links, key)
            _link_newest(links, key, num_keys)
        else:
            hit[i] = False
            is_full = size == capacity
            _admit(links, key, num_keys, is_full)
            evictions += is_full
            size += not is_full
    return hits, evictions


@compiled
def lru_with_ttl(keys, times_s, num_keys, capacity, ttl_s, renew, hit):
    """The same, where an entry serves requests for less than ``ttl_s`` after its fill.

    With ``renew`` each hit starts that time anew. Nobody sweeps: an entry whose time is up keeps
    its place until its key is asked for, or until its turn to be evicted comes. Returns hits,
    evictions, and requests that found their entry expired.
    """
    links = np.full((num_keys + 1, 2), ABSENT, np.int32)
    links[num_keys, :] = num_keys
    dies_s = np.empty(num_keys)
    hits, size, evictions, expired = 0, 0, 0, 0
    for i in range(keys.size):
        key, now = keys[i], times_s[i]
        is_there = links[key, NEWER] != ABSENT
        is_fresh = is_there and now < dies_s[key]
        hit[i] = is_fresh
        hits += is_fresh
        if not is_fresh or renew:
            dies_s[key] = now + ttl_s
        if is_there:
            expired += not is_fresh
            _unlink(links, key)
            _link_newest(links, key, num_keys)
        else:
            is_full = size == capacity
            _admit(links, key, num_keys, is_full)
            evictions += is_full
            size += not is_full
    return hits, evictions, expired
