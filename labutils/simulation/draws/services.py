"""Service times in seconds: how long a server is busy with each request.

Every function returns ``n`` independent values of the given mean. The distributions differ in
their spread, ``scv_service`` (variance / mean²), and in how far their tail reaches.
"""

import numpy as np

from labutils.ground.arguments import positive
from labutils.simulation.draws.draw_checks import how_many
from labutils.simulation.draws.variates import draw_unit

__all__ = [
    "deterministic_services",
    "draw_unit",
    "exponential_services",
    "gamma_services",
    "hyperexponential_services",
    "lognormal_services",
]


def exponential_services(mean_service_time: float, n: int, rng: np.random.Generator) -> np.ndarray:
    """Draw memoryless service times (scv 1): the second M of M/M/1."""
    return positive("mean_service_time", mean_service_time) * draw_unit("exponential", n, rng)


def deterministic_services(mean_service_time: float, n: int) -> np.ndarray:
    """Return ``n`` equal service times (scv 0): the D of M/D/1."""
    return np.full(how_many(n), positive("mean_service_time", mean_service_time))


def gamma_services(
    mean_service_time: float, n: int, rng: np.random.Generator, *, scv_service: float
) -> np.ndarray:
    """Draw gamma service times; ``scv_service`` = 1/k makes them Erlang-k, 0 makes them equal."""
    mean = positive("mean_service_time", mean_service_time)
    return mean * draw_unit("gamma", n, rng, scv_service)


def lognormal_services(
    mean_service_time: float, n: int, rng: np.random.Generator, *, scv_service: float
) -> np.ndarray:
    """Draw lognormal service times: most are short, a few are long, as output lengths are."""
    mean = positive("mean_service_time", mean_service_time)
    return mean * draw_unit("lognormal", n, rng, scv_service)


def hyperexponential_services(
    mean_service_time: float, n: int, rng: np.random.Generator, *, scv_service: float
) -> np.ndarray:
    """Draw from two exponentials, many short jobs and few long ones (scv of at least 1).

    Each kind carries half of the work (balanced means: Whitt 1982).
    """
    mean = positive("mean_service_time", mean_service_time)
    return mean * draw_unit("hyperexponential", n, rng, scv_service)
