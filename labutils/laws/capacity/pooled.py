"""Figures of several hosts as one: weighted by what each of them counted."""

from collections.abc import Sequence

import numpy as np

from labutils.ground import arguments


def pooled_mean(values: Sequence[float], weights: Sequence[float]) -> float:
    """The mean over everything counted: Σ weight · value / Σ weight.

    For means and shares, with the number of requests as weights. It is not for percentiles: those
    of a fleet follow from its merged histograms alone (``labutils.metrics.latency``).
    """
    numbers, counts = arguments.sample("values", values), arguments.sample("weights", weights)
    if numbers.size != counts.size or counts.min() < 0 or counts.sum() == 0:
        raise ValueError(
            f"weights = {weights!r}: expected a weight of at least 0 for each of the "
            f"{numbers.size} values, and not all 0"
        )
    return float(np.dot(numbers, counts) / counts.sum())
