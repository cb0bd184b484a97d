"""The sheets of strangers' answers, one a chapter (``tests/answer_sheet.py`` says how they read).

The labels of an answer are true, but for those with a ``!``, which are false.
"""

from collections.abc import Iterator
from pathlib import Path

from tests.answer_sheet import entries_of, exercises_in
from tests.answers.answer import Answer

HERE = Path(__file__).parent
CHAPTERS = sorted(path.stem for path in HERE.glob("*.txt") if path.stem != "failures")


def exercises_of(slug: str) -> list[str]:
    """The exercises of a chapter to which there are answers, in order."""
    return exercises_in(HERE / f"{slug}.txt")


def answers_of(slug: str, only: str | None = None) -> Iterator[Answer]:
    """The answers to the exercises of a chapter, or to one of them."""
    for one in entries_of(HERE / f"{slug}.txt", only):
        true = tuple(label for label in one.labels if not label.startswith("!"))
        false = tuple(label[1:] for label in one.labels if label.startswith("!"))
        is_right = one.mark == "right"
        yield Answer(one.exercise, is_right, one.what, one.given, true, false, one.rank)
