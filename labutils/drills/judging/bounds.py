"""A bound before the answer: found in the head, true, and near enough to catch a slip."""

from collections.abc import Mapping
from dataclasses import dataclass

from labutils.drills.definition.drill import Drill
from labutils.exercises.definition.read_answer import read_number
from labutils.exercises.display.card import Card, Prose
from labutils.ground.units import UnreadableQuantity, WrongDimension, format_quantity

FACTOR = 20.0
_SIDES = {"at_least": "at least", "at_most": "at most"}


@dataclass(frozen=True)
class Bound:
    """How a bound stands: whether it ``holds``, and whether it is within ``FACTOR`` as well."""

    side: str
    value: float
    holds: bool
    is_near: bool

    @property
    def is_useful(self) -> bool:
        return self.holds and self.is_near


def judged_bound(drill: Drill, side: str, value: float) -> Bound:
    """Compare a bound (``side`` "at_least" or "at_most", ``value`` in the drill's unit)."""
    answer = drill.answer
    holds = value <= answer if side == "at_least" else value >= answer
    small, large = sorted((value, answer))
    return Bound(side, value, holds, large == small or 0 < large <= FACTOR * small)


def bound_card(drill: Drill, given: Mapping, *, used: set[str]) -> tuple[Card, dict[str, Bound]]:
    """What to say about bounds; and those that count: one for each side, so that nobody bisects."""
    if not given:
        said = "A bound has a number: at least, or at most, how much?"
        return Card("No bound yet", (Prose(said),), "neutral"), {}
    if again := [side for side in given if side in used]:
        said = f"Your bound “{_SIDES[again[0]]}” stands: one for each side. Go on to the answer."
        return Card("Set already", (Prose(said),), "neutral"), {}
    try:
        found = {
            side: judged_bound(drill, side, read_number(value, drill.unit))
            for side, value in given.items()
        }
    except (UnreadableQuantity, WrongDimension) as error:
        return Card("Cannot read this bound", (Prose(str(error)),), "warning"), {}
    return _told(drill, list(found.values())), found


def _told(drill: Drill, bounds: list[Bound]) -> Card:
    parts = [Prose(_sentence(bound, drill.unit)) for bound in bounds]
    if drill.sanity:
        parts.append(Prose(f"One that needs no calculator: {drill.sanity}"))
    if not all(bound.holds for bound in bounds):
        return Card("Your bound does not hold", tuple(parts), "warning")
    if not all(bound.is_near for bound in bounds):
        return Card("True, and too loose", tuple(parts), "warning")
    return Card("Your bound holds", tuple(parts), "success")


def _sentence(bound: Bound, unit: str) -> str:
    said = f"{_SIDES[bound.side].capitalize()} {format_quantity(bound.value, unit)}:"
    if not bound.holds:
        return f"{said} the answer lies on the other side. Which fact did you round the wrong way?"
    if not bound.is_near:
        return (
            f"{said} the answer is more than {FACTOR:g} times away, so a slip by a factor of ten "
            "would pass. Which fact makes it tighter?"
        )
    return f"{said} it holds, and the answer is less than {FACTOR:g} times away."
