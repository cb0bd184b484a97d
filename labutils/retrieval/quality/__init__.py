"""How good a search is, on labelled questions.

1. ``questions``: questions as a learner asks them, with quotes from the passages that answer them
2. ``recall``: how often one of these is among the first five, with an interval
3. ``ways``: words, vectors, both fused, reranked: each of them judged
4. ``pairs``: other questions, each with the nearest of these, and whether one answer serves both
5. ``rows``: what the two files of questions and pairs have in common
"""

from typing import TYPE_CHECKING

from labutils.ground.lazy import lazily

if TYPE_CHECKING:
    from .pairs import QuestionPair, compared, read_pairs
    from .questions import LabelledQuestion, Quote, read_questions
    from .recall import Recall, cross_fitted, found, wilson
    from .ways import judged

_HOME = {
    "LabelledQuestion": "questions", "QuestionPair": "pairs", "Quote": "questions",
    "Recall": "recall", "compared": "pairs", "cross_fitted": "recall", "found": "recall",
    "judged": "ways", "read_pairs": "pairs", "read_questions": "questions", "wilson": "recall",
}  # fmt: skip

__all__ = [
    "LabelledQuestion", "QuestionPair", "Quote", "Recall", "compared", "cross_fitted", "found",
    "judged", "read_pairs", "read_questions", "wilson",
]  # fmt: skip
__getattr__, __dir__ = lazily(__name__, _HOME)
