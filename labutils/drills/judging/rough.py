"""A number to one significant figure: in the head, in a minute, right within a factor."""

import math
from dataclasses import dataclass

from labutils.drills.definition.drill import Drill, Mistake
from labutils.exercises.checkers.numbers.number import Quantity, how_far
from labutils.exercises.definition.verdict import Status, Verdict

FACTOR = 1.5
SECONDS = 60.0
_SAME = 5e-3  # relative: a mistake's value with its rounding


@dataclass(frozen=True)
class RoughNumber(Quantity):
    """Right within ``FACTOR`` of ``expected`` (above 0), in both directions, ends included.

    Near 1 a share or a ratio must also have its distance from 1 right within ``FACTOR``: that a
    server is busy for 0.7 of the time says little, that it is free for 0.3 says all. A mistake is
    named where its value lies clearly outside, and where just its own value was handed in, unless
    that is the right one to a single figure.
    """

    expected: float
    unit: str
    mistakes: tuple[Mistake, ...] = ()

    @property
    def reference_answer(self) -> float:
        return self.expected

    def _judged(self, value: float) -> Verdict:
        if verdict := self._just_a_mistake(value):
            return verdict
        if _is_near(value, self.expected):
            if self._is_off_from_one(value):
                return Verdict(
                    Status.close,
                    f"Within a factor of {FACTOR:g}, but near 1 the distance from 1 counts: yours "
                    f"is more than {FACTOR:g} times off.",
                )
            return Verdict(Status.right, f"Within a factor of {FACTOR:g}.")
        return self._named(value) or self._decimal(value) or self._missed(value)

    def _just_a_mistake(self, value: float) -> Verdict | None:
        """The mistake whose value was handed in, exactly or to one figure, and not the answer's."""
        answer = _one_figure(self.expected)
        for item in self.mistakes:
            own = _one_figure(item.value)
            exact = math.isclose(value, item.value, rel_tol=_SAME)
            if (exact or value == own) and own != answer and value != answer:
                return Verdict(Status.misconception, item.message, diagnosis=item.name)
        return None

    def _is_off_from_one(self, value: float) -> bool:
        """Whether the answer lies near 1, and ``value`` at another distance from it."""
        if self.unit != "1" or float(self.expected).is_integer() or not 0.5 < self.expected < 1.5:
            return False
        if value == _one_figure(self.expected) != 1:
            return False
        return not _is_near((value - 1) / (self.expected - 1), 1)

    def _named(self, value: float) -> Verdict | None:
        far = [m for m in self.mistakes if not _is_near(m.value, self.expected, FACTOR**2)]
        near = [m for m in far if _is_near(value, m.value)]
        if not near:
            return None
        item = min(near, key=lambda mistake: abs(math.log(value / mistake.value)))
        return Verdict(Status.misconception, item.message, diagnosis=item.name)

    def _decimal(self, value: float) -> Verdict | None:
        """A slip by a power of ten, from 100 on: a factor of 10 has many other causes."""
        power = round(math.log10(value / self.expected)) if value > 0 else 0
        if abs(power) < 2 or not _is_near(value, self.expected * 10.0**power):
            return None
        way = "large" if power > 0 else "small"
        said = f"Your answer is about {10 ** abs(power):,} times too {way}."
        return Verdict(Status.scale, f"{said} Count the zeros and check the prefixes.")

    def _missed(self, value: float) -> Verdict:
        way = "large" if value > self.expected else "small"
        if _is_near(value, self.expected, 2):
            return Verdict(
                Status.close, f"Your answer is a little too {way}: more than {FACTOR:g} times off."
            )
        far = how_far(value, self.expected) or "two to ten times " * (value > 0)
        return Verdict(Status.wrong, f"Your answer is {far}too {way}.")


def can_be_rough(drill: Drill) -> bool:
    """Whether a factor around the answer has a meaning."""
    return drill.answer is not None and drill.answer > 0


def rough_number(drill: Drill) -> RoughNumber:
    """The checker of a drill's number in rough mode."""
    return RoughNumber(drill.answer, drill.unit, drill.mistakes)


def _one_figure(value: float) -> float:
    return float(f"{value:.1g}")


def _is_near(value: float, centre: float, factor: float = FACTOR) -> bool:
    if value <= 0 or centre <= 0:
        return False
    return abs(math.log(value / centre)) <= math.log(factor) + 1e-9
