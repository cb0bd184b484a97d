"""One answer to one exercise, and what it would be true to say of it."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Answer:
    """What somebody hands in.

    ``given`` is a value, or for code the source text whose last function or class counts. ``what``
    says what is wrong with it, or in which style it is right. ``true`` and ``false`` hold labels of
    verdicts (``label_of``) that a reader found to be so, and not to be so, of this answer.
    """

    exercise: str
    is_right: bool
    what: str
    given: Any
    true: tuple[str, ...] = ()
    false: tuple[str, ...] = ()
    workings: dict[str, Any] = field(default_factory=dict)


def wrong(exercise: str, what: str, given, *, true=(), false=(), **workings) -> Answer:
    """A wrong answer; those to one exercise stand from the likeliest to the most far-fetched."""
    return Answer(exercise, False, what, given, tuple(true), tuple(false), workings)


def right(exercise: str, what: str, given, **workings) -> Answer:
    """A right answer, in a style of its own."""
    return Answer(exercise, True, what, given, workings=workings)
