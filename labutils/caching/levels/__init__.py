"""A cache of three levels for real: in the process, a shared store, compute.

1. ``three_levels``: the way of a request; ``cache_key``: whose value, and which
2. ``process_level``: the first level; ``guarded_store``: the second, asked with a time-out, a
   ``circuit_breaker`` and a ``seal`` on every value; ``level_counts``: what became of each question
3. ``shared_store``: what a store has to offer; ``redis_store`` and ``sqlite_store`` offer it, and
   ``shared_level`` takes the one that is here
4. ``redis_server``: a Redis to kill and to stall; ``redis_client``: what a client does then
"""

from typing import TYPE_CHECKING

from labutils.lazy import lazily

_HOME = {
    "Answer": "three_levels",
    "CircuitBreaker": "circuit_breaker",
    "ClientSettings": "redis_client",
    "Counts": "level_counts",
    "LevelCounts": "level_counts",
    "RedisServer": "redis_server",
    "RedisStore": "redis_store",
    "SharedLevel": "shared_level",
    "SharedStore": "shared_store",
    "SqliteStore": "sqlite_store",
    "StoreError": "shared_store",
    "ThreeLevels": "three_levels",
    "TimedCall": "redis_client",
    "default_client": "redis_client",
    "key_text": "cache_key",
    "our_client": "redis_client",
    "redis_or_sqlite": "shared_level",
    "settings_of": "redis_client",
    "timed_call": "redis_client",
}

if TYPE_CHECKING:
    from .cache_key import key_text
    from .circuit_breaker import CircuitBreaker
    from .level_counts import Counts, LevelCounts
    from .redis_client import (
        ClientSettings,
        TimedCall,
        default_client,
        our_client,
        settings_of,
        timed_call,
    )
    from .redis_server import RedisServer
    from .redis_store import RedisStore
    from .shared_level import SharedLevel, redis_or_sqlite
    from .shared_store import SharedStore, StoreError
    from .sqlite_store import SqliteStore
    from .three_levels import Answer, ThreeLevels

__all__ = [
    "Answer", "CircuitBreaker", "ClientSettings", "Counts", "LevelCounts", "RedisServer",
    "RedisStore", "SharedLevel", "SharedStore", "SqliteStore", "StoreError", "ThreeLevels",
    "TimedCall", "default_client", "key_text", "our_client", "redis_or_sqlite", "settings_of",
    "timed_call",
]  # fmt: skip

__getattr__, __dir__ = lazily(__name__, _HOME)
