"""Where benchmarks register: a function that yields rows, and what a row says."""

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Goal:
    """The figure to beat: ``value`` is to stay at or below the limit, or reach it."""

    limit: float
    at_least: bool = False

    def is_met(self, value: float) -> bool:
        """Whether ``value`` lies on the good side of the limit."""
        return value >= self.limit if self.at_least else value <= self.limit

    def __str__(self) -> str:
        return f"{'≥' if self.at_least else '≤'} {self.limit:,g}"


@dataclass(frozen=True)
class Row:
    """One figure: the best of several runs, their median, and the goal it is held to."""

    name: str
    value: float
    unit: str
    median: float | None = None
    goal: Goal | None = None
    note: str = ""


@dataclass(frozen=True)
class Settings:
    """How thorough to be: ``quick`` takes fewer rounds at smaller sizes, to see that it runs."""

    quick: bool = False

    def choose(self, thorough: int, quick: int) -> int:
        """Return a round count or a size, by thoroughness."""
        return quick if self.quick else thorough


class Unavailable(Exception):
    """Raised by a benchmark that cannot run here; the message says what is missing."""


Benchmark = Callable[[Settings], Iterator[Row]]
_registered: list[Benchmark] = []


def benchmark(function: Benchmark) -> Benchmark:
    """Register ``function(settings)``, which yields rows."""
    _registered.append(function)
    return function


def group_of(function: Benchmark) -> str:
    """Name of the file that a benchmark comes from."""
    return function.__module__.rpartition(".")[2]


def all_benchmarks() -> list[Benchmark]:
    """Import every file of this package and return what registered, in order of file name."""
    package = importlib.import_module(__package__)
    for module in sorted(info.name for info in pkgutil.iter_modules(package.__path__)):
        if module != "__main__":
            importlib.import_module(f"{__package__}.{module}")
    return list(_registered)
