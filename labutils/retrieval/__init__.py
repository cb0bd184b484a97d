"""Retrieval over the course's own text.

1. ``corpus``: passages, and the file that holds them
2. ``embedder``: text to vectors, learned from the passages
3. ``indexes``: the nearest vectors, exactly or about; ``keywords``: BM25
4. ``fusion``: two rankings into one; ``rerank``: the best of them again, word by word
5. ``stage_threads``: where a stage's calls stand in line
6. ``assistant``: a question through all of them, as ``async`` stages with spans
7. ``open_loop``: many questions on schedule, and a record of each
8. ``quality``: a room of its own: labelled questions, and what each search finds of them

>>> from labutils.retrieval import fuse
>>> fuse([["a", "b"], ["b", "c"]])
['b', 'a', 'c']
"""

from typing import TYPE_CHECKING

from labutils.ground.lazy import lazily

if TYPE_CHECKING:
    from .assistant import Answer, Assistant, Library
    from .corpus import Passage, read_corpus
    from .embedder import Embedder
    from .fusion import fuse, fuse_scores
    from .indexes import ExactIndex, GraphIndex
    from .keywords import KeywordIndex
    from .open_loop import ask_on_schedule, poisson_moments
    from .rerank import WordReranker
    from .stage_threads import StageThreads

_HOME = {
    "Answer": "assistant", "Assistant": "assistant", "Embedder": "embedder",
    "ExactIndex": "indexes",
    "GraphIndex": "indexes", "KeywordIndex": "keywords", "Library": "assistant",
    "Passage": "corpus", "StageThreads": "stage_threads", "WordReranker": "rerank",
    "ask_on_schedule": "open_loop", "fuse": "fusion", "fuse_scores": "fusion",
    "poisson_moments": "open_loop", "read_corpus": "corpus",
}  # fmt: skip

__all__ = [
    "Answer", "Assistant", "Embedder", "ExactIndex",
    "GraphIndex", "KeywordIndex", "Library", "Passage", "StageThreads", "WordReranker",
    "ask_on_schedule", "fuse", "fuse_scores", "poisson_moments", "read_corpus",
]  # fmt: skip
__getattr__, __dir__ = lazily(__name__, _HOME)
