"""Time several things side by side, so that a noisy moment hits all of them alike."""

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Timing:
    """Durations of repeated runs of one thing, each for ``size`` items."""

    runs_s: tuple[float, ...]
    size: int = 1

    @property
    def best_ns(self) -> float:
        """Nanoseconds per item in the fastest run: what the machine can do undisturbed."""
        return min(self.runs_s) / self.size * 1e9

    @property
    def median_ns(self) -> float:
        """Nanoseconds per item in the middle run: what a user gets."""
        return statistics.median(self.runs_s) / self.size * 1e9

    def times_slower_than(self, other: "Timing") -> tuple[float, float]:
        """Ratio to ``other``: of the fastest runs, and the median over rounds."""
        per_round = [
            (mine / self.size) / (theirs / other.size)
            for mine, theirs in zip(self.runs_s, other.runs_s, strict=True)
        ]
        return self.best_ns / other.best_ns, statistics.median(per_round)


@dataclass(frozen=True)
class Contender:
    """A call to time: ``size`` items a call, ``repeats`` calls a round of which the best counts.

    Short calls need repeats; a long one is its own average.
    """

    call: Callable[[], object]
    size: int = 1
    repeats: int = 1


def side_by_side(contenders: Mapping[str, Contender], *, rounds: int) -> dict[str, Timing]:
    """Warm everything up once, then time round after round, each contender in each round."""
    for contender in contenders.values():
        contender.call()
    runs: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, contender in contenders.items():
            runs[name].append(min(_timed(contender.call) for _ in range(contender.repeats)))
    return {name: Timing(tuple(runs[name]), contenders[name].size) for name in contenders}


def _timed(call: Callable[[], object]) -> float:
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin
