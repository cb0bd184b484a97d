"""The measured tails of *The Tail at Scale* (Dean & Barroso 2013, table 1)."""

from types import MappingProxyType

TAIL_AT_SCALE_QUANTILES = (0.50, 0.95, 0.99)

TAIL_AT_SCALE_MS = MappingProxyType(
    {
        "one random leaf": (1, 5, 10),
        "95 % of all leaves": (12, 32, 70),
        "all leaves": (40, 87, 140),
    }
)
"""Time until that many leaves have answered, in milliseconds, measured at the root of a large
service tree: p50, p95 and p99. Given to one or two digits; the number of leaves is not stated.
"""
