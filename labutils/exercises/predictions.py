"""Committing to a number before the answer appears, and meeting the answer."""

import math
from dataclasses import dataclass

from labutils.exercises import catalog
from labutils.exercises.card import Card, Prose
from labutils.exercises.exercise import Prediction
from labutils.exercises.history import history
from labutils.exercises.journal import record
from labutils.exercises.reading import read_number
from labutils.units import UnreadableQuantity, WrongDimension, format_quantity

CONFIDENCE = 0.8  # how sure a learner should be of a range


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


def predict(prediction_id: str, value=..., *, low=..., high=...) -> Card:
    """Commit to a value, or to ``low`` and ``high`` that you are 80 % sure of.

    Numbers count in the question's unit; text may bring its own ("2 min"). ``...`` skips: nothing
    depends on a prediction. The last one before the outcome is the one that is scored.
    """
    prediction = catalog.prediction(prediction_id)
    given = [end for end in (value, low, high) if end is not ...]
    if not given:
        return Card("Skipped", (Prose("No prediction yet. You can go on without one."),), "neutral")
    try:
        guess = _guess(prediction, value, low, high)
    except (UnreadableQuantity, WrongDimension) as error:
        return Card("Cannot read this prediction", (Prose(str(error)),), "warning")
    record({"event": "predict", "id": prediction.id, "low": guess.low, "high": guess.high})
    sure = "" if guess.is_point else " You are 80 % sure of this range."
    return Card("Noted", (Prose(f"You say {guess.in_words(prediction.unit)}.{sure}"),))


def outcome(prediction_id: str, actual) -> Card:
    """Set what you predicted beside what is; works without a prediction too."""
    prediction = catalog.prediction(prediction_id)
    actual = read_number(actual, prediction.unit)
    guess = _committed(prediction)
    scored = {"score": guess.score(actual), "held": guess.holds(actual)} if guess else {}
    point = {"point": guess.is_point} if guess else {}
    record({"event": "outcome", "id": prediction.id, "actual": actual, **scored, **point})
    found = f"It is {format_quantity(actual, prediction.unit)}."
    said = _comparison(guess, actual, prediction.unit) if guess else "You made no prediction."
    if guess and not guess.is_point:
        said += f" Score {guess.score(actual):.2g}; 0 is perfect."
    label, accent = _label(guess, actual)
    return Card(label, (Prose(f"{found} {said}"), Prose(prediction.explanation)), accent)


def _guess(prediction: Prediction, value, low, high) -> Guess:
    if value is not ...:
        if low is not ... or high is not ...:
            raise UnreadableQuantity("Give one value, or low and high; not both.")
        point = read_number(value, prediction.unit)
        return Guess(point, point)
    if low is ... or high is ...:
        raise UnreadableQuantity("A range needs both ends: low=..., high=....")
    ends = read_number(low, prediction.unit), read_number(high, prediction.unit)
    if ends[0] > ends[1]:
        raise UnreadableQuantity("Your low lies above your high: swap them.")
    return Guess(*ends)


def _committed(prediction: Prediction) -> Guess | None:
    """The last prediction before the outcome was first shown; one made afterwards is no guess."""
    shown = [event.get("at", "") for event in history("outcome", prediction.id)]
    guess = None
    for event in history("predict", prediction.id):
        if not shown or event.get("at", "") < shown[0]:
            guess = _guess_of(event) or guess
    return guess


def _guess_of(event: dict) -> Guess | None:
    try:
        return Guess(float(event["low"]), float(event["high"]))
    except (KeyError, TypeError, ValueError):  # a line of another version
        return None


def _label(guess: Guess | None, actual: float) -> tuple[str, str]:
    if guess is None:
        return "Outcome", "neutral"
    if guess.is_point:
        return "Outcome", "info"
    return ("Inside your range", "success") if guess.holds(actual) else ("Outside", "warning")


def _comparison(guess: Guess, actual: float, unit: str) -> str:
    said = f"You said {guess.in_words(unit)}"
    if guess.holds(actual):
        return f"{said}: exactly that." if guess.is_point else f"{said}."
    end = guess.low if actual < guess.low else guess.high
    way = "high" if actual < guess.low else "low"
    return f"{said}: {_distance(end, actual)} too {way}."


def _distance(said: float, actual: float) -> str:
    """How far off: in percent when near, as a factor when far, in words where neither fits."""
    if said <= 0 or actual <= 0:
        return "well"
    ratio = max(said / actual, actual / said)
    if ratio >= 1.5:
        return f"{ratio:.2g} times"
    return f"{100 * abs(said - actual) / actual:.2g} %"
