"""A template: a function from drawn numbers to a drill, and what is known about all its drills."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from labutils.drills.definition.draw import Draw, Redraw
from labutils.drills.definition.drill import Drill

ATTEMPTS = 200


class Decision(StrEnum):
    """What a drill asks an engineer to do: the axes of the skill curve."""

    model = "pick the model"
    estimate = "estimate"
    limit = "name the limit"
    commit = "commit"


class Form(StrEnum):
    """How a drill is asked."""

    number = "number"
    verdict = "verdict"
    flaw = "spot the flaw"
    missing = "ask for what is missing"
    chain = "what binds next"
    dashboard = "one panel lies"
    defend = "commit, then defend"


@dataclass(frozen=True)
class Template:
    """A kind of question. ``drill(seed)`` puts numbers into it, the same for the same seed.

    ``title`` and ``topics`` are never shown before the answer. ``number`` is the row of the
    course's list of drills, 0 for those beyond it. ``rough`` says whether one significant figure
    makes sense as an answer. ``trivia`` marks what one knows or looks up: a mock asks one at most.
    """

    id: str
    title: str
    level: int
    decision: Decision
    topics: tuple[str, ...]
    make: Callable[[Draw], Drill]
    form: Form = Form.number
    number: int = 0
    minutes: float = 2.5
    rough: bool = True
    trivia: bool = False

    def __post_init__(self):
        if not re.fullmatch(r"[a-z0-9_]+", self.id):
            raise ValueError(f"id = {self.id!r}: expected small letters, digits and underscores")
        if self.level not in (1, 2, 3, 4):
            raise ValueError(f"level = {self.level!r}: expected 1, 2, 3 or 4")

    def answer_is_choice(self, seed: int) -> bool:
        """Whether a choice is all that is asked."""
        return self.drill(seed).answer is None

    def drill(self, seed: int) -> Drill:
        """The drill of that seed; numbers that blur a mistake with the answer are drawn again.

        Raises ``RuntimeError`` where no numbers will do: a fault of the template.
        """
        for attempt in range(ATTEMPTS):
            try:
                drill = self.make(Draw(seed, attempt))
            except Redraw:
                continue
            if drill.is_sound():
                return drill
        raise RuntimeError(f"drill {self.id!r}, seed {seed}: no good numbers in {ATTEMPTS} draws")


Make = Callable[[Draw], Drill]


def template(
    topics: str,
    *,
    level: int,
    decision: Literal["model", "estimate", "limit", "commit"],
    form: Literal[
        "number", "verdict", "flaw", "missing", "chain", "dashboard", "defend"
    ] = "number",
    number: int = 0,
    minutes: float = 2.5,
    rough: bool = True,
    trivia: bool = False,
) -> Callable[[Make], Template]:
    """Make a template of a function: its name is the id, its docstring the title.

    ``topics`` are ids with blanks between; the rest is as in ``Template``. Raises ``ValueError``
    for a word that is no decision or form, and for a function without a docstring.
    """

    def made(function: Make) -> Template:
        title = " ".join((function.__doc__ or "").split()).removesuffix(".")
        if not title:
            raise ValueError(f"{function.__name__}: expected a docstring, which is the title")
        return Template(
            id=function.__name__,
            title=title,
            level=level,
            decision=_word("decision", decision, Decision),
            topics=tuple(topics.split()),
            make=function,
            form=_word("form", form, Form),
            number=number,
            minutes=minutes,
            rough=rough,
            trivia=trivia,
        )

    return made


def _word(name: str, word: str, words: type[StrEnum]) -> StrEnum:
    if word not in words.__members__:
        raise ValueError(f"{name} = {word!r}: expected one of {', '.join(words.__members__)}")
    return words[word]
