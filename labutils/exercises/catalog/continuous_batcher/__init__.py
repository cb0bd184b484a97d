"""Exercises and predictions of lab 4, the continuous batcher."""

from labutils.exercises.definition.exercise import Prediction

from .admit import ADMIT
from .commit import COMMIT
from .decode import DECODE
from .finish import FINISH
from .phase import PHASE
from .preempt import PREEMPT
from .prefill import PREFILL
from .schedule import SCHEDULE

ORDER = 14
TITLE = "Continuous batcher"
MINUTES = 105

EXERCISES = (ADMIT, PREFILL, PREEMPT, DECODE, SCHEDULE, COMMIT, FINISH, PHASE)

PREDICTIONS = (
    Prediction(
        id="engine.fast_model",
        question=(
            "The draft has about an eighth of the weights of the target. The same engine serves "
            "the same requests with it. By which factor do the tokens per second rise?"
        ),
        finding="With the draft the tokens per second rise by a factor of {}.",
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
        finding="A share of {} of the reserved slots holds a token.",
        unit="1",
        at_least=0,
        at_most=1,
        explanation=(
            "Three things stay empty: what an answer never needs, what it does not need yet, and "
            "the rest of the line that is too short for the next request."
        ),
    ),
)
