"""Random numbers with mean 1, the raw material of every gap and every service.

A slider that moves a rate must not move the randomness: draw once with mean 1, multiply by the
mean on every move, and two settings differ by the setting alone (common random numbers).

``scv`` is the squared coefficient of variation, variance / mean². It is 0 for a metronome, 1
for the exponential distribution, above 1 for traffic in bursts.
"""

import numpy as np

from labutils.ground.arguments import non_negative
from labutils.simulation.draws.draw_checks import generator, how_many


def draw_unit(kind: str, n: int, rng: np.random.Generator, scv: float | None = None) -> np.ndarray:
    """Draw ``n`` variates of mean 1; ``kind`` names the distribution.

    ``"exponential"`` and ``"deterministic"`` fix their own scv (1 and 0). ``"gamma"`` (Erlang-k
    when scv = 1/k) and ``"lognormal"`` take any scv of at least 0, ``"hyperexponential"`` one
    of at least 1.

    Raises ``ValueError`` for an unknown kind, a missing or needless scv, or one out of range.
    """
    n = how_many(n)
    generator("rng", rng)
    if kind in _FIXED:
        if scv is not None:
            raise ValueError(f"scv = {scv!r}: expected no scv, {kind!r} fixes its own")
        return _FIXED[kind](n, rng)
    if kind not in _BY_SCV:
        raise ValueError(f"kind = {kind!r}: expected one of {', '.join(KINDS)}")
    return _BY_SCV[kind](n, rng, non_negative("scv", scv))


def _exponential(n, rng):
    return rng.standard_exponential(n)


def _deterministic(n, _rng):
    return np.ones(n)


def _gamma(n, rng, scv):
    if scv == 0:
        return np.ones(n)
    return rng.standard_gamma(1 / scv, n) * scv


def _lognormal(n, rng, scv):
    # The variance of the logarithm is ln(1 + scv); the shift puts the mean at 1.
    log_variance = np.log1p(scv)
    return rng.lognormal(-log_variance / 2, np.sqrt(log_variance), n)


def _hyperexponential(n, rng, scv):
    """Two exponentials that carry half of the mean each (balanced means: Whitt 1982)."""
    if scv < 1:
        raise ValueError(f"scv = {scv!r}: expected at least 1 for 'hyperexponential'")
    p_short = (1 + np.sqrt((scv - 1) / (scv + 1))) / 2
    is_short = rng.random(n) < p_short
    mean = np.where(is_short, 1 / (2 * p_short), 1 / (2 * (1 - p_short)))
    return rng.standard_exponential(n) * mean


_FIXED = {"exponential": _exponential, "deterministic": _deterministic}
_BY_SCV = {"gamma": _gamma, "lognormal": _lognormal, "hyperexponential": _hyperexponential}
KINDS = (*_FIXED, *_BY_SCV)
