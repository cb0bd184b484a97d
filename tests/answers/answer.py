"""One answer to one exercise, and what it would be true to say of it."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Answer:
    """What somebody hands in.

    ``given`` is a value, or for code the source text whose last function or class counts. ``what``
    says what is wrong with it, or in which style it is right. ``true`` and ``false`` hold labels of
    verdicts (``Outcome.label``) that a reader found to be so, and not to be so, of this answer.
    ``rank`` counts the wrong answers of one writer to the exercise from 1, the likeliest first.
    """

    exercise: str
    is_right: bool
    what: str
    given: Any
    true: tuple[str, ...] = ()
    false: tuple[str, ...] = ()
    rank: int = 0
