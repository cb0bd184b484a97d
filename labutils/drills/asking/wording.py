"""What a drill says around its question: how to answer, what is allowed, where to go on."""

import re
from dataclasses import dataclass
from itertools import groupby
from textwrap import dedent

from labutils.drills.definition.drill import Drill
from labutils.drills.definition.template import Template
from labutils.drills.judging.rough import FACTOR, SECONDS, can_be_rough
from labutils.exercises.definition.read_answer import expected_in_words
from labutils.exercises.display.card import Card, Code, Prose
from labutils.ground.units import parse

# Nobody means bytes by a bare number here: the question says GB or KiB.
# A share may come in per cent, a factor with an x, a count with its noun.
_WITH_UNIT = {"B": "one amount of data with its unit", "1": "one number"}
_SHOWN = {"B": "GB", "%": "%", "$": "$", "$/Mtok": "$", "B/s": "GB/s"}  # in an example


@dataclass(frozen=True)
class Prompt:
    """The question with everything that may be known before the answer: never title or topic.

    ``before`` are the stories of the questions that this one follows up.
    """

    template: Template
    drill: Drill
    link: int
    rough: bool
    terminal: bool = False
    before: str = ""

    def card(self) -> Card:
        """The story, the question, the options, and how to answer."""
        parts = [*told(self.drill.story), *self._questions(), Prose(self._how())]
        return Card(self._label(), tuple(parts), "info")

    def _label(self) -> str:
        if self.rough:
            return f"Drill, {SECONDS:.0f} seconds, no calculator"
        if self.link:
            return f"The story goes on, question {self.link + 1}"
        minutes = self.template.minutes
        noun = "minute" if minutes == 1 else "minutes"
        return f"Drill, level {self.template.level}, about {minutes:g} {noun}"

    def _questions(self) -> list[Prose]:
        """What is asked: the choice first where there is a number too."""
        drill, options = self.drill, self.drill.options
        if options is None:
            return [Prose(drill.question)]
        lines = Prose("\n".join(options.lines()))
        if options.question in ("", drill.question):
            return [Prose(drill.question), lines]
        if drill.answer is None:
            return [Prose(f"{drill.question} {options.question}".strip()), lines]
        return [Prose(options.question), lines, Prose(drill.question)]

    def _how(self) -> str:
        drill = self.drill
        keys = list(drill.options.texts) if drill.options else []
        letters = f"a letter, a {'or' if len(keys) == 2 else 'to'} {keys[-1]}" if keys else ""
        if drill.answer is None:
            return f"Answer: {letters}.\n{self._example('b', first=True)}"
        asked = _WITH_UNIT.get(drill.unit, expected_in_words(drill.unit))
        if not letters:
            shown = self._example_number()
            such = f", such as {shown}" if shown not in ("12", "70") else ""
            return f"Answer: {asked}{such}, {self._allowed()}."
        return f"Answer: {letters}, and {asked}, {self._allowed()}.\n{self._example('b')}"

    def _example(self, letter: str, *, first: bool = False) -> str:
        number = self._example_number()
        if self.terminal:
            return f"For example: `{letter}`" if first else f"For example: `{letter} {number}`"
        shown = number if number.isdigit() else f'"{number}"'
        call = f'`.check("{letter}")`' if first else f'`.check({shown}, choice="{letter}")`'
        return f"For example: {call}"

    def _example_number(self) -> str:
        """A number in the unit in which the story speaks, and nowhere near the answer."""
        drill = self.drill
        unit = _SHOWN.get(drill.unit, "")
        if drill.unit == "s":
            own = f"{drill.story} {drill.question}"
            told = own if re.search(r"[0-9] ?m?s\b", own) else self.before
            unit = "ms" if re.search(r"[0-9] ?ms\b", told) else "s"
        for number in (12, 70):
            example = f"${number}" if unit == "$" else f"{number} {unit}".strip()
            value = number if unit == "$" else parse(example, drill.unit)
            if drill.answer is None or not 0.5 <= abs(drill.answer / value) <= 2:
                break
        return example

    def _allowed(self) -> str:
        drill = self.drill
        if drill.unsafe and not self.rough:
            return f"right within ± {drill.absolute:g} on the safe side"
        if self.rough and can_be_rough(drill):
            near = "; near 1, so must be the distance from 1" if drill.unit == "1" else ""
            return f"one significant figure (right within a factor of {FACTOR:g}{near})"
        if drill.absolute and drill.absolute >= drill.tolerance * abs(drill.answer):
            unit = "" if drill.unit == "1" else f" {drill.unit}"
            return f"right within ± {drill.absolute:g}{unit}"
        return f"right within {100 * drill.tolerance:.3g} %" if drill.tolerance else "exact"


def spaced(card: Card) -> str:
    """A card for a terminal: its label on a line of its own, air between its parts."""
    return "\n\n".join([f"== {card.label} ==", *(part.plain() for part in card.parts)])


def told(story: str) -> list[Prose | Code]:
    """A story as parts: lines indented by four blanks keep their spacing (code, panels)."""
    parts: list[Prose | Code] = []
    for is_code, lines in groupby(story.splitlines(), key=lambda line: line.startswith("    ")):
        text = "\n".join(lines)
        if is_code:
            parts.append(Code(dedent(text)))
        elif text.strip():
            parts.append(Prose(text.strip("\n")))
    return parts


def solution(template: Template, drill: Drill) -> list[str]:
    """The paragraphs of the worked solution: steps, what the law says, a bound to keep."""
    steps = [step.text for step in drill.steps]
    if len(steps) > 1:
        steps = [f"{number}. {text}" for number, text in enumerate(steps, 1)]
    if drill.options:
        right = drill.options.right
        steps.insert(0, f"The choice: ({right}) {drill.options.texts[right]}")
    bound = [f"Without a calculator: {drill.sanity}"] if drill.sanity else []
    return ["\n".join(steps), *bound, drill.moral]
