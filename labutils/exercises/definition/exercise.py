"""What an author writes: an exercise, a misconception, a prediction. All are checked when made."""

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from labutils.exercises.definition.verdict import Status, Verdict
from labutils.ground.arguments import whole

_ID = re.compile(r"[a-z0-9_]+(\.[a-z0-9_]+)+")
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


class CheckerError(RuntimeError):
    """The workbook's own code failed while checking. Never the learner's fault."""


class NeverReturns(Exception):
    """Raised by a misconception's implementation where the mistake is an endless loop."""


@dataclass(frozen=True)
class Raises:
    """What a misconception returns where the mistake is an error of this ``kind``."""

    kind: type[BaseException]


class Checker(ABC):
    """Judges answers. One instance belongs to one exercise."""

    @abstractmethod
    def check(self, answer) -> Verdict:
        """Judge an answer that is not ``...``; never raises for what the answer is."""

    @property
    @abstractmethod
    def reference_answer(self):
        """The workbook's own right answer, in a form that later cells can use."""

    def given_value(self, answer) -> float | None:
        """The number worth recording with the verdict, if the answer is one."""
        return None


@dataclass(frozen=True)
class Misconception:
    """A plausible mistake with a name.

    ``answer`` is what the mistake yields: for a Number or an Estimate a function without
    arguments that returns a value in the base unit, for a Function a wrong implementation (which
    raises ``NeverReturns`` where the mistake loops for ever), for Stories a wrong class.
    ``message`` says what went wrong and which question to ask; it never holds the answer.
    ``shows`` is for a Function whose mistake is seen in the code, since its results are chance or
    another's as well: whether a function's code shows the mistake.
    """

    name: str
    answer: Callable[..., Any]
    message: str
    shows: Callable[[Callable], object] | None = None

    def __post_init__(self):
        _match("name", self.name, _NAME, "a name such as 'mean-for-p99'")
        _callable("answer", self.answer)
        _text("message", self.message)


@dataclass(frozen=True)
class Exercise:
    """A question with its checker, three hints (a nudge to nearly there) and an explanation.

    ``workings`` names intermediate quantities that a learner may hand in beside the answer, in
    the order in which they are found: the first wrong one is where the error lies.
    """

    id: str
    title: str
    checker: Checker
    hints: tuple[str, str, str]
    explanation: str
    minutes: int
    optional: bool = False
    workings: Mapping[str, Checker] = field(default_factory=lambda: MappingProxyType({}))

    def __post_init__(self):
        _match("id", self.id, _ID, "an id such as 'mm1.recursion'")
        _text("title", self.title)
        _text("explanation", self.explanation)
        whole("minutes", self.minutes)
        if not isinstance(self.hints, tuple) or len(self.hints) != 3:
            raise ValueError(f"hints = {self.hints!r}: expected a tuple of three hints")
        for number, text in enumerate(self.hints):
            _text(f"hints[{number}]", text)
        for name, checker in {"checker": self.checker, **self.workings}.items():
            if not isinstance(checker, Checker):
                raise ValueError(f"{name} = {checker!r}: expected a Number, a Function, ...")

    def judge(self, answer) -> Verdict:
        """Check an answer; ``...`` is none."""
        if answer is ...:
            return Verdict(Status.not_attempted, "Replace the `...` by your answer, and run again.")
        return self.checker.check(answer)


@dataclass(frozen=True)
class Prediction:
    """A question to which the learner commits a number before the answer appears.

    ``at_least`` and ``at_most`` bound what the answer can be, in ``unit``: 0 and 1 for a share.
    ``finding`` says the answer, which stands for ``{}``, where the question is out of sight: on a
    slide.
    """

    id: str
    question: str
    unit: str
    explanation: str
    at_least: float = -math.inf
    at_most: float = math.inf
    finding: str = "It is {}."

    def __post_init__(self):
        _match("id", self.id, _ID, "an id such as 'mm1.recovery'")
        for name in ("question", "unit", "explanation"):
            _text(name, getattr(self, name))
        if self.finding.count("{}") != 1 or not self.finding.endswith("."):
            raise ValueError(f"finding = {self.finding!r}: expected a sentence with one {{}}")
        if not self.at_least < self.at_most:
            raise ValueError(
                f"at_most = {self.at_most!r}: expected a number above {self.at_least!r}, at_least"
            )

    def can_be(self, value: float) -> bool:
        """Whether the answer could be ``value``, whatever it is."""
        return self.at_least <= value <= self.at_most


def trusted(what: str, call: Callable[[], Any]):
    """Run the workbook's own code; its errors become ``CheckerError``."""
    try:
        return call()
    except Exception as error:
        raise CheckerError(
            f"The workbook's own {what} failed ({type(error).__name__}: {error}). "
            "This is a fault of the workbook, not of your answer."
        ) from error


def named_apart(misconceptions: tuple[Misconception, ...]) -> None:
    """Raise ``ValueError`` unless these are misconceptions with names of their own."""
    for item in misconceptions:
        if not isinstance(item, Misconception):
            raise ValueError(f"misconceptions: {item!r}: expected a Misconception")
    names = [item.name for item in misconceptions]
    if len(set(names)) < len(names):
        raise ValueError(f"misconceptions = {names!r}: expected names that differ")


def _text(name: str, value) -> None:
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{name} = {value!r}: expected a text that is not empty")


def _match(name: str, value, pattern: re.Pattern, expected: str) -> None:
    if not isinstance(value, str) or not pattern.fullmatch(value):
        raise ValueError(f"{name} = {value!r}: expected {expected}")


def _callable(name: str, value) -> None:
    if not callable(value):
        raise ValueError(f"{name} = {value!r}: expected a function")
