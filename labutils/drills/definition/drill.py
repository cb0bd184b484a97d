"""One drill, its numbers filled in: what is asked, what is right, which mistakes have names."""

import math
import re
from dataclasses import dataclass, replace
from functools import cached_property

from labutils.drills.definition.options import Options
from labutils.exercises.checkers import Number
from labutils.exercises.definition.exercise import Misconception
from labutils.exercises.definition.verdict import Status, Verdict
from labutils.ground.units import format_quantity


@dataclass(frozen=True)
class Mistake:
    """A plausible wrong way, the value to which it leads, and what to say about it.

    ``message`` names the mistake and the question to ask; it never holds the answer. ``topic`` is
    the id of what to read after it, where that is not what the drill is about.
    """

    name: str
    value: float
    message: str
    topic: str = ""


@dataclass(frozen=True)
class Step:
    """A line of the worked solution: ``text`` holds this drill's numbers, ``value`` its result.

    A step with a ``name`` may be handed in beside the answer, by keyword, so that the first wrong
    one is found (blanks and hyphens in a name become underscores); one without a name is a remark.
    """

    text: str
    name: str = ""
    value: float = math.nan
    unit: str = "1"

    def __post_init__(self):
        object.__setattr__(self, "name", re.sub("[ -]", "_", self.name))
        if self.name and not self.name.isidentifier():
            raise ValueError(f"name = {self.name!r}: expected one that works as a keyword")


@dataclass(frozen=True)
class Drill:
    """A question with this seed's numbers.

    ``story`` states the facts and ``question`` what is asked; neither names the topic nor the
    formula. ``answer`` is in ``unit`` (None where a choice is all that is asked), right within
    ``tolerance`` (relative) or ``absolute`` (in ``unit``), ends included. ``sanity`` is a bound
    that needs no calculator, with its reason. ``moral`` names the law and what it is for; it is
    shown after the answer alone. ``scale`` switches off the search for factors of 10, 8, 2, …
    (verdicts). ``unsafe`` is the side of the answer, "above" or "below", on which a whole number
    breaks the promise: no tolerance there. ``follow_up`` moves the bottleneck: the next
    drill of the same story.
    """

    story: str
    question: str
    hints: tuple[str, str, str]  # the quantity, the formula, the substitution
    steps: tuple[Step, ...]
    moral: str
    answer: float | None = None
    unit: str = "1"
    tolerance: float = 0.02
    absolute: float = 0.0
    mistakes: tuple[Mistake, ...] = ()
    options: Options | None = None
    sanity: str = ""
    scale: bool = True
    unsafe: str = ""
    accepts: tuple[tuple[float, str], ...] = ()  # other conventions: a value, what differs
    follow_up: "Drill | None" = None

    def __post_init__(self):
        if self.answer is None and self.options is None:
            raise ValueError("answer = None: expected a number, options, or both")
        if len(self.hints) != 3:
            raise ValueError(f"hints = {self.hints!r}: expected three")

    def also(self, **fields) -> "Drill":
        """The same drill with those fields: what follows on its sheet."""
        return replace(self, **fields)

    def then(self, follow_up: "Drill") -> "Drill":
        """The same drill with what is asked after it."""
        return replace(self, follow_up=follow_up)

    @cached_property
    def number(self) -> Number | None:
        """The checker of the number, None where a choice is all that is asked."""
        if self.answer is None:
            return None
        return Number(
            expected=lambda: self.answer,
            unit=self.unit,
            tolerance=self.tolerance,
            absolute=self.absolute,
            misconceptions=tuple(_misconception(mistake) for mistake in self.mistakes),
            accepts=tuple((_constant(value), note) for value, note in self.accepts),
            scale=self.scale,
            unsafe=self.unsafe,
            factors=tuple(_numbers_in(self.story)) if self.scale else (),
        )

    @property
    def named_steps(self) -> dict[str, Step]:
        """The steps that may be handed in, in the order in which they are found."""
        return {step.name: step for step in self.steps if step.name}

    def is_sound(self) -> bool:
        """Whether these numbers make a good question: the chain of follow-ups included.

        Everything is finite, the reference passes, every mistake lies two tolerances or more away
        (on the unsafe side, where nothing passes, any whole number) and meets its own message,
        and no hint happens to print the answer.
        """
        own = self.answer is None or (self._number_is_sound() and self._keeps_its_answer())
        return own and (self.follow_up is None or self.follow_up.is_sound())

    def _number_is_sound(self) -> bool:
        values = [self.answer, *(mistake.value for mistake in self.mistakes)]
        if not all(map(math.isfinite, values)) or not self.number.check(self.answer).passed:
            return False
        return all(map(self._stands_apart, self.mistakes))

    def _keeps_its_answer(self) -> bool:
        """Whether no hint, bound or message prints the answer, by a coincidence of numbers."""
        shown = format_quantity(self.answer, self.unit)
        texts = (*self.hints, self.sanity, *(mistake.message for mistake in self.mistakes))
        near = [text for text in texts if len(shown) > 3 and shown in text]
        alone = rf"(?<![\d.,]){re.escape(shown)}(?!\d)"
        return not any(re.search(alone, text) for text in near)

    def _stands_apart(self, mistake: Mistake) -> bool:
        if abs(mistake.value - self.answer) < self._room(mistake.value):
            return False
        verdict = self.number.check(mistake.value)
        return verdict.status is Status.misconception and verdict.diagnosis == mistake.name

    def _room(self, value: float) -> float:
        """How far from the answer a mistake of that value must lie."""
        if breaks_the_limit(value, self.answer, self.unsafe):
            return 0.0
        return 2 * max(self.tolerance * abs(self.answer), self.absolute)


def breaks_the_limit(value: float, limit: float, unsafe: str) -> bool:
    """Whether ``value`` is a whole number on the ``unsafe`` side of ``limit``."""
    beyond = {"above": value > limit, "below": value < limit}.get(unsafe, False)
    return beyond and float(value).is_integer()


def judge_step(step: Step, given, *, tolerance: float) -> Verdict:
    """The verdict on an intermediate quantity."""
    return Number(lambda: step.value, step.unit, max(tolerance, 0.01)).check(given)


def _misconception(mistake: Mistake) -> Misconception:
    return Misconception(mistake.name, _constant(mistake.value), mistake.message)


def _numbers_in(story: str) -> list[float]:
    """The numbers that stand in a story, each once; "8 billion" is 8."""
    found = re.findall(r"(?<![\w.,])[0-9]{1,3}(?:,[0-9]{3})+|(?<![\w.,])[0-9]+(?:\.[0-9]+)?", story)
    return list(dict.fromkeys(float(text.replace(",", "")) for text in found))


def _constant(value: float):
    return lambda: value
