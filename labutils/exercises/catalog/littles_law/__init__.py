"""Exercises and predictions of chapter 02, Little's law."""

from labutils.exercises.definition.exercise import Prediction

from .clipped_log import CLIPPED_LOG
from .little_fleet import CAPACITY, FLEET
from .little_practice import AUDIT, BACKWARDS, WITNESS
from .token_seconds import RESIDENT_TOKENS

ORDER = 2
TITLE = "Little's law"
MINUTES = 55

EXERCISES = (CLIPPED_LOG, CAPACITY, FLEET, RESIDENT_TOKENS, WITNESS, AUDIT, BACKWARDS)

PREDICTIONS = (
    Prediction(
        id="little.bursts",
        question=(
            "Evenly spaced, 400 requests a second that stay 50 ms each make 20 in flight at every "
            "moment. Now they come in bursts of forty, and nine in ten stay 10 ms, the tenth "
            "410 ms. How many are in flight on average?"
        ),
        finding="With bursts {} requests are in flight on average.",
        unit="1",
        explanation=(
            "The rate and the mean stay are what they were, and the average in flight is their "
            "product. Bursts and spread move the peaks."
        ),
    ),
    Prediction(
        id="little.caught",
        question=(
            "You stop the clock at random moments and note every request that is in flight. How "
            "many times as long as the mean request of the log do they take, from arrival to "
            "answer, on average?"
        ),
        finding="Requests caught in flight take {} times as long as the mean request of the log.",
        unit="1",
        explanation=(
            "A request that stays ten times as long is in ten times as many photographs. For "
            "exponential latencies that doubles the mean."
        ),
    ),
)
