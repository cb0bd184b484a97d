"""Candidates again, word by word: each word of the question looks for its like in a passage.

Late interaction (Khattab and Zaharia, ColBERT, 2020) over the embedder's vectors of single words:
the score of a passage is the sum over the question's words of the largest cosine with any of its
words, weighted by how rare the word is.

By itself this order is worse than the one that it is given (``labutils.retrieval.quality``), for
single words are all that it sees. So it has one vote, and the order before it has two.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from labutils.retrieval.embedder import WORD, Embedder
from labutils.retrieval.fusion import fuse
from labutils.retrieval.keywords import COMMON

FUSION_K, WEIGHT_OF_ORDER = 5, 2.0


class WordReranker:
    """``ranked(question, places)``: the same places, the best match first."""

    def __init__(self, texts: Sequence[str], embedder: Embedder):
        said = [_words(text) for text in texts]
        vocabulary = sorted({word for words in said for word in words})
        self.number = {word: n for n, word in enumerate(vocabulary)}
        self.vectors = embedder.embed(vocabulary)
        self.passages = [np.array(sorted({self.number[w] for w in words})) for words in said]
        seen_in = Counter(word for words in said for word in set(words))
        self.size, self.seen_in, self.embedder = len(texts), seen_in, embedder

    def ranked(self, question: str, places: Sequence[int]) -> list[int]:
        """``places``, their order and that by likeness fused, best first."""
        orders = [places, self.by_likeness(question, places)]
        return fuse(orders, FUSION_K, [WEIGHT_OF_ORDER, 1.0])

    def by_likeness(self, question: str, places: Sequence[int]) -> list[int]:
        """``places`` by score, best first; unchanged where the question has no word to compare."""
        words = sorted(set(_words(question)))
        if not words or not places:
            return list(places)
        rarity = np.array([np.log(1 + self.size / (1 + self.seen_in[word])) for word in words])
        alike = self.embedder.embed(words) @ self.vectors.T
        scores = [rarity @ self._best(alike, place) for place in places]
        return [places[n] for n in np.argsort(-np.array(scores), kind="stable")]

    def _best(self, alike: np.ndarray, place: int) -> np.ndarray:
        """For each word of the question the largest cosine with a word of the passage."""
        numbers = self.passages[place]
        return alike[:, numbers].max(axis=1) if numbers.size else np.zeros(len(alike))


def _words(text: str) -> list[str]:
    return [word for word in WORD.findall(text.lower()) if word not in COMMON]
