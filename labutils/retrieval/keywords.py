"""Search by words: BM25 (Robertson and Walker, 1994), from bm25s."""

import re
from collections.abc import Sequence

import numpy as np

from labutils.ground import arguments
from labutils.retrieval.embedder import WORD

_ENDINGS = re.compile(r"(?<=\w{3})(?:ies|ing|ed|es|s|e|y)$")
_COMMON = """
a about an and are as at be been but by can could did do does for from had has have how i if in
into is it its just me my no not of on or our should so some than that the their them then there
these they this to too us was we were what when where which who why will with would you your
"""
COMMON = frozenset(_COMMON.split())


def stems(text: str) -> list[str]:
    """The words of ``text`` that say something, in small letters, common endings cut off."""
    words = [word for word in WORD.findall(text.lower()) if word not in COMMON]
    return [_ENDINGS.sub("", word) for word in words]


class KeywordIndex:
    """BM25 over texts; ``search`` as the vector indexes' (places and scores, best first)."""

    def __init__(self, texts: Sequence[str], *, k1: float = 1.2, b: float = 0.6):
        import bm25s

        words = [stems(text) for text in texts]
        if not any(words):
            raise ValueError("texts has no word that says something: expected at least one")
        self.size, self.index = len(texts), bm25s.BM25(k1=k1, b=b)
        self.index.index(words, show_progress=False)

    def search(self, question: str, k: int) -> tuple[np.ndarray, np.ndarray]:
        """At most ``k`` places and scores: only texts that share a word with the question."""
        k = arguments.whole("k", k, at_most=self.size)
        words = [word for word in stems(question) if word in self.index.vocab_dict]
        if not words:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
        scores = self.index.get_scores(words)
        best = np.argsort(-scores, kind="stable")[:k]
        best = best[scores[best] > 0]
        return best, scores[best]
