"""Stage times with a stated quantile each, and a stated dependence between the stages."""

from collections.abc import Mapping

import numpy as np
from scipy.special import ndtri

from labutils.ground.arguments import finite, fraction, non_negative, positive, whole
from labutils.simulation.draws.draw_checks import generator


def dependent_stage_times(
    quantiles_s: Mapping[str, float],
    n: int,
    rng: np.random.Generator,
    *,
    p: float = 0.99,
    scv: float = 0.5,
    correlation: float = 0.0,
) -> dict[str, np.ndarray]:
    """Draw lognormal times of ``n`` requests, so that each stage's ``p``-quantile is as given.

    ``scv`` is the spread (variance / mean²) of each stage. ``correlation`` (0 to 1) is that of the
    logarithms of any two stages: at 0 a request that is slow at one stage is as quick as any at the
    others, at 1 a request has one pace at all of them (a Gaussian copula with one common factor).
    The same ``rng`` state gives the same draws at every ``correlation``.
    """
    n, p, part = whole("n", n), fraction("p", p), finite("correlation", correlation)
    if not 0 <= part <= 1:
        raise ValueError(f"correlation = {correlation!r}: expected a number from 0 to 1")
    spread = np.sqrt(np.log1p(non_negative("scv", scv)))
    common = generator("rng", rng).standard_normal(n)
    times = {}
    for name, quantile in quantiles_s.items():
        pace = np.sqrt(part) * common + np.sqrt(1 - part) * rng.standard_normal(n)
        top = positive(f"quantiles_s[{name!r}]", quantile)
        times[name] = top * np.exp(spread * (pace - ndtri(p)))
    return times
