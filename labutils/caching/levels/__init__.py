"""A cache of three levels for real: in the process, a shared store, compute.

1. ``three_levels``: the way of a request; ``cache_key``: whose value, and which
2. ``process_level``: the first level; ``guarded_store``: the second, asked with a time-out, a
   ``circuit_breaker`` and a ``seal`` on every value; ``level_counts``: what became of each question
3. ``stores``: Redis and SQLite, a Redis of one's own to kill and to stall, and its client
4. ``latencies``: what a value costs from each level; ``outage``: a load over them while Redis goes
   away and comes back
"""

from typing import TYPE_CHECKING

from labutils.ground.lazy import lazily

_HOME = {
    "Answer": "three_levels",
    "CircuitBreaker": "circuit_breaker",
    "ClientSettings": "stores.redis_client",
    "Counts": "level_counts",
    "LevelCounts": "level_counts",
    "OutageRun": "outage",
    "RedisServer": "stores.redis_server",
    "RedisStore": "stores.redis_store",
    "SharedLevel": "stores.shared_level",
    "SharedStore": "stores.shared_store",
    "SqliteStore": "stores.sqlite_store",
    "StoreError": "stores.shared_store",
    "ThreeLevels": "three_levels",
    "TimedCall": "stores.redis_client",
    "default_client": "stores.redis_client",
    "key_text": "cache_key",
    "level_latencies": "latencies",
    "our_client": "stores.redis_client",
    "outage_run": "outage",
    "redis_or_sqlite": "stores.shared_level",
    "settings_of": "stores.redis_client",
    "timed_call": "stores.redis_client",
}

if TYPE_CHECKING:
    from .cache_key import key_text
    from .circuit_breaker import CircuitBreaker
    from .latencies import level_latencies
    from .level_counts import Counts, LevelCounts
    from .outage import OutageRun, outage_run
    from .stores.redis_client import (
        ClientSettings,
        TimedCall,
        default_client,
        our_client,
        settings_of,
        timed_call,
    )
    from .stores.redis_server import RedisServer
    from .stores.redis_store import RedisStore
    from .stores.shared_level import SharedLevel, redis_or_sqlite
    from .stores.shared_store import SharedStore, StoreError
    from .stores.sqlite_store import SqliteStore
    from .three_levels import Answer, ThreeLevels

__all__ = [
    "Answer", "CircuitBreaker", "ClientSettings", "Counts", "LevelCounts", "OutageRun",
    "RedisServer", "RedisStore", "SharedLevel", "SharedStore", "SqliteStore", "StoreError",
    "ThreeLevels", "TimedCall", "default_client", "key_text", "level_latencies",
    "our_client", "outage_run", "redis_or_sqlite", "settings_of", "timed_call",
]  # fmt: skip

__getattr__, __dir__ = lazily(__name__, _HOME)
