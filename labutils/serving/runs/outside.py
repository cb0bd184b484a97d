"""What the clients of a simulated run see later than its engine: steps that they missed."""

import numpy as np


def missed_s(rows: dict, requests: dict, late_steps: int) -> np.ndarray:
    """For each request the seconds of the ``late_steps`` steps behind that of its first token.

    Fewer steps where the engine falls idle before; none for a request that came to an idle engine,
    or that got no token. A step of a stretch is taken to be as long as their mean.
    """
    late_s, begins_s = np.zeros(requests["arrival_s"].size), rows["time_s"]
    if not begins_s.size:
        return late_s
    ends_s = begins_s + rows["duration_s"]
    begun = np.searchsorted(begins_s, requests["arrival_s"]) - 1  # the last row before it came
    in_a_step = (begun >= 0) & (requests["arrival_s"] <= ends_s[begun])
    missed = np.flatnonzero(in_a_step & ~np.isnan(requests["first_token_s"]))
    steps, spent_s = (np.append(0, np.cumsum(rows[name])) for name in ("steps", "duration_s"))
    edges_s, done = np.stack([begins_s, ends_s], axis=1).ravel(), np.repeat(steps, 2)[1:-1]
    first = np.rint(np.interp(requests["first_token_s"][missed], edges_s, done))
    pauses = ~np.isclose(begins_s[1:], ends_s[:-1], rtol=1e-12, atol=0)
    stops = steps[1:][np.append(pauses, True)]
    last = np.minimum(first + late_steps, stops[np.searchsorted(stops, first)])
    late_s[missed] = np.interp(last, steps, spent_s) - np.interp(first, steps, spent_s)
    return late_s
