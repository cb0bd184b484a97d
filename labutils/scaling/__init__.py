"""Laws of scaling: what making one part faster, or adding processors, does to the whole.

>>> amdahl_speedup(0.7, 2), amdahl_speedup(0.7, 10)
(1.5384615384615383, 2.7027027027027026)
>>> gustafson_speedup(0.7, 10)
7.3

``share`` is the part of the *time* that is made faster, never of the code, the stages or the cost.
"""

from labutils.scaling.amdahl import (
    amdahl_ceiling,
    amdahl_speedup,
    combined_speedup,
    factor_for_speedup,
    share_after,
    share_from_speedup,
)
from labutils.scaling.gustafson import gustafson_speedup

__all__ = [
    "amdahl_ceiling",
    "amdahl_speedup",
    "combined_speedup",
    "factor_for_speedup",
    "gustafson_speedup",
    "share_after",
    "share_from_speedup",
]
