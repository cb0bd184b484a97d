"""Two rankings into one."""

from collections import defaultdict
from collections.abc import Hashable, Sequence


def fuse(
    rankings: Sequence[Sequence[Hashable]], k: int = 60, weights: Sequence[float] | None = None
) -> list:
    """Reciprocal rank fusion: an item gets weight/(k + rank) from each ranking that holds it.

    Ranks count from 1; ``weights`` are 1 each unless given. Best first, ties by first sight
    (Cormack, Clarke and Büttcher, SIGIR 2009, who took k = 60). Scores of different scales never
    meet: only ranks do.
    """
    weights = weights or [1.0] * len(rankings)
    scores = defaultdict(float)
    for ranking, weight in zip(rankings, weights, strict=True):
        for rank, item in enumerate(ranking, start=1):
            scores[item] += weight / (k + rank)
    return sorted(scores, key=scores.get, reverse=True)
