"""The gaps between the tokens of all requests, counted and not kept."""

import math
from array import array
from dataclasses import dataclass, field

import numpy as np

from labutils.ground import arguments
from labutils.metrics.latency.ranks import nearest_rank

SHORTEST, LONGEST = -40, 24  # powers of two of seconds: below the first all is one bin
PARTS = 64  # equal parts of each doubling, as HdrHistogram (Tene) cuts it
NUM_BINS = (LONGEST - SHORTEST) * PARTS
SHIFT = 52 - 6  # of the 52 bits behind the exponent, 6 tell the part
MANY = 1 << 16  # gaps that are counted at a time
LOWEST = (1023 + SHORTEST) * PARTS


def bins_of(gaps_s: np.ndarray) -> np.ndarray:
    """The bin of each gap: its exponent and the first six bits behind it, as they lie in memory.

    >>> bins_of(np.array([0.25, 0.25 * 65 / 64, 0.25 * 64.9 / 64, 0.0]))
    array([2432, 2433, 2432,    0])
    """
    bits = np.ascontiguousarray(gaps_s, dtype=float).view(np.int64) >> SHIFT
    return np.clip(bits - LOWEST, 0, NUM_BINS - 1)


@dataclass(frozen=True, eq=False)
class TokenGaps:
    """How many gaps lie in each bin, and the longest one exactly.

    Each doubling of seconds is cut into 64 equal bins, and a quantile reads as the middle of its
    bin: it is off by at most 0.8 % (``relative_error``) of the gap with that rank. Gaps across a
    preemption count too: its reader waits for them.
    """

    counts: np.ndarray = field(default_factory=lambda: np.zeros(NUM_BINS, dtype=np.int64))
    longest_s: float = 0.0

    relative_error = 1 / (2 * PARTS)

    def __len__(self) -> int:
        """Number of gaps."""
        return int(self.counts.sum())

    def quantile(self, q: float) -> float:
        """The ``q``-quantile in seconds, within ``relative_error``; NaN without any gap.

        By nearest rank, as ``labutils.metrics.latency.percentile``.
        """
        rank = nearest_rank(len(self), arguments.fraction("q", q))
        if rank == 0:
            return math.nan
        at = int(np.searchsorted(np.cumsum(self.counts), rank))
        return min(self.middle_s(at), self.longest_s)

    @staticmethod
    def middle_s(at: int) -> float:
        """The gap that stands for a bin; 0 for the shortest ones."""
        doubling, part = divmod(at, PARTS)
        return math.ldexp(1 + (part + 0.5) / PARTS, doubling + SHORTEST) if at else 0.0


class GapCounter:
    """Counts gaps into bins, many at a time."""

    def __init__(self):
        self._counts, self._longest_s = np.zeros(NUM_BINS, dtype=np.int64), 0.0
        self._gaps_s, self._times = array("d"), array("q")

    def add(self, gap_s: float, times: int = 1) -> None:
        """A gap that ``times`` requests saw."""
        self._gaps_s.append(gap_s)
        self._times.append(times)
        if len(self._times) >= MANY:
            self.total()

    def total(self) -> TokenGaps:
        """The gaps of all requests so far, counted by length."""
        if self._times:
            gaps_s = np.array(self._gaps_s)
            np.add.at(self._counts, bins_of(gaps_s), np.array(self._times))
            self._longest_s = max(self._longest_s, float(gaps_s.max()))
            self._gaps_s, self._times = array("d"), array("q")
        return TokenGaps(self._counts, self._longest_s)
