"""One number with a unit, judged on a ladder of diagnoses."""

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

from labutils.exercises.checkers.numbers.given_numbers import from_the_story
from labutils.exercises.checkers.numbers.scale import slip_of_scale
from labutils.exercises.checkers.numbers.tolerance import Window
from labutils.exercises.definition.exercise import (
    Checker,
    CheckerError,
    Misconception,
    named_apart,
    trusted,
)
from labutils.exercises.definition.read_answer import read_number
from labutils.exercises.definition.verdict import Status, Verdict
from labutils.ground.arguments import non_negative
from labutils.ground.units import UnreadableQuantity, WrongDimension

_CLOSE = 0.05  # close is within 5 % and 10 times the tolerance; twice the tolerance at least
_EXACT_FACTOR = 3e-3
_DIGITS = 1.5  # times the tolerance: as far as more digits may carry an answer


class Quantity(Checker):
    """A checker for one number in ``unit``: it reads the answer, and ``_judged`` judges it."""

    unit: str

    def given_value(self, answer) -> float | None:
        try:
            return read_number(answer, self.unit)
        except (UnreadableQuantity, WrongDimension):
            return None

    def check(self, answer) -> Verdict:
        try:
            value = read_number(answer, self.unit)
        except WrongDimension as error:
            return Verdict(Status.unit, str(error))
        except UnreadableQuantity as error:
            return Verdict(Status.unreadable, str(error))
        return self._judged(value)

    @abstractmethod
    def _judged(self, value: float) -> Verdict:
        """Judge the number that was handed in."""


