"""Exercises and predictions of lab 4, the continuous batcher."""

from labutils.exercises.definition.exercise import Prediction

from .cut import CUT
from .decode import DECODE
from .may_start import MAY_START
from .phase import PHASE
from .prefill import PREFILL
from .schedule import SCHEDULE
from .take import TAKE

ORDER = 14
TITLE = "Continuous batcher"

EXERCISES = (MAY_START, PREFILL, DECODE, SCHEDULE, TAKE, CUT, PHASE)

PREDICTIONS = (
    Prediction(
        id="engine.ttft_guess",
        question=(
            "Your engine gets 0.7 of the requests per second that it can serve. Of a hundred "
            "requests the slowest waits how long for its first token?"
        ),
        unit="s",
        at_least=0,
        explanation=(
            "A request waits for the step under way, then for a place, then for its own prompt. "
            "At 0.7 the places are rarely all taken, so a few long steps are most of it."
        ),
    ),
    Prediction(
        id="engine.backlog_guess",
        question=(
            "Now it gets 1.2 times the requests per second that it can serve. By how many requests "
            "a second does the number inside grow?"
        ),
        unit="1/s",
        at_least=0,
        explanation=(
            "What comes in less what goes out. Nothing but the capacity goes out, whatever the "
            "scheduler does."
        ),
    ),
    Prediction(
        id="engine.fast_model",
        question=(
            "The draft has about an eighth of the weights of the target. The same engine serves "
            "the same requests with it. By which factor do the tokens per second rise?"
        ),
        unit="1",
        at_least=0,
        explanation=(
            "Only the part of a step that the model takes can shrink, and of that only what is "
            "spent on weights. Scheduling, inputs and the launch of each operation stay."
        ),
    ),
    Prediction(
        id="engine.reserved_share",
        question=(
            "Each request reserves slots for its prompt and for the longest answer that it may "
            "get. Averaged over the run, which share of all slots holds a token?"
        ),
        unit="1",
        at_least=0,
        at_most=1,
        explanation=(
            "Three things stay empty: what an answer never needs, what it does not need yet, and "
            "the rest of the line that is too short for the next request."
        ),
    ),
)
