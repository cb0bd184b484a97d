"""Questions with their right passages: what a search is judged by.

``data/retrieval_questions.json`` holds questions as a learner asks them, each with quotes from the
passages that answer it. A quote, and not a place, names a passage: places change with every build
of the corpus, and a quote says aloud when its passage is gone.

Right passages were first named without a search; then the first three of each search (words,
vectors, both, reranked) were read for every question, and those that answer it were added. What no
search found may still be missing, so shares are a little too low, for all ways alike.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from labutils import datafile
from labutils.retrieval.corpus import Passage
from labutils.retrieval.quality.rows import read_rows, refuse_repeats

QUESTIONS = "retrieval_questions.json"


@dataclass(frozen=True)
class Quote:
    """Words that stand in exactly one passage of a source."""

    source: str
    words: str

    def place(self, passages: Sequence[Passage]) -> int:
        """The passage's place; ``ValueError`` with the quote if none holds it, or several do."""
        places = [n for n, passage in enumerate(passages) if self._stands_in(passage)]
        if len(places) != 1:
            raise ValueError(
                f"words = {self.words!r}, source = {self.source!r}: expected them in one passage, "
                f"they stand in {len(places)}"
            )
        return places[0]

    def _stands_in(self, passage: Passage) -> bool:
        return passage.source == self.source and self.words in passage.text


@dataclass(frozen=True)
class LabelledQuestion:
    """A question, and a quote from each passage that answers it."""

    text: str
    right: tuple[Quote, ...]

    def right_places(self, passages: Sequence[Passage]) -> frozenset[int]:
        """Places of the passages that answer it; ``ValueError`` for a quote that is gone."""
        return frozenset(quote.place(passages) for quote in self.right)


def read_questions(path: str | Path | None = None) -> tuple[LabelledQuestion, ...]:
    """The labelled questions of a file (default: the course's own), in its order.

    Raises ``ValueError`` that names the file, and the number of the question where one is not of
    the form ``{"question": …, "right": [{"source": …, "words": …}]}`` or is there twice.
    """
    path = datafile(QUESTIONS) if path is None else Path(path)
    rows = read_rows(path, "question")
    questions = tuple(_question(path, at, row) for at, row in enumerate(rows))
    refuse_repeats(path, "question", [question.text for question in questions])
    return questions


def _question(path: Path, at: int, row) -> LabelledQuestion:
    try:
        text, right = row["question"], tuple(Quote(**quote) for quote in row["right"])
        texts = [text, *(part for quote in right for part in (quote.source, quote.words))]
        good = len(row) == 2 and right and all(isinstance(t, str) and t.strip() for t in texts)
    except (TypeError, KeyError):
        good = False
    if not good:
        raise ValueError(f"{path}, question {at}: expected a question and its right quotes")
    return LabelledQuestion(text, right)
