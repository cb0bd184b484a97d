"""What one commits to before the answer: a range that holds it, and bounds found in the head."""

from collections import Counter
from collections.abc import Callable

from labutils.drills.definition.drill import Drill
from labutils.drills.judging.bounds import bound_card
from labutils.exercises.definition.exercise import Prediction
from labutils.exercises.display.card import Card, Prose
from labutils.exercises.guess import Guess, read_guess
from labutils.ground.units import UnreadableQuantity, WrongDimension

_MOST_BOUNDS = 2  # for each side


class Commitments:
    """Range and bounds for one drill; ``record`` takes an event of the journal and its fields."""

    def __init__(self, drill: Drill, record: Callable[..., None]):
        self._drill, self._record = drill, record
        self.guess: Guess | None = None
        self._bounds: Counter[str] = Counter()  # side -> what is spent of the most

    def predict(self, low, high, *, is_answered: bool) -> Card:
        """Take a range, or one value; after an answer it is noted and not scored."""
        if low is ... and high is ...:
            said = "No prediction yet. You can go on without one."
            return Card("Skipped", (Prose(said),), "neutral")
        try:
            value, low = (low, ...) if high is ... else (..., low)
            guess = read_guess(self._as_prediction(), value, low, high)
        except (UnreadableQuantity, WrongDimension) as error:
            return Card("Cannot read this prediction", (Prose(str(error)),), "warning")
        said = f"You say {guess.in_words(self._drill.unit)}"
        if is_answered:
            return Card("Noted", (Prose(f"{said}: not scored, since you have answered before."),))
        self.guess = guess
        self._record("drill_predict", low=guess.low, high=guess.high, **self._scores(guess))
        sure = "" if guess.is_point else " You are 80 % sure of this range."
        return Card("Noted", (Prose(f"{said}.{sure}"),))

    def bound(self, **sides) -> Card:
        """Take a bound for a side, ``at_least`` or ``at_most``; ``...`` is none."""
        given = {side: value for side, value in sides.items() if value is not ...}
        spent = {side for side, count in self._bounds.items() if count >= _MOST_BOUNDS}
        card, judged = bound_card(self._drill, given, used=spent)
        for side, found in judged.items():
            self._bounds[side] += _MOST_BOUNDS if found.holds else 1
            self._record("drill_bound", side=side, held=found.holds, useful=found.is_useful)
        return card

    def _scores(self, guess: Guess) -> dict:
        actual = self._drill.answer
        score, held = guess.score(actual), guess.holds(actual)
        return {"actual": actual, "held": held, "score": score, "point": guess.is_point}

    def _as_prediction(self) -> Prediction:
        drill = self._drill
        return Prediction("drill.range", drill.question, drill.unit, drill.moral)