@dataclass(frozen=True)
class Number(Quantity):
    """A checker for one number in ``unit``.

    ``expected`` and each ``misconceptions[i].answer`` are functions without arguments that return
    values in ``unit``. ``tolerance`` is relative (0.01 is 1 %), ``absolute`` is in ``unit``; the
    wider of both counts, and its ends pass. ``accepts`` holds other legitimate conventions as
    ``(function, note)`` pairs: they are right too, and the note says what differs.

    ``scale`` off leaves out the search for factors of 10, 8, 2, …. ``unsafe`` says on which side
    of the expected value, a limit, a whole number breaks a promise: "above" or "below" it there is
    no tolerance. ``story`` holds the numbers that the exercise tells, as they stand there and in
    other units where a slip is likely: an answer made of them another way is told how. ``factors``
    are numbers of a story by which an answer may be off as a whole.

    The ladder: unreadable, unit, right, a named misconception, the story's numbers, a factor of
    the story, scale, close, wrong.
    """

    expected: Callable[[], float]
    unit: str
    tolerance: float
    misconceptions: tuple[Misconception, ...] = ()
    absolute: float = 0.0
    accepts: tuple[tuple[Callable[[], float], str], ...] = ()
    scale: bool = True
    unsafe: str = ""
    story: tuple[float, ...] = ()
    factors: tuple[float, ...] = ()

    def __post_init__(self):
        if self.unsafe not in ("", "above", "below"):
            raise ValueError(f"unsafe = {self.unsafe!r}: expected '', 'above' or 'below'")
        non_negative("tolerance", self.tolerance)
        non_negative("absolute", self.absolute)
        named_apart(self.misconceptions)

    @property
    def reference_answer(self) -> float:
        return _value("reference", self.expected)

    def _judged(self, value: float) -> Verdict:
        window = self._around(self.reference_answer)
        if window.holds(value) and self._breaks(value, window):
            message = f"A whole number {self.unsafe} the limit breaks it. Round the other way."
            past = Verdict(Status.misconception, message, diagnosis="rounded-past-the-limit")
            return self._misconception(value, window) or past
        if window.holds(value):
            return Verdict(Status.right, "Your answer agrees with the workbook's.")
        return (
            self._convention(value)
            or self._misconception(value, window)
            or self._of_the_story(value, window)
            or self._factor_of_the_story(value, window)
            or self._slip(value, window)
            or self._miss(value, window)
        )

    def _breaks(self, value: float, window: Window) -> bool:
        """Whether a whole number lies on the side on which it breaks the limit."""
        beyond = value - window.centre if self.unsafe == "above" else window.centre - value
        return bool(self.unsafe) and value.is_integer() and beyond > 1e-9 * abs(window.centre)

    def _convention(self, value: float) -> Verdict | None:
        for other, note in self.accepts:
            if self._around(_value("accepted convention", other)).holds(value):
                return Verdict(Status.right, "Your answer follows another convention.", note=note)
        return None

    def _misconception(self, value: float, right: Window) -> Verdict | None:
        """The misconception whose value lies nearest, among those whose window holds the answer.

        A window ends at a quarter of the way to the right answer: what lies nearer to that has
        causes of its own, however wide the tolerance is.
        """
        near = []
        for item in self.misconceptions:
            wrong = _value(f"misconception {item.name!r}", item.answer)
            reach = min(self._around(wrong).half_width, abs(wrong - right.centre) / 4)
            if Window(wrong, 0.0, reach).holds(value):
                near.append((abs(value - wrong), item))
        if not near:
            return None
        _, item = min(near, key=lambda pair: pair[0])
        return Verdict(Status.misconception, item.message, diagnosis=item.name)

    def _of_the_story(self, value: float, window: Window) -> Verdict | None:
        found = from_the_story(value, self.story, window.centre)
        return found and Verdict(Status.wrong, found, diagnosis="other-numbers")

    def _factor_of_the_story(self, value: float, window: Window) -> Verdict | None:
        """A factor from 3 on, exact but for rounding: 2 and less have too many other causes.

        A thousand is a prefix first, whatever the story says, and 60 of a time is a minute.
        """
        expected = window.centre
        if not expected or not value or (value > 0) != (expected > 0):
            return None
        way, ratio = ("large", value / expected) if value / expected > 1 else (
            "small", expected / value
        )  # fmt: skip
        units = (1e3, 1e6, 1e9, *((60, 3600) if self.unit == "s" and self.scale else ()))
        if any(math.isclose(ratio, unit, rel_tol=_EXACT_FACTOR) for unit in units):
            return None
        for factor in self.factors:
            if factor >= 3 and math.isclose(ratio, factor, rel_tol=_EXACT_FACTOR):
                message = f"Your answer is {factor:,.10g} times too {way}, and that is a number of "
                message += "the story. Is it left out, or in there once too often?"
                return Verdict(Status.wrong, message, diagnosis="factor-of-the-story")
        return None

    def _slip(self, value: float, window: Window) -> Verdict | None:
        if not self.scale:
            return None
        slip = slip_of_scale(value, window.centre, unit=self.unit, share=window.share)
        return slip and Verdict(slip.status, slip.message)

    def _miss(self, value: float, window: Window) -> Verdict:
        expected = window.centre
        if expected and self._around(-expected).holds(value):
            return Verdict(Status.wrong, "Your answer has the right size and the wrong sign.")
        way = "large" if value > expected else "small"
        allowed = window.half_width
        if abs(value - expected) <= max(2 * allowed, min(10 * allowed, _CLOSE * abs(expected))):
            if expected.is_integer() and allowed < 1:
                return Verdict(Status.close, f"Your answer is a little too {way}; it is counted.")
            return Verdict(
                Status.close,
                f"Your answer is a little too {way}: outside the {self._allowance(window)} that "
                f"this exercise allows. {self._advice(value, window)}",
            )
        return Verdict(Status.wrong, f"Your answer is {how_far(value, expected)}too {way}.")

    def _advice(self, value: float, window: Window) -> str:
        """Digits are to blame only just outside the window, and never for a whole number."""
        whole = self.unsafe or window.centre.is_integer()
        if whole or abs(value - window.centre) > _DIGITS * window.half_width:
            return "Is a small term missing, or one too many?"
        return "Carry more digits, or look for a small term missing."

    def _allowance(self, window: Window) -> str:
        if 0 < self.absolute == window.half_width:
            return f"± {self.absolute:g}"
        return f"{100 * self.tolerance:.4g} %"

    def _around(self, value: float) -> Window:
        return Window(value, self.tolerance, self.absolute)


def _value(what: str, thunk: Callable[[], float]) -> float:
    value = trusted(what, lambda: float(thunk()))
    if not math.isfinite(value):
        raise CheckerError(f"The workbook's own {what} is {value}: expected a finite number.")
    return value


def how_far(value: float, expected: float) -> str:
    """A coarse word on the distance: enough to look for the cause, too little to compute with."""
    if value * expected <= 0:
        return ""
    ratio = abs(value / expected)
    return "more than ten times " if max(ratio, 1 / ratio) > 10 else ""
