"""A whiteboard prompt: what is asked, what a good answer must hold, and a model answer."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from labutils.drills.whiteboard.sketch import Sketch


@dataclass(frozen=True)
class Asked:
    """A question of the candidate or of the interviewer, and the other's answer."""

    question: str
    answer: str


@dataclass(frozen=True)
class Page:
    """Everything about a prompt, with its figures.

    ``must_hits`` are what full marks need, each in a line that can be ticked; ``model_answer`` has
    paragraphs by heading. ``a_three`` says for the axes that this prompt tests most what full marks
    sound like here; ``examples`` says it for each score from 0 to 3.
    """

    ask: str
    clarifications: tuple[Asked, ...]
    must_hits: tuple[str, ...]
    model_answer: Mapping[str, str]
    follow_ups: tuple[Asked, ...]
    a_three: Mapping[str, str]
    examples: Mapping[str, tuple[str, ...]]
    sketch: Sketch | None = None

    def sketched(self, sketch: Sketch) -> "Page":
        """This page with what stands on the board at the end."""
        return replace(self, sketch=sketch)

    def lettered(self) -> dict[str, str]:
        """The must-hit list by letter."""
        return dict(zip("abcdefgh", self.must_hits))

    def questions(self) -> dict[str, Asked]:
        """The clarifications by letter."""
        return dict(zip("abcdefgh", self.clarifications))


@dataclass(frozen=True)
class Prompt:
    """A question without one right answer; ``write`` computes its page when it is looked at."""

    id: str
    title: str
    topics: tuple[str, ...]
    minutes: int
    write: Callable[[], Page]

    def __post_init__(self):
        if not re.fullmatch(r"[dr][0-9]+", self.id):
            raise ValueError(f"id = {self.id!r}: expected d1 … or r01 …")
        if not self.title:
            raise ValueError(f"{self.id}: expected a docstring, which is the title")

    @cached_property
    def page(self) -> Page:
        """The page, written once."""
        return self.write()

    @property
    def ask(self) -> str:
        """What is asked."""
        return self.page.ask
