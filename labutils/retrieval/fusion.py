"""Two rankings into one: by their ranks, or by their scores."""

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


def fuse_scores(
    results: Sequence[tuple[Sequence[Hashable], Sequence[float]]],
    weights: Sequence[float] | None = None,
) -> list:
    """Weighted sum of scores, each search's own divided by its largest; best first.

    ``results`` holds (items, scores) of each search, best first. An item that a search did not
    return gets that search's smallest score. Ties by first sight. Unlike ranks, scores say how far
    the first is ahead of the second, so a search that is sure of its first place gets its way.
    """
    weights = weights or [1.0] * len(results)
    scores = {item: 0.0 for items, _ in results for item in items}
    for (items, given), weight in zip(results, weights, strict=True):
        scaled = _scaled(items, given)
        least = min(scaled.values(), default=0.0)
        for item in scores:
            scores[item] += weight * scaled.get(item, least)
    return sorted(scores, key=scores.get, reverse=True)


def _scaled(items: Sequence[Hashable], scores: Sequence[float]) -> dict:
    largest = max(map(float, scores), default=0.0)
    return {item: float(s) / largest if largest > 0 else 0.0 for item, s in zip(items, scores)}
