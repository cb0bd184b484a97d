"""Committing to a number before the answer appears, and meeting the answer."""

from collections.abc import Container
from contextlib import suppress
from dataclasses import dataclass

from labutils.exercises import catalog
from labutils.exercises.definition.exercise import Prediction
from labutils.exercises.definition.read_answer import read_number
from labutils.exercises.display.at_once import at_once
from labutils.exercises.display.card import Card, Prose
from labutils.exercises.guess import Guess, read_guess
from labutils.exercises.journal.history import history
from labutils.exercises.journal.journal import record
from labutils.ground.units import UnreadableQuantity, WrongDimension, format_quantity

HIT = "hit"
WORST_SHOWN = 100  # a score beyond it says no more than "far off"


@at_once
def predict(prediction_id: str, value=..., *more, low=..., high=...) -> Card:
    """Commit to a value, or to ``low`` and ``high`` that you are 80 % sure of.

    Two values, or one pair of them, are a range as well. Numbers count in the question's unit;
    text may bring its own ("2 min"). ``...`` skips: nothing depends on a prediction. The last one
    before the outcome is scored; where there was none, a later one is compared and not scored.
    """
    prediction = catalog.prediction(prediction_id)
    earlier = _standing(prediction)
    value = (value, *more) if more else value
    if all(
        end is ... or (isinstance(end, tuple) and end == (..., ...)) for end in (value, low, high)
    ):
        return _skipped(earlier, prediction.unit)
    try:
        guess = read_guess(prediction, value, low, high)
    except (UnreadableQuantity, WrongDimension) as error:
        return Card("Cannot read this prediction", (Prose(str(error)),), "warning")
    record({"event": "predict", "id": prediction.id, "low": guess.low, "high": guess.high})
    return _noted(guess, earlier, prediction.unit)


_TOO_FAR_APART = (
    "from runs too far apart to trust: your prediction is not judged by it. Run the cells again "
    "when nothing else runs."
)


@at_once
def outcome(prediction_id: str, actual, *, steady: bool = True) -> Card:
    """Set what you predicted beside what is; one that is not ``steady`` judges nothing."""
    prediction = catalog.prediction(prediction_id)
    actual = read_number(actual, prediction.unit)
    if not steady:
        text = f"It came out as {format_quantity(actual, prediction.unit)}, {_TOO_FAR_APART}"
        return Card("Too noisy to judge", (Prose(text),), "warning")
    standing = _standing(prediction)
    event = {"event": "outcome", "id": prediction.id, "actual": actual}
    record(event | (_scores(standing.guess, actual) if standing.in_time else {}))
    found = f"It is {format_quantity(actual, prediction.unit)}."
    said = _said(standing, actual, prediction.unit)
    label, accent = _label(standing, actual)
    return Card(label, (Prose(f"{found} {said}"), Prose(prediction.explanation)), accent)


@dataclass(frozen=True)
class Told:
    """A prediction whose outcome was shown: what was said, what came out, how far off it was."""

    id: str
    said: str
    found: str
    verdict: str

    @property
    def is_hit(self) -> bool:
        return self.verdict.startswith(HIT)


def told(of: Container[str] | None = None, *, most: int | None = None) -> list[Told]:
    """Predictions that were made and whose outcome was shown, the latest outcome last.

    ``of`` names those that are wanted; ``most`` keeps the latest alone.
    """
    made = {event["id"] for event in history("predict")}
    shown: dict[str, object] = {}
    for event in history("outcome"):
        if event["id"] in made and (of is None or event["id"] in of):
            shown.pop(event["id"], None)
            shown[event["id"]] = event.get("actual")
    found = []
    for name in list(shown)[-most if most else 0 :]:
        with suppress(catalog.UnknownIdError, TypeError, ValueError):  # of another version
            found.append(_told(catalog.prediction(name), float(shown[name])))
    return [one for one in found if one.said]


