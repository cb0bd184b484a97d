"""What a learner committed to: a value or a range, read from what was handed to ``predict``."""

import math
import re
from dataclasses import dataclass

from labutils.exercises.definition.exercise import Prediction
from labutils.exercises.definition.read_answer import read_number
from labutils.ground.units import UnreadableQuantity, format_quantity

CONFIDENCE = 0.8  # how sure a learner should be of a range
_RANGE = "`low=..., high=...`, with numbers in place of the dots"


@dataclass(frozen=True)
class Guess:
    """What a learner committed to: a range that holds the answer with 80 %, or one value."""

    low: float
    high: float

    @property
    def is_point(self) -> bool:
        return self.low == self.high

    def holds(self, actual: float) -> bool:
        """Whether the actual value lies in the range, ends included."""
        return self.low <= actual <= self.high

    def score(self, actual: float) -> float:
        """Interval score over the size of the actual value: 0 is perfect, more is worse.

        The width, plus 2/(1 - 0.8) = 10 times the distance by which the range misses (Gneiting
        and Raftery 2007, equation 43). A single value scores its plain relative error.
        """
        miss = max(self.low - actual, actual - self.high, 0.0)
        penalty = miss if self.is_point else (self.high - self.low) + 2 / (1 - CONFIDENCE) * miss
        if penalty == 0:
            return 0.0
        return penalty / abs(actual) if actual else math.inf

    def in_words(self, unit: str) -> str:
        low, high = format_quantity(self.low, unit), format_quantity(self.high, unit)
        return low if self.is_point else f"{low} to {high}"


def read_guess(prediction: Prediction, value, low=..., high=...) -> Guess:
    """The guess in what was handed to ``predict``.

    Raises ``UnreadableQuantity`` or ``WrongDimension`` with a sentence for the learner.
    """
    value = value.tolist() if hasattr(value, "tolist") else value  # what NumPy computed
    if value is not ...:
        if low is not ... or high is not ...:
            raise UnreadableQuantity("Give one value, or low and high; not both.")
        if not isinstance(value, tuple | list):
            point = _one_number(prediction, value)
            return Guess(point, point)
        if len(value) != 2:
            raise UnreadableQuantity(f"Give one value, or two: {_RANGE}.")
        low, high = value
    if low is ... or high is ...:
        raise UnreadableQuantity(f"A range needs both ends: {_RANGE}.")
    ends = _possible(prediction, low), _possible(prediction, high)
    if ends[0] > ends[1]:
        raise UnreadableQuantity("Your low lies above your high: swap them.")
    return Guess(*ends)


def _one_number(prediction: Prediction, given) -> float:
    try:
        return _possible(prediction, given)
    except UnreadableQuantity as unreadable:
        if "a range" not in str(unreadable) and not re.search(r"\d.*\bto\b.*\d", str(given)):
            raise
        raise UnreadableQuantity(f"A range in one text cannot be read. Write {_RANGE}.") from None


def _possible(prediction: Prediction, given) -> float:
    """The number that was given, in the prediction's unit, if the answer can be as much."""
    number, unit = read_number(given, prediction.unit), prediction.unit
    if unit == "×" and isinstance(given, str) and re.fullmatch(r"\s*\+.*%\s*", given):
        number += 1  # "+100 %" says how much more: twice as much
    if unit == "1" and 1 < prediction.at_most < math.inf and _in_percent(given):
        most = format_quantity(prediction.at_most, unit)
        raise UnreadableQuantity(f"Expected is a number of at most {most}, not a share of it.")
    if prediction.can_be(number):
        return number
    least, most = prediction.at_least, prediction.at_most
    bounds = [f"at least {format_quantity(least, unit)}"] if least > -math.inf else []
    bounds += [f"at most {format_quantity(most, unit)}"] if most < math.inf else []
    said = f"It is {' and '.join(bounds)}, and you say {format_quantity(number, unit)}."
    share = unit == "1" and most == 1
    raise UnreadableQuantity(f"{said} A share in percent is a text: '60 %'." if share else said)


def _in_percent(given) -> bool:
    words = given.casefold().rstrip() if isinstance(given, str) else ""
    return words.endswith(("%", "percent", "per cent"))
