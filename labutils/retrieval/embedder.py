"""Text to vectors, learned in seconds from the passages themselves (latent semantic analysis).

1. Cut a text into pieces: its words, and runs of 3 to 5 letters within them (so that *batching*
   and *batched* share most of theirs).
2. Hash each piece to one of ``buckets`` columns: no vocabulary to keep.
3. Weigh: 1 + ln(count), times the inverse document frequency: rare pieces say more.
4. A truncated singular value decomposition keeps the ``dimensions`` directions in which the
   passages differ most: pieces that keep the same company come to lie close (Deerwester et al.,
   1990).

A vector is a sum of the directions of its pieces, of length 1. Nothing else is in it: no word
order, no knowledge from elsewhere.
"""

import re
import zlib
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import svds

from labutils.ground import arguments

WORD = re.compile(r"[^\W_]+")
LONGEST_KEPT = 32  # letters of a word whose columns are kept for the next time


def pieces(word: str) -> tuple[str, ...]:
    """A word with marks at its ends, and its runs of 3 to 5 signs."""
    marked = f"<{word}>"
    runs = [marked[i : i + n] for n in (3, 4, 5) for i in range(len(marked) - n + 1)]
    return (marked, *(run for run in runs if run != marked))


def hashed(text: str, buckets: int) -> dict[int, float]:
    """Column to 1 + ln(count) of the pieces of ``text``; the same in every process."""
    words = WORD.findall(text.lower())
    counts = Counter(chain.from_iterable(_columns_of(word, buckets) for word in words))
    return {column: _weight(count) for column, count in counts.items()}


class Embedder:
    """``embed`` gives unit vectors [texts, dimensions] (float32); a text of no word, zeros.

    Train one with ``Embedder.of(texts)``. The same texts give the same vectors on one machine.
    """

    def __init__(self, weights: np.ndarray, directions: np.ndarray):
        self.weights, self.directions = weights, directions

    @classmethod
    def of(cls, texts: Sequence[str], *, dimensions: int = 96, buckets: int = 2**14) -> "Embedder":
        """Learn from ``texts``, more than ``dimensions`` of them, some with words."""
        if len(texts) <= arguments.whole("dimensions", dimensions):
            raise ValueError(
                f"texts has {len(texts)}: expected more than dimensions = {dimensions}"
            )
        table = _table(texts, buckets)
        if not table.nnz:
            raise ValueError("texts has no word: expected some to learn from")
        seen_in = np.bincount(table.indices, minlength=buckets)
        weights = np.log((1 + len(texts)) / (1 + seen_in)) + 1
        table = _rows_of_length_1(table @ sparse.diags_array(weights))
        _, strengths, directions = svds(table, k=dimensions, v0=np.ones(min(table.shape)))
        order = np.argsort(-strengths)
        return cls(weights, np.ascontiguousarray(directions[order].T))

    @property
    def dimensions(self) -> int:
        """Numbers in a vector."""
        return self.directions.shape[1]

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Unit vectors, float32 [texts, dimensions]."""
        table = _table(texts, len(self.weights)) @ sparse.diags_array(self.weights)
        vectors = table @ self.directions
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)


def _columns_of(word: str, buckets: int) -> tuple[int, ...]:
    known = _columns if len(word) <= LONGEST_KEPT else _columns.__wrapped__
    return known(word, buckets)


@lru_cache(maxsize=65_536)
def _columns(word: str, buckets: int) -> tuple[int, ...]:
    return tuple(zlib.crc32(piece.encode()) % buckets for piece in pieces(word))


@lru_cache(maxsize=1024)
def _weight(count: int) -> float:
    return 1 + np.log(count)


def _table(texts: Sequence[str], buckets: int) -> sparse.csr_array:
    rows = [hashed(text, buckets) for text in texts]
    starts = np.cumsum([0, *map(len, rows)])
    columns = np.array([column for row in rows for column in row], dtype=np.int32)
    values = np.array([value for row in rows for value in row.values()])
    return sparse.csr_array((values, columns, starts), shape=(len(rows), buckets))


def _rows_of_length_1(table: sparse.csr_array) -> sparse.csr_array:
    lengths = np.sqrt(np.asarray(table.multiply(table).sum(axis=1))).ravel()
    return sparse.diags_array(1 / np.where(lengths > 0, lengths, 1)) @ table
