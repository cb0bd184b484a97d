"""How long requests keep a server busy, told by the moments of those below a size.

An order that looks at sizes asks one thing of a distribution, again and again: how much work comes
from requests of at most this length? Times are in seconds.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from labutils.ground import arguments

_DEPTH = 300  # intervals that the integrator may cut a range into


class Services(ABC):
    """A distribution of service times."""

    @abstractmethod
    def moment(self, k: int, at_most: float = math.inf) -> float:
        """E[S^k; S ≤ at_most]: the k-th moment, counting only services of at most that length."""

    def moment_below(self, k: int, size: float) -> float:
        """E[S^k; S < size]; differs from ``moment`` only where a length has a share of its own."""
        return self.moment(k, size)

    @abstractmethod
    def average(self, curve: Callable[[float], float]) -> float:
        """E[curve(S)]."""

    @property
    def mean_service_time(self) -> float:
        return self.moment(1)

    @property
    def scv_service(self) -> float:
        """Variance over squared mean."""
        return max(0.0, self.moment(2) / self.moment(1) ** 2 - 1)

    def _landmarks(self) -> tuple[float, ...]:
        """Lengths near which the moments below a size change."""
        return tuple(self.mean_service_time * 10.0**k for k in (-2, -1, 0, 1, 2))

    def integral(self, curve: Callable[[float], float], up_to: float) -> float:
        """∫ curve(t) dt from 0 to ``up_to``."""
        marks = [mark for mark in self._landmarks() if mark < up_to]
        return _integral(curve, 0.0, up_to, marks)


@dataclass(frozen=True)
class KnownLengths(Services):
    """Services of a few lengths, ``times_s[i]`` with probability ``shares[i]``.

    One length with share 1 is the D of M/D/1.
    """

    times_s: tuple[float, ...]
    shares: tuple[float, ...] = (1.0,)

    def __post_init__(self):
        times = [arguments.positive("times_s", time) for time in self.times_s]
        shares = [arguments.share("shares", share) for share in self.shares]
        if len(times) != len(shares) or abs(math.fsum(shares) - 1) > 1e-9:
            raise ValueError(
                f"shares = {self.shares!r}: expected {len(times)} shares that add up to 1, one for "
                "each of times_s"
            )
        object.__setattr__(self, "times_s", tuple(times))
        object.__setattr__(self, "shares", tuple(shares))

    def moment(self, k: int, at_most: float = math.inf) -> float:
        return self.average(lambda size: size**k * (size <= at_most))

    def moment_below(self, k: int, size: float) -> float:
        return self.average(lambda other: other**k * (other < size))

    def average(self, curve: Callable[[float], float]) -> float:
        return math.fsum(p * curve(time) for time, p in zip(self.times_s, self.shares))

    def _landmarks(self) -> tuple[float, ...]:
        return self.times_s


class _Smooth(Services):
    """A distribution with a density."""

    @abstractmethod
    def _density(self, size: float) -> float: ...

    @abstractmethod
    def _range(self) -> tuple[float, float]:
        """The lengths outside of which nothing counts, not even squared."""

    def average(self, curve: Callable[[float], float]) -> float:
        # Over the logarithm of the length: short and long services may be far apart.
        low, high = map(math.log, self._range())

        def weighted(log_size):
            size = math.exp(log_size)
            return curve(size) * self._density(size) * size

        marks = [math.log(mark) for mark in self._landmarks()]
        return _integral(weighted, low, high, [mark for mark in marks if low < mark < high])


@dataclass(frozen=True)
class ExponentialServices(_Smooth):
    """Memoryless services: the second M of M/M/1."""

    mean_s: float

    def __post_init__(self):
        object.__setattr__(self, "mean_s", arguments.positive("mean_s", self.mean_s))

    def moment(self, k: int, at_most: float = math.inf) -> float:
        from scipy.special import gammainc

        return self.mean_s**k * math.factorial(k) * float(gammainc(k + 1, at_most / self.mean_s))

    def _density(self, size: float) -> float:
        return math.exp(-size / self.mean_s) / self.mean_s

    def _range(self) -> tuple[float, float]:
        return 1e-18 * self.mean_s, 60 * self.mean_s


@dataclass(frozen=True)
class HyperexponentialServices(_Smooth):
    """Many short exponential services and few long ones, each kind with half of the work.

    ``scv_service`` of at least 1 (balanced means: Whitt 1982).
    """

    mean_s: float
    scv: float

    def __post_init__(self):
        object.__setattr__(self, "mean_s", arguments.positive("mean_s", self.mean_s))
        if arguments.non_negative("scv", self.scv) < 1:
            raise ValueError(f"scv = {self.scv!r}: expected at least 1")
        object.__setattr__(self, "scv", float(self.scv))

    @property
    def _kinds(self) -> tuple[tuple[float, ExponentialServices], ...]:
        short = (1 + math.sqrt((self.scv - 1) / (self.scv + 1))) / 2
        return tuple((p, ExponentialServices(self.mean_s / (2 * p))) for p in (short, 1 - short))

    def moment(self, k: int, at_most: float = math.inf) -> float:
        return sum(p * kind.moment(k, at_most) for p, kind in self._kinds)

    def _density(self, size: float) -> float:
        return sum(p * kind._density(size) for p, kind in self._kinds)

    def _range(self) -> tuple[float, float]:
        short, long = (kind._range() for _, kind in self._kinds)
        return short[0], long[1]


@dataclass(frozen=True)
class LognormalServices(_Smooth):
    """Most services short, a few long, as the lengths of answers are; ``scv`` above 0."""

    mean_s: float
    scv: float

    def __post_init__(self):
        for name in ("mean_s", "scv"):
            object.__setattr__(self, name, arguments.positive(name, getattr(self, name)))

    @property
    def _logarithm(self) -> tuple[float, float]:
        """Mean and standard deviation of the logarithm."""
        variance = math.log1p(self.scv)
        return math.log(self.mean_s) - variance / 2, math.sqrt(variance)

    def moment(self, k: int, at_most: float = math.inf) -> float:
        from scipy.special import ndtr

        mean, deviation = self._logarithm
        whole = math.exp(k * mean + (k * deviation) ** 2 / 2)
        if at_most <= 0:
            return 0.0
        return whole * float(ndtr((math.log(at_most) - mean) / deviation - k * deviation))

    def _density(self, size: float) -> float:
        mean, deviation = self._logarithm
        away = (math.log(size) - mean) / deviation
        return math.exp(-(away**2) / 2) / (math.sqrt(2 * math.pi) * deviation * size)

    def _range(self) -> tuple[float, float]:
        mean, deviation = self._logarithm
        return tuple(math.exp(mean + deviation * z) for z in (-12, 12 + 2 * deviation))


def _integral(curve, low: float, high: float, marks: list[float]) -> float:
    from scipy.integrate import quad  # imported late: it costs more than the rest of this room

    edges = [low, *sorted(set(marks)), high]
    parts = (quad(curve, a, b, limit=_DEPTH, epsrel=1e-11)[0] for a, b in pairwise(edges))
    return math.fsum(parts)
