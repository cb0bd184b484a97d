"""Laws of scaling: what making one part faster, or adding processors, does to the whole.

>>> round(amdahl_speedup(0.7, 2), 3), round(amdahl_speedup(0.7, 10), 3)
(1.538, 2.703)
>>> round(gustafson_speedup(0.7, 10), 3)
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
