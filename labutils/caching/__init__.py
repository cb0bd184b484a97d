"""Caches: what need not be computed, what remains for the backend, and what goes wrong.

1. ``streams``: keys to ask for; ``cache_run``: a stream replayed through LRU with time to live,
   compiled in ``kernels`` and told as a story in ``twins``
2. ``theory``: hit rates by Che's approximation, and what users and the backend see of them
3. ``store``: the cache that a program uses; ``flight``: one computation for all who ask at once
4. ``refresh``: a key that expires under load, and three ways to keep the backend alive
5. ``semantic``: answers found by similarity; ``threshold``: how similar is similar enough
6. ``prefix``: blocks of prompts that were computed before, over the size of the cache
7. ``levels``: in the process, Redis or SQLite, compute; and what happens when Redis dies
"""

from typing import TYPE_CHECKING

from labutils.ground.lazy import lazily

_HOME = {
    "CacheRun": "cache_run",
    "CheHitRates": "theory",
    "CircuitBreaker": "levels",
    "CircularFlight": "flight",
    "ErrorShare": "threshold",
    "FlightCancelled": "flight",
    "Hit": "semantic",
    "HotKeyRun": "refresh",
    "OutageRun": "levels",
    "PrefixHits": "prefix",
    "RedisServer": "levels",
    "Scope": "semantic",
    "SemanticCache": "semantic",
    "SharedLevel": "levels",
    "SingleFlight": "flight",
    "TTLStore": "store",
    "ThreeLevels": "levels",
    "Threshold": "threshold",
    "backend_load": "theory",
    "beam_search": "prefix",
    "che_hit_rates": "theory",
    "choose_threshold": "threshold",
    "clopper_pearson": "threshold",
    "default_client": "levels",
    "error_at": "threshold",
    "errors_by_group": "threshold",
    "expected_stampede": "theory",
    "growing_contexts": "prefix",
    "held_out_errors": "threshold",
    "hit_curve": "prefix",
    "hot_key": "refresh",
    "level_latencies": "levels",
    "mean_latency": "theory",
    "our_client": "levels",
    "outage_run": "levels",
    "percentile_with_cache": "theory",
    "poisson_times": "streams",
    "prefix_hits": "prefix",
    "redis_or_sqlite": "levels",
    "refill_rates": "refresh",
    "refreshes_early": "refresh",
    "replay": "cache_run",
    "settings_of": "levels",
    "timed_call": "levels",
    "ttl_hit_rate": "theory",
    "zipf_keys": "streams",
    "zipf_shares": "streams",
}

if TYPE_CHECKING:
    from .cache_run import CacheRun, replay
    from .flight import CircularFlight, FlightCancelled, SingleFlight
    from .levels import (
        CircuitBreaker,
        OutageRun,
        RedisServer,
        SharedLevel,
        ThreeLevels,
        default_client,
        level_latencies,
        our_client,
        outage_run,
        redis_or_sqlite,
        settings_of,
        timed_call,
    )
    from .prefix import PrefixHits, beam_search, growing_contexts, hit_curve, prefix_hits
    from .refresh import HotKeyRun, hot_key, refill_rates, refreshes_early
    from .semantic import Hit, Scope, SemanticCache
    from .store import TTLStore
    from .streams import poisson_times, zipf_keys, zipf_shares
    from .theory import (
        CheHitRates,
        backend_load,
        che_hit_rates,
        expected_stampede,
        mean_latency,
        percentile_with_cache,
        ttl_hit_rate,
    )
    from .threshold import (
        ErrorShare,
        Threshold,
        choose_threshold,
        clopper_pearson,
        error_at,
        errors_by_group,
        held_out_errors,
    )

__all__ = [
    "CacheRun", "CheHitRates", "CircuitBreaker", "CircularFlight", "ErrorShare",
    "FlightCancelled", "Hit", "HotKeyRun", "OutageRun", "PrefixHits", "RedisServer", "Scope",
    "SemanticCache", "SharedLevel", "SingleFlight", "TTLStore", "ThreeLevels", "Threshold",
    "backend_load", "beam_search", "che_hit_rates", "choose_threshold", "clopper_pearson",
    "default_client", "error_at", "errors_by_group", "expected_stampede", "growing_contexts",
    "held_out_errors", "hit_curve", "hot_key", "level_latencies", "mean_latency", "our_client",
    "outage_run", "percentile_with_cache", "poisson_times", "prefix_hits", "redis_or_sqlite",
    "refill_rates", "refreshes_early", "replay", "settings_of", "timed_call", "ttl_hit_rate",
    "zipf_keys", "zipf_shares",
]  # fmt: skip

__getattr__, __dir__ = lazily(__name__, _HOME)
