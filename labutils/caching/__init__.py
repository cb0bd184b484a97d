"""Caches: what need not be computed, what remains for the backend, and what goes wrong."""

from labutils.lazy import lazily

_HOME = {
    "replay": "cache_run",
    "CacheRun": "cache_run",
    "zipf_keys": "streams",
    "poisson_times": "streams",
    "zipf_shares": "streams",
}
__getattr__, __dir__ = lazily(__name__, _HOME)
