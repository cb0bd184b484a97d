"""Laws of scaling: what making one part faster, or adding processors, does to the whole.

>>> round(amdahl_speedup(0.7, 2), 3), round(amdahl_speedup(0.7, 10), 3)
(1.538, 2.703)
>>> round(gustafson_speedup(0.7, 10), 3)
7.3
>>> fit = fit_scalability([1, 2, 4, 8, 16], [100, 190, 340, 520, 560])
>>> round(fit.law.peak_at, 1), round(fit.law.speedup(64), 2)
(13.1, 2.48)

``share`` is the part of the *time* that is made faster, never of the code, the stages or the cost.
"""

from labutils.laws.scaling.amdahl import (
    amdahl_ceiling,
    amdahl_speedup,
    combined_speedup,
    factor_for_speedup,
    share_after,
    share_from_speedup,
)
from labutils.laws.scaling.gustafson import gustafson_speedup
from labutils.laws.scaling.universal import ScalabilityFit, UniversalScalability, fit_scalability

__all__ = [
    "ScalabilityFit",
    "UniversalScalability",
    "amdahl_ceiling",
    "amdahl_speedup",
    "combined_speedup",
    "factor_for_speedup",
    "fit_scalability",
    "gustafson_speedup",
    "share_after",
    "share_from_speedup",
]
