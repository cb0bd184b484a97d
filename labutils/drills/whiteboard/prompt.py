"""A whiteboard prompt: what is asked, what a good answer must hold, and a model answer."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from labutils.drills.whiteboard.rubric import AXES, MOST
from labutils.drills.whiteboard.sketch import Sketch


@dataclass(frozen=True)
class Clarification:
    """A question that a candidate may ask, the interviewer's reply, and what it decides."""

    question: str
    reply: str
    decides: str


@dataclass(frozen=True)
class FollowUp:
    """The interviewer moves the problem; ``answer`` is computed where it holds numbers."""

    question: str
    answer: str


@dataclass(frozen=True)
class Solution:
    """A model answer: paragraphs under short headings, three follow-ups, perhaps a sketch."""

    parts: Mapping[str, str]
    follow_ups: tuple[FollowUp, FollowUp, FollowUp]
    sketch: Sketch | None = None


@dataclass(frozen=True)
class Prompt:
    """A question without one right answer.

    ``must_hits`` are what full marks need, each in a line that can be ticked. ``a_three`` says for
    the axes that this prompt tests most what full marks sound like here; ``examples`` says it for
    each score from 0 to 3. ``solve`` computes the model answer.
    """

    id: str
    title: str
    topics: tuple[str, ...]
    minutes: int
    ask: str
    clarifications: tuple[Clarification, ...]
    must_hits: tuple[str, ...]
    solve: Callable[[], Solution]
    a_three: Mapping[str, str] = field(default_factory=dict)
    examples: Mapping[str, tuple[str, str, str, str]] = field(default_factory=dict)

    def __post_init__(self):
        if not re.fullmatch(r"[dr][0-9]+", self.id):
            raise ValueError(f"id = {self.id!r}: expected d1 … or r01 …")
        if not 3 <= len(self.must_hits) <= 8:
            raise ValueError(f"must_hits: {len(self.must_hits)}, expected three to eight")
        for name in ("a_three", "examples"):
            if unknown := set(getattr(self, name)) - set(AXES):
                raise ValueError(f"{name} = {sorted(unknown)}: expected axes of the rubric")
        if short := [axis for axis, heard in self.examples.items() if len(heard) != MOST + 1]:
            raise ValueError(f"examples: expected one for each score from 0 to {MOST} in {short}")

    def lettered(self) -> dict[str, str]:
        """The must-hit list by letter."""
        return dict(zip("abcdefgh", self.must_hits))

    def questions(self) -> dict[str, Clarification]:
        """The clarifications by letter."""
        return dict(zip("abcdefgh", self.clarifications))
