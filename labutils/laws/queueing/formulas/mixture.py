"""Mean and spread of a service time that is one of several kinds."""

from collections.abc import Sequence

import numpy as np

from labutils.ground import arguments


def mixture_moments(
    shares: Sequence[float], means_s: Sequence[float], scvs: Sequence[float] | None = None
) -> tuple[float, float]:
    """(mean in seconds, squared coefficient of variation) of a mixture of request kinds.

    ``shares`` of the requests are of each kind and add up to 1, with mean service time
    ``means_s`` and squared coefficient of variation ``scvs`` (0 each where left out: a kind takes
    equally long every time). The moments of a mixture are the mixture of the moments:
    E[S²] = Σ share · mean² · (1 + scv). ``MG1`` takes the result.
    """
    share, mean = arguments.sample("shares", shares), arguments.sample("means_s", means_s)
    scv = np.zeros(mean.size) if scvs is None else arguments.sample("scvs", scvs)
    _check(share, mean, scv)
    first = float(share @ mean)
    second = float(share @ (mean**2 * (1 + scv)))
    return first, max(0.0, second / first**2 - 1)


def _check(share, mean, scv) -> None:
    if not share.size == mean.size == scv.size:
        raise ValueError(
            f"means_s = {mean.tolist()}: expected as many means and scvs as shares, {share.size}"
        )
    if (share < 0).any() or abs(share.sum() - 1) > 1e-9:
        raise ValueError(f"shares = {share.tolist()}: expected shares that add up to 1")
    if (mean <= 0).any() or (scv < 0).any():
        raise ValueError(
            f"means_s = {mean.tolist()}, scvs = {scv.tolist()}: expected means above 0, scvs from 0"
        )
