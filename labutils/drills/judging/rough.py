"""A number to one significant figure: in the head, in a minute, right within a factor."""

import math
from dataclasses import dataclass

from labutils.drills.definition.drill import Drill, Mistake
from labutils.exercises.checkers.number import Quantity
from labutils.exercises.definition.verdict import Status, Verdict

FACTOR = 1.5
SECONDS = 60.0


@dataclass(frozen=True)
class RoughNumber(Quantity):
    """Right within ``FACTOR`` of ``expected`` (above 0), in both directions, ends included.

    A mistake is named only where its value lies clearly outside: farther than ``FACTOR`` squared,
    so that no answer is as near to the right value as to the mistake's.
    """

    expected: float
    unit: str
    mistakes: tuple[Mistake, ...] = ()

    @property
    def house_answer(self) -> float:
        return self.expected

    def _judged(self, value: float) -> Verdict:
        if _is_near(value, self.expected):
            return Verdict(Status.right, f"Within a factor of {FACTOR:g}.")
        return self._named(value) or self._decimal(value) or self._missed(value)

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
        return Verdict(Status.wrong, f"Your answer is too {way}.")


def can_be_rough(drill: Drill) -> bool:
    """Whether a factor around the answer has a meaning."""
    return drill.answer is not None and drill.answer > 0


def rough_number(drill: Drill) -> RoughNumber:
    """The checker of a drill's number in rough mode."""
    return RoughNumber(drill.answer, drill.unit, drill.mistakes)


def _is_near(value: float, centre: float, factor: float = FACTOR) -> bool:
    if value <= 0 or centre <= 0:
        return False
    return abs(math.log(value / centre)) <= math.log(factor) + 1e-9
