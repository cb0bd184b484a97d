"""Exercises and predictions of lab 1, measure your machine."""

from labutils.exercises.definition.exercise import Prediction

from .by_shape import BY_SHAPE
from .launches import LAUNCHES
from .one_call import ONE_CALL
from .quote import QUOTE
from .series import SERIES
from .stages import STAGES
from .token_job import TOKEN_JOB

ORDER = 11
TITLE = "Measure your machine"
MINUTES = 75

EXERCISES = (ONE_CALL, BY_SHAPE, SERIES, QUOTE, STAGES, LAUNCHES, TOKEN_JOB)

PREDICTIONS = (
    Prediction(
        id="machine.cold_start",
        question=(
            "A pass meets a shape for the first time. How many times as long as later passes of "
            "that shape does it take?"
        ),
        finding="The first pass of a shape takes {} times as long as later ones.",
        unit="1",
        at_least=0,
        explanation=(
            "At a new shape the block tries each of its routines before it settles for one, and "
            "that takes a handful of passes. Beside it memory is asked for and threads are "
            "started. The figure is your machine's, and the reason why the first run is a figure "
            "of its own."
        ),
    ),
    Prediction(
        id="machine.decode_rate",
        question=(
            "You know how many bytes the weights of a model take and how many bytes a second your "
            "machine copies. How many tokens a second will one user get?"
        ),
        finding="One user's tokens come at {}.",
        unit="1/s",
        at_least=0,
        explanation=(
            "Bytes a second over bytes a token: no token comes sooner than its weights. Most of a "
            "step is products of a matrix with one row, and on a processor they read more slowly "
            "than a copy; small operations are the lesser part. So a good prediction lies at the "
            "quotient or below it, unless reading alone is faster here than copying."
        ),
    ),
)
