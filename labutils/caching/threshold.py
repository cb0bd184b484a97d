"""How similar is similar enough: a threshold from labelled pairs, with what it may promise.

A pair is a question and the cached question nearest to it: their ``similarity``, and whether a
judge finds that the same answer serves both. A hit at a threshold is a pair at or above it.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv

from labutils.ground.arguments import fraction, sample, whole


@dataclass(frozen=True)
class ErrorShare:
    """``errors`` wrong answers among ``hits``; the true share lies in ``low`` to ``high``."""

    errors: int
    hits: int
    low: float
    high: float

    @property
    def rate(self) -> float:
        """Errors per hit, NaN without a hit."""
        return self.errors / self.hits if self.hits else float("nan")


@dataclass(frozen=True)
class Threshold:
    """A threshold, the share of the pairs that it makes hits, and the errors among these."""

    value: float
    hit_rate: float
    error: ErrorShare


def clopper_pearson(errors: int, count: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """Two-sided interval for a share, from ``errors`` in ``count`` trials (1934).

    It holds the true share at least as often as ``confidence`` says, whatever the share. No trial
    says nothing: (0, 1).
    """
    count = whole("count", count, at_least=0, at_most=2**53)
    errors = whole("errors", errors, at_least=0, at_most=count)
    tail = (1 - fraction("confidence", confidence)) / 2
    low = float(betaincinv(errors, count - errors + 1, tail)) if errors else 0.0
    high = float(betaincinv(errors + 1, count - errors, 1 - tail)) if errors < count else 1.0
    return low, high


def error_at(
    threshold: float, similarities, same_answer, *, confidence: float = 0.95
) -> ErrorShare:
    """Errors among the hits at one ``threshold``, with a Clopper-Pearson interval."""
    similarities, same_answer = _pairs(similarities, same_answer)
    is_hit = similarities >= threshold
    errors, hits = int((is_hit & ~same_answer).sum()), int(is_hit.sum())
    return ErrorShare(errors, hits, *clopper_pearson(errors, hits, confidence=confidence))


def choose_threshold(
    similarities, same_answer, *, max_error: float, confidence: float = 0.95, candidates: int = 20
) -> Threshold | None:
    """The lowest threshold that keeps errors among hits to ``max_error``, or ``None``.

    Tried are the similarities at ``candidates`` evenly spaced ranks, chosen without a look at the
    labels. Each has to pass with its interval's upper end, at a confidence raised for the number
    of tries (Bonferroni): the best of twenty looks better than it is. So with ``confidence`` the
    choice keeps the promise, for questions that come like the pairs came.
    """
    similarities, same_answer = _pairs(similarities, same_answer)
    max_error, candidates = fraction("max_error", max_error), whole("candidates", candidates)
    each = 1 - 2 * (1 - fraction("confidence", confidence)) / candidates  # one-sided, shared out
    for value in np.quantile(similarities, np.arange(candidates) / candidates, method="higher"):
        error = error_at(value, similarities, same_answer, confidence=each)
        if error.high <= max_error:
            return Threshold(float(value), error.hits / len(similarities), error)
    return None


def errors_by_group(
    threshold: float,
    similarities,
    same_answer,
    groups: Sequence[Hashable],
    *,
    confidence: float = 0.95,
) -> dict[Hashable, ErrorShare]:
    """The errors at one ``threshold`` per group of pairs: per topic, tenant, or cached entry.

    The promise of a threshold holds for the mix on which it was chosen. A group whose wrong
    neighbours lie nearer errs more often; when its share of the traffic grows, so does the error.
    """
    similarities, same_answer = _pairs(similarities, same_answer)
    if len(groups) != len(similarities):
        raise ValueError(f"groups has {len(groups)}: expected {len(similarities)}, one per pair")
    rows: dict[Hashable, list[int]] = {}
    for row, group in enumerate(groups):
        rows.setdefault(group, []).append(row)
    return {
        group: error_at(threshold, similarities[at], same_answer[at], confidence=confidence)
        for group, at in rows.items()
    }


def held_out_errors(
    choose: Callable[[list[tuple[float, bool]]], float | None],
    similarities,
    same_answer,
    *,
    rounds: int = 20,
    seed: int = 1,
) -> list[ErrorShare]:
    """``rounds`` times: a threshold chosen on a random half of the pairs, judged on the other.

    ``choose`` gets (similarity, same answer) pairs and returns a threshold, or ``None`` where it
    promises nothing; such rounds are left out.
    """
    similarities, same_answer = _pairs(similarities, same_answer)
    rng, found = np.random.default_rng(seed), []
    for _ in range(whole("rounds", rounds)):
        half = rng.permutation(len(similarities)) % 2 == 0
        labelled = zip(similarities[half].tolist(), same_answer[half].tolist(), strict=True)
        threshold = choose(list(labelled))
        if threshold is not None:
            found.append(error_at(threshold, similarities[~half], same_answer[~half]))
    return found


def _pairs(similarities, same_answer) -> tuple[np.ndarray, np.ndarray]:
    similarities, same_answer = sample("similarities", similarities), np.asarray(same_answer)
    if same_answer.shape != similarities.shape or not np.isin(same_answer, (0, 1)).all():
        raise ValueError(
            f"same_answer of shape {same_answer.shape}: expected {len(similarities)} truth values"
        )
    return similarities, same_answer.astype(bool)