def _told(prediction: Prediction, actual: float) -> Told:
    standing, unit = _standing(prediction), prediction.unit
    said, verdict = "", ""
    if guess := standing.guess:
        said = guess.in_words(unit)
        verdict = HIT if guess.holds(actual) else _comparison(guess, actual, unit)
        verdict = verdict.removeprefix(f"You said {said}: ").rstrip(".")
        verdict += "" if standing.in_time else ", said afterwards"
    return Told(prediction.id, said, format_quantity(actual, unit), verdict)


@dataclass(frozen=True)
class Standing:
    """Where a prediction stands: what counts as said, and whether that came in time.

    The last guess before the outcome was first shown is scored. Where there was none, the last one
    made afterwards is compared: perhaps all cells were run before anybody looked.
    """

    guess: Guess | None
    shown: bool  # the outcome, at least once
    in_time: bool  # the guess came before that


def _standing(prediction: Prediction) -> Standing:
    shown = [event.get("at", "") for event in history("outcome", prediction.id)]
    before, after = None, None
    for event in history("predict", prediction.id):
        if not shown or event.get("at", "") < shown[0]:
            before = _guess_of(event) or before
        else:
            after = _guess_of(event) or after
    return Standing(before or after, bool(shown), before is not None)


def _guess_of(event: dict) -> Guess | None:
    try:
        return Guess(float(event["low"]), float(event["high"]))
    except (KeyError, TypeError, ValueError):  # a line of another version
        return None


def _skipped(earlier: Standing, unit: str) -> Card:
    said = "No prediction yet. You can go on without one."
    if earlier.guess:
        said = f"What you said before stands: {earlier.guess.in_words(unit)}."
    return Card("Skipped", (Prose(said),), "neutral")


def _noted(guess: Guess, earlier: Standing, unit: str) -> Card:
    """Repeat the guess, and say what it is worth where the outcome has been shown before."""
    says = f"You say {guess.in_words(unit)}"
    if not earlier.shown or (earlier.in_time and guess == earlier.guess):
        sure = "" if guess.is_point else " You are 80 % sure of this range."
        return Card("Noted", (Prose(f"{says}.{sure}"),))
    if earlier.in_time:
        said = f"Your earlier prediction counts, {earlier.guess.in_words(unit)}: "
        said += "the outcome has been on screen since."
        return Card("Not changed", (Prose(said),), "neutral")
    label = "Noted, although the outcome was already on screen"
    return Card(label, (Prose(f"{says}: it is compared and not scored."),))


def _label(standing: Standing, actual: float) -> tuple[str, str]:
    if standing.guess is None:
        return "Outcome", "neutral"
    if standing.guess.is_point or not standing.in_time:
        return "Outcome", "info"
    inside = standing.guess.holds(actual)
    return ("Inside your range", "success") if inside else ("Outside", "warning")


def _scores(guess: Guess, actual: float) -> dict:
    """What the diary keeps of a guess that is scored."""
    return {"score": guess.score(actual), "held": guess.holds(actual), "point": guess.is_point}


def _said(standing: Standing, actual: float, unit: str) -> str:
    guess = standing.guess
    if guess is None:
        return "You made no prediction."
    said = _comparison(guess, actual, unit)
    if not standing.in_time:
        return f"{said} Not scored: the outcome was on screen before."
    if guess.is_point or not actual:  # a score is relative: to an outcome of 0 there is none
        return said
    score = guess.score(actual)
    shown = _two_digits(score) if score < WORST_SHOWN else f"above {WORST_SHOWN}"
    return f"{said} Score {shown}; 0 is perfect."


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
        return f"{_two_digits(ratio)} times"
    return f"{100 * abs(said - actual) / actual:.2g} %"


def _two_digits(number: float) -> str:
    """Two significant digits, written out: 280, not 2.8e+02."""
    return format_quantity(float(f"{number:.2g}"), "1")
