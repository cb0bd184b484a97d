"""The settings worth choosing from: more throughput, or less latency, but never worse in both."""

import numpy as np

from labutils.ground import arguments


def frontier(throughput_per_s, latency_s) -> np.ndarray:
    """Places of the points that no other point beats, in ascending order of throughput.

    A point beats another if it has at least its throughput and at most its latency, and is better
    in one of the two (Pareto). Of equal points all stay. Latency ascends along the answer.

    A latency may be infinite (an unstable setting); such a point stands on no frontier.
    Raises ``ValueError`` for two different lengths or NaN.
    """
    rates = arguments.sample("throughput_per_s", throughput_per_s)
    latencies = np.asarray(latency_s, dtype=float)
    if latencies.shape != rates.shape or np.isnan(latencies).any():
        raise ValueError(
            f"latency_s = {latency_s!r}: expected a number for each of the {rates.size} values "
            "of throughput_per_s, infinite where there is no steady state"
        )
    fastest_first = np.lexsort((latencies, -rates))
    kept, best, best_rate = [], np.inf, np.inf
    for place in fastest_first.tolist():
        equal = latencies[place] == best and rates[place] == best_rate
        if latencies[place] < best or (equal and best < np.inf):
            kept.append(place)
            best, best_rate = latencies[place], rates[place]
    return np.array(kept[::-1], dtype=int)
