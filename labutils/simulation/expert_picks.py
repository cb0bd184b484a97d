"""Routers that pick experts at random: how many picks each device gets, layer after layer."""

import numpy as np

from labutils.ground import arguments
from labutils.llm.layouts import device_shares


def sampled_loads(
    popularity, devices: int, *, tokens: int, picks: int, layers: int = 1, seed: int = 0
) -> np.ndarray:
    """Picks of each device, [layers, devices], where each token picks ``picks`` different experts.

    Experts are drawn one after the other without putting back, by ``popularity`` (Gumbel's way:
    the largest of log share + noise). Equally many experts lie on each device, in their order. Real
    routers pick neighbours' tokens alike, which makes loads less even than this.

    >>> sampled_loads((0.25,) * 4, 2, tokens=50, picks=2, seed=1).sum()
    np.int64(100)
    """
    device_shares(popularity, devices)  # refuses shares that are none, and experts left over
    shares = np.asarray(popularity, dtype=float)
    counts = [arguments.whole(*pair) for pair in (("tokens", tokens), ("layers", layers))]
    if arguments.whole("picks", picks) > np.count_nonzero(shares):
        raise ValueError(f"picks = {picks!r}: expected at most the experts with a share above 0")
    rng = np.random.default_rng(seed)
    loads = np.empty((counts[1], devices), dtype=np.int64)
    with np.errstate(divide="ignore"):
        merit = np.log(shares)
    for layer in loads:
        scores = merit + rng.gumbel(size=(counts[0], shares.size))
        chosen = np.argpartition(-scores, picks - 1, axis=1)[:, :picks]
        layer[:] = np.bincount(chosen.ravel() // (shares.size // devices), minlength=devices)
    return loads


def busiest_over_mean(loads: np.ndarray) -> np.ndarray:
    """For each layer, the picks of its busiest device divided by the mean over devices."""
    return loads.max(axis=1) / loads.mean(axis=1)
