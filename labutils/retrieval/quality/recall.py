"""How often a right passage is among the first five, and how sure that is.

A question counts as found if *one* of its right passages is among the first k (some write hit
rate, or success at k): who asks wants an answer, not all of them.

A setting that was chosen on the same questions that judge it looks better than it is. So
``cross_fitted`` chooses on one half and judges on the other.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from labutils.ground import arguments

NORMAL_95 = 1.959964


def found(
    rankings: Sequence[Sequence[int]], right: Sequence[Collection[int]], k: int = 5
) -> np.ndarray:
    """For each question 1.0 if one of its ``right`` places is among the first ``k``, else 0.0."""
    k = arguments.whole("k", k)
    if len(rankings) != len(right):
        raise ValueError(f"rankings has {len(rankings)} questions: expected {len(right)}, as right")
    pairs = zip(rankings, right)
    return np.array([float(not set(ranking[:k]).isdisjoint(goal)) for ranking, goal in pairs])


def wilson(found_in: float, questions: int, z: float = NORMAL_95) -> tuple[float, float]:
    """Wilson's interval (1927) for a share, ``found_in`` of so many questions; 95 % by default.

    It stays within 0 and 1, and has a width where all or none were found.
    """
    n = arguments.whole("questions", questions)
    share = found_in / n
    if not 0 <= share <= 1:
        raise ValueError(f"found_in = {found_in!r}: expected 0 to questions = {n}")
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(middle - half, 0.0), min(middle + half, 1.0)


@dataclass(frozen=True)
class Recall:
    """A way to search, judged: for each question how often it was found, from 0 to 1."""

    name: str
    found: np.ndarray

    @property
    def share(self) -> float:
        """Share of the questions that were found."""
        return float(self.found.mean())

    @property
    def interval(self) -> tuple[float, float]:
        """95 % of Wilson's, for other questions of the same kind."""
        return wilson(float(self.found.sum()), len(self.found))

    def gain_over(self, other: "Recall", *, draws: int = 4_000, seed: int = 0):
        """Difference of the shares, and its 95 % interval, from resampling the questions.

        Paired: both ways meet the same questions, so easy and hard ones cancel.
        """
        gains = self.found - other.found
        rng = np.random.default_rng(seed)
        means = rng.choice(gains, size=(draws, len(gains))).mean(axis=1)
        low, high = np.quantile(means, [0.025, 0.975])
        return float(gains.mean()), (float(low), float(high))


def cross_fitted(
    scores: Mapping[object, np.ndarray], *, splits: int = 20, seed: int = 0
) -> tuple[np.ndarray, dict[object, int]]:
    """What a setting finds on questions that did not choose it, and how often each was chosen.

    ``scores`` holds ``found`` for each setting. The questions are cut into two halves, ``splits``
    times at random; each half is judged by the setting that is best on the other (the first of
    equals). Returns the mean for each question, and the counts.
    """
    arguments.whole("splits", splits)
    names, table = list(scores), np.array(list(scores.values()))
    total, chosen = np.zeros(table.shape[1]), dict.fromkeys(names, 0)
    rng = np.random.default_rng(seed)
    for _ in range(splits):
        halves = np.array_split(rng.permutation(table.shape[1]), 2)
        for here, there in (halves, halves[::-1]):
            best = int(table[:, there].mean(axis=1).argmax())
            total[here] += table[best, here]
            chosen[names[best]] += 1
    return total / splits, chosen
