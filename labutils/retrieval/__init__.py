"""Retrieval over the course's own text.

1. ``corpus``: passages, and the file that holds them
2. ``embedder``: text to vectors, learned from the passages
3. ``indexes``: the nearest vectors, exactly or about; ``keywords``: BM25
4. ``fusion``: two rankings into one

>>> from labutils.retrieval import fuse
>>> fuse([["a", "b"], ["b", "c"]])
['b', 'a', 'c']
"""

from typing import TYPE_CHECKING

from labutils.lazy import lazily

if TYPE_CHECKING:
    from .corpus import Passage, read_corpus
    from .embedder import Embedder
    from .fusion import fuse
    from .indexes import ExactIndex, GraphIndex
    from .keywords import KeywordIndex

_HOME = {
    "Embedder": "embedder", "ExactIndex": "indexes", "GraphIndex": "indexes",
    "KeywordIndex": "keywords", "Passage": "corpus", "fuse": "fusion", "read_corpus": "corpus",
}  # fmt: skip

__all__ = [
    "Embedder", "ExactIndex", "GraphIndex", "KeywordIndex", "Passage", "fuse", "read_corpus",
]  # fmt: skip
__getattr__, __dir__ = lazily(__name__, _HOME)
