"""How good a search is, on labelled questions.

1. ``questions``: questions as a learner asks them, with quotes from the passages that answer them
2. ``recall``: how often one of these is among the first five, with an interval

"""

from typing import TYPE_CHECKING

from labutils.lazy import lazily

if TYPE_CHECKING:
    from .questions import LabelledQuestion, Quote, read_questions

_HOME = {
    "LabelledQuestion": "questions", "Quote": "questions", "read_questions": "questions",
}  # fmt: skip

__all__ = ["LabelledQuestion", "Quote", "read_questions"]
__getattr__, __dir__ = lazily(__name__, _HOME)
