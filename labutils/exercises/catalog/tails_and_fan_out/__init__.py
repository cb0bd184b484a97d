"""Exercises and predictions of chapter 08, tails and fan-out."""

from labutils.exercises.definition.exercise import Prediction

from .bucket import BUCKET
from .tails_fan_out import LEAF_QUANTILE, TEN_CALLS
from .tails_fleet import REVIVE
from .tails_practice import PAGE_LATENCY
from .trigger import TRIGGER

ORDER = 8
TITLE = "Tails and fan-out"
MINUTES = 55

EXERCISES = (LEAF_QUANTILE, TEN_CALLS, TRIGGER, REVIVE, PAGE_LATENCY, BUCKET)

PREDICTIONS = (
    Prediction(
        id="tails.better_page",
        question=(
            "A page asks 100 leaves. You bring the share of slow answers of a leaf from 1 % to "
            "0.1 %. By which factor does the share of slow pages fall?"
        ),
        finding="The share of slow pages falls by a factor of {}.",
        unit="1",
        explanation=(
            "A page with several slow leaves is slow once. At 1 %, four in ten slow pages have "
            "more than one, so removing nine slow answers out of ten removes fewer slow pages."
        ),
    ),
    Prediction(
        id="tails.after_the_peak",
        question=(
            "A fleet hedges without cancellation, with a median of 17 ms at load 0.6. After 40 s "
            "at load 0.8 the load is 0.6 again. What is the median latency 40 s later?"
        ),
        finding="40 s after the peak the median latency is {}.",
        unit="s",
        at_least=0,
        explanation=(
            "Behind a long queue every request waits longer than the trigger, so every request is "
            "sent twice. Twice 0.6 is 1.2: the servers get more than they can do, and the backlog "
            "that the peak left goes on growing."
        ),
    ),
)
