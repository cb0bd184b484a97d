"""The ways to search a library, each judged on the labelled questions."""

from collections.abc import Sequence

from labutils.retrieval.assistant import CANDIDATES, Hits, Library, fused
from labutils.retrieval.fusion import fuse
from labutils.retrieval.quality.questions import LabelledQuestion
from labutils.retrieval.quality.recall import Recall, cross_fitted, found

WEIGHTS = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0)  # of the vectors' scores; the words' have 1
RANK_WEIGHTS = (1.0, 0.7, 0.5, 0.3, 0.2)  # of the vectors' ranks


def judged(
    library: Library, questions: Sequence[LabelledQuestion], k: int = 5
) -> dict[str, Recall]:
    """``found`` at ``k`` for words alone, vectors alone, both fused, and reranked.

    A row that ends in "cross-fitted" is the fair one: its weight was chosen on other questions
    than those that judge it. "fused" and "reranked" are what ``Assistant`` runs, with a weight
    that these questions have chosen.
    """
    right = [question.right_places(library.passages) for question in questions]
    texts = [question.text for question in questions]
    words, near = _by_words(library, texts), _by_vectors(library, texts)
    by_score = [[fused(*both, weight) for both in zip(words, near)] for weight in WEIGHTS]
    by_rank = [[_by_rank(*both, weight) for both in zip(words, near)] for weight in RANK_WEIGHTS]
    mixed = [fused(*both) for both in zip(words, near)]
    reranker = library.reranker
    rankings = {
        "words": [places for places, _ in words],
        "vectors": [places for places, _ in near],
        "fused": mixed,
        "reranked": list(map(reranker.ranked, texts, mixed)),
        "reranked, likeness alone": list(map(reranker.by_likeness, texts, mixed)),
    }
    rows = {name: found(ranking, right, k) for name, ranking in rankings.items()}
    for name, options in (("scores", by_score), ("ranks", by_rank)):
        tried = {at: found(ranking, right, k) for at, ranking in enumerate(options)}
        rows[f"fused by {name}, cross-fitted"] = cross_fitted(tried)[0]
    return {name: Recall(name, row) for name, row in rows.items()}


def _by_rank(words: Hits, near: Hits, weight: float) -> list[int]:
    return fuse([words[0], near[0]], weights=[1.0, weight])


def _by_words(library: Library, texts: Sequence[str]) -> list[Hits]:
    depth = min(CANDIDATES, len(library.passages))
    return [_plain(library.words.search(text, depth)) for text in texts]


def _by_vectors(library: Library, texts: Sequence[str]) -> list[Hits]:
    depth = min(CANDIDATES, len(library.passages))
    return [_plain(library.near.search(v, depth)) for v in library.embedder.embed(texts)]


def _plain(result) -> Hits:
    places, scores = result
    return places.tolist(), scores.tolist()
