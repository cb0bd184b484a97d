"""A service behind a cache: its numbers, its traffic, and what may be done for it in an outage."""

from dataclasses import dataclass, fields

import numpy as np

from labutils.ground.arguments import non_negative, positive, whole
from labutils.simulation.draws.arrivals import piecewise_poisson_arrivals
from labutils.simulation.draws.draw_checks import arrivals_in_order, generator, none_negative


@dataclass(frozen=True)
class CachedService:
    """A cache before a backend, and clients who do not wait for ever.

    Requests come at ``arrival_rate`` per second for ``num_keys`` keys whose popularity falls as
    rank to the power -``skew``. The cache holds ``capacity`` keys, evicts the one that was asked
    for least recently, and forgets a key ``ttl_s`` after its fill, or up to a share
    ``ttl_jitter`` of it sooner, so that keys filled together do not go together. A hit takes no
    time; a miss is computed at one of ``servers``, in ``mean_service_s`` on average, first come,
    first served.

    A client leaves after ``timeout_s``. An attempt that timed out or was refused is repeated
    ``backoff_s`` later, ``max_attempts`` in all, as far as the retry budget goes: each request adds
    ``retry_budget`` tokens to a bucket of ``retry_burst``, each retry takes one. A queue of
    ``queue_limit`` computations refuses more.

    The caller fills the cache, as in most look-aside caches: what is computed for a client who has
    left is thrown away.
    """

    arrival_rate: float = 200.0
    num_keys: int = 20_000
    skew: float = 1.4
    capacity: int = 1_200
    ttl_s: float = 300.0
    ttl_jitter: float = 0.5
    servers: int = 6
    mean_service_s: float = 0.3
    timeout_s: float = 2.0
    max_attempts: int = 2
    retry_budget: float = 1.0
    retry_burst: float = 10.0
    backoff_s: float = 0.5
    queue_limit: int = 300

    def __post_init__(self):
        wholes = {"num_keys": 1, "capacity": 1, "servers": 1, "max_attempts": 1, "queue_limit": 0}
        for name in (field.name for field in fields(self)):
            value = getattr(self, name)
            if name in wholes:
                whole(name, value, at_least=wholes[name])
            elif name in ("skew", "ttl_jitter", "retry_budget", "retry_burst", "backoff_s"):
                non_negative(name, value)
            elif not (name == "ttl_s" and value == np.inf):
                positive(name, value)
        if not 0 <= self.ttl_jitter <= 1:
            raise ValueError(f"ttl_jitter = {self.ttl_jitter!r}: expected a share from 0 to 1")
        if self.max_attempts > 100:
            raise ValueError(f"max_attempts = {self.max_attempts!r}: expected at most 100")

    @property
    def popularity(self) -> np.ndarray:
        """The share of the requests that each key gets, the most popular first."""
        weights = np.arange(1, self.num_keys + 1) ** -float(self.skew)
        return weights / weights.sum()

    @property
    def backend_per_s(self) -> float:
        """Computations a second with every server busy."""
        return self.servers / self.mean_service_s


@dataclass(frozen=True)
class Remedy:
    """What changes ``from_s`` on; nothing, as it stands.

    ``single_flight``: one computation a key at a time, all who ask meanwhile wait for it.
    ``queue_limit``: a new limit for the backend's queue. ``warm_keys``: so many of the most
    popular keys are put into the cache at that moment. ``drop_abandoned``: a computation that
    nobody waits for any more is skipped when its turn comes. ``late_fills``: a result fills the
    cache although its client has left.
    """

    from_s: float = np.inf
    single_flight: bool = False
    queue_limit: int | None = None
    warm_keys: int = 0
    drop_abandoned: bool = False
    late_fills: bool = False

    def __post_init__(self):
        if self.from_s != np.inf:
            non_negative("from_s", self.from_s)
        whole("warm_keys", self.warm_keys, at_least=0)
        if self.queue_limit is not None:
            whole("queue_limit", self.queue_limit, at_least=0)


@dataclass(frozen=True, eq=False)
class FlushDraws:
    """When requests come, which key each asks for (0 is the most popular), and what it takes."""

    arrival_s: np.ndarray
    keys: np.ndarray
    service_s: np.ndarray


def flush_draws(service: CachedService, duration_s: float, rng: np.random.Generator) -> FlushDraws:
    """Draw Poisson requests with independent keys, and exponential times of their computation."""
    duration = positive("duration_s", duration_s)
    rates = [service.arrival_rate]
    arrivals = piecewise_poisson_arrivals(rates, [duration], generator("rng", rng))
    n, bounds = arrivals.size, np.cumsum(service.popularity)
    keys = np.minimum(np.searchsorted(bounds, rng.random(n)), service.num_keys - 1)
    return FlushDraws(arrivals, keys, service.mean_service_s * rng.standard_exponential(n))


def checked_draws(service: CachedService, draws: FlushDraws) -> FlushDraws:
    """The draws as the kernel takes them; ``ValueError`` for the first that does not fit."""
    arrivals = arrivals_in_order(draws.arrival_s)
    services = none_negative("draws.service_s", draws.service_s)
    keys = np.require(draws.keys, dtype=np.int64, requirements=("C", "W"))
    for name, column in (("draws.keys", keys), ("draws.service_s", services)):
        if column.shape != arrivals.shape:
            raise ValueError(f"{name} = shape {column.shape}: expected {arrivals.shape}")
    if arrivals[0] < 0:
        raise ValueError(f"arrival_s[0] = {arrivals[0]:.12g}: expected times from 0 on")
    if keys.min() < 0 or keys.max() >= service.num_keys:
        raise ValueError(f"draws.keys: expected keys from 0 to {service.num_keys - 1}")
    return FlushDraws(arrivals, keys, services)
