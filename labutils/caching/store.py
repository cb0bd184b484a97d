"""A cache that a program can use: least recently used, with a time to live and counters."""

from collections import OrderedDict
from collections.abc import Callable, Hashable

from labutils.ground.arguments import positive, whole


class TTLStore:
    """At most ``capacity`` entries, each served for less than ``ttl_s`` seconds after its ``put``.

    ``clock`` returns seconds that never go back (``time.monotonic`` in a service). The entry that
    was neither read nor written for longest leaves for a new key. ``hits``, ``misses``, ``expired``
    (the misses that found an entry too old) and ``evictions`` count what ``get`` and ``put`` met.

    Invariant: an entry is in ``_entries`` once, and the dictionary's order is the order of use.

    >>> store = TTLStore(capacity=2, ttl_s=10, clock=lambda: 0.0)
    >>> store.put("a", 1); store.put("b", 2); store.get("a"); store.put("c", 3)
    1
    >>> store.get("b") is None, store.get("a"), store.evictions
    (True, 1, 1)
    """

    def __init__(self, *, capacity: int, ttl_s: float, clock: Callable[[], float]):
        self.capacity = whole("capacity", capacity)
        self.ttl_s = positive("ttl_s", ttl_s)
        self._clock = clock
        self._entries: OrderedDict[Hashable, tuple[object, float]] = OrderedDict()
        self.hits = self.misses = self.expired = self.evictions = 0

    def get(self, key: Hashable, default: object = None) -> object:
        """The value under ``key`` while it is fresh, else ``default``."""
        value, dies_s = self._entries.get(key, (default, None))
        if dies_s is not None and self._clock() < dies_s:
            self._entries.move_to_end(key)
            self.hits += 1
            return value
        self.misses += 1
        if dies_s is not None:
            self.expired += 1
            del self._entries[key]
        return default

    def put(self, key: Hashable, value: object) -> None:
        """Keep ``value`` under ``key`` from now on; an update takes no other entry's place."""
        if key not in self._entries and len(self._entries) == self.capacity:
            self._entries.popitem(last=False)
            self.evictions += 1
        self._entries[key] = value, self._clock() + self.ttl_s
        self._entries.move_to_end(key)

    def drop(self, key: Hashable) -> bool:
        """Forget ``key``; returns whether the cache held it."""
        return self._entries.pop(key, None) is not None

    def __len__(self) -> int:
        return len(self._entries)
