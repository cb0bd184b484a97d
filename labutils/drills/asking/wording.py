"""What a drill says around its question: how to answer, what is allowed, where to go on."""

from dataclasses import dataclass
from itertools import groupby
from textwrap import dedent

from labutils.drills.definition.drill import Drill
from labutils.drills.definition.template import Template
from labutils.drills.judging.rough import FACTOR, SECONDS, can_be_rough
from labutils.exercises.definition.read_answer import expected_in_words
from labutils.exercises.display.card import Card, Code, Prose

# Nobody means bytes by a bare number here: the question says GB or KiB.
_WITH_UNIT = {"B": "one amount of data with its unit, such as 12 GB"}


@dataclass(frozen=True)
class Prompt:
    """The question with everything that may be known before the answer: never title or topic."""

    template: Template
    drill: Drill
    link: int
    rough: bool
    terminal: bool = False

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
        letters = f"a letter, a to {list(drill.options.texts)[-1]}" if drill.options else ""
        if drill.answer is None:
            return f"Answer: {letters}.\n{self._example('b', first=True)}"
        asked = _WITH_UNIT.get(drill.unit, expected_in_words(drill.unit))
        number = f"{asked}, {self._allowed()}"
        if not letters:
            return f"Answer: {number}."
        return f"Answer: {letters}, and {number}.\n{self._example('b')}"

    def _example(self, letter: str, *, first: bool = False) -> str:
        has_prefix = self.drill.unit in _WITH_UNIT
        if self.terminal:
            number = "" if first else " 12 GB" if has_prefix else " 12"
            return f"For example: `{letter}{number}`"
        number = '"12 GB"' if has_prefix else "12"
        call = f'`.check("{letter}")`' if first else f'`.check({number}, choice="{letter}")`'
        return f"For example: {call}"

    def _allowed(self) -> str:
        drill = self.drill
        if self.rough and can_be_rough(drill):
            return f"one significant figure (right within a factor of {FACTOR:g})"
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
