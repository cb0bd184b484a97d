"""The first level: values in this process, none for longer than the entry that it came from."""

from collections.abc import Callable
from dataclasses import dataclass

from labutils.caching.store import TTLStore


@dataclass(frozen=True)
class Kept:
    """``value`` (``None``: known to be nothing), to be served before ``dies_s`` on our clock."""

    value: bytes | None
    dies_s: float


class ProcessLevel:
    """At most ``capacity`` values, each for less than ``ttl_s`` and never beyond its ``dies_s``.

    A first level with a time to live of its own alone serves a value up to ``ttl_s`` after the
    shared entry has ended. Here the remaining life of that entry comes along.
    """

    def __init__(self, *, capacity: int, ttl_s: float, clock: Callable[[], float]):
        self._store = TTLStore(capacity=capacity, ttl_s=ttl_s, clock=clock)
        self._clock = clock

    def get(self, text: str) -> Kept | None:
        """What is kept under the key of this text, while it may be served."""
        kept = self._store.get(text)
        if kept is None or self._clock() < kept.dies_s:
            return kept
        self._store.drop(text)
        return None

    def put(self, text: str, kept: Kept) -> None:
        """Keep the value, unless its time to live is over already."""
        if self._clock() < kept.dies_s:
            self._store.put(text, kept)

    def __len__(self) -> int:
        return len(self._store)
