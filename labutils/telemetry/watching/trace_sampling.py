"""Which traces are kept, and what the kept ones still say about all of them.

Head sampling decides before a request runs, so it keeps the rare slow one as rarely as any other.
Tail sampling decides when the trace is whole: it keeps what is slow or failed, and a share of the
rest. A kept trace then stands for 1 / (its chance to be kept) traces, and sums over the kept ones,
so weighted, are right on average. Source: Horvitz & Thompson 1952, Journal of the American
Statistical Association 47.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from labutils.ground import arguments
from labutils.telemetry import Span, root_of


@dataclass(frozen=True)
class Estimate:
    """A mean over all traces, from the kept ones, and its standard error."""

    mean: float
    standard_error: float


@dataclass(frozen=True)
class KeptTraces:
    """The places of the traces that were kept, among ``num_all``, and their chances to be kept.

    ``num_all`` is a plain counter in the collector, so it is known and not sampled.
    """

    places: np.ndarray
    chances: np.ndarray
    num_all: int

    @property
    def weights(self) -> np.ndarray:
        """How many traces each kept one stands for: 1 / chance."""
        return 1 / self.chances

    def estimate(self, values) -> Estimate:
        """The mean of a value over all traces, from ``values`` of the kept ones, in their order.

        Σ weight · value / N is right on average whatever was kept; for a share, let the values be 0
        and 1. The variance of the sum is estimated by Σ value² · (1 - chance) / chance², which is
        right on average too where traces are kept independently (Särndal, Swensson & Wretman 1992,
        chapter 3). Traces that are always kept add no error.
        """
        if len(self.places) == 0:
            return Estimate(0.0, 0.0)  # the sum over nothing: right on average, as the others are
        kept = arguments.sample("values", values)
        if kept.shape != self.places.shape:
            raise ValueError(f"values = {kept.size} numbers: expected {self.places.size}")
        variance = (kept**2 * (1 - self.chances) / self.chances**2).sum()
        mean = (kept * self.weights).sum() / self.num_all
        return Estimate(float(mean), math.sqrt(variance) / self.num_all)


def head_sample(num_all: int, share: float, *, rng: np.random.Generator) -> KeptTraces:
    """Keep each of ``num_all`` traces with the same chance, whatever becomes of it."""
    return tail_sample(np.zeros(arguments.whole("num_all", num_all), bool), share, rng=rng)


def tail_sample(always, share: float, *, rng: np.random.Generator) -> KeptTraces:
    """Keep every trace for which ``always`` is true, and each of the others with chance ``share``.

    ``always`` is a truth value for each trace, such as ``slow_or_failed`` says it.
    """
    marked = np.asarray(always)
    if marked.ndim != 1 or marked.dtype != bool or not marked.size:
        raise ValueError(f"always = {always!r}: expected a truth value for each trace")
    chances = np.where(marked, 1.0, arguments.share("share", share))
    places = np.flatnonzero(rng.random(marked.size) < chances)
    return KeptTraces(places, chances[places], marked.size)


def slow_or_failed(traces: Sequence[Sequence[Span]], slow_s: float) -> np.ndarray:
    """For each trace whether its root took longer than ``slow_s``, or any of its spans failed."""
    limit = arguments.positive("slow_s", slow_s)
    return np.array([
        root_of(spans).duration_s > limit or any(span.error is not None for span in spans)
        for spans in traces
    ], dtype=bool)  # fmt: skip
